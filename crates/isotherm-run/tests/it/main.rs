//! Runs and their folders.
#![allow(clippy::unwrap_used, missing_docs)]

mod checkpoint_store;
mod config;
mod diagnose;
mod folders;
mod healthy;
mod raised;
mod session;
#[path = "../../../isotherm/tests/it/common/statistics.rs"]
mod statistics;
