//! Evaluating and sampling a model without its run.

use isotherm::Error;
use isotherm::likelihood::{EvaluateOptions, KnownData, LogZResult, Origin, exact, name};
use isotherm::options::set;
use isotherm::sampling::{self, Known, SampleOptions};
use numpy::PyArray2;
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::arrays::{ModelInput, bytes_of, model_of};
use crate::errors::raised;
use crate::examples::Examples;
use crate::values::to_python;
use crate::work::{Line, beside};

/// log Z, and the mean log-likelihood of the examples if there are any. `own_samples` says that `training`
/// are samples of the model itself.
#[pyfunction]
#[pyo3(signature = (model, training, examples=None, log_z="auto", quick=false, particles=None, steps=None, sampling_steps=None, seed=1, threads=None, own_samples=false))]
#[allow(clippy::too_many_arguments)] // keyword arguments
pub(crate) fn evaluate<'py>(
    py: Python<'py>,
    model: ModelInput<'_>,
    training: &Examples,
    examples: Option<&Examples>,
    log_z: &str,
    quick: bool,
    particles: Option<usize>,
    steps: Option<usize>,
    sampling_steps: Option<u64>,
    seed: u64,
    threads: Option<usize>,
    own_samples: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let model = model_of(&model)?;
    let mut options = EvaluateOptions::default()
        .quick(quick)
        .particles(particles)
        .steps(steps)
        .sampling_steps(sampling_steps)
        .seed(seed);
    let (table, way) = (EvaluateOptions::table(), Value::from(log_z));
    set(&mut options, table, name::log_z.as_str(), way, log_z).map_err(raised)?;
    let budget = options.budget();
    let origin = if own_samples { Origin::OwnSamples } else { Origin::Training };
    let sets = std::iter::once(training).chain(examples).map(|it| &it.data).collect();
    let known = KnownData { origin, sets };
    let work = |line: &Line<'_, ()>| {
        let told = &mut |_: &str, _: f64| {
            line.leave_if_asked();
            true
        };
        let found = LogZResult::find(&model, known.clone(), options.log_z, &budget, told)?;
        let likelihood = examples.map(|examples| found.likelihood(&model, &examples.data));
        Ok::<_, Error>((found, likelihood))
    };
    let (found, likelihood) =
        beside(py, threads, work, |_, ()| Ok(()))?.whole()?.map_err(raised)?;
    let log_z = match &found {
        LogZResult::Exact(log_z) => json!({
            "value": log_z, "std_error": 0.0, "lower": log_z, "upper": log_z, "method": "exact",
        }),
        LogZResult::Estimated(log_z) => json!(log_z),
    };
    to_python(py, &json!({ "log_z": log_z, "log_likelihood": likelihood }))
}

/// Samples of a model without a run, and the diagnostics of them. `rows` are training data, where there are some.
#[pyfunction]
#[pyo3(signature = (model, count, thin, warm_up, seed, threads=None, rows=None))]
#[allow(clippy::too_many_arguments)] // keyword arguments
pub(crate) fn sample_model<'py>(
    py: Python<'py>,
    model: ModelInput<'_>,
    count: usize,
    thin: u64,
    warm_up: u64,
    seed: u64,
    threads: Option<usize>,
    rows: Option<&Examples>,
) -> PyResult<(Bound<'py, PyArray2<u8>>, Bound<'py, PyAny>)> {
    let model = model_of(&model)?;
    let request = SampleOptions::default().count(count).thin(thin).warm_up(warm_up).seed(seed);
    let known = Known::default().rows(rows.and_then(|it| it.data.bits()));
    let work = |line: &Line<'_, ()>| {
        sampling::sample_model(&model, &known, &request, |_| !line.should_stop())
    };
    let samples = beside(py, threads, work, |_, ()| Ok(()))?.whole()?.map_err(raised)?;
    Ok((bytes_of(py, &samples.v)?, to_python(py, &samples.diagnose())?))
}

/// Units of the smaller layer up to which log Z is enumerated.
#[pyfunction]
pub(crate) fn largest_enumerated() -> usize {
    exact::LARGEST
}
