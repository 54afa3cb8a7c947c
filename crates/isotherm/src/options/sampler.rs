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
        /// Where negative samples come from: contrastive divergence, persistent particles at β = 1, a fixed
        /// ladder, an adaptive ladder, or exact samples by enumerating up to 16 hidden units.
        algorithm: Algorithm = Algorithm::Apt;
        /// The distributions between the reference and the model: exp(−βE) from the uniform distribution (the
        /// paper's), from the data's marginals, or p(h)^β. auto takes hidden-marginal if there are at most
        /// 32 hidden units and not more than visible ones, and base-rate otherwise.
        path: PathKind = PathKind::Auto;
        /// What the base-rate path starts from: independent units with the data's marginals, a mixture that is
        /// fitted to the data and has a mode for each of their clusters, or a small RBM that is trained on them
        /// first. auto takes a mixture for data files, unless independent units describe held-out examples as well, or
        /// path, swap or few hidden units rule it out.
        reference: ReferenceKind = ReferenceKind::Auto;
        /// Components of a mixture that is the reference.
        components: Option<usize> = None, in 1..=256,
            default "one for each hundred examples, from 2 to 64";
        /// Hidden units of a small RBM that is the reference. All their states are enumerated.
        reference_hidden: Option<usize> = None, in 1..=SmallRbm::LARGEST as u64,
            default "16, or as many as the model has if these are fewer";
        /// Swap on joint energies, or on free energies with the hidden units summed out. The hidden-marginal
        /// path always sums out the visible units.
        swap: Option<SwapOn> = None, default "energy on the joint path, else free-energy";
        /// Columns of replicas that share the ladder.
        columns: Option<usize> = None, in 1..=u64::MAX,
            absent 16, also "; 32 from a mixture, as many as `particles` with sml, and as many as `batch` with cd and exact",
            built_in "as many as `batch`";
        /// Persistent particles, the samples at β = 1 of each update: at least one for each column. The additional
        /// ones take turns on the ladder.
        particles: Option<usize> = None, in 1..=u64::MAX,
            examples Some(500), also "; beside a ladder from a mixture as many as hidden units, from 128 to 500", built_in "as many as `columns`";
        /// Gibbs steps per update.
        k: usize = 1, in 1..=MOST_GIBBS_STEPS;
        /// Updates between two steps of the ladder. In between, the particles at β = 1 take plain Gibbs steps, and
        /// the ladder neither moves nor adapts.
        temper_every: u64 = 1, in 1..=u64::MAX;
    }
}
