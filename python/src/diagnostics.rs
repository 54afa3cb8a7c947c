//! Diagnostics for Python: as JSON, and in its words.

use isotherm::diagnostics::Diagnostic;
use pyo3::prelude::*;

use crate::values::from_python;
use crate::words::PythonWords;

/// A diagnostic in words.
#[pyfunction]
pub(crate) fn words_of(diagnostic: &Bound<'_, PyAny>) -> PyResult<String> {
    let diagnostic: Diagnostic = from_python(diagnostic)?;
    Ok(diagnostic.words(&PythonWords))
}
