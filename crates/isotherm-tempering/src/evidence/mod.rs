//! log Z: from the ladder of a tempered sampler ([`work_values`]), by annealed importance sampling
//! ([`annealing`], on an [`annealing_schedule`]), and along a sequence of models ([`kalman`]).

pub mod annealing;
pub mod annealing_schedule;
mod batches;
mod estimate;
pub mod kalman;
mod log_mean;
mod reason;
mod strata;
mod verdict;
pub mod work_values;

pub use batches::{AnnealingEffort, MORE, Pooled, anneal_in_batches, are_too_uneven};
pub use estimate::{End, Estimate, spread, student};
pub use kalman::KalmanFilter;
pub use log_mean::{log_mean, log_mean_by_column};
pub use reason::{Quantity, Reason, Start, WhichReference, trips_in_words};
pub use strata::Strata;
pub use verdict::{Basis, Origin, Verdict};
