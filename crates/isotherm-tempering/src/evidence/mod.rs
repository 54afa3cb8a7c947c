//! log Z: from the ladder of a tempered sampler ([`work_values`]), by annealed importance sampling
//! ([`annealing`], on a [`schedule`]), and along a sequence of models ([`tracked`]).

pub mod annealing;
mod batches;
mod estimate;
mod log_mean;
pub mod schedule;
pub mod tracked;
mod verdict;
pub mod work_values;

pub use batches::{AnnealingEffort, Pooled, anneal_in_batches};
pub use estimate::{End, Estimate, spread, student};
pub use log_mean::{log_mean, log_mean_by_column};
pub use tracked::Tracked;
pub use verdict::{Basis, Quantity, Reason, Start, Verdict, trips_in_words};
