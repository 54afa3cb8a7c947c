//! Structured values between Rust and Python: rows of metrics, configurations and summaries are
//! dictionaries there.

use pyo3::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A value as Python has it.
pub(crate) fn to_python<'py>(
    py: Python<'py>,
    value: &impl Serialize,
) -> PyResult<Bound<'py, PyAny>> {
    Ok(pythonize::pythonize(py, value)?)
}

/// A value from what Python has.
pub(crate) fn from_python<T: DeserializeOwned>(value: &Bound<'_, PyAny>) -> PyResult<T> {
    Ok(pythonize::depythonize(value)?)
}
