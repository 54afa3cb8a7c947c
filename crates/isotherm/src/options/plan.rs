//! Options once they are checked: every choice made, every option valid.

use super::{Options, PathKind, name};
use crate::error::OptionName;
use crate::objective::penalties::Smoothness;
use crate::paths::SwapOn;
use crate::references::ReferenceKind;
use isotherm_tempering::Adaptation;

/// Checked options: every choice made, every option valid. Only [`Options::check`] makes one.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The options with every choice written out; what `config.toml` holds.
    pub(crate) options: Options,
    /// The path between the reference and the model; not [`PathKind::Auto`].
    pub(crate) path: PathKind,
    /// What the path starts from; not [`ReferenceKind::Auto`].
    pub(crate) reference: ReferenceKind,
    /// Components of the mixture that is the reference, if one is: at most as many, if examples are few.
    pub(crate) components: Option<usize>,
    /// Hidden units of the small RBM that is the reference, if one is.
    pub(crate) reference_hidden: Option<usize>,
    /// What swaps are decided on.
    pub(crate) swap: SwapOn,
    /// Rungs of the ladder at the start.
    pub(crate) rungs: usize,
    /// Columns of replicas.
    pub(crate) columns: usize,
    /// Persistent particles, the replicas at β = 1: one in each column, and those that wait beside the ladder.
    pub(crate) particles: usize,
    /// Updates that the moving average measurements back over.
    pub(crate) average: u64,
    /// The penalty on differences between neighbouring pixels, if there is one.
    pub(crate) smoothness: Option<Smoothness>,
    /// Standard deviation of the initial weights.
    pub(crate) init_std: f64,
    /// Steps between two rows of metrics.
    pub(crate) metrics_every: u64,
    /// Updates between two likelihoods; 0: only at the end.
    pub(crate) likelihood_every: u64,
    /// Whether the likelihood along the run is estimated, because enumerating is too slow.
    pub(crate) estimates_online: bool,
    /// Bytes of memory that learning takes besides the data, about and at most.
    pub(crate) bytes: f64,
}

impl Plan {
    /// The options with every choice written out; what `config.toml` holds.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The path between the reference and the model; not [`PathKind::Auto`].
    pub fn path(&self) -> PathKind {
        self.path
    }

    /// What the path starts from; not [`ReferenceKind::Auto`].
    pub fn reference(&self) -> ReferenceKind {
        self.reference
    }

    /// What swaps are decided on.
    pub fn swap(&self) -> SwapOn {
        self.swap
    }

    /// Rungs of the ladder at the start.
    pub fn rungs(&self) -> usize {
        self.rungs
    }

    /// Columns of replicas.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Persistent particles, the replicas at β = 1: one in each column, and those that wait beside the ladder.
    pub fn particles(&self) -> usize {
        self.particles
    }

    /// Updates that the moving average measurements back over.
    pub fn average(&self) -> u64 {
        self.average
    }

    /// The penalty on differences between neighbouring pixels, if there is one.
    pub fn smoothness(&self) -> Option<Smoothness> {
        self.smoothness
    }

    /// Standard deviation of the initial weights.
    pub fn init_std(&self) -> f64 {
        self.init_std
    }

    /// Steps between two rows of metrics.
    pub fn metrics_every(&self) -> u64 {
        self.metrics_every
    }

    /// Updates between two likelihoods; 0: only at the end.
    pub fn likelihood_every(&self) -> u64 {
        self.likelihood_every
    }

    /// Whether the likelihood along the run is estimated, because enumerating is too slow.
    pub fn estimates_online(&self) -> bool {
        self.estimates_online
    }

    /// Bytes of memory that learning takes besides the data, about and at most.
    pub fn bytes(&self) -> f64 {
        self.bytes
    }

    /// Options that every version has chosen where they were absent, and written out. Files that people write
    /// hardly have all of them.
    pub const ALWAYS_CHOSEN: [OptionName; 3] = [name::columns, name::init_std, name::metrics_every];

    /// Whether its ladder can start from any reference: swaps on energies work from independent units only.
    pub fn takes_references(&self) -> bool {
        let (tempered, path) =
            (self.options.sampler.algorithm.is_tempered(), self.path.entry(0, 0));
        tempered && self.swap == SwapOn::FreeEnergy && path.takes_references
    }

    /// How the ladder adapts, if it does.
    pub fn adaptation(&self) -> Option<Adaptation> {
        let adapts = self.options.sampler.algorithm.is_adaptive();
        adapts.then(|| self.options.ladder.adaptation())
    }

    /// Persistent particles beyond one in each column.
    pub fn extra_particles(&self) -> usize {
        self.particles - self.columns
    }

    /// The same plan with every choice written into its options.
    pub(super) fn written_out(mut self) -> Plan {
        let Options { sampler, ladder, optimiser, record, .. } = &mut self.options;
        sampler.path = self.path;
        sampler.reference = self.reference;
        sampler.components = self.components;
        sampler.reference_hidden = self.reference_hidden;
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
