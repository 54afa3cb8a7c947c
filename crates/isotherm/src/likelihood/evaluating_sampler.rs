//! The sampler that log Z is measured with: tempered, on a ladder that is tuned in rounds, or follows the
//! flow if that is known, and then stays as it is.
//!
//! What it measures is worth as much as its mixing, which it cannot judge by itself: a sampler that
//! never finds a mode knows nothing of it. So it is run from two starts, random states and training
//! data, and the two are compared (`verdict.rs`).
//!
//! Random states are those of the hot end, on every rung: narrow modes have yet to be found from there,
//! and from training data to be left, so that a sampler that is too slow for it errs on one side from one
//! start and on the other from the other. Coins for h, which this began with once, are no such
//! states: they put strong fields on v, and on a model with a narrow mode of half the mass both starts
//! held too much of it, agreed, and were wrong by 1.4 nats.

use isotherm_kernels::{BitMatrix, Level, Matrix, bernoulli};
use rand::RngExt;
use serde::{Deserialize, Serialize};

use crate::data::Dataset;
use crate::error::Result;
use crate::model::Rbm;
use crate::paths::base_rate::base_rate;
use crate::paths::hidden_marginal::SMALL_HIDDEN;
use crate::paths::{HiddenMarginal, RbmPath, SwapOn, random_hidden};
use isotherm_tempering::evidence::{Estimate, Start};
use isotherm_tempering::evidence::work_values::Crossings;
use isotherm_tempering::streams::{Clock, Purpose};
use isotherm_tempering::{Ladder, Spacing, Tempering, TemperingState};

/// Rungs of the first ladder.
const FIRST_RUNGS: usize = 12;
/// The most records of a run: more steps than these are thinned.
const MOST_RECORDS: u64 = 1000;

/// How long a sampler runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Length {
    /// Independent columns.
    pub columns: usize,
    /// Steps before anything is recorded.
    pub warm_up: u64,
    /// Steps after it.
    pub steps: u64,
    /// Steps that it may be given where these do not bear it out.
    pub most_steps: u64,
    /// Whether `most_steps` are taken in any case.
    pub in_full: bool,
}

impl Length {
    /// `steps` steps after as many to warm up, whatever they show.
    pub fn fixed(columns: usize, steps: u64) -> Length {
        Length { columns, warm_up: steps, steps, most_steps: steps, in_full: false }
    }

    /// `steps` steps after as many to warm up, among which is a first look: the rungs follow the flow
    /// that it shows.
    pub fn chosen(columns: usize, steps: u64) -> Length {
        Length { most_steps: steps, in_full: true, ..Length::fixed(columns, steps.div_ceil(4)) }
    }

    /// Four times the steps, if so many are allowed, after as many to warm up. The steps done so far are
    /// among these, and a few that are missing are not worth moving the rungs for.
    pub fn longer(self, done: u64) -> Option<Length> {
        let steps = self.steps.saturating_mul(4).min(self.most_steps);
        let missing = steps.saturating_sub(done);
        let warm_up = if missing >= steps / 4 { missing } else { 0 };
        (steps > self.steps).then_some(Length { warm_up, steps, ..self })
    }
}

/// What a sampler found.
#[derive(Clone, Debug)]
pub struct Found {
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
    /// Where it began.
    pub start: Start,
    /// log Z by stepping stones from the hot end.
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

/// The sampler of a model, which can be looked at more than once.
pub struct EvaluatingSampler<'a> {
    model: &'a Rbm,
    start: Start,
    tempering: Tempering<Box<dyn RbmPath>>,
    /// The next step.
    clock: Clock,
}

