//! Arrays of examples, packed one bit a value.

use isotherm::data::{Binarise, Dataset, Scale};
use isotherm_kernels::BitMatrix;
use numpy::ndarray::ArrayView2;
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::raised;

/// Examples to learn from or to measure on.
#[pyclass(frozen, module = "isotherm._isotherm")]
pub(crate) struct Examples {
    pub(crate) data: Dataset,
}

/// The scale of other examples, on which these must lie too.
fn scale_of(like: Option<&Examples>) -> Option<Scale> {
    like.and_then(|examples| examples.data.scale())
}

/// A rule, and the seed of the draw that grey values are measured on.
type Rule<'a> = (&'a str, u64);

impl Examples {
    fn of<T: Copy + Into<f64>>(
        array: ArrayView2<'_, T>,
        name: &str,
        (rule, data_seed): Rule<'_>,
        like: Option<&Examples>,
    ) -> PyResult<Examples> {
        let rule: Binarise = rule.parse().map_err(raised)?;
        let (rows, cols) = array.dim();
        let value = |row, col| array[[row, col]].into();
        let data = Dataset::of_values(name, [rows, cols], &value, rule, data_seed, scale_of(like))
            .map_err(raised)?;
        Ok(Examples { data })
    }
}

impl Examples {
    fn of_bits(bits: BitMatrix, name: &str) -> PyResult<Examples> {
        Ok(Examples { data: Dataset::from_bits(bits).map_err(raised)?.named(name) })
    }
}

#[pymethods]
impl Examples {
    /// Values that are bytes.
    #[staticmethod]
    #[pyo3(signature = (array, name, binarise, data_seed, like=None))]
    fn of_uint8(
        array: PyReadonlyArray2<'_, u8>,
        name: &str,
        binarise: &str,
        data_seed: u64,
        like: Option<&Examples>,
    ) -> PyResult<Examples> {
        let view = array.as_array();
        if binarise == "as-is" && view.iter().all(|&value| value <= 1) {
            let (rows, cols) = view.dim();
            let mut bits = BitMatrix::zeros(rows, cols);
            for (row, values) in view.rows().into_iter().enumerate() {
                let words = bits.row_mut(row);
                for (col, &value) in values.iter().enumerate() {
                    words[col / 64] |= u64::from(value) << (col % 64);
                }
            }
            return Examples::of_bits(bits, name);
        }
        Examples::of(view, name, (binarise, data_seed), like)
    }

    /// Values in single precision.
    #[staticmethod]
    #[pyo3(signature = (array, name, binarise, data_seed, like=None))]
    fn of_float32(
        array: PyReadonlyArray2<'_, f32>,
        name: &str,
        binarise: &str,
        data_seed: u64,
        like: Option<&Examples>,
    ) -> PyResult<Examples> {
        Examples::of(array.as_array(), name, (binarise, data_seed), like)
    }

    /// Values in double precision.
    #[staticmethod]
    #[pyo3(signature = (array, name, binarise, data_seed, like=None))]
    fn of_float64(
        array: PyReadonlyArray2<'_, f64>,
        name: &str,
        binarise: &str,
        data_seed: u64,
        like: Option<&Examples>,
    ) -> PyResult<Examples> {
        Examples::of(array.as_array(), name, (binarise, data_seed), like)
    }

    /// The ones of a sparse matrix in rows (CSR) that holds nothing but ones.
    #[staticmethod]
    fn of_ones(
        indptr: PyReadonlyArray1<'_, i64>,
        indices: PyReadonlyArray1<'_, i64>,
        columns: usize,
        name: &str,
    ) -> PyResult<Examples> {
        let (indptr, indices) = (indptr.as_array(), indices.as_array());
        let rows = indptr.len().saturating_sub(1);
        let mut bits = BitMatrix::zeros(rows, columns);
        for row in 0..rows {
            for at in indptr[row]..indptr[row + 1] {
                let column = usize::try_from(at)
                    .ok()
                    .and_then(|at| indices.get(at))
                    .and_then(|&column| usize::try_from(column).ok())
                    .filter(|&column| column < columns)
                    .ok_or_else(|| PyValueError::new_err(format!("{name}: row {row} is broken")))?;
                bits.set(row, column, true);
            }
        }
        Examples::of_bits(bits, name)
    }

    /// Rows and columns.
    #[getter]
    fn shape(&self) -> (usize, usize) {
        (self.data.examples().unwrap_or(0), self.data.n_visible())
    }

    /// The value that counts as 1 where the rule asks for shares: 255 for bytes.
    #[getter]
    fn full(&self) -> f64 {
        self.data.scale().unwrap_or_default().full()
    }
}
