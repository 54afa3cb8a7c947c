//! How much work goes into an estimate of log Z.

use super::evaluating_sampler::Length;
use crate::error::{Cause, Dialect, Kind, Result};
use isotherm_tempering::evidence::AnnealingEffort;

/// How much work an estimate of log Z may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// Of annealing up, and half as many batches down from each sampler's samples.
    pub annealing: AnnealingEffort,
    /// How long each of the two samplers runs.
    pub sampler: Length,
    /// Seed.
    pub seed: u64,
}

impl Budget {
    /// For a result: a few minutes for 784 × 500 units on two cores, and some more where that does not
    /// bear out the two samplers.
    pub fn full() -> Budget {
        let annealing = AnnealingEffort {
            particles: 512,
            most_batches: 4,
            steps: 2000,
            most_steps: 32_000,
            error: 0.1,
        };
        let sampler = Length { most_steps: 12_000, ..Length::fixed(32, 3000) };
        Budget { annealing, sampler, seed: 1 }
    }

    /// For the end of a run, or a first look: about a tenth of that.
    pub fn quick() -> Budget {
        let annealing = AnnealingEffort {
            particles: 256,
            most_batches: 1,
            steps: 1000,
            most_steps: 1000,
            error: 0.1,
        };
        let sampler = Length::fixed(16, 600);
        Budget { annealing, sampler, seed: 1 }
    }

    /// Batches of annealing down from one sampler's samples.
    pub(super) fn batches_down(&self) -> usize {
        self.annealing.most_batches.div_ceil(2)
    }

    /// The same work cut down to a share of it, but not below a tenth.
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
        self.annealing.particles.next_multiple_of(self.sampler.columns)
    }

    /// Refuses what cannot be meant.
    pub(super) fn check(&self) -> Result<()> {
        let AnnealingEffort { particles, steps, .. } = self.annealing;
        let Length { steps: first, most_steps, .. } = self.sampler;
        // Without a first look there is nothing to go on from.
        let sampling =
            if first == 0 { 0 } else { usize::try_from(most_steps).unwrap_or(usize::MAX) };
        let bounds = [
            ("particles", particles, 1 << 24),
            ("steps", steps, 1 << 30),
            ("sampling-steps", sampling, 1 << 30),
        ];
        for (name, value, most) in bounds {
            if !(2..=most).contains(&value) {
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
    pub name: &'static str,
    /// What was given.
    pub value: usize,
    /// The most; the least is 2.
    pub most: usize,
}

impl Cause for BudgetError {
    fn kind(&self) -> Kind {
        Kind::Options
    }

    fn words(&self, dialect: &dyn Dialect) -> String {
        let BudgetError { name, value, most } = *self;
        format!(
            "{} is not between 2 and {most}; an estimate of log Z takes some hundreds of particles and \
             some thousands of steps",
            dialect.setting(name, &value.to_string())
        )
    }
}
