//! Recorders that serve any ensemble.

use crate::ensemble::{Densities, Ensemble};
use crate::error::Result;
use crate::evidence::work_values::WorkValues;
use crate::sampler::{Moment, Recorder};

/// Work values of every `every`-th step, among the first `until` of them: log Z.
#[derive(Clone, Debug)]
pub struct RecordWork {
    /// What was recorded.
    pub values: WorkValues,
    every: u64,
    until: u64,
}

impl RecordWork {
    /// Of a ladder with so many gaps and columns.
    pub fn new(gaps: usize, columns: usize, every: u64, until: u64) -> RecordWork {
        RecordWork { values: WorkValues::new(gaps, columns), every: every.max(1), until }
    }
}

impl<E: Densities + Sync> Recorder<E> for RecordWork {
    fn record(&mut self, moment: &mut Moment<'_, E>) -> Result<()> {
        if moment.step < self.until && moment.step.is_multiple_of(self.every) {
            self.values.record(moment.tempering);
        }
        Ok(())
    }
}

/// The mean of log π_1 at the cold end, column by column.
#[derive(Clone, Debug)]
pub struct ColdLogDensity {
    /// The means, once all steps are done.
    pub means: Vec<f64>,
}

impl ColdLogDensity {
    /// Of so many columns.
    pub fn new(columns: usize) -> ColdLogDensity {
        ColdLogDensity { means: vec![0.0; columns] }
    }
}

impl<E: Densities> Recorder<E> for ColdLogDensity {
    fn record(&mut self, moment: &mut Moment<'_, E>) -> Result<()> {
        let rows = moment.replicas().cold_rows();
        for (mean, &row) in self.means.iter_mut().zip(&rows) {
            let mut log = [0.0];
            moment.tempering.ensemble.log_densities(row, &[1.0], &mut log);
            *mean += log[0] / moment.steps as f64;
        }
        Ok(())
    }
}

/// The rung of each replica, every `every` steps.
#[derive(Clone, Debug)]
pub struct RungTrace {
    /// A row of rungs for each record, replicas side by side.
    pub rungs: Vec<u16>,
    every: u64,
}

impl RungTrace {
    /// Nothing recorded yet.
    pub fn new(every: u64) -> RungTrace {
        RungTrace { rungs: Vec::new(), every: every.max(1) }
    }
}

impl<E: Ensemble> Recorder<E> for RungTrace {
    fn record(&mut self, moment: &mut Moment<'_, E>) -> Result<()> {
        if !(moment.step + 1).is_multiple_of(self.every) {
            return Ok(());
        }
        let (replicas, start) = (moment.replicas(), self.rungs.len());
        self.rungs.resize(start + replicas.rows(), 0);
        for column in 0..replicas.columns() {
            for (rung, &row) in replicas.column(column).iter().enumerate() {
                // A ladder never has so many rungs that one would not fit.
                self.rungs[start + row] = rung as u16;
            }
        }
        Ok(())
    }
}
