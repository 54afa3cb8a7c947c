//! Where negative samples come from.
//!
//! Each way is one file that implements [`Negative`] and describes itself as a [`Learner`], and one line in the
//! registry below. A sampler from outside goes to
//! [`TrainState::with_negative`](crate::trainer::TrainState::with_negative).

pub mod cd;
pub mod exact;
pub mod gibbs_steps;
pub mod tempered;

use isotherm_kernels::affine::Grouping;
use isotherm_kernels::{BitMatrix, Tile};
use isotherm_tempering::engine::Change;
use isotherm_tempering::streams::Key;
use isotherm_tempering::{Tempering, TemperingState};

use crate::error::Result;
use crate::model::Rbm;
use crate::options::{Algorithm, Options, Plan};
use crate::paths::AnyEnsemble;
use crate::tensors::Bundle;

/// A source of samples of the model for the negative phase.
pub trait Negative: Send + Sync {
    /// Visible samples of the model, into the rows of `out`. `batch` holds the examples of the positive
    /// phase, from which contrastive divergence starts; `key` is that of the random numbers of this step.
    fn sample(
        &mut self,
        model: &Rbm,
        batch: &BitMatrix,
        key: Key,
        out: &mut BitMatrix,
    ) -> Result<()>;

    /// The hidden fields b + Wᵀv of the samples just drawn, if it has them in this grouping of the sums;
    /// returns whether it has. They save the gradient a product, and never change it.
    fn hidden_fields(&mut self, grouping: Grouping, out: &mut [Tile]) -> bool {
        let _ = (grouping, out);
        false
    }

    /// A step of the sampler after learning has ended: the model stays as it is.
    fn step(&mut self, model: &Rbm, key: Key) -> Result<()> {
        let _ = (model, key);
        Ok(())
    }

    /// A hook after each update and each sampling step, `step` being its number: a ladder adapts here.
    fn after_step(&mut self, step: u64) -> Option<Change> {
        let _ = step;
        None
    }

    /// Called when learning goes on from `step` under another plan.
    fn change_plan(&mut self, plan: &Plan, step: u64) {
        let _ = (plan, step);
    }

    /// The ladder that it shows, if it has one.
    fn ladder(&self) -> Option<&TemperingState> {
        None
    }

    /// Lets the count of round trips start again.
    fn restart_count(&mut self) {}

    /// Adds to a checkpoint whatever the next step needs.
    fn save(&self, checkpoint: &mut Bundle) -> Result<()> {
        let _ = checkpoint;
        Ok(())
    }

    /// Takes it back from a checkpoint.
    fn restore(&mut self, checkpoint: &Bundle) -> Result<()> {
        let _ = checkpoint;
        Ok(())
    }

    /// The replicas on their ladder, for a sampler that goes on with them.
    fn into_tempering(self: Box<Self>) -> Option<Tempering<AnyEnsemble>> {
        None
    }
}

/// What an algorithm keeps from one update to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeps {
    /// Nothing.
    Nothing,
    /// Persistent particles at β = 1.
    Particles,
    /// Replicas on a ladder.
    Ladder {
        /// Whether the ladder adapts.
        adapts: bool,
    },
}

/// An algorithm as the registry knows it.
#[derive(Clone, Copy, Debug)]
pub struct Learner {
    /// What it keeps from one update to the next.
    pub keeps: Keeps,
    /// Options that it refuses.
    pub check: fn(&Options) -> Result<()>,
    /// The sampler before the first update, given the visible marginals of the data.
    pub begin: fn(&Plan, &[f64]) -> Box<dyn Negative>,
}

impl Algorithm {
    /// The registry: a line for each algorithm.
    pub fn learner(self) -> &'static Learner {
        match self {
            Algorithm::Cd => &cd::LEARNER,
            Algorithm::Sml => &tempered::SML,
            Algorithm::Pt => &tempered::PT,
            Algorithm::Apt => &tempered::APT,
            Algorithm::Exact => &exact::LEARNER,
        }
    }

    /// Whether it samples on a ladder of temperatures.
    pub fn is_tempered(self) -> bool {
        matches!(self.learner().keeps, Keeps::Ladder { .. })
    }

    /// Whether its ladder adapts.
    pub fn is_adaptive(self) -> bool {
        self.learner().keeps == Keeps::Ladder { adapts: true }
    }

    /// Whether it keeps its samples from one update to the next.
    pub fn is_persistent(self) -> bool {
        self.learner().keeps != Keeps::Nothing
    }
}

/// For algorithms that take all options.
fn anything(_: &Options) -> Result<()> {
    Ok(())
}
