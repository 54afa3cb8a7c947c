//! Files of data.
#![allow(clippy::unwrap_used, missing_docs)]

mod files;
mod formats;
