//! The paper's experiment and its claims.
#![allow(clippy::unwrap_used, missing_docs)]

mod claims;
mod folders;
mod known_log_z;
#[path = "../../../isotherm/tests/it/common/statistics.rs"]
mod statistics;
