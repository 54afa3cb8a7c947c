//! Sums of outer products against the plain sum.
#![allow(missing_docs)]

mod common;

use common::*;
use isotherm_kernels::matrix::flat;
use isotherm_kernels::outer::{add_outer, add_rows};
use isotherm_kernels::{BitMatrix, Level, Matrix, scalar};
use proptest::prelude::*;

proptest! {
    #![proptest_config(cases(128))]

    #[test]
    fn adds_the_outer_products(
        rows in row_count(), inputs in size(), outputs in size(), seed: u64,
    ) {
        let mut data = Inputs::new(seed);
        let (bits, reals) = (data.bits(rows, inputs), data.matrix(rows, outputs, 2.0));
        let before = data.matrix(inputs, outputs, 1.0);
        let absolute = Matrix::from_dense(
            rows,
            outputs,
            &reals.to_dense().iter().map(|x| x.abs()).collect::<Vec<_>>(),
        );
        let want = scalar::outer(&bits, &reals);
        let magnitude = scalar::outer(&bits, &absolute);
        for level in Level::available() {
            let mut out = before.clone();
            add_outer(level, bits.words(), &reals, &mut out);
            assert_tiles_padded(out.tiles(), outputs);
            for (k, (&got, &before)) in out.to_dense().iter().zip(&before.to_dense()).enumerate() {
                // Each row is one addition to a sum that started at `before`.
                let size = magnitude[k] + f64::from(before.abs());
                let tolerance = SECOND_ORDER * rows as f64 * ROUNDING * size;
                assert_near(level, f64::from(got), f64::from(before) + want[k], tolerance);
            }
        }
    }

    /// The threads' share: blocks of 64 inputs, one word each, give the same bits as the whole.
    #[test]
    fn blocks_of_inputs_change_nothing(inputs in size(), outputs in size(), seed: u64) {
        let mut data = Inputs::new(seed);
        let (bits, reals) = (data.bits(17, inputs), data.matrix(17, outputs, 2.0));
        for level in Level::available() {
            let mut whole = Matrix::zeros(inputs, outputs);
            add_outer(level, bits.words(), &reals, &mut whole);
            for first in (0..inputs).step_by(64) {
                let mut block = Matrix::zeros((inputs - first).min(64), outputs);
                let words: Vec<u64> = (0..bits.rows()).map(|r| bits.row(r)[first / 64]).collect();
                add_outer(level, &words, &reals, &mut block);
                for j in 0..block.rows() {
                    assert_same(level, block.row(j), whole.row(first + j));
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
    let mut data = Inputs::new(2);
    let before = data.matrix(65, 17, 1.0);
    for level in Level::available() {
        let mut out = before.clone();
        add_outer(level, &[], &Matrix::zeros(0, 17), &mut out);
        add_outer(level, BitMatrix::zeros(5, 65).words(), &data.matrix(5, 17, 1.0), &mut out);
        add_rows(level, &Matrix::zeros(0, 17), &mut out.tiles_mut()[..2]);
        assert_same(level, flat(out.tiles()), flat(before.tiles()));
        add_outer(level, &[], &data.matrix(5, 17, 1.0), &mut Matrix::zeros(0, 17));
        let bits = data.bits(5, 65);
        add_outer(level, bits.words(), &Matrix::zeros(5, 0), &mut Matrix::zeros(65, 0));
        add_rows(level, &Matrix::zeros(5, 0), &mut []);
    }
}