impl<'a> EvaluatingSampler<'a> {
    /// A sampler with replicas at their start, its path's hot end at `marginals`.
    pub fn new(
        model: &'a Rbm,
        marginals: &[f64],
        (start, training): (Start, &Dataset),
        columns: usize,
        clock: Clock,
    ) -> EvaluatingSampler<'a> {
        let state = TemperingState::new(Ladder::new(FIRST_RUNGS, Spacing::Linear), columns);
        let (rows, mut path) = (state.replicas.rows(), path_of(marginals, model.n_hidden()));
        path.set_hidden(match start {
            Start::Random => random_hidden(rows, model.n_hidden(), clock),
            Start::Data => hidden_of_data(model, training, rows, clock),
        });
        let mut tempering = Tempering::new(path, state);
        if start == Start::Random {
            tempering.begin_at_the_hot_end(model, clock);
        }
        EvaluatingSampler { model, start, tempering, clock }
    }

    /// Steps done so far.
    pub fn steps(&self) -> u64 {
        self.clock.step
    }

    /// Brings the ladder to where it should be, then records and takes `samples` samples.
    pub fn look(
        &mut self,
        Length { warm_up, steps, .. }: Length,
        samples: usize,
        progress: &mut dyn FnMut(f64),
    ) -> Result<Found> {
        let (model, tempering) = (self.model, &mut self.tempering);
        let total = (warm_up + steps) as f64;
        let mut tell = |step| progress(step as f64 / total);
        let columns = tempering.state.replicas.columns();
        // Where replicas came round, in an earlier look, their flow is known.
        if tempering.state.flow.round_trips >= columns as u64 {
            tempering.follow_the_flow(model, warm_up, self.clock, &mut tell)?;
        } else {
            tempering.warm_up(model, warm_up, self.clock, &mut |step| {
                tell(step);
                true
            })?;
        }
        self.clock.step += warm_up;
        let rungs = tempering.state.ladder.rungs();
        let mut crossings = Crossings::new(rungs - 1, columns);
        let mut cold = vec![0.0; columns];
        let mut taken = BitMatrix::zeros(0, model.n_hidden());
        let (every, rounds) = (steps.div_ceil(MOST_RECORDS), samples.div_ceil(columns) as u64);
        for step in 0..steps {
            tempering.step(model, 1, self.clock)?;
            self.clock.step += 1;
            let rows = tempering.state.replicas.cold_rows();
            for (sum, &row) in cold.iter_mut().zip(&rows) {
                let mut log = [0.0];
                tempering.path.log_weights(row, &[1.0], &mut log);
                *sum += log[0] / steps as f64;
            }
            if step % every == 0 {
                crossings.record(tempering);
            }
            // Evenly spread, the last of them at the last step.
            if (step + 1) * rounds / steps > step * rounds / steps {
                taken.append(&tempering.path.hidden().select(&rows));
            }
            progress((warm_up + step) as f64 / total);
        }
        let log_z = crossings.log_z(tempering.path.log_z_at_the_hot_end());
        let report = SamplerReport {
            start: self.start,
            stepping_stone_up: log_z.up,
            stepping_stone_down: log_z.down,
            bar: log_z.bar,
            rungs,
            columns,
            steps,
            round_trips: tempering.state.flow.round_trips,
        };
        Ok(Found { report, cold_log_weights: cold, samples: taken })
    }
}

/// The path that mixes best: with few hidden units the visible ones can be summed out.
pub(crate) fn path_of(marginals: &[f64], n_hidden: usize) -> Box<dyn RbmPath> {
    match n_hidden <= SMALL_HIDDEN.min(marginals.len()) {
        true => Box::new(HiddenMarginal::new(marginals.len(), n_hidden)),
        false => Box::new(base_rate(marginals, n_hidden, SwapOn::FreeEnergy)),
    }
}

/// h given training examples, each chosen at random.
fn hidden_of_data(model: &Rbm, training: &Dataset, rows: usize, clock: Clock) -> BitMatrix {
    let v = match training {
        Dataset::Mixture(mixture) => mixture.examples(rows, clock),
        Dataset::Table(table) => {
            let mut rng = clock.sequence(Purpose::Start, 0);
            let count = table.examples.rows();
            let chosen: Vec<usize> = (0..rows).map(|_| rng.random_range(0..count)).collect();
            table.examples.select(&chosen)
        }
    };
    let mut fields = Matrix::zeros(rows, model.n_hidden());
    model.hidden_field(v.as_rows(), fields.tiles_mut());
    let mut h = BitMatrix::zeros(rows, model.n_hidden());
    for row in 0..rows {
        // Stream 0 chose the examples.
        let mut rng = clock.lanes(Purpose::Start, row + 1);
        let (level, cols) = (Level::detect(), model.n_hidden());
        bernoulli::draw_row(level, fields.row_tiles(row), &[], 1.0, cols, &mut rng, h.row_mut(row));
    }
    h
}
