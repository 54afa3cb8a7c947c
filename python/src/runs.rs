//! The folders of runs, as the command line writes them.

use std::path::PathBuf;

use isotherm::IoError;
use isotherm::model::Rbm;
use isotherm::sampling::{SampleOptions, SampledLadder};
use isotherm::tensors::Bundle;
use isotherm_run::checkpoint;
use isotherm_run::record::{Row, read_rows};
use isotherm_run::{RunFolder, SavedTraining, read_model};
use numpy::{PyArray1, PyArray2, ToPyArray};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::arrays::{ModelArrays, arrays_of, bytes_of};
use crate::errors::raised;
use crate::examples::Examples;
use crate::options;
use crate::values::{from_python, to_python};
use crate::words::PythonWords;
use crate::work::{Line, beside};

/// Writes the folder of a run.
#[pyfunction]
#[pyo3(signature = (path, config, checkpoint, rows, summary=None, about=None, overwrite=false))]
pub(crate) fn keep_run(
    path: PathBuf,
    config: &Bound<'_, PyAny>,
    checkpoint: &[u8],
    rows: &Bound<'_, PyAny>,
    summary: Option<&Bound<'_, PyAny>>,
    about: Option<&Bound<'_, PyAny>>,
    overwrite: bool,
) -> PyResult<()> {
    let (config, rows): (_, Vec<Row>) = (options::config_of(config)?, from_python(rows)?);
    let summary = summary.map(from_python).transpose()?;
    let checkpoint = Bundle::from_bytes(checkpoint).map_err(raised)?;
    let kept = SavedTraining {
        config: &config,
        checkpoint: &checkpoint,
        rows: &rows,
        summary: summary.as_ref(),
        about: about.map(from_python).transpose()?,
    };
    kept.write(&path, overwrite).map_err(raised)
}

/// A value that Python sees as a dictionary or a list.
type Value<'py> = Bound<'py, PyAny>;

/// Configuration, checkpoint, rows and summary of a run, what `keep_run` was told about it, and the
/// diagnostics of its folder: that the run is not finished, or that its last checkpoint cannot be used.
type LoadedRun<'py> = (
    Value<'py>,
    Bound<'py, PyBytes>,
    Value<'py>,
    Option<Value<'py>>,
    Option<Value<'py>>,
    Value<'py>,
);

/// Reads the folder of a run.
#[pyfunction]
pub(crate) fn load_run<'py>(
    py: Python<'py>,
    path: PathBuf,
) -> PyResult<(LoadedRun<'py>, ModelArrays<'py>, ModelArrays<'py>)> {
    let folder = RunFolder::open(&path).map_err(raised)?;
    let config = folder.read_config().map_err(raised)?;
    let loaded = checkpoint::load(&path).map_err(raised)?;
    let (model, _) = folder.read_model().map_err(raised)?;
    let about_folder = to_python(py, &folder.diagnose(&loaded).map_err(raised)?)?;
    // Rows after the checkpoint do not belong to this model.
    let step = loaded.bundle.get::<u64>("step", &[1]).map_err(raised)?[0];
    let mut rows = read_rows::<Row>(&folder.metrics()).map_err(raised)?.rows;
    rows.retain(|row| row.step <= step);
    let about = loaded.bundle.meta.get("about").map(|about| to_python(py, about)).transpose()?;
    let summary = read_summary(folder.summary())?;
    let summary = summary.map(|summary| to_python(py, &summary)).transpose()?;
    let bytes = PyBytes::new(py, &loaded.bundle.to_bytes().map_err(raised)?);
    let (config, rows) = (options::flat(py, &config)?, to_python(py, &rows)?);
    let run = (config, bytes, rows, summary, about, about_folder);
    let averaged = model.averaged.as_ref().unwrap_or(&model.model);
    let arrays = |model: &Rbm| arrays_of(py, model.parameters());
    Ok((run, arrays(&model.model)?, arrays(averaged)?))
}

/// The summary of a run, as this or another version wrote it.
fn read_summary(path: PathBuf) -> PyResult<Option<serde_json::Value>> {
    if !path.is_file() {
        return Ok(None);
    }
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) => return Err(raised(IoError { doing: "read", path, error })),
    };
    let bad = |error| PyValueError::new_err(format!("{}: {error}", path.display()));
    serde_json::from_str(&text).map(Some).map_err(bad)
}

/// Reads a model file.
#[pyfunction]
pub(crate) fn load_model<'py>(
    py: Python<'py>,
    path: PathBuf,
) -> PyResult<(ModelArrays<'py>, Option<ModelArrays<'py>>)> {
    let file = read_model(&path).map_err(raised)?;
    let arrays = |model: &Rbm| arrays_of(py, model.parameters());
    Ok((arrays(&file.model)?, file.averaged.as_ref().map(arrays).transpose()?))
}

/// Round trips, samples at a time, the ladder, and the rungs of the replicas, if they are traced.
type SampleFigures<'py> = (u64, usize, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<u16>>);

/// Samples of the model in a checkpoint, and the diagnostics of them. `rows` are training data, where there are some.
#[pyfunction]
#[pyo3(signature = (config, checkpoint, count, thin, warm_up, seed, averaged=false, traced=false, threads=None, rows=None))]
#[allow(clippy::too_many_arguments)] // keyword arguments
pub(crate) fn sample_checkpoint<'py>(
    py: Python<'py>,
    config: &Bound<'_, PyAny>,
    checkpoint: &[u8],
    count: usize,
    thin: u64,
    warm_up: u64,
    seed: u64,
    averaged: bool,
    traced: bool,
    threads: Option<usize>,
    rows: Option<&Examples>,
) -> PyResult<(Bound<'py, PyArray2<u8>>, SampleFigures<'py>, Bound<'py, PyAny>)> {
    let config = options::config_of(config)?;
    let bundle = Bundle::from_bytes(checkpoint).map_err(raised)?;
    let request = SampleOptions::default().count(count).thin(thin).warm_up(warm_up).seed(seed);
    let request = request.traced(traced);
    let work = |line: &Line<'_, ()>| {
        let go_on = |_| !line.should_stop();
        let rows = rows.and_then(|it| it.data.bits());
        isotherm_run::sample_checkpoint(&config.options, &bundle, rows, &request, averaged, go_on)
    };
    let samples = beside(py, threads, work, |_, ()| Ok(()))?.whole()?.map_err(raised)?;
    // Of traced samples there is one ladder.
    let SampledLadder { betas, rungs, particles, .. } = &samples.parts[0].ladder;
    let figures = (samples.round_trips, *particles, betas.to_pyarray(py), rungs.to_pyarray(py));
    Ok((bytes_of(py, &samples.v)?, figures, to_python(py, &samples.diagnose())?))
}

/// Writes the report of a run again, and returns its path.
#[pyfunction]
pub(crate) fn write_report(path: PathBuf) -> PyResult<PathBuf> {
    isotherm_report::write_report(&path, &PythonWords).map_err(raised)
}
