#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
//! Runs: start one, resume it, finish it, use its results.

pub mod checkpoint;
pub mod config;
mod digests;
mod folder;
mod folder_error;
mod model_file;
mod model_samples;
mod note;
pub mod record;
mod run_data;
mod run_data_error;
mod sampler;
mod saved_training;
mod session;
mod summarise;
mod training_run;

pub use config::{Config, ConfigFile, ConfigFileError, DataOptions, WrongEntry};
pub use folder::RunFolder;
pub use folder_error::FolderError;
pub use isotherm::sampling::MOST_COLUMNS;
pub use model_file::{ModelFileError, read_model};
pub use model_samples::{ModelSamples, Tempered, exact_samples};
pub use note::Note;
pub use run_data::{IN_MEMORY, RunData};
pub use run_data_error::RunDataError;
pub use sampler::{sample, sample_checkpoint};
pub use saved_training::SavedTraining;
pub use session::{Observer, Outcome, RunFailed, Session};
pub use training_run::{TrainingRun, raised_at_start};
