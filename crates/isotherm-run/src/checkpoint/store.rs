//! The two checkpoints of a run: the current one and the one before it.

use std::fs;
use std::io;
use std::path::Path;

use super::atomic::{self, Disk, Staged};
use super::error::{CheckpointError, FellBack, Problem, Unusable};
use isotherm::tensors::Bundle;
use isotherm::{IoError, Result};

/// The name of the latest checkpoint in the folder of a run.
pub const CURRENT: &str = "checkpoint.safetensors";
/// The name of the checkpoint before it.
pub const PREVIOUS: &str = "checkpoint.previous.safetensors";

/// Makes a bundle the current checkpoint and keeps the one that was current as the previous one.
///
/// At every instant a complete checkpoint is on disk, even if this is interrupted. The caller
/// holds the [`RunLock`](super::RunLock) of the folder.
pub fn save(folder: &Path, bundle: &Bundle) -> Result<()> {
    save_on(&Disk::real(), folder, bundle)
}

pub(super) fn save_on(disk: &Disk, folder: &Path, bundle: &Bundle) -> Result<()> {
    let (current, previous) = (folder.join(CURRENT), folder.join(PREVIOUS));
    let bytes = bundle.to_bytes()?;
    let doing = "save the checkpoint";
    let refused = |error| IoError { doing, path: current.clone(), error };
    // The new file is complete before any other is moved: a full disk costs no checkpoint.
    let staged = Staged::write(disk, &current, |out| out.write_all(&bytes)).map_err(refused)?;
    drop(bytes);
    let doing = "keep the earlier checkpoint as";
    keep(disk, &current, &previous).map_err(|error| IoError {
        doing,
        path: previous.clone(),
        error,
    })?;
    Ok(staged.commit().map_err(refused)?)
}

/// Gives the current file the name of the previous one too.
fn keep(disk: &Disk, current: &Path, previous: &Path) -> io::Result<()> {
    let Ok(bytes) = fs::read(current) else { return Ok(()) };
    // A damaged file must not displace what may be the only good checkpoint.
    if !matches!(Bundle::is_sealed(&bytes), Ok(true)) {
        return Ok(());
    }
    match Staged::link(disk, current, previous) {
        Ok(linked) => linked.commit(),
        // Not every file system has hard links.
        Err(_) => atomic::write_on(disk, previous, |out| out.write_all(&bytes)),
    }
}

/// A checkpoint that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// What was stored.
    pub bundle: Bundle,
    /// If this is the previous checkpoint because the current one cannot be used: why.
    pub fell_back: Option<FellBack>,
}

/// Reads the current checkpoint of a run, or the previous one if the current one cannot be used.
pub fn load(folder: &Path) -> Result<Loaded> {
    let current = match read(folder, CURRENT) {
        Ok(bundle) => return Ok(Loaded { bundle, fell_back: None }),
        Err(unusable) => unusable,
    };
    match read(folder, PREVIOUS) {
        Ok(bundle) => {
            let fell_back = Some(FellBack { folder: folder.to_owned(), current });
            Ok(Loaded { bundle, fell_back })
        }
        Err(previous) => {
            let (folder, reasons) = (folder.to_owned(), [current, previous]);
            Err(CheckpointError::NoneUsable { folder, reasons }.into())
        }
    }
}

fn read(folder: &Path, name: &'static str) -> std::result::Result<Bundle, Unusable> {
    let unusable = |problem| Unusable { name, problem };
    let bytes = fs::read(folder.join(name)).map_err(|error| {
        unusable(match error.kind() {
            io::ErrorKind::NotFound => Problem::Missing,
            _ => Problem::Unreadable { reason: error.to_string() },
        })
    })?;
    Bundle::from_bytes(&bytes).map_err(|reason| unusable(Problem::Damaged(reason)))
}
