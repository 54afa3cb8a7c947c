//! The one error type.

pub use isotherm_tempering::words::{Action, Dialect, Plain};
pub use isotherm_tempering::{Cause, Error, IoError, Kind, Result};
