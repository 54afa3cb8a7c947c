//! What the fields of diagnostics hold.

use serde::{Deserialize, Serialize};

use isotherm_tempering::causes::NonFinite;

use crate::tensors::SealError;

/// Why a run stopped before its last update.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Stop {
    /// The likelihood of the validation data did not rise for as many updates as it may.
    Patience {
        /// The update with the highest value.
        best: u64,
    },
    /// The program that trains it stopped it.
    Interrupted,
    /// The parameters stopped being finite. Going on from the last checkpoint would end the same way.
    Diverged {
        /// The update at which that happened, counted from 1.
        update: u64,
        /// The learning rate at the start.
        lr: f64,
    },
}

/// A part of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Stretch {
    /// All of it.
    WholeRun,
    /// The last fifth of the updates.
    LastUpdates,
    /// The sampling phase.
    SamplingPhase,
}

/// The parameters of a model, or their moving average.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WhichParameters {
    /// The parameters themselves.
    Raw,
    /// Their moving average.
    Averaged,
}

/// Why finding a likelihood failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum LikelihoodFailure {
    /// A figure of the estimate is not finite.
    Cause(NonFinite),
    /// The sentence that an earlier version recorded instead.
    Error(String),
}

/// What is wrong with the file of a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum CheckpointProblem {
    /// It is not there.
    Missing,
    /// The system refuses to read it.
    Unreadable {
        /// What the system says.
        reason: String,
    },
    /// It is damaged.
    Damaged(SealError),
}
