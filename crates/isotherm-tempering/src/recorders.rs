//! Recorders that serve any ensemble, and what combines and thins recorders.

use crate::Tempering;
use crate::ensemble::{Densities, Ensemble};
use crate::error::Result;
use crate::evidence::work_values::WorkValues;
use crate::sampler::{Recorder, StepView};

/// The most records that log Z is computed from: more hardly lower its error.
pub const MOST_RECORDS: u64 = 1000;

/// Which steps of a recording a recorder sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Thinning {
    /// The last of every n steps.
    Every(u64),
    /// The first of every n steps among the first `until`, with n such that there are at most `records` records.
    AtMost { records: u64, until: u64 },
    /// This many steps, evenly spread; the last of them is the last step.
    Times(u64),
}

/// A recorder that sees only some of the steps.
#[derive(Clone, Debug)]
pub struct Thinned<R> {
    /// The recorder.
    pub recorder: R,
    thinning: Thinning,
}

impl<R> Thinned<R> {
    /// Sees the last of every `n` steps.
    pub fn every(n: u64, recorder: R) -> Thinned<R> {
        Thinned { recorder, thinning: Thinning::Every(n.max(1)) }
    }

    /// Sees at most `records` of the first `until` steps, at equal distances from the first on.
    pub fn at_most(records: u64, until: u64, recorder: R) -> Thinned<R> {
        Thinned { recorder, thinning: Thinning::AtMost { records: records.max(1), until } }
    }

    /// Sees `times` steps, evenly spread; the last of them is the last step.
    pub fn times(times: u64, recorder: R) -> Thinned<R> {
        Thinned { recorder, thinning: Thinning::Times(times) }
    }

    fn sees(&self, step: u64, steps: u64) -> bool {
        match self.thinning {
            Thinning::Every(n) => (step + 1).is_multiple_of(n),
            Thinning::AtMost { records, until } => {
                let every = until.min(steps).div_ceil(records).max(1);
                step < until && step.is_multiple_of(every)
            }
            Thinning::Times(times) => (step + 1) * times / steps > step * times / steps,
        }
    }
}

impl<E: Ensemble, R: Recorder<E>> Recorder<E> for Thinned<R> {
    fn begin(&mut self, tempering: &Tempering<E>, steps: u64) {
        self.recorder.begin(tempering, steps);
    }

    fn record(&mut self, view: &mut StepView<'_, E>) -> Result<()> {
        match self.sees(view.step, view.steps) {
            true => self.recorder.record(view),
            false => Ok(()),
        }
    }
}

/// A recorder that may be absent.
impl<E: Ensemble, R: Recorder<E>> Recorder<E> for Option<R> {
    fn begin(&mut self, tempering: &Tempering<E>, steps: u64) {
        self.iter_mut().for_each(|recorder| recorder.begin(tempering, steps));
    }

    fn record(&mut self, view: &mut StepView<'_, E>) -> Result<()> {
        self.iter_mut().try_for_each(|recorder| recorder.record(view))
    }
}

/// Several recorders are a recorder.
impl<E: Ensemble> Recorder<E> for &mut [&mut dyn Recorder<E>] {
    fn begin(&mut self, tempering: &Tempering<E>, steps: u64) {
        self.iter_mut().for_each(|recorder| recorder.begin(tempering, steps));
    }

    fn record(&mut self, view: &mut StepView<'_, E>) -> Result<()> {
        self.iter_mut().try_for_each(|recorder| recorder.record(view))
    }
}

/// Work values, which give log Z. The ladder must not change while they are recorded.
#[derive(Clone, Debug, Default)]
pub struct RecordWork {
    /// What was recorded.
    pub values: WorkValues,
}

impl<E: Densities + Sync> Recorder<E> for RecordWork {
    fn begin(&mut self, tempering: &Tempering<E>, _: u64) {
        let state = &tempering.state;
        self.values = WorkValues::new(state.ladder.gaps(), state.replicas.columns());
    }

