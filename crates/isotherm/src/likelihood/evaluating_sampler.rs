//! The sampler by which log Z is measured: tempered, on a ladder that is tuned in rounds, or by the flow
//! once that is known, and then fixed.
//!
//! Its estimates are only as good as its mixing, which it cannot judge by itself: a sampler that never
//! finds a mode knows nothing of it. So it is run from two starts, random states and training data, and the
//! two are compared (`verdict.rs`).
//!
//! Random states are exact draws of the reference, on every rung. From there, narrow modes have yet to be
//! found; from training data they have yet to be left. A sampler that is too slow therefore errs in one
//! direction from the first start and in the other from the second. (Fair coins for h would not do: see
//! docs/decisions/2026-11-17-random-start-is-the-reference.md.)

use isotherm_kernels::{BitMatrix, Level, Matrix, bernoulli};
use serde::{Deserialize, Serialize};

use crate::data::Dataset;
use crate::error::Result;
use crate::model::Rbm;
use crate::paths::{AnyEnsemble, PathContext, PathKind, random_hidden, temper};
use isotherm_tempering::evidence::{Estimate, Start};
use isotherm_tempering::flow::too_few_round_trips;
use isotherm_tempering::recorders::{ColdLogDensity, MOST_RECORDS, RecordWork, Thinned};
use isotherm_tempering::streams::{Key, Purpose};
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
    /// A sampler with replicas in their initial states; `marginals` are those of the reference.
    pub fn new(
        model: &'a Rbm,
        marginals: &[f64],
        (start, training): (Start, &Dataset),
        columns: usize,
        key: Key,
    ) -> Result<EvaluatingSampler<'a>> {
        let state = TemperingState::new(Ladder::new(FIRST_RUNGS, Spacing::Linear), columns);
        let context = PathContext::new(marginals, model.n_hidden());
        let hidden = |rows| match start {
            Start::Random => random_hidden(rows, model.n_hidden(), key),
            _ => hidden_of_data(model, training, rows, key),
        };
        let mut tempering = temper(PathKind::Auto.ensemble(&context), state, hidden);
        if start == Start::Random {
            tempering.begin_at_reference(model, key)?;
        }
        Ok(EvaluatingSampler { model, start, sampler: Sampler::new(tempering, key) })
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

/// h given training examples, each chosen at random.
fn hidden_of_data(model: &Rbm, training: &Dataset, rows: usize, key: Key) -> BitMatrix {
    let v = training.draw(rows, key);
    let mut fields = Matrix::zeros(rows, model.n_hidden());
    model.hidden_field(v.as_rows(), fields.tiles_mut());
    let mut h = BitMatrix::zeros(rows, model.n_hidden());
    for row in 0..rows {
        // Stream 0 may have chosen the examples.
        let mut rng = key.lanes(Purpose::Start, row + 1);
        let (level, cols) = (Level::detect(), model.n_hidden());
        bernoulli::draw_row(level, fields.row_tiles(row), &[], 1.0, cols, &mut rng, h.row_mut(row));
    }
    h
}
