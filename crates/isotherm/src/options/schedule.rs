//! The schedule of a run.

use super::{OptimiserOptions, Options, Plan};

impl Options {
    /// Updates and sampling steps together.
    pub fn total_steps(&self) -> u64 {
        self.optimiser.updates.saturating_add(self.optimiser.sampling_steps)
    }

    /// Steps of the ladder among the first `steps` steps.
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

    /// Whether the ladder steps at this step: every `temper-every` updates, and in the sampling phase.
    pub fn tempers(&self, step: u64) -> bool {
        let every = self.options.sampler.temper_every;
        step >= self.options.optimiser.updates || step.is_multiple_of(every)
    }

    /// Whether the ladder steps again, at this step or later.
    pub fn tempers_again(&self, step: u64) -> bool {
        let OptimiserOptions { updates, .. } = self.options.optimiser;
        let next = step.next_multiple_of(self.options.sampler.temper_every);
        next.min(step.max(updates)) < self.total_steps()
    }

    /// Whether the count of round trips restarts before this step: for the last fifth of the updates, so
    /// that it describes the final model, and for the sampling phase.
    pub fn restarts_count(&self, step: u64) -> bool {
        let updates = self.options.optimiser.updates;
        step == updates - updates / 5 || step == updates
    }

    /// Half the width of the window of measurements by which models are compared on validation data: 0 if
    /// measurements are exact, and smaller if there are few of them.
    pub fn reach(&self) -> usize {
        let measurements =
            self.options.optimiser.updates.checked_div(self.likelihood_every).unwrap_or(0);
        if self.estimates_online { (measurements / 25).min(4) as usize } else { 0 }
    }
}
