//! `[sampler]`: where negative samples come from.

use super::Options;
use crate::negative::Algorithm;
use crate::paths::{PathKind, SwapOn};
use crate::references::{ReferenceKind, SmallRbm};
use crate::section;
use crate::training::TrainingBuilder;

/// Bounds a mistyped number of Gibbs steps, which would take for ever.
const MOST_GIBBS_STEPS: u64 = 1 << 20;

section! {
    /// Where negative samples come from.
    pub struct SamplerOptions in "sampler" titled "Sampler", set by Options.sampler and TrainingBuilder {
        /// Where negative samples come from: cd (contrastive divergence), sml (persistent particles at β = 1), pt
        /// (a fixed ladder), apt (an adaptive ladder) or exact (independent samples, by enumerating up to 16 hidden
        /// units).
        algorithm: Algorithm = Algorithm::Apt;
        /// The distributions between the reference and the model. joint: exp(−βE), from the uniform distribution
        /// (the paper's); base-rate: from the distribution of `reference`; hidden-marginal: p(h)^β. auto:
        /// hidden-marginal for up to 32 hidden units that are not more than the visible ones, if no reference is
        /// chosen; else base-rate.
        path: PathKind = PathKind::Auto;
        /// The distribution at β = 0 of the base-rate path: base-rate (independent units), mixture (of Bernoulli
        /// products, fitted to the data) or rbm (a small RBM, trained first). auto, for files: a mixture if
        /// the data have clusters.
        reference: ReferenceKind = ReferenceKind::Auto;
        /// Components of a mixture as reference. If they are given, auto takes a mixture.
        components: Option<usize> = None, in 1..=256,
            default "one for each hundred examples, from 2 to 64";
        /// Hidden units of a small RBM as reference. All their states are enumerated.
        reference_hidden: Option<usize> = None, in 1..=SmallRbm::LARGEST as u64,
            default "16, or as many as the model has if these are fewer";
        /// Swap on joint energies, or on free energies with the hidden units summed out. The hidden-marginal
        /// path always sums out the visible units.
        swap: Option<SwapOn> = None, default "energy on the joint path, else free-energy";
        /// Columns of replicas that share the ladder.
        columns: Option<usize> = None, in 1..=u64::MAX,
            absent 16, also "; 32 with a mixture as reference, as many as `particles` with sml, and as many as `batch` with cd and exact",
            built_in "as many as `batch`";
        /// Persistent particles: samples at β = 1 that are kept from one update to the next. There is at least one
        /// for each column; the others take turns on the ladder.
        particles: Option<usize> = None, in 1..=u64::MAX,
            examples Some(500), also "; with a mixture as reference as many as hidden units, from 128 to 500", built_in "as many as `columns`";
        /// Gibbs steps per update.
        k: usize = 1, in 1..=MOST_GIBBS_STEPS;
        /// Updates between two steps of the ladder. In between, the particles at β = 1 take plain Gibbs steps, and
        /// the ladder neither moves nor adapts.
        temper_every: u64 = 1, in 1..=u64::MAX;
    }
}
