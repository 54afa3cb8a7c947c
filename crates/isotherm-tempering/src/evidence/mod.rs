//! log Z: from the ladder of a tempered sampler ([`work_values`]), by annealed importance sampling
//! ([`annealing`], on an [`annealing_schedule`]), and along a sequence of models ([`kalman`]).

pub mod annealing;
pub mod annealing_schedule;
mod batches;
mod estimate;
pub mod kalman;
mod log_mean;
mod verdict;
pub mod work_values;

pub use batches::{AnnealingEffort, Pooled, anneal_in_batches};
pub use estimate::{End, Estimate, spread, student};
pub use kalman::KalmanFilter;
pub use log_mean::{log_mean, log_mean_by_column};
pub use verdict::{Basis, Quantity, Reason, Start, Verdict, trips_in_words};
