//! Sums of outer products against the plain sum.

use isotherm_kernels::outer::{add_rows, subtract_outer};
use isotherm_kernels::{Level, Matrix};
use proptest::prelude::*;

use crate::common::*;

proptest! {
    #![proptest_config(cases(128))]

    #[test]
    fn subtracts_the_outer_product(rows in size(), outputs in size(), seed: u64) {
        let mut data = Inputs::new(seed);
        let (x, y) = (data.reals(rows, 2.0), data.matrix(1, outputs, 3.0));
        let before = data.matrix(rows, outputs, 1.0);
        for level in Level::available() {
            let mut out = before.clone();
            subtract_outer(level, &x, y.tiles(), out.tiles_mut());
            assert_tiles_padded(out.tiles(), outputs);
            for (j, &x) in x.iter().enumerate() {
                for i in 0..outputs {
                    let product = f64::from(x) * f64::from(y.row(0)[i]);
                    let want = f64::from(before.row(j)[i]) - product;
                    // One rounding of the product and one of the difference.
                    let tolerance = SECOND_ORDER * ROUNDING * (product.abs() + want.abs());
                    assert_near(level, f64::from(out.row(j)[i]), want, tolerance);
                }
            }
        }
    }

    #[test]
    fn adds_the_rows_in_order(rows in row_count(), cols in size(), seed: u64) {
        let mut data = Inputs::new(seed);
        let (reals, before) = (data.matrix(rows, cols, 2.0), data.matrix(1, cols, 1.0));
        let mut want = before.row(0).to_vec();
        for r in 0..rows {
            for (sum, x) in want.iter_mut().zip(reals.row(r)) {
                *sum += x;
            }
        }
        for level in Level::available() {
            let mut out = before.clone();
            add_rows(level, &reals, out.tiles_mut());
            assert_same(level, out.row(0), &want);
            assert_tiles_padded(out.tiles(), cols);
        }
    }
}

#[test]
fn nothing_to_do() {
    let mut data = Inputs::new(1);
    for level in Level::available() {
        let mut sum = data.matrix(1, 17, 1.0);
        let before = sum.clone();
        add_rows(level, &Matrix::zeros(0, 17), sum.tiles_mut());
        assert_same(level, sum.row(0), before.row(0));
        subtract_outer(level, &[], sum.tiles(), &mut []);
        subtract_outer(level, &[1.0; 5], &[], &mut []);
    }
}
