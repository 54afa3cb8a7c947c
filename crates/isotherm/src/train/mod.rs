//! Training: the paper's algorithm is [`step`], the rest is what it stands on.

pub mod best;
pub mod between;
pub mod follower;
pub mod gradient;
pub mod negative;
pub mod optimiser;
pub mod penalties;
pub mod phases;

mod snapshot;
pub mod state;
pub mod step;

pub use best::Best;
pub use state::TrainState;
pub use step::{Phase, StepInfo, Trainer};
