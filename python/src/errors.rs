//! The library's errors as exceptions of Python, in Python's words.

use isotherm::{Cause, Dialect, Error, Kind};
use pyo3::exceptions::{PyFloatingPointError, PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::words::PythonWords;

/// An exception that a Python function raised while the library called it.
#[derive(Debug)]
pub(crate) struct Raised(pub(crate) PyErr);

impl Cause for Raised {
    fn kind(&self) -> Kind {
        Kind::Foreign
    }

    fn words(&self, _: &dyn Dialect) -> String {
        self.0.to_string()
    }
}

/// The exception that Python raises for an error. Its attribute `kind` is the name of the error's kind.
pub(crate) fn raised(error: impl Into<Error>) -> PyErr {
    let error = match error.into().into_cause() {
        Ok(Raised(exception)) => return exception,
        Err(error) => error,
    };
    let (message, kind) = (error.words(&PythonWords), error.kind());
    let exception = match kind {
        Kind::Options | Kind::Data => PyValueError::new_err(message),
        Kind::NonFinite => PyFloatingPointError::new_err(message),
        Kind::Io => PyOSError::new_err(message),
        _ => PyRuntimeError::new_err(message),
    };
    Python::attach(|py| {
        // Without it the exception is still the right one.
        let _ = exception.value(py).setattr("kind", kind.name());
    });
    exception
}
