//! The folders of runs, as the command line has them.

use std::path::PathBuf;

use isotherm::model::Rbm;
use isotherm::sampling::Samples as Figures;
use isotherm::tensors::Bundle;
use isotherm_run::checkpoint;
use isotherm_run::record::{Row, read_rows};
use isotherm_run::{Kept, RunFolder, SampleRequest, read_model};
use numpy::{PyArray1, PyArray2, ToPyArray};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::arrays::{ModelArrays, arrays_of, bytes_of};
use crate::errors::raised;
use crate::fit::{from_json, json};
use crate::models::warn_of;
use crate::options;
use crate::work::{Line, beside};

/// Writes the folder of a run. `rows`, `summary` and `about` are JSON.
#[pyfunction]
#[pyo3(signature = (path, config, checkpoint, rows, summary=None, about=None, overwrite=false))]
pub(crate) fn keep_run(
    path: PathBuf,
    config: &str,
    checkpoint: &[u8],
    rows: &str,
    summary: Option<&str>,
    about: Option<&str>,
    overwrite: bool,
) -> PyResult<()> {
    let (config, rows): (_, Vec<Row>) = (options::config_of(config)?, from_json(rows)?);
    let summary = summary.map(from_json).transpose()?;
    let checkpoint = Bundle::from_bytes(checkpoint).map_err(raised)?;
    let kept = Kept {
        config: &config,
        checkpoint: &checkpoint,
        rows: &rows,
        summary: summary.as_ref(),
        about: about.map(from_json).transpose()?,
    };
    kept.write(&path, overwrite).map_err(raised)
}

/// Options, checkpoint, rows and summary of a run, what `keep_run` was told about it, and a note if there is
/// something to say.
type LoadedRun<'py> =
    (String, Bound<'py, PyBytes>, String, Option<String>, Option<String>, Option<String>);

/// Reads the folder of a run.
#[pyfunction]
pub(crate) fn load_run<'py>(
    py: Python<'py>,
    path: PathBuf,
) -> PyResult<(LoadedRun<'py>, ModelArrays<'py>, ModelArrays<'py>)> {
    let folder = RunFolder::open(&path).map_err(raised)?;
    let config = folder.read_config().map_err(raised)?;
    let loaded = checkpoint::load(&path).map_err(raised)?;
    let (model, note) = folder.read_model().map_err(raised)?;
    // What was written after the checkpoint is not of this model.
    let step = loaded.bundle.get::<u64>("step", &[1]).map_err(raised)?[0];
    let mut rows = read_rows::<Row>(&folder.metrics()).map_err(raised)?.rows;
    rows.retain(|row| row.step <= step);
    let about = loaded.bundle.meta.get("about").map(json).transpose()?;
    let summary = match folder.summary() {
        path if path.is_file() => {
            let text = std::fs::read_to_string(&path);
            Some(text.map_err(|error| PyOSError::new_err(format!("{}: {error}", path.display())))?)
        }
        _ => None,
    };
    let bytes = loaded.bundle.to_bytes().map_err(raised)?;
    let run =
        (options::flat(&config)?, PyBytes::new(py, &bytes), json(&rows)?, summary, about, note);
    let averaged = model.averaged.as_ref().unwrap_or(&model.model);
    let arrays = |model: &Rbm| arrays_of(py, model.parameters());
    Ok((run, arrays(&model.model)?, arrays(averaged)?))
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

/// Samples of the model in a checkpoint.
#[pyfunction]
#[pyo3(signature = (config, checkpoint, count, thin=10, warm_up=1000, seed=1, averaged=false, traced=false, threads=None))]
#[allow(clippy::too_many_arguments)] // keyword arguments
pub(crate) fn sample_checkpoint<'py>(
    py: Python<'py>,
    config: &str,
    checkpoint: &[u8],
    count: usize,
    thin: u64,
    warm_up: u64,
    seed: u64,
    averaged: bool,
    traced: bool,
    threads: Option<usize>,
) -> PyResult<(Bound<'py, PyArray2<u8>>, SampleFigures<'py>)> {
    let config = options::config_of(config)?;
    let bundle = Bundle::from_bytes(checkpoint).map_err(raised)?;
    let request = SampleRequest { count, thin, warm_up, seed, averaged, traced };
    let work = |line: &Line<'_, ()>| {
        let go_on = |_| !line.should_stop();
        isotherm_run::sample_checkpoint(&config.options, &bundle, &request, go_on)
    };
    let samples = beside(py, threads, work, |_, ()| Ok(()))?.whole()?.map_err(raised)?;
    // Traces show for themselves how replicas travel.
    if !traced {
        warn_of(py, &samples, 3)?;
    }
    let Figures { rungs, betas, particles, round_trips, .. } = &samples.samples;
    let figures = (*round_trips, *particles, betas.to_pyarray(py), rungs.to_pyarray(py));
    Ok((bytes_of(py, &samples.v)?, figures))
}

/// Draws the report of a run again, and tells where it is.
#[pyfunction]
pub(crate) fn write_report(path: PathBuf) -> PyResult<PathBuf> {
    isotherm_report::write_report(&path).map_err(raised)
}
