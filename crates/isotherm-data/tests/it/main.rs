//! Files of data.
#![allow(clippy::unwrap_used, missing_docs)]

// These compare all formats with each other.
#[cfg(all(feature = "npz", feature = "matlab", feature = "parquet"))]
mod files;
mod formats;
mod not_compiled;
mod refusal;
