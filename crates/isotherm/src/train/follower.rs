//! Following the likelihood while learning: a small tempered sampler of the averaged model, beside
//! the one that learns.
//!
//! The replicas that learning uses cannot tell the likelihood. Each update lowers the probability of
//! just the states they are in, so that they are always where the model has least of it: on the mixture
//! the bridges between their rungs flattered the enumerated likelihood by nats. The averaged parameters, which are the result of a run, have no such
//! memory of single states, and change so slowly that a sweep every [`EVERY`] updates keeps up.

use isotherm_kernels::{BitMatrix, stream_key};

use super::negative::AnyPath;
use super::plan::Plan;
use crate::data::Dataset;
use crate::error::Result;
use crate::likelihood::evaluating_sampler::path_of;
use crate::likelihood::ladder::Crossings;
use crate::likelihood::{Tracked, quick_minus_free_energies};
use crate::model::{Parameters, Rbm};
use crate::path::random_hidden;
use crate::streams::{Clock, Purpose};
use crate::tempering::{Adaptation, Ladder, Respace, Spacing, Tempering, TemperingState};

/// Updates between two steps of the follower.
pub const EVERY: u64 = 20;

/// Its columns: the error comes from their spread.
pub const COLUMNS: usize = 16;

const FIRST_RUNGS: usize = 16;

/// The swap rate below which a bridge does not bear: its log Z is a guess, and its error too small.
const BEARING: f64 = 0.05;

/// Rows of the reference.
const ROWS: usize = 200;

/// Its ladder adapts in hundreds of steps and not, like that of learning, in thousands.
const ADAPTATION: Adaptation = Adaptation {
    respace: Respace::Rejection,
    beta_lr: 0.02,
    min_swap: 0.4,
    min_rungs: 4,
    max_rungs: 60,
    spawn_every: 25,
    burn_in: 10,
};

/// The sampler and what it has seen so far; part of the state of a run.
pub struct Follower {
    /// Replicas of the averaged model.
    pub tempering: Tempering<AnyPath>,
    /// The likelihood as they see it.
    pub tracked: Tracked,
}

impl Follower {
    /// A follower with replicas in random states, if the plan asks for one.
    pub fn new(plan: &Plan, marginals: &[f64]) -> Option<Follower> {
        plan.follows.then(|| {
            let state = TemperingState::new(Ladder::new(FIRST_RUNGS, Spacing::Linear), COLUMNS);
            let clock = clock(plan.config.seed, 0);
            let h = random_hidden(state.replicas.rows(), plan.config.hidden, clock);
            Follower::resume(marginals, state, h, Tracked::default())
        })
    }

    /// A follower with a given ladder and given hidden states.
    pub fn resume(
        marginals: &[f64],
        state: TemperingState,
        h: BitMatrix,
        tracked: Tracked,
    ) -> Follower {
        let mut path = path_of(marginals, h.cols());
        path.set_hidden(h);
        Follower { tempering: Tempering::new(path, state), tracked }
    }

    /// A step of the sampler and a look at it, if it is time.
    pub fn follow(
        &mut self,
        averaged: &Parameters,
        reference: &Reference,
        seed: u64,
        update: u64,
    ) -> Result<()> {
        if !update.is_multiple_of(EVERY) {
            return Ok(());
        }
        let model = Rbm::new(averaged.clone());
        let tempering = &mut self.tempering;
        tempering.step(&model, 1, clock(seed, update))?;
        if tempering.state.rates.rates().iter().flatten().all(|&rate| rate > BEARING) {
            let mut crossings = Crossings::new(tempering.state.ladder.gaps(), COLUMNS);
            crossings.record(tempering);
            let (climb, influences) = crossings.bennett();
            let log_z = tempering.path.log_z_at_the_hot_end() + climb;
            self.tracked.observe(log_z, &influences, reference.mean(&model));
        }
        tempering.adapt(&ADAPTATION);
        Ok(())
    }
}

/// Streams that are not those of the sampler that learns.
fn clock(seed: u64, update: u64) -> Clock {
    Clock { seed: stream_key(seed, Purpose::Follow as u64, 0, 0), step: update }
}

/// Some rows of the data, always the same, whose mean free energy carries log Z from one look to the
/// next.
pub struct Reference {
    rows: BitMatrix,
}

impl Reference {
    /// An even spread of the training data.
    pub fn new(data: &Dataset) -> Reference {
        let mut rows = BitMatrix::zeros(0, data.n_visible());
        match data {
            Dataset::Mixture(mixture) => {
                mixture.strata(ROWS / 5).iter().for_each(|stratum| rows.append(stratum));
            }
            Dataset::Table(table) => {
                let (all, some) = (table.examples.rows(), ROWS.min(table.examples.rows()));
                let spread: Vec<usize> = (0..some).map(|i| i * all / some).collect();
                rows = table.examples.select(&spread);
            }
        }
        Reference { rows }
    }

    /// The rows.
    pub fn rows(&self) -> &BitMatrix {
        &self.rows
    }

    /// Mean −F under a model.
    pub fn mean(&self, model: &Rbm) -> f64 {
        let values = quick_minus_free_energies(model, &self.rows);
        values.iter().sum::<f64>() / values.len() as f64
    }
}
