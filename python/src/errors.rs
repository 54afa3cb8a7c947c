//! The library's errors as Python's, in Python's words.

use isotherm::Error;
use pyo3::PyErr;
use pyo3::exceptions::{PyFloatingPointError, PyOSError, PyRuntimeError, PyValueError};

/// The error that Python raises.
pub(crate) fn raised(error: Error) -> PyErr {
    let message = in_python(&error.to_string());
    if error.is_config() || error.is_data() {
        PyValueError::new_err(message)
    } else if error.is_non_finite() {
        PyFloatingPointError::new_err(message)
    } else if error.is_io() {
        PyOSError::new_err(message)
    } else {
        PyRuntimeError::new_err(message)
    }
}

/// A message with the options of the command line as keyword arguments: `--min-swap` is `min_swap`.
pub(crate) fn in_python(message: &str) -> String {
    let mut out = String::with_capacity(message.len());
    let mut rest = message;
    while let Some(at) = rest.find("--") {
        let option = &rest[at + 2..];
        let end =
            option.find(|c: char| !(c.is_ascii_lowercase() || c == '-' || c.is_ascii_digit()));
        let name = option[..end.unwrap_or(option.len())].trim_end_matches('-');
        out.push_str(&rest[..at]);
        match name {
            "" => out.push_str("--"),
            "out" => out.push_str("path"),
            name => out.push_str(&name.replace('-', "_")),
        }
        rest = &option[name.len()..];
    }
    out.push_str(rest);
    out
}
