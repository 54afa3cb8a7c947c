//! A run from its folder's point of view: begin it, go on with it, finish it, use what it made.

mod course;
mod digests;
mod folder;
mod kept;
mod run_data;
mod sampler;
mod session;
mod summarise;

pub use course::Course;
pub use folder::RunFolder;
pub use kept::Kept;
pub use run_data::{IN_MEMORY, RunData};
pub(crate) use sampler::MOST_COLUMNS;
pub use sampler::{SampleRequest, Samples, sample, sample_checkpoint, sample_model};
pub use session::{Observer, Outcome, Session};
