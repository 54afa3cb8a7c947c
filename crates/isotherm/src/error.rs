//! The one error type.

pub use isotherm_tempering::{Error, Result};
