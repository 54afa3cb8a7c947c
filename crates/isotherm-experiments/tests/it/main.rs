//! The paper's claims.
#![allow(clippy::unwrap_used, missing_docs)]

mod claims;
