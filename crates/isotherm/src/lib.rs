#![forbid(unsafe_code)]
//! placeholder docs

pub mod checkpoint;
pub mod data;
mod error;

pub use error::{Error, Result};
