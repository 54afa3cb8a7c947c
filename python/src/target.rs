//! Energies that the caller gives.

use isotherm::Result;
use isotherm_tempering::targets::{self as target, TargetRequest, TargetSamples};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, ToPyArray};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::json;

use crate::errors::{Raised, raised};
use crate::values::to_python;
use crate::work::{Line, beside};

/// An energy of second degree.
#[pyclass(frozen, module = "isotherm._isotherm")]
pub(crate) struct Quadratic {
    target: target::Quadratic,
}

#[pymethods]
impl Quadratic {
    /// xᵀQx of zeros and ones: a pair costs Q_ij + Q_ji.
    #[staticmethod]
    fn from_qubo(q: PyReadonlyArray2<'_, f64>) -> PyResult<Quadratic> {
        let q = q.as_array();
        if q.nrows() != q.ncols() {
            return Err(PyValueError::new_err("Q must be a square matrix"));
        }
        let values: Vec<f64> = q.iter().copied().collect();
        let target = target::Quadratic::from_qubo(q.nrows(), &values).map_err(raised)?;
        Ok(Quadratic { target })
    }

    /// −Σ J_ij s_i s_j − Σ h_i s_i of spins −1 and 1, the pairs named one by one.
    #[staticmethod]
    fn from_bonds(
        bonds: Vec<(usize, usize, f64)>,
        h: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<Quadratic> {
        let h = h.as_array().to_vec();
        let target = target::Quadratic::from_ising(&bonds, &h).map_err(raised)?;
        Ok(Quadratic { target })
    }

    /// The same with a matrix, symmetric or of one triangle.
    #[staticmethod]
    fn from_couplings(
        couplings: PyReadonlyArray2<'_, f64>,
        h: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<Quadratic> {
        let couplings: Vec<f64> = couplings.as_array().iter().copied().collect();
        let h = h.as_array().to_vec();
        let target = target::Quadratic::from_ising_matrix(&couplings, &h).map_err(raised)?;
        Ok(Quadratic { target })
    }

    /// Energies of rows of 0 and 1.
    fn energies<'py>(
        &self,
        py: Python<'py>,
        states: PyReadonlyArray2<'_, u8>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let states = states.as_array();
        let energies: Vec<f64> =
            states.rows().into_iter().map(|row| self.target.energy(&row.to_vec())).collect();
        Ok(energies.to_pyarray(py))
    }

    /// Number of variables.
    #[getter]
    fn n(&self) -> usize {
        target::Target::n(&self.target)
    }
}

/// An energy that Python computes, of many states at once.
struct Callback {
    n: usize,
    energies: Py<PyAny>,
}

impl Callback {
    fn ask(&self, states: &[u8], energies: &mut [f64]) -> PyResult<()> {
        Python::attach(|py| {
            // As floats: sums and differences of bytes would wrap.
            let states: Vec<f64> = states.iter().map(|&bit| f64::from(bit)).collect();
            let states = states.to_pyarray(py).reshape([energies.len(), self.n])?;
            let answer = self.energies.call1(py, (states,))?;
            let array = py.import("numpy")?.getattr("asarray")?.call1((answer, "float64"))?;
            let answer: PyReadonlyArray1<'_, f64> = array.extract().map_err(|_| {
                PyValueError::new_err("energies must be an array with a number for each row")
            })?;
            let answer = answer.as_array();
            if answer.len() != energies.len() {
                return Err(PyValueError::new_err(format!(
                    "{} energies for {} states; give one for each row",
                    answer.len(),
                    energies.len()
                )));
            }
            energies.iter_mut().zip(answer).for_each(|(energy, value)| *energy = *value);
            Ok(())
        })
    }
}

impl target::Target for Callback {
    fn n(&self) -> usize {
        self.n
    }

    fn energies(&self, states: &[u8], energies: &mut [f64]) -> Result<()> {
        Ok(self.ask(states, energies).map_err(Raised)?)
    }
}

type Sampled<'py> = (Bound<'py, PyArray2<u8>>, Bound<'py, PyArray1<f64>>, Bound<'py, PyAny>);

/// Samples an energy: states, energies, and a dictionary of the other figures.
#[pyfunction]
#[pyo3(signature = (energy, n, samples, columns, warm_up, thin, rungs, log_z_steps, seed, threads=None, tell=None))]
#[allow(clippy::too_many_arguments)] // keyword arguments
pub(crate) fn sample_target<'py>(
    py: Python<'py>,
    energy: &Bound<'py, PyAny>,
    n: usize,
    samples: usize,
    columns: usize,
    warm_up: u64,
    thin: u64,
    rungs: usize,
    log_z_steps: u64,
    seed: u64,
    threads: Option<usize>,
    tell: Option<Py<PyAny>>,
) -> PyResult<Sampled<'py>> {
    let request = TargetRequest::default().samples(samples).columns(columns).warm_up(warm_up);
    let request = request.thin(thin).rungs(rungs).log_z_steps(log_z_steps).seed(seed);
    let found = match energy.cast::<Quadratic>() {
        Ok(quadratic) => run(py, &quadratic.get().target, &request, threads, tell)?,
        Err(_) => {
            let callback = Callback { n, energies: energy.clone().unbind() };
            run(py, &callback, &request, threads, tell)?
        }
    };
    arrays(py, &found.map_err(raised)?)
}

fn run(
    py: Python<'_>,
    target: &impl target::Target,
    request: &TargetRequest,
    threads: Option<usize>,
    tell: Option<Py<PyAny>>,
) -> PyResult<Result<TargetSamples>> {
    let work = |line: &Line<'_, f64>| {
        let mut told = 0.0;
        target::sample_target(target, request, |share| {
            // A hundred messages are enough.
            if share >= told + 0.01 || share == 1.0 {
                told = share;
                line.tell(share);
            }
            !line.should_stop()
        })
    };
    let listen = |py: Python<'_>, share: f64| match &tell {
        Some(tell) => tell.call1(py, (share,)).map(|_| ()),
        None => Ok(()),
    };
    beside(py, threads, work, listen)?.whole()
}

fn arrays<'py>(py: Python<'py>, found: &TargetSamples) -> PyResult<Sampled<'py>> {
    let states = found.states.to_pyarray(py).reshape([found.energies.len(), found.n])?;
    let log_z = found.log_z.map(|it| json!({ "up": it.up, "down": it.down, "bar": it.bar }));
    let figures = json!({
        "betas": found.betas,
        "swap_rates": found.swap_rates,
        "f_up": found.f_up,
        "round_trips": found.round_trips,
        "steps": found.steps,
        "mean_energy": found.mean_energy,
        "log_z": log_z,
        "verdict": found.verdict(),
    });
    Ok((states, found.energies.to_pyarray(py), to_python(py, &figures)?))
}
