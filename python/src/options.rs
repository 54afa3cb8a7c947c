//! The options of learning: the table that Python's arguments are made from, and values by their names.

use isotherm::data::{Binarise, ImageShape};
use isotherm::options::{Chosen, OptionSpec, Options, ValueKind};
use isotherm::sampling::SampleOptions;
use isotherm::{Action, Dialect, OptionName, Result};
use isotherm_run::Config;
use isotherm_tempering::targets::TargetRequest;
use pyo3::prelude::*;
use serde_json::{Map, Value, json};

use crate::errors::raised;
use crate::fit::from_json;
use crate::values::{from_python, to_python};
use crate::words::PythonWords;

/// The table of options, a list of dictionaries: name, section, kind with range or words, the defaults for the built-in
/// data and for examples, how a default is found that depends on the data, and what the option does.
#[pyfunction]
pub(crate) fn options_table(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    to_python(py, &all(Config::table()))
}

/// The options of sampling, as [`options_table`] has those of learning.
#[pyfunction]
pub(crate) fn sample_table(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    to_python(py, &all(SampleOptions::table()))
}

/// What is asked of the sampler of a target, if nothing else is: a dictionary of numbers.
#[pyfunction]
pub(crate) fn target_defaults(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    let TargetRequest { samples, columns, warm_up, thin, rungs, log_z_steps, seed, .. } =
        TargetRequest::default();
    let defaults = json!({
        "n_samples": samples, "columns": columns, "warm_up": warm_up, "thin": thin, "rungs": rungs,
        "log_z_steps": log_z_steps, "seed": seed,
    });
    to_python(py, &defaults)
}

/// Checks a rule for binarising, and tells the threshold if it is one.
#[pyfunction]
pub(crate) fn threshold_of(binarise: &str) -> PyResult<Option<f64>> {
    match binarise.parse().map_err(raised)? {
        Binarise::Threshold(level) => Ok(Some(level)),
        _ => Ok(None),
    }
}

/// Reads the shape of an image, `28x20`: width and height.
#[pyfunction]
pub(crate) fn shape_of(shape: &str) -> PyResult<(usize, usize)> {
    let ImageShape { width, height } = shape.parse().map_err(raised)?;
    Ok((width, height))
}

fn all(table: &[OptionSpec]) -> Vec<Value> {
    table.iter().map(described).collect()
}

fn described(spec: &OptionSpec) -> Value {
    let (kind, values) = match spec.kind {
        ValueKind::Count { least, most } => ("count", json!([least, most])),
        ValueKind::Number { least, most } => ("number", json!([least, most])),
        ValueKind::Words(words) => ("word", json!(words)),
        ValueKind::Switch => ("switch", Value::Null),
        _ => ("text", Value::Null),
    };
    let value = |text: &Option<String>| {
        text.as_ref().map(|text| match spec.kind {
            ValueKind::Count { .. } => text.parse::<u64>().map_or(Value::Null, Value::from),
            ValueKind::Number { .. } => text.parse::<f64>().map_or(Value::Null, Value::from),
            ValueKind::Switch => Value::from(text == "true"),
            _ => Value::from(text.as_str()),
        })
    };
    json!({
        "name": spec.name.as_str(),
        "section": spec.section,
        "kind": kind,
        "values": values,
        "default": value(&spec.default),
        "examples": value(&spec.for_examples),
        "found_by": spec.depends().then(|| spec.describe_default(&Documented)),
        "help": spec.describe(&Documented),
    })
}

/// Arguments as documentation marks them.
struct Documented;

impl Dialect for Documented {
    fn option(&self, name: OptionName) -> String {
        format!("``{}``", PythonWords.option(name))
    }

    fn setting(&self, name: OptionName, value: &str) -> String {
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
    let is_named = |spec: &&OptionSpec| names.iter().any(|name| name == spec.name.as_str());
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
