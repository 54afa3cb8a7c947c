//! When things happen along a run.

use super::{OptimiserOptions, Options, Plan};

impl Options {
    /// Updates and sampling steps together.
    pub fn total_steps(&self) -> u64 {
        self.optimiser.updates.saturating_add(self.optimiser.sampling_steps)
    }

    /// Steps of the whole ladder among the first so many steps.
    pub fn ladder_steps(&self, steps: u64) -> u64 {
        let updates = steps.min(self.optimiser.updates);
        updates.div_ceil(self.sampler.temper_every.max(1)) + (steps - updates)
    }
}

impl Plan {
    /// Updates and sampling steps together.
    pub fn total_steps(&self) -> u64 {
        self.options.total_steps()
    }

    /// Whether a step is one of the whole ladder: every so many updates, and while sampling.
    pub fn tempers(&self, step: u64) -> bool {
        let every = self.options.sampler.temper_every;
        step >= self.options.optimiser.updates || step.is_multiple_of(every)
    }

    /// Whether a step of the whole ladder is still to come, from this step on.
    pub fn tempers_again(&self, step: u64) -> bool {
        let OptimiserOptions { updates, .. } = self.options.optimiser;
        let next = step.next_multiple_of(self.options.sampler.temper_every);
        next.min(step.max(updates)) < self.total_steps()
    }

    /// Whether the count of round trips begins anew before this step: for the last fifth of the
    /// updates, so that it describes the model as it is at the end, and for the sampling phase.
    pub fn counts_anew(&self, step: u64) -> bool {
        let updates = self.options.optimiser.updates;
        step == updates - updates / 5 || step == updates
    }

    /// Measurements on either side of a model that tell how good it is on validation data: none where they are
    /// exact, and fewer where there are few of them.
    pub fn reach(&self) -> usize {
        let looks = self.options.optimiser.updates.checked_div(self.likelihood_every).unwrap_or(0);
        if self.follows { (looks / 25).min(4) as usize } else { 0 }
    }
}
