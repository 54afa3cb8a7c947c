//! The ladder of inverse temperatures: where its rungs are, where they should be, and when one is
//! added or removed.
//!
//! - `ladder`: the inverse temperatures. `respace`: where the rungs should be.
//! - `spawn`: when to add a rung and when to remove one.
//! - `tune`: a new ladder for a model that does not change.

mod interpolate;
mod isotonic;
mod ladder;
mod monotone_cubic;
pub(crate) mod respace;
pub(crate) mod spawn;
mod tune;

pub(crate) use interpolate::*;
pub(crate) use isotonic::*;
pub use ladder::{Ladder, Spacing};
pub use respace::Respace;
pub use tune::MOST_RUNGS;
