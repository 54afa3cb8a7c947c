//! What a training step stands on: the state of a run, the optimiser, penalties, the online estimate of
//! log Z, and the best model. The step itself is [`Trainer`](crate::trainer).

pub mod best;
mod diverged;
pub mod follower;
pub mod optimiser;
pub mod penalties;
mod snapshot;
pub mod state;

pub use crate::trainer::{Phase, StepInfo, Trainer};
pub use best::Best;
pub use diverged::Diverged;
pub use state::TrainState;
