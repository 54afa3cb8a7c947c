//! The paper's experiment, run again: its runs, its figures, and which of its claims hold.

mod experiment;
mod runner;
mod workshop;

pub use experiment::{Arm, Job, Setting, Size};
pub use runner::{Ended, Progress, Watcher};
pub use workshop::Workshop;
