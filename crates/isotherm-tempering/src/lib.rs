#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
//! Adaptive parallel tempering of anything: replicas on a ladder of inverse temperatures, exchanged
//! between neighbours, and a ladder that adapts itself to what it sees.
//!
//! Nothing here knows of models, data or training; see [`Path`].
//!
//! - [`ladder`]: the inverse temperatures. [`replicas`]: who sits where, and what they carry.
//! - [`swap`]: deterministic even–odd exchanges. [`flow`]: labels, f_up, return times.
//! - [`respace`]: where the rungs should be. [`spawn`]: one rung more, or one fewer.
//! - `tune`: a ladder laid anew, for measuring with it.
//! - [`engine`]: one step of it all. [`theory`]: what a ladder with given swap rates should do.
//! - [`evidence`]: log Z from the ladder, and by annealing.
//! - [`targets`]: any energy over binary states.

pub mod causes;
pub mod engine;
pub mod ensemble;
mod error;
pub mod evidence;
pub mod explorer;
pub mod flow;
mod interpolate;
mod isotonic;
pub mod ladder;
mod monotone_cubic;
pub mod path;
pub mod recorders;
pub mod replicas;
pub mod respace;
pub mod sampler;
pub mod spawn;
pub mod streams;
pub mod swap;
pub mod targets;
pub mod theory;
pub mod threads;
pub mod toy;
mod tune;
pub mod words;

pub use engine::{Adaptation, Tempering, TemperingState};
pub use ensemble::{Densities, Ensemble, Population, States};
pub use error::{Cause, Error, IoError, Kind, Result};
pub use explorer::Explorer;
pub use flow::{Flow, Histograms};
pub use ladder::{Ladder, Spacing};
pub use path::Path;
pub use replicas::{Label, Replicas};
pub use respace::Respace;
pub use sampler::{Moment, Recorder, Sampler, WarmUp};
pub use swap::SwapRates;
pub use tune::MOST_RUNGS;
