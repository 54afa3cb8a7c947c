//! How likely the data are under the model.
//!
//! log Z is enumerated where one layer is small ([`exact`]). Otherwise it is estimated, as a
//! [`bracket`] of annealing up and down ([`annealing`]) around what the ladder of a tempered sampler
//! gives ([`ladder`]), with a [`verdict`] on whether the sampler mixed.

pub mod annealing;
mod batches;
pub mod bracket;
mod budget;
mod estimate;
pub mod evaluating_sampler;
pub mod exact;
mod found;
mod free_energies;
pub mod ladder;
mod log_mean;
mod measure;
pub mod schedule;
pub mod tracked;
pub mod verdict;

pub use batches::AnnealingEffort;
pub use bracket::LogZ;
pub use budget::Budget;
pub use estimate::{End, Estimate};
pub use evaluating_sampler::{Length, SamplerReport, Start};
pub use found::{FoundLogZ, Way};
pub use free_energies::{
    minus_free_energies, quick_minus_free_energies, quick_minus_free_energies_of_hidden,
};
pub use log_mean::{log_mean, log_mean_by_column};
pub use measure::{
    Effort, FOLLOWED, LogLikelihood, followed, log_likelihood, measure, measure_given,
};
pub use tracked::Tracked;
pub use verdict::Verdict;
