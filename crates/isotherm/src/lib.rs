#![forbid(unsafe_code)]
//! placeholder docs

pub mod checkpoint;
pub mod data;
mod error;
pub mod likelihood;
pub mod model;
pub mod path;
pub mod record;
pub mod streams;
pub mod tempering;
pub mod train;

pub use error::{Error, Result};
