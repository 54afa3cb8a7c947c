//! The one error type.

pub use isotherm_tempering::words::{Action, Dialect, OptionName, Plain};
pub use isotherm_tempering::{Cause, Error, IoError, Kind, Result};
