//! How likely the data are under the model.

pub mod exact;
mod free_energies;
mod measure;

pub use measure::{Effort, LogLikelihood, measure, measure_given};
