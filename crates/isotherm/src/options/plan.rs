//! Options once they are checked: every choice made, every option valid.

use super::{Options, PathKind};
use crate::objective::penalties::Smoothness;
use crate::paths::SwapOn;
use isotherm_tempering::Adaptation;

/// Checked options: every choice made, every option valid. [`Options::check`] makes one.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Plan {
    /// The options with every choice written out; what `config.toml` holds.
    pub options: Options,
    /// The path between the reference and the model; not [`PathKind::Auto`].
    pub path: PathKind,
    /// What swaps are decided on.
    pub swap: SwapOn,
    /// Rungs of the ladder at the start.
    pub rungs: usize,
    /// Columns of replicas.
    pub columns: usize,
    /// Persistent particles, the replicas at β = 1: one in each column, and those that wait beside the ladder.
    pub particles: usize,
    /// Updates that the moving average looks back over.
    pub average: u64,
    /// The penalty on differences between neighbouring pixels, if there is one.
    pub smoothness: Option<Smoothness>,
    /// Standard deviation of the initial weights.
    pub init_std: f64,
    /// Steps between two rows of metrics.
    pub metrics_every: u64,
    /// Updates between two likelihoods; 0: only at the end.
    pub likelihood_every: u64,
    /// Whether the likelihood along the run is estimated, because enumerating is too slow.
    pub follows: bool,
    /// Bytes of memory that learning takes besides the data, about and at most.
    pub bytes: f64,
}

impl Plan {
    /// How the ladder adapts, if it does.
    pub fn adaptation(&self) -> Option<Adaptation> {
        let adapts = self.options.sampler.algorithm.is_adaptive();
        adapts.then(|| self.options.ladder.adaptation())
    }

    /// Persistent particles beyond one in each column.
    pub fn extra_particles(&self) -> usize {
        self.particles - self.columns
    }

    /// The same with each choice among the options.
    pub(super) fn written_out(mut self) -> Plan {
        let Options { sampler, ladder, optimiser, record, .. } = &mut self.options;
        sampler.path = self.path;
        sampler.swap = Some(self.swap);
        sampler.columns = Some(self.columns);
        sampler.particles = Some(self.particles);
        ladder.rungs = Some(self.rungs);
        optimiser.average = Some(self.average);
        optimiser.init_std = Some(self.init_std);
        record.metrics_every = Some(self.metrics_every);
        record.likelihood_every = Some(self.likelihood_every);
        self
    }
}
