#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
//! The paper's experiment, run again: its runs, its figures, and which of its claims hold. Beside it, models with
//! known log Z, by which the library's estimates of likelihoods are measured.

pub mod claims;
mod cost;
mod error;
mod experiment;
mod experiment_folder;
mod figures;
pub mod known_log_z;
mod markdown;
mod page;
mod pictures;
mod results;
mod runner;
pub mod statistics;
pub mod table;
mod transition;
pub mod verdict;

pub use error::{ExperimentError, Missing, name};
pub use experiment::{Arm, Job, Setting, Size};
pub use experiment_folder::ExperimentFolder;
pub use results::{Cost, Results, RunResult, SettingResult};
pub use runner::{Ended, Progress, Watcher};
