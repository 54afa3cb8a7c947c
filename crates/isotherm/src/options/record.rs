//! `[record]`: what is recorded along a run, and how often.

use serde::{Deserialize, Serialize};

use super::Options;
use crate::section;
use crate::training::TrainingBuilder;

/// What to do about the likelihood at the end of a run whose model cannot be enumerated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum FinalLikelihood {
    /// It is estimated, with little effort.
    Estimate,
    /// Nothing.
    ExactOnly,
}

section! {
    /// What is written down along a run, and how often.
    pub struct RecordOptions in "record" titled "Record", set by Options.record and TrainingBuilder {
        /// Steps between two rows of metrics.
        metrics_every: Option<u64> = None, in 1..=u64::MAX, default "a 200th of the updates";
        /// Updates between two likelihoods; 0: only at the end. They are exact up to 16 units in the smaller layer;
        /// beyond that they are estimated online, by a small tempered sampler of the averaged parameters.
        likelihood_every: Option<u64> = None, default "every second row of metrics";
        /// What to do at the end if the model is too large to enumerate: estimate the likelihood, within about a
        /// minute, or leave it out.
        final_likelihood: FinalLikelihood = FinalLikelihood::Estimate;
        /// Steps between two checkpoints.
        checkpoint_every: u64 = 1000, in 1..=u64::MAX;
    }
}
