//! Training: the paper's algorithm is [`step`], the rest is what it stands on.

pub mod config;
pub mod gradient;
pub mod negative;
pub mod optimiser;
pub mod phases;
pub mod plan;

mod snapshot;
pub mod state;
pub mod step;

pub use config::{Algorithm, Config, GradientKind, LrDecay, PathKind, explain_toml};
pub use plan::Plan;
pub use state::TrainState;
pub use step::{Phase, StepInfo, Trainer};
