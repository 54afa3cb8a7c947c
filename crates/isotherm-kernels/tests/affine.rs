//! Bits × weights + bias against the plain sum.
#![allow(missing_docs)]

mod common;

use common::*;
use isotherm_kernels::affine::affine;
use isotherm_kernels::{BitMatrix, Level, Matrix, Tile, scalar};
use proptest::prelude::*;

fn product(level: Level, bits: &BitMatrix, weights: &Matrix, bias: &Matrix) -> Matrix {
    let mut out = Matrix::zeros(bits.rows(), weights.cols());
    // What was there before must not matter.
    out.tiles_mut().fill(Tile::splat(f32::NAN));
    affine(level, bits.words(), weights, bias.row_tiles(0), out.tiles_mut());
    out
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn sums_the_selected_weights(
        rows in row_count(), inputs in size(), outputs in size(), seed: u64,
    ) {
        let mut data = Inputs::new(seed);
        let (bits, weights) = (data.bits(rows, inputs), data.matrix(inputs, outputs, 1.0));
        let bias = data.matrix(1, outputs, 3.0);
        let want = scalar::affine(&bits, &weights, bias.row(0));
        // A term passes up to 3 additions inside its group of four and one for each group.
        let additions = (3 + inputs.div_ceil(4)) as f64;
        for level in Level::available() {
            let out = product(level, &bits, &weights, &bias);
            assert_tiles_padded(out.tiles(), outputs);
            for (r, want) in want.iter().enumerate() {
                let mut magnitude: Vec<f64> =
                    bias.row(0).iter().map(|b| f64::from(b.abs())).collect();
                for j in bits.ones(r) {
                    for (sum, w) in magnitude.iter_mut().zip(weights.row(j)) {
                        *sum += f64::from(w.abs());
                    }
                }
                for i in 0..outputs {
                    let tolerance = SECOND_ORDER * additions * ROUNDING * magnitude[i];
                    assert_near(level, f64::from(out.row(r)[i]), want[i], tolerance);
                }
            }
        }
    }

    /// Threads cut the rows into blocks: no row may depend on its neighbours.
    #[test]
    fn rows_do_not_see_each_other(inputs in size(), outputs in size(), seed: u64) {
        let mut data = Inputs::new(seed);
        let (bits, weights) = (data.bits(5, inputs), data.matrix(inputs, outputs, 1.0));
        let bias = data.matrix(1, outputs, 3.0);
        for level in Level::available() {
            let together = product(level, &bits, &weights, &bias);
            for r in 0..bits.rows() {
                let alone = product(level, &bits.select(&[r]), &weights, &bias);
                assert_same(level, together.row(r), alone.row(0));
            }
        }
    }
}

#[test]
fn integers_are_exact() {
    // Small integers have exact sums in f32: every weight must be counted exactly once.
    for level in Level::available() {
        for inputs in SIZES {
            let values: Vec<f32> = (0..inputs * 17).map(|k| (k % 251) as f32).collect();
            let weights = Matrix::from_dense(inputs, 17, &values);
            let ones = BitMatrix::from_rows(inputs, &[vec![1; inputs]]);
            let out = product(level, &ones, &weights, &Matrix::zeros(1, 17));
            for i in 0..17 {
                let want: f32 = (0..inputs).map(|j| weights.row(j)[i]).sum();
                assert_eq!(out.row(0)[i], want, "{inputs} inputs, output {i}");
            }
        }
    }
}

#[test]
fn nothing_to_do() {
    let mut data = Inputs::new(1);
    for level in Level::available() {
        let (weights, bias) = (data.matrix(65, 17, 1.0), data.matrix(1, 17, 1.0));
        let none = product(level, &BitMatrix::zeros(0, 65), &weights, &bias);
        assert_eq!((none.rows(), none.tiles().len()), (0, 0));
        let no_inputs = product(level, &BitMatrix::zeros(3, 0), &Matrix::zeros(0, 17), &bias);
        assert!((0..3).all(|r| no_inputs.row(r) == bias.row(0)));
        let no_outputs =
            product(level, &data.bits(3, 65), &Matrix::zeros(65, 0), &Matrix::zeros(1, 0));
        assert_eq!(no_outputs.to_dense(), []);
    }
}

#[test]
#[should_panic(expected = "tiles of the bias")]
fn a_short_bias_is_refused() {
    let (bits, weights) = (BitMatrix::zeros(2, 65), Matrix::zeros(65, 17));
    product(Level::baseline(), &bits, &weights, &Matrix::zeros(1, 16));
}

#[test]
#[should_panic(expected = "rows of bits and of outputs")]
fn a_missing_row_is_refused() {
    let (weights, bias) = (Matrix::zeros(65, 17), Matrix::zeros(1, 17));
    let (bits, mut out) = (BitMatrix::zeros(2, 65), Matrix::zeros(3, 17));
    affine(Level::baseline(), bits.words(), &weights, bias.tiles(), out.tiles_mut());
}
