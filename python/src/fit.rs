//! Learning in memory.

use isotherm::tensors::Bundle;
use isotherm::{Error, Kind, Result};
use isotherm_run::record::{Row, Summary};
use isotherm_run::{Note, RunData, TrainingRun};
use isotherm_tempering::threads::keep_awake;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::arrays::{ModelArrays, arrays_of};
use crate::errors::raised;
use crate::examples::Examples;
use crate::options;
use crate::values::{from_python, to_python};
use crate::words::PythonWords;
use crate::work::{Line, beside};

/// How errors name training that has no folder.
pub(crate) const NAME: &str = "this model";

/// Learning in progress, with the rows of metrics that it has written.
#[pyclass(module = "isotherm._isotherm")]
pub(crate) struct Fit {
    run: TrainingRun,
    rows: Vec<Row>,
    summary: Option<Summary>,
}

/// Options cross over as JSON: numbers keep the kind that their writer gave them.
pub(crate) fn from_json<T: serde::de::DeserializeOwned>(text: &str) -> PyResult<T> {
    serde_json::from_str(text).map_err(|error| PyValueError::new_err(error.to_string()))
}

fn run_data(train: &Examples, valid: Option<&Examples>, test: Option<&Examples>) -> RunData {
    let data = |examples: Option<&Examples>| examples.map(|it| it.data.clone());
    RunData { train: train.data.clone(), valid: data(valid), test: data(test) }
}

/// What the work tells of itself.
enum News {
    Row(Box<Row>),
    Note(Note),
}

#[pymethods]
impl Fit {
    /// Learning that is about to begin. `given` are the names of the options that the caller chose. Fitting a reference
    /// takes a while: `tell` is called with what is being done and the share of it that is done.
    #[staticmethod]
    #[pyo3(signature = (options, given, train, valid=None, test=None, threads=None, tell=None))]
    #[allow(clippy::too_many_arguments)]
    fn begin(
        py: Python<'_>,
        options: &str,
        given: Vec<String>,
        train: &Examples,
        valid: Option<&Examples>,
        test: Option<&Examples>,
        threads: Option<usize>,
        tell: Option<Py<PyAny>>,
    ) -> PyResult<Fit> {
        let (mut config, chosen) = options::chosen(options)?;
        let given = options::named(&given);
        config.options.adapt_to(&train.data, &chosen);
        let data = run_data(train, valid, test);
        let work = |line: &Line<'_, (String, f64)>| {
            TrainingRun::begin(&config, data, &mut |stage, share| {
                line.tell((stage.to_owned(), share));
                !line.should_stop()
            })
        };
        let listen = |py: Python<'_>, news: (String, f64)| {
            tell.as_ref().map_or(Ok(()), |tell| tell.call1(py, news).map(|_| ()))
        };
        let run = beside(py, threads, work, listen)?.whole()?.map_err(raised)?;
        Ok(Fit { run: run.noting_unused(&given), rows: Vec::new(), summary: None })
    }

    /// Continues training from a checkpoint, on these examples.
    #[staticmethod]
    #[pyo3(signature = (config, checkpoint, rows, train, valid=None, test=None))]
    fn resume(
        config: &Bound<'_, PyAny>,
        checkpoint: &[u8],
        rows: &Bound<'_, PyAny>,
        train: &Examples,
        valid: Option<&Examples>,
        test: Option<&Examples>,
    ) -> PyResult<Fit> {
        let bundle = Bundle::from_bytes(checkpoint).map_err(raised)?;
        let config = options::config_of(config)?;
        let data = run_data(train, valid, test);
        let run = TrainingRun::go_on(&config, data, &bundle, NAME).map_err(raised)?;
        Ok(Fit { run, rows: from_python(rows)?, summary: None })
    }

    /// Continues with other examples, for `updates` more updates.
    fn learn_from(&mut self, train: &Examples, updates: u64) -> PyResult<()> {
        self.summary = None;
        self.run.learn_from(run_data(train, None, None), updates).map_err(raised)
    }

    /// Trains until it is done, or until Ctrl-C or an exception of `tell`, which is raised again
    /// afterwards. `tell` is called with each row of metrics, or with a sentence.
    #[pyo3(signature = (threads=None, tell=None))]
    fn run(
        &mut self,
        py: Python<'_>,
        threads: Option<usize>,
        tell: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        let run = &mut self.run;
        let rows = &mut self.rows;
        let steps = |line: &Line<'_, News>| -> Result<()> {
            keep_awake(|| {
                while !run.is_complete() && !line.should_stop() {
                    if run.has_stalled() {
                        if let Some(stopped) = run.stopped_early() {
                            line.tell(News::Note(Note::Raised(stopped)));
                        }
                        break;
                    }
                    let row = match run.step(&mut || !line.should_stop()) {
                        Err(error) if error.kind() == Kind::Interrupted => break,
                        row => row?,
                    };
                    if let Some(row) = row {
                        line.tell(News::Row(Box::new(row.clone())));
                        rows.push(row);
                    }
                }
                Ok(())
            })
        };
        let listen = |py: Python<'_>, news: News| {
            let Some(tell) = &tell else { return Ok(()) };
            let (row, note) = match news {
                News::Row(row) => (Some(to_python(py, &row)?), None),
                News::Note(note) => (None, Some(note.words(&PythonWords))),
            };
            tell.call1(py, (row, note)).map(|_| ())
        };
        let done = beside(py, threads, steps, listen)?;
        match done.interrupted {
            Some(error) => Err(error),
            None => done.answer.map_err(raised),
        }
    }

    /// Computes the likelihoods, and the summary as a dictionary.
    #[pyo3(signature = (threads=None))]
    fn summarise<'py>(
        &mut self,
        py: Python<'py>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (run, rows) = (&mut self.run, &self.rows);
        let work = |line: &Line<'_, ()>| {
            run.summarise(rows, &[], &PythonWords, &mut |_, _| {
                line.leave_if_asked();
                true
            })
        };
        let summary = beside(py, threads, work, |_, ()| Ok(()))?.whole()?.map_err(raised)?;
        let figures = to_python(py, &summary)?;
        self.summary = Some(summary);
        Ok(figures)
    }

    /// What is raised when learning begins, about the data and about options without effect: a list of diagnostics.
    fn diagnostics_at_start<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.run.diagnostics_at_start())
    }

    /// The complete configuration.
    fn config<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        options::flat(py, &self.run.config())
    }

    /// The rows of metrics.
    fn rows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.rows)
    }

    /// Steps that are done.
    #[getter]
    fn step(&self) -> u64 {
        self.run.state().step()
    }

    /// Steps that there will be.
    #[getter]
    fn total_steps(&self) -> u64 {
        self.run.plan().total_steps()
    }

    /// All that is needed to go on later.
    fn checkpoint<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.run.to_bundle().map_err(raised)?.to_bytes().map_err(raised)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// What has been learned: W, b and c of the last or best model, and of its averaged parameters.
    fn parameters<'py>(&self, py: Python<'py>) -> PyResult<(ModelArrays<'py>, ModelArrays<'py>)> {
        let [model, averaged] = self.run.state().result();
        Ok((arrays_of(py, model)?, arrays_of(py, averaged)?))
    }
}

/// Persistence the compiler honest about what crosses threads.
const _: fn() = || {
    fn crosses<T: Send>() {}
    crosses::<TrainingRun>();
    crosses::<Error>();
};
