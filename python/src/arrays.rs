//! Models and bits as NumPy arrays, and back.

use isotherm::model::{Parameters, Rbm};
use isotherm_kernels::{BitMatrix, Matrix};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, ToPyArray};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// W [visible, hidden], b (hidden) and c (visible).
pub(crate) type ModelArrays<'py> =
    (Bound<'py, PyArray2<f32>>, Bound<'py, PyArray1<f32>>, Bound<'py, PyArray1<f32>>);

/// The same as they come from Python.
pub(crate) type ModelInput<'py> =
    (PyReadonlyArray2<'py, f32>, PyReadonlyArray1<'py, f32>, PyReadonlyArray1<'py, f32>);

pub(crate) fn arrays_of<'py>(
    py: Python<'py>,
    parameters: &Parameters,
) -> PyResult<ModelArrays<'py>> {
    let shape = [parameters.n_visible(), parameters.n_hidden()];
    let w = parameters.w.to_dense().to_pyarray(py).reshape(shape)?;
    Ok((w, parameters.b.row(0).to_pyarray(py), parameters.c.row(0).to_pyarray(py)))
}

pub(crate) fn model_of((w, b, c): &ModelInput<'_>) -> PyResult<Rbm> {
    let (w, b, c) = (w.as_array(), b.as_array(), c.as_array());
    let (n_visible, n_hidden) = w.dim();
    if b.len() != n_hidden || c.len() != n_visible || n_visible == 0 || n_hidden == 0 {
        return Err(PyValueError::new_err(format!(
            "W is {n_visible} × {n_hidden}, b has {} and c has {} values; W is visible × hidden, b \
             hidden, c visible",
            b.len(),
            c.len()
        )));
    }
    let dense: Vec<f32> = w.iter().copied().collect();
    Ok(Rbm::new(Parameters {
        w: Matrix::from_dense(n_visible, n_hidden, &dense),
        b: Matrix::from_row(&b.to_vec()),
        c: Matrix::from_row(&c.to_vec()),
    }))
}

/// Rows of 0 and 1.
pub(crate) fn bytes_of<'py>(
    py: Python<'py>,
    bits: &BitMatrix,
) -> PyResult<Bound<'py, PyArray2<u8>>> {
    let row = |row| (0..bits.cols()).map(move |col| u8::from(bits.get(row, col)));
    let bytes: Vec<u8> = (0..bits.rows()).flat_map(row).collect();
    bytes.to_pyarray(py).reshape([bits.rows(), bits.cols()])
}
