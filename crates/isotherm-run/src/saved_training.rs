//! Saves training in memory as the folder of a run, which lacks only the data.

use std::path::Path;

use serde_json::Value;

use super::folder::RunFolder;
use crate::Config;
use crate::checkpoint;
use crate::record::{Row, RowLog, Seconds, Summary, Timing};
use isotherm::Result;
use isotherm::model::model_bundle;
use isotherm::references::Reference;
use isotherm::tensors::Bundle;
use isotherm::trainer::TrainState;

/// Training in memory to be saved, finished or stopped.
pub struct SavedTraining<'a> {
    /// Its complete configuration.
    pub config: &'a Config,
    /// Its state, as [`TrainingRun::to_bundle`](super::TrainingRun::to_bundle) gave it.
    pub checkpoint: &'a Bundle,
    /// The rows of metrics so far.
    pub rows: &'a [Row],
    /// Its summary, if it is finished.
    pub summary: Option<&'a Summary>,
    /// Anything else that the caller wants to store with it.
    pub about: Option<Value>,
}

impl SavedTraining<'_> {
    /// Writes the folder of a run.
    pub fn write(&self, out: &Path, replace: bool) -> Result<()> {
        let mut bundle = self.checkpoint.clone();
        let n_visible = Reference::take_from(&bundle)?.marginals().len();
        let state = TrainState::take_from(&bundle, &self.config.check(n_visible)?)?;
        if let Some(about) = &self.about {
            bundle.meta["about"] = about.clone();
        }
        let (folder, _lock) = RunFolder::begin(out, self.config, replace)?;
        let mut metrics = RowLog::open(&folder.metrics(), 0)?;
        for row in self.rows {
            metrics.append(row)?;
        }
        let seconds = self.summary.map_or(Seconds::default(), |summary| summary.seconds);
        RowLog::open(&folder.timing(), 0)?.append(&Timing { step: state.step(), seconds })?;
        bundle.insert("metrics_bytes", &[1], &[metrics.sync()?])?;
        checkpoint::save(folder.path(), &bundle)?;
        let [model, averaged] = state.result();
        checkpoint::write(&model_bundle(model, averaged, state.reference())?, &folder.model())?;
        if let Some(summary) = self.summary {
            folder.write_summary(summary)?;
        }
        Ok(())
    }
}