    fn record(&mut self, view: &mut StepView<'_, E>) -> Result<()> {
        self.values.record(view.tempering);
        Ok(())
    }
}

/// The mean of log π_1 at the cold end, column by column.
#[derive(Clone, Debug, Default)]
pub struct ColdLogDensity {
    /// The means, once all steps are done.
    pub means: Vec<f64>,
}

impl<E: Densities> Recorder<E> for ColdLogDensity {
    fn begin(&mut self, tempering: &Tempering<E>, _: u64) {
        self.means = vec![0.0; tempering.state.replicas.columns()];
    }

    fn record(&mut self, view: &mut StepView<'_, E>) -> Result<()> {
        let rows = view.replicas().cold_rows();
        for (mean, &row) in self.means.iter_mut().zip(&rows) {
            let mut log = [0.0];
            view.tempering.ensemble.log_densities(row, &[1.0], &mut log);
            *mean += log[0] / view.steps as f64;
        }
        Ok(())
    }
}

/// The rung of each replica.
#[derive(Clone, Debug, Default)]
pub struct RungTrace {
    /// A row of rungs for each record, replicas side by side.
    pub rungs: Vec<u16>,
}

impl<E: Ensemble> Recorder<E> for RungTrace {
    fn record(&mut self, view: &mut StepView<'_, E>) -> Result<()> {
        let (replicas, start) = (view.replicas(), self.rungs.len());
        self.rungs.resize(start + replicas.rows(), 0);
        for column in 0..replicas.columns() {
            for (rung, &row) in replicas.column(column).iter().enumerate() {
                // A ladder has far fewer rungs than `u16::MAX`.
                self.rungs[start + row] = rung as u16;
            }
        }
        Ok(())
    }
}

/// The flow of replicas between the ends of the ladder.
#[derive(Clone, Debug, Default)]
pub struct FlowTrace {
    /// One for each record.
    pub rows: Vec<FlowRow>,
}

/// The flow at a step.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FlowRow {
    /// The number of the step within the recording, from 0 on.
    pub step: u64,
    /// The inverse temperatures.
    pub betas: Vec<f64>,
    /// f_up of each rung; nothing where no labelled replica has been.
    pub f_up: Vec<Option<f64>>,
    /// The swap rate of each pair; nothing where no swap was tried.
    pub swap_rates: Vec<Option<f64>>,
    /// Round trips of all replicas since the recording began.
    pub round_trips: u64,
}

impl<E: Ensemble> Recorder<E> for FlowTrace {
    fn record(&mut self, view: &mut StepView<'_, E>) -> Result<()> {
        let state = &view.tempering.state;
        self.rows.push(FlowRow {
            step: view.step,
            betas: state.ladder.betas().to_vec(),
            f_up: state.flow.seen.f_up(),
            swap_rates: state.rates.rates(),
            round_trips: state.flow.round_trips,
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(thinned: &Thinned<()>, steps: u64) -> Vec<u64> {
        (0..steps).filter(|&step| thinned.sees(step, steps)).collect()
    }

    #[test]
    fn thinning_sees_the_steps_that_it_names() {
        assert_eq!(seen(&Thinned::every(3, ()), 10), [2, 5, 8]);
        assert_eq!(seen(&Thinned::every(0, ()), 3), [0, 1, 2]);
        assert_eq!(seen(&Thinned::at_most(4, u64::MAX, ()), 10), [0, 3, 6, 9]);
        assert_eq!(seen(&Thinned::at_most(4, 5, ()), 10), [0, 2, 4]);
        assert_eq!(seen(&Thinned::at_most(4, 0, ()), 10), []);
        assert_eq!(seen(&Thinned::times(4, ()), 10), [2, 4, 7, 9]);
        assert_eq!(seen(&Thinned::times(0, ()), 10), []);
    }
}
