//! The options of learning: the table that Python's arguments are made from, and values by their names.

use isotherm::options::{Chosen, OptionSpec, Options, ValueKind};
use isotherm::{Action, Dialect, Result};
use isotherm_run::Config;
use pyo3::prelude::*;
use serde_json::{Map, Value, json};

use crate::errors::raised;
use crate::fit::from_json;
use crate::values::{from_python, to_python};
use crate::words::PythonWords;

/// The table of options, a list of dictionaries: name, section, kind with range or words, default, how a default is found
/// that depends on the data, and what the option does.
#[pyfunction]
pub(crate) fn options_table(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    to_python(py, &Config::table().iter().map(described).collect::<Vec<Value>>())
}

fn described(spec: &OptionSpec) -> Value {
    let (kind, values) = match spec.kind {
        ValueKind::Count { least, most } => ("count", json!([least, most])),
        ValueKind::Number { least, most } => ("number", json!([least, most])),
        ValueKind::Words(words) => ("word", json!(words)),
        _ => ("text", Value::Null),
    };
    let default = spec.default.as_ref().map(|text| match spec.kind {
        ValueKind::Count { .. } => text.parse::<u64>().map_or(Value::Null, Value::from),
        ValueKind::Number { .. } => text.parse::<f64>().map_or(Value::Null, Value::from),
        _ => Value::from(text.as_str()),
    });
    json!({
        "name": spec.name,
        "section": spec.section,
        "kind": kind,
        "values": values,
        "default": default,
        "found_by": spec.found_by.and_then(|_| spec.describe_default(&Documented)),
        "help": spec.describe(&Documented),
    })
}

/// Arguments as documentation marks them.
struct Documented;

impl Dialect for Documented {
    fn option(&self, name: &str) -> String {
        format!("``{}``", PythonWords.option(name))
    }

    fn setting(&self, name: &str, value: &str) -> String {
        format!("``{}``", PythonWords.setting(name, value))
    }

    fn action(&self, action: &Action) -> String {
        PythonWords.action(action)
    }
}

/// Options, a JSON object by their names, over the defaults for a file of examples; and which these are.
pub(crate) fn chosen(options: &str) -> PyResult<(Config, Chosen)> {
    let mut config = Config::from(Options::for_examples());
    let given: Map<String, Value> = from_json(options)?;
    let set = |(name, value): (String, Value)| {
        let written = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        config.set(&name, value, &written)
    };
    let chosen: Result<Chosen> = given.into_iter().map(set).collect();
    let chosen = chosen.map_err(raised)?;
    Ok((config, chosen))
}

/// The options of these names.
pub(crate) fn named(names: &[String]) -> Chosen {
    let is_named = |spec: &&OptionSpec| names.iter().any(|name| name == spec.name);
    Config::table().iter().filter(is_named).collect()
}

/// A configuration with every choice written out, as [`flat`] gives it.
pub(crate) fn config_of(options: &Bound<'_, PyAny>) -> PyResult<Config> {
    let mut given: Map<String, Value> = from_python(options)?;
    given.retain(|_, value| !value.is_null());
    from_json(&Value::Object(given).to_string())
}

/// A configuration as a dictionary of its options by their names.
pub(crate) fn flat<'py>(py: Python<'py>, config: &Config) -> PyResult<Bound<'py, PyAny>> {
    to_python(py, &config.flat())
}
