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

/// The exception that Python raises for an error.
pub(crate) fn raised(error: impl Into<Error>) -> PyErr {
    let error = match error.into().into_cause() {
        Ok(Raised(exception)) => return exception,
        Err(error) => error,
    };
    let message = in_python(&error.words(&PythonWords));
    match error.kind() {
        Kind::Options | Kind::Data => PyValueError::new_err(message),
        Kind::NonFinite => PyFloatingPointError::new_err(message),
        Kind::Io => PyOSError::new_err(message),
        _ => PyRuntimeError::new_err(message),
    }
}

/// Phrases of sentences that are not yet worded by a dialect, and those of Python instead.
const PHRASES: [(&str, &str); 7] = [
    ("--binarise is as-is", "binarise is 'auto', 'as-is'"),
    ("; `isotherm data FILE` tells what suits", ""),
    (
        " (`isotherm evaluate` takes more time over it)",
        "; log_likelihood(X) takes more time over it",
    ),
    ("`isotherm evaluate` does not rest on it", "log_likelihood(X) does not rest on it"),
    ("`isotherm evaluate` estimates it", "log_likelihood(X) estimates it"),
    ("; give --valid or --split", "; give valid to fit"),
    ("--data-seed", "the seed of the data"),
];

/// A message with the options of the command line as keyword arguments: `--min-swap 2` is
/// `min_swap=2`.
#[pyfunction]
pub(crate) fn in_python(message: &str) -> String {
    let mut message = message.to_owned();
    for (theirs, ours) in PHRASES {
        message = message.replace(theirs, ours);
    }
    let mut out = String::with_capacity(message.len());
    let mut rest = message.as_str();
    while let Some(at) = rest.find("--") {
        let option = &rest[at + 2..];
        let is_of_name = |c: char| c.is_ascii_lowercase() || c == '-' || c.is_ascii_digit();
        let end = option.find(|c| !is_of_name(c)).unwrap_or(option.len());
        let name = option[..end].trim_end_matches('-');
        out.push_str(&rest[..at]);
        rest = &option[name.len()..];
        if name.is_empty() {
            out.push_str("--");
            continue;
        }
        out.push_str(&name.replace('-', "_"));
        if let Some(value) = value_after(name, rest) {
            let quote = if value.parse::<f64>().is_ok() { "" } else { "'" };
            out.push_str(&format!("={quote}{value}{quote}"));
            rest = &rest[1 + value.len()..];
        }
    }
    out.push_str(rest);
    out
}

/// The value of an option, if what follows its name is one and not just the next word.
fn value_after<'a>(name: &str, rest: &'a str) -> Option<&'a str> {
    let rest = rest.strip_prefix(' ')?;
    let word = rest.split([' ', ',', ';', ')']).next()?.trim_end_matches('.');
    let of_binarise = || word.starts_with("threshold:") || word.starts_with("static:");
    let is_value = match name {
        "algorithm" => ["cd", "sml", "pt", "apt", "exact"].contains(&word),
        "path" => ["joint", "base-rate", "hidden-marginal"].contains(&word),
        "swap" => ["energy", "free-energy"].contains(&word),
        "constant-columns" => ["auto", "keep", "refuse"].contains(&word),
        "binarise" => ["as-is", "dynamic"].contains(&word) || of_binarise(),
        _ => word.parse::<f64>().is_ok(),
    };
    is_value.then_some(word)
}
