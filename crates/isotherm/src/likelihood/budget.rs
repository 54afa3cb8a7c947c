//! How much work goes into an estimate of log Z.

use std::sync::LazyLock;

use super::evaluating_sampler::Length;
use super::found::LogZMethod;
use crate::error::{Cause, Dialect, Kind, OptionName, Result};
use crate::options::{OptionSpec, Section};
use crate::section;
use isotherm_tempering::evidence::AnnealingEffort;

/// The most particles, steps of annealing and steps of a sampler that an estimate may have, and the fewest.
const FEWEST: u64 = 2;
const MOST_PARTICLES: u64 = 1 << 24;
const MOST_STEPS: u64 = 1 << 30;

section! {
    /// How log Z is found, and with how much effort.
    pub struct EvaluateOptions in "" titled "log Z", set by EvaluateOptions {
        /// How log Z is found: exact (enumerated), estimate, or auto (enumerated up to 25 units in the smaller layer,
        /// else estimated).
        log_z: LogZMethod = LogZMethod::Auto;
        /// Particles of annealing from each of the two references.
        particles: Option<usize> = None, in FEWEST..=MOST_PARTICLES,
            absent 512, also ", and more until the standard error is 0.1 nats, up to 1024";
        /// Steps of annealing.
        steps: Option<usize> = None, in FEWEST..=MOST_STEPS,
            absent 2000, also ", and more where the weights call for it, up to 32000";
        /// Steps of each of the four samplers, after as many to warm up.
        sampling_steps: Option<u64> = None, in FEWEST..=MOST_STEPS,
            absent 3000, also ", and 12000 where they disagree after that, or make fewer round trips than there are replicas";
        /// A tenth of the work; the samplers do not continue where they disagree.
        quick: bool = false;
        /// Seed of the estimate.
        seed: u64 = 1;
    }
}

impl EvaluateOptions {
    /// The options, each with its name, its kind and its help text.
    pub fn table() -> &'static [OptionSpec] {
        static TABLE: LazyLock<Vec<OptionSpec>> = LazyLock::new(EvaluateOptions::specs);
        &TABLE
    }

    /// The effort that they ask for. What is chosen is neither raised nor lowered.
    pub fn budget(&self) -> Budget {
        let mut budget = if self.quick { Budget::quick() } else { Budget::full() };
        budget.seed = self.seed;
        if let Some(steps) = self.sampling_steps {
            budget.sampler = Length::chosen(budget.sampler.columns, steps);
        }
        let annealing = &mut budget.annealing;
        if let Some(particles) = self.particles {
            (annealing.particles, annealing.most_batches) = (particles, 1);
        }
        if let Some(steps) = self.steps {
            (annealing.steps, annealing.most_steps) = (steps, steps);
        }
        budget
    }
}

/// How much work an estimate of log Z may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// Annealing up from each of the two references; half as many particles, and half as many batches, are annealed down
    /// from the samples of each sampler.
    pub annealing: AnnealingEffort,
    /// How long each of the four samplers runs.
    pub sampler: Length,
    /// Seed.
    pub seed: u64,
}

impl Budget {
    /// For a result: a few minutes for 784 × 500 units on two cores, and more if the samplers do not
    /// agree by then.
    pub fn full() -> Budget {
        let annealing = AnnealingEffort {
            particles: absent::particles,
            most_batches: 3,
            steps: absent::steps,
            most_steps: 32_000,
            error: 0.1,
        };
        let sampler = Length { most_steps: 12_000, ..Length::fixed(16, absent::sampling_steps) };
        Budget { annealing, sampler, seed: 1 }
    }

    /// For the end of a run, or a quick estimate: about a tenth of that.
    pub fn quick() -> Budget {
        let annealing = AnnealingEffort {
            particles: 256,
            most_batches: 1,
            steps: 1000,
            most_steps: 1000,
            error: 0.1,
        };
        let sampler = Length::fixed(8, 600);
        Budget { annealing, sampler, seed: 1 }
    }

    /// Batches of annealing down from one sampler's samples.
    pub(super) fn batches_down(&self) -> usize {
        self.annealing.most_batches.div_ceil(2)
    }

    /// The same budget scaled to a share of it, but not below a tenth.
    pub fn scaled(self, share: f64) -> Budget {
        let share = share.clamp(0.1, 1.0);
        let part = |steps: usize| (steps as f64 * share).ceil() as usize;
        let AnnealingEffort { steps, most_steps, .. } = self.annealing;
        let annealing =
            AnnealingEffort { steps: part(steps), most_steps: part(most_steps), ..self.annealing };
        let Length { warm_up, steps, most_steps, .. } = self.sampler;
        let [warm_up, steps, most_steps] =
            [warm_up, steps, most_steps].map(|steps| (steps as f64 * share).ceil() as u64);
        let sampler = Length { warm_up, steps, most_steps, ..self.sampler };
        Budget { annealing, sampler, ..self }
    }

    /// Particles of annealing down: as many from each column.
    pub(super) fn particles_down(&self) -> usize {
        self.annealing.particles.div_ceil(2).next_multiple_of(self.sampler.columns)
    }

    /// Refuses numbers that are out of range.
    pub(super) fn check(&self) -> Result<()> {
        let AnnealingEffort { particles, steps, .. } = self.annealing;
        let Length { steps: first, most_steps, .. } = self.sampler;
        // A longer run continues from a first, short one.
        let sampling = if first == 0 { 0 } else { most_steps };
        let bounds = [
            (name::particles, particles as u64, MOST_PARTICLES),
            (name::steps, steps as u64, MOST_STEPS),
            (name::sampling_steps, sampling, MOST_STEPS),
        ];
        for (name, value, most) in bounds {
            if !(FEWEST..=most).contains(&value) {
                return Err(BudgetError { name, value, most }.into());
            }
        }
        Ok(())
    }
}

/// A number in a budget that is out of range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BudgetError {
    /// Its name.
    pub name: OptionName,
    /// What was given.
    pub value: u64,
    /// The most; the least is 2.
    pub most: u64,
}

impl Cause for BudgetError {
    fn kind(&self) -> Kind {
        Kind::Options
    }

    fn words(&self, dialect: &dyn Dialect) -> String {
        let BudgetError { name, value, most } = *self;
        format!(
            "{} is not between {FEWEST} and {most}; an estimate of log Z takes some hundreds of particles and \
             some thousands of steps",
            dialect.setting(name, &value.to_string())
        )
    }
}
