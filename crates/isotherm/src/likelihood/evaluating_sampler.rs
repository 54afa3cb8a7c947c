//! The sampler by which log Z is measured: tempered, on a ladder that is tuned in rounds, or by the flow
//! once that is known, and then fixed.
//!
//! Its estimates are only as good as its mixing, which it cannot judge by itself: a sampler that never
//! finds a mode knows nothing of it. So it is run from two references, each with two starts, and the four are
//! compared (`verdict.rs`).
//!
//! The first start is exact draws of the reference, on every rung. From there, modes have yet to be found;
//! from known states of all components they have yet to be left. A sampler that is too slow therefore errs in one
//! direction from the first start and in the other from the second. (Fair coins for h would not do: see
//! docs/decisions/2026-11-17-random-start-is-the-reference.md.)

use isotherm_kernels::BitMatrix;
use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::model::Rbm;
use crate::paths::{AnyEnsemble, random_hidden, temper};
use isotherm_tempering::evidence::{Estimate, Start, WhichReference};
use isotherm_tempering::flow::too_few_round_trips;
use isotherm_tempering::recorders::{ColdLogDensity, MOST_RECORDS, RecordWork, Thinned};
use isotherm_tempering::streams::Key;
use isotherm_tempering::{
    Densities, Ladder, Recorder, RunLength, Sampler, Spacing, StepView, TemperingState, WarmUp,
};

/// Rungs of the first ladder.
const FIRST_RUNGS: usize = 12;

/// How long a sampler runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Length {
    /// Independent columns.
    pub columns: usize,
    /// Steps before anything is recorded.
    pub warm_up: u64,
    /// Steps after it.
    pub steps: u64,
    /// Steps that it may take if these are not enough.
    pub most_steps: u64,
    /// Whether it takes `most_steps` in any case.
    pub in_full: bool,
}

impl Length {
    /// `steps` steps after as many of warm-up, whatever the result.
    pub fn fixed(columns: usize, steps: u64) -> Length {
        Length { columns, warm_up: steps, steps, most_steps: steps, in_full: false }
    }

    /// `steps` steps after as many of warm-up. The warm-up includes a first, short measurement, and the
    /// rungs then follow the flow that it shows.
    pub fn chosen(columns: usize, steps: u64) -> Length {
        Length { most_steps: steps, in_full: true, ..Length::fixed(columns, steps.div_ceil(4)) }
    }

    /// Four times the steps, if that is allowed, after as many of warm-up. The steps done so far count
    /// as warm-up; if only a few are missing, the rungs are not moved for them.
    pub fn longer(self, done: u64) -> Option<Length> {
        let steps = self.steps.saturating_mul(4).min(self.most_steps);
        let missing = steps.saturating_sub(done);
        let warm_up = if missing >= steps / 4 { missing } else { 0 };
        (steps > self.steps).then_some(Length { warm_up, steps, ..self })
    }
}

/// The results of a sampler.
#[derive(Clone, Debug)]
pub struct SamplerResult {
    /// Its figures.
    pub report: SamplerReport,
    /// log π_1 at the cold end, without a constant, averaged over the steps of each column.
    pub cold_log_weights: Vec<f64>,
    /// Samples of the model, as hidden states; sample i is of column i mod columns.
    pub samples: BitMatrix,
}

/// The figures of one sampler.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SamplerReport {
    /// What its ladder begins at, where there are two such; absent in files of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<WhichReference>,
    /// Its initial states.
    pub start: Start,
    /// log Z by stepping stones from the reference.
    pub stepping_stone_up: Estimate,
    /// log Z by stepping stones from the cold end.
    pub stepping_stone_down: Estimate,
    /// log Z by Bennett's acceptance ratio.
    pub bar: Estimate,
    /// Rungs of its ladder.
    pub rungs: usize,
    /// Columns.
    pub columns: usize,
    /// Steps in which it was recorded.
    pub steps: u64,
    /// Round trips that all its replicas completed in them.
    pub round_trips: u64,
}

impl SamplerReport {
    /// The number of replicas.
    pub fn replicas(&self) -> u64 {
        (self.rungs * self.columns) as u64
    }
}

