//! `summary.json`, the contract that other programs read.

use serde::{Deserialize, Serialize};

use isotherm::diagnostics::Diagnostic;
use isotherm::likelihood::LogLikelihood;
use isotherm::references::ReferenceRecord;
use isotherm::sampling::ClusterWeights;
use isotherm::trainer::Phase;

/// The results of a finished run. Everything but `seconds` is the same for the same seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Mean log-likelihood, exact or estimated with a verdict; nothing if the model is too large to
    /// enumerate and no estimate was wanted.
    pub log_likelihood: Option<LogLikelihood>,
    /// The same of the averaged parameters.
    pub log_likelihood_averaged: Option<LogLikelihood>,
    /// Mean log-likelihood of the validation data, if there are any.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub log_likelihood_valid: Option<LogLikelihood>,
    /// The same of the averaged parameters.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub log_likelihood_valid_averaged: Option<LogLikelihood>,
    /// Mean log-likelihood of the test data, if there are any.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub log_likelihood_test: Option<LogLikelihood>,
    /// The same of the averaged parameters.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub log_likelihood_test_averaged: Option<LogLikelihood>,
    /// The best mean log-likelihood that any model can have, where it is known.
    pub entropy_limit: Option<f64>,
    /// The model that was kept, where there are validation data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub best: Option<BestModel>,
    /// Updates done.
    pub updates: u64,
    /// Steps of the sampling phase done.
    pub sampling_steps: u64,
    /// The reference of the ladder: how it came to fit the data, and what speaks for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<ReferenceRecord>,
    /// Rungs at the end.
    pub rungs: usize,
    /// Inverse temperatures, cold end first.
    pub betas: Vec<f64>,
    /// Swap rates at the end; nothing without a ladder, as for the next three.
    pub swap_rate: Option<SwapRate>,
    /// f_up of each rung.
    pub f_up: Option<Vec<Option<f64>>>,
    /// The paper's return-time counters.
    pub return_time: Option<ReturnTimes>,
    /// Completed round trips.
    pub round_trips: Option<RoundTrips>,
    /// The weights of clusters in samples of the model and in the data, if there are clusters and samples.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub clusters: Option<ClusterWeights>,
    /// Where the time went.
    pub seconds: Seconds,
    /// The seed.
    pub seed: u64,
    /// The version of isotherm.
    pub version: String,
    /// What a reader should know before trusting the figures, in the words of the front end that trained.
    pub warnings: Vec<String>,
    /// The same as kinds with fields, in the same order; nothing in summaries of versions that wrote only
    /// sentences.
    #[serde(default)]
    pub diagnostics: Option<Vec<Diagnostic>>,
}

/// The model that was best by the likelihood of the validation data.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BestModel {
    /// Updates when it was reached.
    pub update: u64,
    /// Mean log-likelihood of the validation data then, as it was measured along the run.
    pub log_likelihood_valid: f64,
}

/// Swap rates at the end of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SwapRate {
    /// Mean over the pairs.
    pub mean: f64,
    /// The lowest.
    pub min: f64,
    /// Of each pair, cold end first; nothing where no swap was tried yet.
    pub pairs: Vec<Option<f64>>,
}

/// The paper's return-time counters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReturnTimes {
    /// Mean over the replicas.
    pub mean: f64,
    /// Sum over a column, the paper's τ̂.
    pub sum: f64,
}

/// Completed round trips of the sampling phase or, without one, of the last fifth of the updates.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoundTrips {
    /// How many.
    pub count: u64,
    /// Steps that a replica takes for one; nothing if there was none.
    pub mean_steps: Option<f64>,
    /// The phase they were counted in.
    pub phase: Phase,
}

/// Seconds spent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Seconds {
    /// Fitting the reference.
    #[serde(default)]
    pub fit: f64,
    /// Learning.
    pub train: f64,
    /// Sampling after it.
    pub sample: f64,
    /// Measuring likelihoods.
    pub evaluate: f64,
}
