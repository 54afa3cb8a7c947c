//! Where negative samples come from.
//!
//! Each way is one file that implements [`NegativeSampler`] and describes itself as a [`AlgorithmEntry`], and one line in the
//! registry below. A sampler from outside goes to [`TrainState::with`](crate::trainer::TrainState::with) or to
//! [`TrainingBuilder::with_negative`](crate::training::TrainingBuilder::with_negative).

pub mod cd;
pub mod exact;
pub mod gibbs_steps;
pub mod sml;
pub mod tempered;

use isotherm_kernels::affine::Grouping;
use isotherm_kernels::{BitMatrix, Tile};
use isotherm_tempering::engine::Change;
use isotherm_tempering::streams::Key;
use isotherm_tempering::{Tempering, TemperingState};

use crate::error::Result;
use crate::model::{Parameters, Rbm};
use crate::options::{Options, Plan};
use crate::paths::AnyEnsemble;
use crate::references::Reference;
use crate::registry::registry;
use crate::tensors::Bundle;

pub use tempered::Tempered;

registry! {
    /// Where the negative samples come from.
    pub enum Algorithm, entry() -> AlgorithmEntry {
        /// Contrastive divergence: k steps from the data.
        Cd => &cd::ENTRY,
        /// Stochastic maximum likelihood: persistent replicas at β = 1.
        Sml => &sml::ENTRY,
        /// SML with parallel tempering on a fixed ladder.
        Pt => &tempered::PT,
        /// SML with adaptive parallel tempering.
        Apt => &tempered::APT,
        /// Independent samples, drawn exactly by enumerating the hidden states.
        Exact => &exact::ENTRY,
    }
}

/// A source of samples of the model for the negative phase.
pub trait NegativeSampler: Send + Sync {
    /// Draws visible samples of the model into the rows of `out`. `batch` holds the examples of the
    /// positive phase, from which contrastive divergence starts; `key` is the random-number key of this
    /// step.
    fn sample(
        &mut self,
        model: &Rbm,
        batch: &BitMatrix,
        key: Key,
        out: &mut BitMatrix,
    ) -> Result<()>;

    /// Writes the hidden fields b + Wᵀv of the samples just drawn, if they are known in this grouping of
    /// the sums, and returns whether they are. They save the gradient a product and never change it.
    fn hidden_fields(&mut self, grouping: Grouping, out: &mut [Tile]) -> bool {
        let _ = (grouping, out);
        false
    }

    /// A step of the sampler after the last update, when the model no longer changes.
    fn step(&mut self, model: &Rbm, key: Key) -> Result<()> {
        let _ = (model, key);
        Ok(())
    }

    /// A hook after each update and each sampling step: a ladder adapts here, and weights that are the
    /// sampler's own can follow those of the model.
    fn after_step(&mut self, done: &AfterStep<'_>) -> Option<Change> {
        let _ = done;
        None
    }

    /// Called when training continues from `step` under another plan.
    fn change_plan(&mut self, plan: &Plan, step: u64) {
        let _ = (plan, step);
    }

    /// The ladder that it shows, if it has one.
    fn ladder(&self) -> Option<&TemperingState> {
        None
    }

    /// Restarts the count of round trips.
    fn restart_count(&mut self) {}

    /// Adds to a checkpoint whatever the next step needs.
    fn save(&self, checkpoint: &mut Bundle) -> Result<()> {
        let _ = checkpoint;
        Ok(())
    }

    /// Restores it from a checkpoint.
    fn restore(&mut self, checkpoint: &Bundle) -> Result<()> {
        let _ = checkpoint;
        Ok(())
    }

    /// The replicas on their ladder, for a sampler that continues with them.
    fn into_tempering(self: Box<Self>) -> Option<Tempering<AnyEnsemble>> {
        None
    }
}

/// What a negative sampler sees after a step.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct AfterStep<'a> {
    /// The number of the step, from 0 on.
    pub step: u64,
    /// The model after it.
    pub model: &'a Rbm,
    /// The gradient that the update followed, penalties included; none in a sampling step.
    pub gradient: Option<&'a Parameters>,
    /// The learning rate of the update; 0 in a sampling step.
    pub rate: f64,
}

/// What an algorithm keeps from one update to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Persistence {
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
pub struct AlgorithmEntry {
    /// What it keeps from one update to the next.
    pub persistence: Persistence,
    /// Refuses options that do not go with it.
    pub check: fn(&Options) -> Result<()>,
    /// The sampler before the first update, given the reference of the run.
    pub begin: fn(&Plan, &Reference) -> Box<dyn NegativeSampler>,
}

impl Algorithm {
    /// Whether it samples on a ladder of temperatures.
    pub fn is_tempered(self) -> bool {
        matches!(self.entry().persistence, Persistence::Ladder { .. })
    }

    /// Whether its ladder adapts.
    pub fn is_adaptive(self) -> bool {
        self.entry().persistence == Persistence::Ladder { adapts: true }
    }

    /// Whether it keeps its samples from one update to the next.
    pub fn is_persistent(self) -> bool {
        self.entry().persistence != Persistence::Nothing
    }
}

/// The check of algorithms that accept all options.
fn anything(_: &Options) -> Result<()> {
    Ok(())
}