/// A sampler of a model that can be measured more than once.
pub struct EvaluatingSampler<'a> {
    model: &'a Rbm,
    start: Start,
    sampler: Sampler<AnyEnsemble>,
}

impl<'a> EvaluatingSampler<'a> {
    /// A sampler on this path whose replicas are draws of its reference.
    pub fn from_reference(
        model: &'a Rbm,
        path: AnyEnsemble,
        columns: usize,
        key: Key,
    ) -> Result<EvaluatingSampler<'a>> {
        let units = path.units();
        let any = |rows| random_hidden(rows, units, key);
        let mut it = EvaluatingSampler::from_states(model, path, columns, key, any);
        it.sampler.tempering.begin_at_reference(model, key)?;
        Ok(EvaluatingSampler { start: Start::Random, ..it })
    }

    /// A sampler on this path whose replicas have the units that `units` gives for a number of rows.
    pub fn from_states(
        model: &'a Rbm,
        path: AnyEnsemble,
        columns: usize,
        key: Key,
        units: impl FnOnce(usize) -> BitMatrix,
    ) -> EvaluatingSampler<'a> {
        let state = TemperingState::new(Ladder::new(FIRST_RUNGS, Spacing::Linear), columns);
        let sampler = Sampler::new(temper(path, state, units), key);
        EvaluatingSampler { model, start: Start::Known, sampler }
    }

    /// Steps done so far.
    pub fn steps(&self) -> u64 {
        self.sampler.key.step
    }

    /// Warms up, then measures and takes `samples` samples. `recorders` see every recorded step. `progress`
    /// gets the share that is done and answers whether to go on; if not, nothing is found.
    pub fn measure(
        &mut self,
        Length { warm_up, steps, .. }: Length,
        samples: usize,
        mut recorders: &mut [&mut dyn Recorder<AnyEnsemble>],
        progress: &mut dyn FnMut(f64) -> bool,
    ) -> Result<Option<SamplerResult>> {
        let (model, sampler) = (self.model, &mut self.sampler);
        let state = sampler.tempering.state();
        let columns = state.replicas().columns();
        // After an earlier measurement replicas have made round trips, and their flow is known.
        let how = match too_few_round_trips(state.flow().round_trips(), columns) {
            true => WarmUp::Tune,
            false => WarmUp::FollowFlow,
        };
        let mut work = Thinned::at_most(MOST_RECORDS, u64::MAX, RecordWork::default());
        let mut cold = ColdLogDensity::default();
        let taken = HiddenSamples { h: BitMatrix::zeros(0, model.n_hidden()) };
        let mut taken = Thinned::times(samples.div_ceil(columns) as u64, taken);
        let own: &mut [&mut dyn Recorder<_>] =
            &mut [&mut cold, &mut work, &mut taken, &mut recorders];
        let ran = sampler.run(model, RunLength { warm_up, how, steps }, own, progress)?;
        if ran.steps < steps {
            return Ok(None);
        }
        let tempering = &sampler.tempering;
        let log_z = work.recorder.values.log_z(tempering.ensemble().log_z_of_reference());
        let report = SamplerReport {
            reference: None,
            start: self.start,
            stepping_stone_up: log_z.up,
            stepping_stone_down: log_z.down,
            bar: log_z.bar,
            rungs: tempering.state().ladder().rungs(),
            columns,
            steps,
            round_trips: tempering.state().flow().round_trips(),
        };
        Ok(Some(SamplerResult { report, cold_log_weights: cold.means, samples: taken.recorder.h }))
    }
}

/// Hidden states at the cold end.
struct HiddenSamples {
    h: BitMatrix,
}

impl Recorder<AnyEnsemble> for HiddenSamples {
    fn record(&mut self, view: &mut StepView<'_, AnyEnsemble>) -> Result<()> {
        let rows = view.replicas().cold_rows();
        let mut now = BitMatrix::zeros(rows.len(), self.h.cols());
        view.tempering.ensemble().copy_hidden(&rows, &mut now);
        self.h.append(&now);
        Ok(())
    }
}
