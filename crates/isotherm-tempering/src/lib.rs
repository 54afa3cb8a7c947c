#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
//! Adaptive parallel tempering of anything: replicas on a ladder of inverse temperatures, exchanged
//! between neighbours, and a ladder that adapts to the flow of replicas that it observes.
//!
//! Nothing here knows of models, data or training.
//!
//! - [`path`]: the family of distributions π_β. [`explorer`]: its transition kernel. [`ensemble`]: both,
//!   with the states of all replicas.
//! - [`replicas`]: which replica is on which rung. [`swap`]: deterministic even–odd exchanges. [`flow`]:
//!   labels, f_up, return times.
//! - [`schedule`]: the ladder, and how it is spaced, moved, extended and shortened.
//! - [`engine`]: one step of it all. [`theory`]: what a ladder with given swap rates should do.
//! - [`sampler`]: the one driver of everything that samples. [`recorders`]: what is recorded along it.
//! - [`evidence`]: log Z from the ladder, and by annealing.
//! - [`targets`]: any energy over binary states.
//! - [`limits`]: bounds on what is asked for.
//! - [`streams`]: where random numbers come from. [`threads`]: how work is divided.

pub mod causes;
pub mod engine;
pub mod ensemble;
mod error;
pub mod evidence;
pub mod explorer;
pub mod flow;
pub mod limits;
pub mod path;
pub mod recorders;
pub mod replicas;
pub mod sampler;
pub mod schedule;
mod setters;
pub mod streams;
pub mod swap;
pub mod targets;
pub mod theory;
pub mod threads;
pub mod toy;
pub mod words;

pub use engine::{Adaptation, Change, StepCounters, Tempering, TemperingState};
pub use ensemble::{Densities, Ensemble, Population, States};
pub use error::{Cause, Error, IoError, Kind, Result};
pub use explorer::Explorer;
pub use flow::{Flow, Histograms};
pub use path::Path;
pub use replicas::{Label, Replicas};
pub use sampler::{Progress, Ran, Recorder, RunLength, Sampler, StepView, WarmUp};
pub use schedule::{Ladder, MOST_RUNGS, Respace, Spacing};
pub use swap::SwapRates;
pub use words::OptionName;
