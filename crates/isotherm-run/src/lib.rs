#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
//! A run: begin it, go on with it, finish it, use what it made.

pub mod checkpoint;
mod course;
mod digests;
mod folder;
mod kept;
mod model_file;
mod model_samples;
pub mod record;
mod run_data;
mod sampler;
mod session;
mod summarise;

pub use course::Course;
pub use folder::RunFolder;
pub use isotherm::sampling::MOST_COLUMNS;
pub use kept::Kept;
pub use model_file::read_model;
pub use model_samples::{ModelSamples, Tempered, exact_samples};
pub use run_data::{IN_MEMORY, RunData};
pub use sampler::{SampleRequest, Samples, sample, sample_checkpoint, sample_model};
pub use session::{Observer, Outcome, Session};
