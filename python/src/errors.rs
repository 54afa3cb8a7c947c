//! The library's errors as Python's, in Python's words.

use isotherm::Error;
use pyo3::exceptions::{PyFloatingPointError, PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

/// The error that Python raises.
pub(crate) fn raised(error: Error) -> PyErr {
    let message = in_python(&error.words(&crate::words::PythonWords));
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

/// What the command line says of itself, and what there is instead.
const PHRASES: [(&str, &str); 14] = [
    ("binarise is as-is", "binarise is 'auto', 'as-is'"),
    ("; `isotherm data FILE` tells what suits", ""),
    (
        " (`isotherm evaluate` takes more time over it)",
        "; log_likelihood(X) takes more time over it",
    ),
    ("`isotherm evaluate` does not rest on it", "log_likelihood(X) does not rest on it"),
    ("`isotherm evaluate` estimates it", "log_likelihood(X) estimates it"),
    ("as `isotherm train --out` made it", "as save(path) made it"),
    ("begin one with `isotherm train --out`", "save(path) writes one"),
    ("`isotherm train --help` lists the options", "help(isotherm.RBM) lists the options"),
    ("--overwrite replaces it", "overwrite=True replaces it"),
    ("; give --valid or --split", "; give valid to fit"),
    ("another --out", "another path"),
    ("-n and --thin", "n_samples and thin"),
    ("--data-seed", "the seed of the data"),
    ("--out", "path"),
];

/// A message with the options of the command line as keyword arguments: `--min-swap 2` is
/// `min_swap=2`.
#[pyfunction]
pub(crate) fn in_python(message: &str) -> String {
    let mut message = without_commands(message);
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

/// Leaves out the advice to go on with a run by a command.
fn without_commands(message: &str) -> String {
    let Some(start) = message.find("`isotherm resume") else { return message.to_owned() };
    match message[start..].find(" goes on with it, ") {
        Some(end) => {
            let after = start + end + " goes on with it, ".len();
            format!("{}{}", &message[..start], &message[after..])
        }
        None => message.to_owned(),
    }
}
