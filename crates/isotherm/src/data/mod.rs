//! Data.
pub mod formats;
