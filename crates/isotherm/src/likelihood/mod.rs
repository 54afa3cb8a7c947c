//! Log-likelihoods of data under a model.
//!
//! log Z is enumerated where one layer is small ([`exact`]). Otherwise it is estimated, as a
//! [`bracket`] of annealing up and down around what the ladders of tempered samplers give, with a
//! [`Verdict`] on whether all of these agree.

pub mod bracket;
mod budget;
mod clusters;
mod covering;
pub mod evaluating_sampler;
pub mod exact;
mod explore;
mod found;
mod free_energies;
mod groups;
mod known;
mod measure;
pub mod online;
mod two_references;
mod verdict;

pub use bracket::LogZ;
pub use budget::{Budget, BudgetError, EvaluateOptions, name};
pub use evaluating_sampler::{Length, SamplerReport};
pub(crate) use explore::reached_from_patterns;
pub use found::{LogZMethod, LogZResult};
pub use free_energies::{
    minus_free_energies, quick_minus_free_energies, quick_minus_free_energies_of_hidden,
};
pub use isotherm_tempering::evidence::{
    AnnealingEffort, Basis, End, Estimate, KalmanFilter, Origin, Quantity, Reason, Start, Verdict,
    WhichReference, log_mean, log_mean_by_column,
};
pub use known::KnownData;
pub use measure::{
    Effort, LogLikelihood, Method, log_likelihood, measure, measure_given, online_log_likelihood,
};
