//! The paper's experiment and its claims.
#![allow(clippy::unwrap_used, missing_docs)]

mod claims;
mod folders;
