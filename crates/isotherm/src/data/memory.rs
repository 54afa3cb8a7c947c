//! Data from memory: a matrix of zeros and ones, or of values that a rule binarises.

use isotherm_kernels::BitMatrix;

use super::table::Table;
use super::values::{self, Loaded, Origin};
use super::{Binarise, Data, DataProblem, Dataset, Place, Scale};
use crate::error::Result;

/// The name of data that were given none.
const UNNAMED: &str = "data";

/// Examples in memory.
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
            false => Ok(Table::new(UNNAMED.to_owned(), bits).into()),
        }
    }

    /// The examples in a flat slice of zeros and ones, row after row, such as the buffer of an array of any
    /// library.
    ///
    /// ```
    /// use isotherm::data::Dataset;
    ///
    /// let values = [0f32, 1.0, 1.0, 1.0, 0.0, 1.0];
    /// let data = Dataset::from_slice(&values, 3)?;
    /// assert_eq!(data.digest(), Dataset::from_rows(&[[0, 1, 1], [1, 0, 1]])?.digest());
    /// # Ok::<(), isotherm::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If there is no value, a value is neither 0 nor 1, or the last row is not complete.
    pub fn from_slice<T: Copy + Into<f64>>(values: &[T], columns: usize) -> Result<Dataset> {
        match columns {
            0 => Err(Origin::memory(UNNAMED).refuse(DataProblem::NoValues)),
            _ => Dataset::from_rows(&values.chunks(columns).collect::<Vec<_>>()),
        }
    }

    /// Examples that a rule binarises: `value` of a row and a column. `like` is the scale of the training
    /// data, on which these values must lie too.
    ///
    /// ```
    /// use isotherm::data::{Binarise, Dataset};
    ///
    /// let grey = [[0.1, 0.9], [0.7, 0.2f64]];
    /// let value = |row: usize, column: usize| grey[row][column];
    /// let above_half = Binarise::Threshold(0.5);
    /// let data = Dataset::of_values("grey", [2, 2], &value, above_half, 0, None)?;
    /// assert_eq!(data.digest(), Dataset::from_rows(&[[0, 1], [1, 0]])?.digest());
    /// # Ok::<(), isotherm::Error>(())
    /// ```
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
        Ok(Dataset::of_loaded(name, loaded, binarise, data_seed))
    }

    /// Values that a reader of files has read and binarised by a rule. Grey ones are measured on a draw by the
    /// data seed.
    pub fn of_loaded(
        name: impl Into<String>,
        loaded: Loaded,
        binarise: Binarise,
        data_seed: u64,
    ) -> Dataset {
        Table::of(name.into(), loaded, binarise, data_seed).into()
    }

    /// The same examples, of which a reader left out some columns of the file.
    #[must_use]
    pub fn some_left_out(mut self) -> Dataset {
        if let Data::Examples(table) = &mut self.0 {
            table.some_left_out = true;
        }
        self
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
        assert_eq!(digest(Dataset::from_slice(&[0u8, 1, 1, 1], 2)), expected);
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
        let error =
            Dataset::from_slice(&[0, 1, 1], 2).unwrap_err().into_cause::<DataError>().unwrap();
        assert_eq!(error.place, [Place::Row(1), Place::Column(1)]);
        assert_eq!(error.problem, DataProblem::RowLength { values: 1, expected: 2 });
        for (values, columns) in [(&[0, 1][..], 0), (&[], 2)] {
            let error = Dataset::from_slice(values, columns).unwrap_err();
            assert_eq!(error.cause::<DataError>().unwrap().problem, DataProblem::NoValues);
        }
        let error = refusal(&[[0.0, f32::NAN]]);
        assert_eq!(error.place, [Place::Row(0), Place::Column(1)]);
        assert_eq!(refusal::<Vec<u8>, u8>(&[]).problem, DataProblem::NoValues);
        assert_eq!(refusal(&[[0u8; 0]; 3]).problem, DataProblem::NoValues);
        let error = Dataset::from_bits(BitMatrix::zeros(0, 4)).unwrap_err();
        assert_eq!(error.cause::<DataError>().unwrap().problem, DataProblem::NoValues);
    }
}
