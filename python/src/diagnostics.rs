//! Diagnostics for Python: as JSON, and in its words.

use isotherm::diagnostics::Diagnostic;
use pyo3::prelude::*;

use crate::fit::from_json;
use crate::words::PythonWords;

/// A diagnostic, given as JSON, in words.
#[pyfunction]
pub(crate) fn words_of(diagnostic: &str) -> PyResult<String> {
    let diagnostic: Diagnostic = from_json(diagnostic)?;
    Ok(diagnostic.words(&PythonWords))
}
