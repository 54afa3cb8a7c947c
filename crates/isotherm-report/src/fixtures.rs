//! What the tests of the report begin with: a run that is well.
#![allow(clippy::unwrap_used)]

#[path = "../../isotherm-run/tests/it/healthy.rs"]
mod healthy;

pub(crate) use healthy::*;

use super::reading::RunRecord;
use isotherm::Plain;

/// What is read of a run on the mixture that is going on and well; its folder is gone.
pub(crate) fn record() -> RunRecord {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("config.toml"), "").unwrap();
    let read = RunRecord::read(folder.path(), &Plain).unwrap();
    RunRecord { rows: healthy_rows(), notes: Vec::new(), ..read }
}
