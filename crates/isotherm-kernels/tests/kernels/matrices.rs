//! Real matrices: storage, transpose, selection.

use isotherm_kernels::{Level, Matrix};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::common::*;

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn stores_and_transposes(rows in size(), cols in size(), seed: u64) {
        let mut data = Inputs::new(seed);
        let values = data.reals(rows * cols, 5.0);
        let matrix = Matrix::from_dense(rows, cols, &values);
        prop_assert_eq!(matrix.to_dense(), values.clone());
        assert_tiles_padded(matrix.tiles(), cols);
        for level in Level::available() {
            // Old values of the target must all be overwritten.
            let mut transpose = data.matrix(cols, rows, 5.0);
            matrix.transpose_into(level, &mut transpose);
            assert_tiles_padded(transpose.tiles(), rows);
            for i in 0..rows {
                for j in 0..cols {
                    prop_assert_eq!(transpose.row(j)[i], values[i * cols + j]);
                }
            }
            let mut back = Matrix::zeros(rows, cols);
            transpose.transpose_into(level, &mut back);
            prop_assert_eq!(&back, &matrix);
        }
    }

    #[test]
    fn selects_rows(
        rows in row_count(), cols in size(), seed: u64, picks in vec(0..1000usize, 0..20),
    ) {
        let matrix = Inputs::new(seed).matrix(rows, cols, 5.0);
        let picks: Vec<usize> = picks.into_iter().map(|pick| pick % rows).collect();
        let selected = matrix.select(&picks);
        prop_assert_eq!((selected.rows(), selected.cols()), (picks.len(), cols));
        assert_tiles_padded(selected.tiles(), cols);
        for (i, &pick) in picks.iter().enumerate() {
            prop_assert_eq!(selected.row(i), matrix.row(pick));
        }
    }
}

#[test]
fn empty_matrices() {
    for (rows, cols) in [(0, 0), (0, 17), (17, 0)] {
        let matrix = Matrix::from_dense(rows, cols, &[]);
        let mut transpose = Matrix::zeros(cols, rows);
        matrix.transpose_into(Level::detect(), &mut transpose);
        assert_eq!((transpose.to_dense(), matrix.to_dense()), (vec![], vec![]));
        assert!((0..rows).all(|row| matrix.row(row).is_empty()));
        assert_eq!(matrix.select(&[]).rows(), 0);
    }
    assert_eq!(Matrix::from_row(&[]).cols(), 0);
}

#[test]
#[should_panic(expected = "shape of the transpose")]
fn transpose_checks_the_shape() {
    Matrix::zeros(3, 17).transpose_into(Level::detect(), &mut Matrix::zeros(3, 17));
}
