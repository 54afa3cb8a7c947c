//! The tempering crate from outside.
#![allow(clippy::unwrap_used, missing_docs)]

mod round_trips;
#[path = "../../../isotherm/tests/it/common/statistics.rs"]
mod statistics;
mod targets;
