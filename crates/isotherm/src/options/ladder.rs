//! `[ladder]`: the ladder of inverse temperatures and how it adapts.

use super::Options;
use crate::section;
use crate::training::TrainingBuilder;
use isotherm_tempering::{Adaptation, Respace, Spacing};

section! {
    /// The ladder of inverse temperatures, and how it adapts.
    pub struct LadderOptions in "ladder" titled "Ladder", set by Options.ladder and TrainingBuilder {
        /// Rungs at the start.
        rungs: Option<usize> = None, absent 10;
        /// Spacing of the rungs at the start.
        spacing: Spacing = Spacing::Linear;
        /// The rule that moves the rungs: make f_up linear (the paper's), Katzgraber's feedback, equal rejection
        /// rates, or fixed rungs.
        respace: Respace = Respace::Flow;
        /// The fraction of the way that rungs move at each step of the ladder.
        beta_lr: f64 = 1e-4, in 0.0..=1.0;
        /// Mean swap rate below which a rung is spawned.
        min_swap: f64 = 0.4, in 0.0..=0.95;
        /// Smallest number of rungs: no rung is retired below it.
        min_rungs: usize = 4, in 2..=u64::MAX;
        /// Largest number of rungs: no rung is spawned above it.
        max_rungs: usize = 100, in 2..=u64::MAX;
        /// Steps of the ladder between two decisions to spawn or to retire a rung.
        spawn_every: u64 = 1000, in 1..=u64::MAX;
        /// Steps of the ladder during which the rungs do not move after one was spawned or retired.
        burn_in: u64 = 100;
    }
}

impl LadderOptions {
    /// How a ladder adapts by these options.
    pub fn adaptation(&self) -> Adaptation {
        Adaptation {
            respace: self.respace,
            beta_lr: self.beta_lr,
            min_swap: self.min_swap,
            min_rungs: self.min_rungs,
            max_rungs: self.max_rungs,
            spawn_every: self.spawn_every,
            burn_in: self.burn_in,
        }
    }
}
