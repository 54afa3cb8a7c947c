//! Log-likelihoods of data under a model.
//!
//! log Z is enumerated where one layer is small ([`exact`]). Otherwise it is estimated, as a
//! [`bracket`] of annealing up and down around what the ladder of a tempered sampler gives, with a
//! [`verdict`] on whether the sampler mixed.

pub mod bracket;
mod budget;
pub mod evaluating_sampler;
pub mod exact;
mod found;
mod free_energies;
mod measure;
pub mod online;
pub mod verdict;

pub use bracket::{LogZ, SecondStart};
pub use budget::{Budget, BudgetError, EvaluateOptions, name};
pub use evaluating_sampler::{Length, SamplerReport};
pub use found::{LogZMethod, LogZResult};
pub use free_energies::{
    minus_free_energies, quick_minus_free_energies, quick_minus_free_energies_of_hidden,
};
pub use isotherm_tempering::evidence::{
    AnnealingEffort, Basis, End, Estimate, KalmanFilter, Quantity, Reason, Start, Verdict,
    log_mean, log_mean_by_column,
};
pub use measure::{
    Effort, LogLikelihood, Method, log_likelihood, measure, measure_given, online_log_likelihood,
};
