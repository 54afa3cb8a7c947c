//! Learning in memory.

use isotherm::tensors::Bundle;
use isotherm::{Error, Result};
use isotherm_run::record::{Row, Summary};
use isotherm_run::{Course, RunData};
use isotherm_tempering::threads::keep_awake;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::arrays::{ModelArrays, arrays_of};
use crate::errors::raised;
use crate::examples::Examples;
use crate::options;
use crate::work::{Line, beside};

/// What errors call learning that has no folder.
pub(crate) const NAME: &str = "this model";

/// Learning in progress, with the rows of metrics that it has written.
#[pyclass(module = "isotherm._isotherm")]
pub(crate) struct Fit {
    course: Course,
    rows: Vec<Row>,
    summary: Option<Summary>,
}

/// Anything that can be written as JSON.
pub(crate) fn json(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| PyValueError::new_err(error.to_string()))
}

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
    Note(String),
}

#[pymethods]
impl Fit {
    /// Learning that is about to begin.
    #[staticmethod]
    #[pyo3(signature = (options, train, valid=None, test=None))]
    fn begin(
        options: &str,
        train: &Examples,
        valid: Option<&Examples>,
        test: Option<&Examples>,
    ) -> PyResult<Fit> {
        let (mut config, chosen) = options::chosen(options)?;
        config.options.adapt_to(&train.data, &chosen);
        let course = Course::begin(&config, run_data(train, valid, test)).map_err(raised)?;
        Ok(Fit { course, rows: Vec::new(), summary: None })
    }

    /// Learning that goes on from a checkpoint, on these examples.
    #[staticmethod]
    #[pyo3(signature = (config, checkpoint, rows, train, valid=None, test=None))]
    fn resume(
        config: &str,
        checkpoint: &[u8],
        rows: &str,
        train: &Examples,
        valid: Option<&Examples>,
        test: Option<&Examples>,
    ) -> PyResult<Fit> {
        let bundle = Bundle::from_bytes(checkpoint).map_err(raised)?;
        let config = options::config_of(config)?;
        let data = run_data(train, valid, test);
        let course = Course::go_on(&config, data, &bundle, NAME).map_err(raised)?;
        Ok(Fit { course, rows: from_json(rows)?, summary: None })
    }

    /// Goes on with other examples, for so many updates more.
    fn learn_from(&mut self, train: &Examples, updates: u64) -> PyResult<()> {
        self.summary = None;
        self.course.learn_from(run_data(train, None, None), updates).map_err(raised)
    }

    /// Learns until it is done, or until Ctrl-C or an exception of `tell`, which is raised again once
    /// all is in order. `tell` is called with each row of metrics as JSON, or with a sentence.
    #[pyo3(signature = (threads=None, tell=None))]
    fn run(
        &mut self,
        py: Python<'_>,
        threads: Option<usize>,
        tell: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        let course = &mut self.course;
        let rows = &mut self.rows;
        let steps = |line: &Line<'_, News>| -> Result<()> {
            keep_awake(|| {
                while !course.is_complete() && !line.should_stop() {
                    if course.has_stalled() {
                        line.tell(News::Note(course.stalled()));
                        break;
                    }
                    if let Some(row) = course.step()? {
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
                News::Row(row) => (Some(json(&row)?), None),
                News::Note(note) => (None, Some(note)),
            };
            tell.call1(py, (row, note)).map(|_| ())
        };
        let done = beside(py, threads, steps, listen)?;
        match done.interrupted {
            Some(error) => Err(error),
            None => done.answer.map_err(raised),
        }
    }

    /// Finds the likelihoods and sums it all up, as JSON.
    #[pyo3(signature = (threads=None))]
    fn summarise(&mut self, py: Python<'_>, threads: Option<usize>) -> PyResult<String> {
        let course = &mut self.course;
        let work = |line: &Line<'_, ()>| course.summarise(&mut |_, _| line.leave_if_asked());
        let summary = beside(py, threads, work, |_, ()| Ok(()))?.whole()?.map_err(raised)?;
        let text = json(&summary)?;
        self.summary = Some(summary);
        Ok(text)
    }

    /// The options by their names with every choice written out, as JSON.
    fn config(&self) -> PyResult<String> {
        options::flat(&self.course.config())
    }

    /// The rows of metrics, as a JSON list.
    fn rows(&self) -> PyResult<String> {
        json(&self.rows)
    }

    /// Steps that are done.
    #[getter]
    fn step(&self) -> u64 {
        self.course.state().step
    }

    /// Steps that there will be.
    #[getter]
    fn total_steps(&self) -> u64 {
        self.course.plan().total_steps()
    }

    /// All that is needed to go on later.
    fn checkpoint<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.course.to_bundle().and_then(|bundle| bundle.to_bytes()).map_err(raised)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// What has been learned: W, b and c of the last or best model, and of its averaged parameters.
    fn parameters<'py>(&self, py: Python<'py>) -> PyResult<(ModelArrays<'py>, ModelArrays<'py>)> {
        let [model, averaged] = self.course.state().result();
        Ok((arrays_of(py, model)?, arrays_of(py, averaged)?))
    }
}

/// Keeps the compiler honest about what crosses threads.
const _: fn() = || {
    fn crosses<T: Send>() {}
    crosses::<Course>();
    crosses::<Error>();
};
