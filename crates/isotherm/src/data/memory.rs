//! Data from memory: a matrix of zeros and ones, or of values that a rule binarises.

use isotherm_kernels::BitMatrix;

use super::values::{self, Origin};
use super::{Binarise, DataProblem, Dataset, Place, Scale, Table};
use crate::error::Result;

/// The name of data that were given none.
const UNNAMED: &str = "data";

impl Dataset {
    /// The examples in rows of zeros and ones: integers, floats or booleans.
    ///
    /// ```
    /// use isotherm::data::Dataset;
    ///
    /// let data = Dataset::from_rows(&[[0, 1, 1], [1, 0, 1]])?;
    /// assert_eq!((data.examples(), data.n_visible()), (Some(2), 3));
    /// let same = Dataset::from_rows(&[vec![false, true, true], vec![true, false, true]])?;
    /// assert_eq!(same.digest(), data.digest());
    /// # Ok::<(), isotherm::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If there is no value, a value is neither 0 nor 1, or the rows differ in length. The
    /// [`DataError`](super::DataError) names row and column, counted from 0:
    ///
    /// ```
    /// use isotherm::data::{DataError, Dataset, Place};
    ///
    /// let error = Dataset::from_rows(&[[0.0, 1.0], [0.5, 1.0]]).unwrap_err();
    /// let place = &error.cause::<DataError>().expect("a problem of data").place;
    /// assert_eq!(*place, [Place::Row(1), Place::Column(0)]);
    /// ```
    pub fn from_rows<R: AsRef<[T]>, T: Copy + Into<f64>>(rows: &[R]) -> Result<Dataset> {
        let origin = Origin::memory(UNNAMED);
        let cols = rows.first().map_or(0, |row| row.as_ref().len());
        if cols == 0 {
            return Err(origin.refuse(DataProblem::NoValues));
        }
        for (row, values) in rows.iter().enumerate() {
            let values = values.as_ref().len();
            if values != cols {
                let place = vec![Place::Row(row), Place::Column(values.min(cols))];
                let problem = DataProblem::RowLength { values, expected: cols };
                return Err(origin.refuse_at(place, problem));
            }
        }
        let value = |row: usize, col: usize| rows[row].as_ref()[col].into();
        Dataset::of_values(UNNAMED, [rows.len(), cols], &value, Binarise::AsIs, 0, None)
    }

    /// The examples in the rows of a matrix of bits.
    ///
    /// ```
    /// use isotherm::BitMatrix;
    /// use isotherm::data::Dataset;
    ///
    /// let mut bits = BitMatrix::zeros(100, 20);
    /// bits.set(3, 7, true);
    /// assert_eq!(Dataset::from_bits(bits)?.marginals()[7], 0.01);
    /// # Ok::<(), isotherm::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the matrix is empty.
    pub fn from_bits(bits: BitMatrix) -> Result<Dataset> {
        match bits.rows() == 0 || bits.cols() == 0 {
            true => Err(Origin::memory(UNNAMED).refuse(DataProblem::NoValues)),
            false => Ok(Dataset::Table(Table::new(UNNAMED, bits))),
        }
    }

    /// Examples that a rule binarises: `value` of a row and a column. `like` is what the values of the
    /// training data mean, which these must mean too.
    ///
    /// # Errors
    ///
    /// If the rule cannot be applied to a value.
    pub fn of_values(
        name: &str,
        shape: [usize; 2],
        value: &dyn Fn(usize, usize) -> f64,
        binarise: Binarise,
        data_seed: u64,
        like: Option<Scale>,
    ) -> Result<Dataset> {
        let loaded = values::of_values(name, shape, value, binarise, like)?;
        Ok(Dataset::Table(Table::of(name.to_owned(), loaded, binarise, data_seed)))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::data::DataError;
    use crate::data::values::ValueProblem;

    fn refusal<R: AsRef<[T]>, T: Copy + Into<f64>>(rows: &[R]) -> DataError {
        Dataset::from_rows(rows).unwrap_err().into_cause().unwrap()
    }

    #[test]
    fn rows_of_any_number_type() {
        let digest = |data: Result<Dataset>| data.unwrap().digest();
        let expected = digest(Dataset::from_bits(BitMatrix::from_rows(2, &[[0, 1], [1, 1]])));
        assert_eq!(digest(Dataset::from_rows(&[[0u8, 1], [1, 1]])), expected);
        assert_eq!(digest(Dataset::from_rows(&[[0i32, 1], [1, 1]])), expected);
        assert_eq!(digest(Dataset::from_rows(&[[0.0f32, 1.0], [1.0, 1.0]])), expected);
        assert_eq!(digest(Dataset::from_rows(&[vec![-0.0, 1.0], vec![1.0, 1.0]])), expected);
        assert_eq!(digest(Dataset::from_rows(&[[false, true], [true, true]])), expected);
        let slices: [&[u8]; 2] = [&[0, 1], &[1, 1]];
        assert_eq!(digest(Dataset::from_rows(&slices)), expected);
    }

    #[test]
    fn other_values_and_ragged_rows_are_refused_with_their_place() {
        let error = refusal(&[[0, 1], [1, 0], [0, 2]]);
        assert_eq!(error.place, [Place::Row(2), Place::Column(1)]);
        let problem = ValueProblem::NotBinary { value: 2.0 };
        assert_eq!(error.problem, DataProblem::Value { text: "2".to_owned(), problem });
        for (rows, place) in [
            (vec![vec![0, 1], vec![1]], [Place::Row(1), Place::Column(1)]),
            (vec![vec![0, 1], vec![0, 1], vec![1, 1, 1]], [Place::Row(2), Place::Column(2)]),
        ] {
            let error = refusal(&rows);
            assert_eq!(error.place, place);
            let values = rows.last().unwrap().len();
            assert_eq!(error.problem, DataProblem::RowLength { values, expected: 2 });
        }
        assert_eq!(refusal::<Vec<u8>, u8>(&[]).problem, DataProblem::NoValues);
        assert_eq!(refusal(&[[0u8; 0]; 3]).problem, DataProblem::NoValues);
        let error = Dataset::from_bits(BitMatrix::zeros(0, 4)).unwrap_err();
        assert_eq!(error.cause::<DataError>().unwrap().problem, DataProblem::NoValues);
    }
}
