//! Softplus sums from tables of products against the plain sum.

use isotherm_kernels::{BitMatrix, Level, Matrix, Products, scalar};
use proptest::prelude::*;
use proptest::sample::select;

use crate::common::*;

/// On both sides of where another group begins.
fn inputs() -> impl Strategy<Value = usize> {
    select(vec![1, 2, 5, 6, 7, 10, 11, 15, 16, 20, 21, 25, 30, 31, 32, 35])
}

fn tables(level: Level, weights: &Matrix, bias: &Matrix) -> Option<Products> {
    let mut products = Products::default();
    // What was there before must not matter.
    products.tabulate(level, &Matrix::from_dense(7, 40, &[1.5; 280]), Matrix::zeros(1, 40).tiles());
    products.tabulate(level, weights, bias.tiles()).then_some(products)
}

fn arguments(bits: u64, weights: &Matrix, bias: &Matrix) -> Vec<f64> {
    let row = BitMatrix::from_words(1, weights.rows(), vec![bits]).expect("no bits too many");
    scalar::affine(&row, weights, bias.row(0)).remove(0)
}

/// How far a sum may be off. An e^x passes `inputs + 1` exponentials and at most as many
/// multiplications as there are inputs, and log(1 + e^x) moves by σ(x) of that relative error; the
/// term owes two roundings, of 1 + e^x and of the product; the 16 lanes are multiplied up in 15.
fn tolerance(inputs: usize, arguments: &[f64]) -> f64 {
    let factor = (inputs + 1) as f64 * (EXP_ERROR + ROUNDING);
    let terms: f64 = arguments.iter().map(|&x| scalar::sigmoid(x) * factor + 2.0 * ROUNDING).sum();
    SECOND_ORDER * (terms + 15.0 * ROUNDING) + 1e-13
}

/// The largest |bias_j| + Σ_i |weights_ij|.
fn magnitude(weights: &Matrix, bias: &Matrix) -> f64 {
    let sum = |j: usize| {
        let weights = (0..weights.rows()).map(|i| f64::from(weights.row(i)[j].abs()));
        f64::from(bias.row(0)[j].abs()) + weights.sum::<f64>()
    };
    (0..weights.cols()).map(sum).fold(0.0, f64::max)
}

proptest! {
    #![proptest_config(cases(512))]

    #[test]
    fn sums_are_those_of_the_plain_loop(
        inputs in inputs(),
        n in prop_oneof![4 => size(), 1 => select(vec![1537, 3100])],
        scale in select(vec![0.0f32, 0.3, 2.0, 8.0, 20.0]),
        seed: u64,
    ) {
        let mut data = Inputs::new(seed);
        let (weights, bias) = (data.matrix(inputs, n, scale), data.matrix(1, n, 3.0));
        let rows = data.bits(4, inputs);
        let magnitude = magnitude(&weights, &bias);
        for level in Level::available() {
            let Some(products) = tables(level, &weights, &bias) else {
                prop_assert!(magnitude > 79.9, "{magnitude} is in range");
                continue;
            };
            prop_assert!(magnitude < 80.1, "{magnitude} is out of range");
            for bits in [0, rows.row(0)[0], rows.row(1)[0], rows.row(2)[0], rows.row(3)[0]] {
                let arguments = arguments(bits, &weights, &bias);
                let want = scalar::softplus_sum(arguments.iter().copied());
                let got = products.softplus_sum(level, bits);
                assert_near(level, got, want, tolerance(inputs, &arguments));
            }
        }
    }
}

/// Every unit at the end of the range, where nothing but the exponent tells sums apart.
#[test]
fn the_whole_range_is_covered() {
    for level in Level::available() {
        for n in [1, 7, 31, 33, 785] {
            for inputs in [1, 10, 20] {
                for x in [79.99f32, 40.0, 1.0, -1.0, -40.0, -79.99] {
                    let share = x / inputs as f32;
                    let weights = Matrix::from_dense(inputs, n, &vec![share; inputs * n]);
                    let bias = Matrix::zeros(1, n);
                    let products = tables(level, &weights, &bias).expect("a sum in range");
                    let all = u64::MAX >> (64 - inputs);
                    let arguments = arguments(all, &weights, &bias);
                    let want = scalar::softplus_sum(arguments.iter().copied());
                    let got = products.softplus_sum(level, all);
                    assert_near(level, got, want, tolerance(inputs, &arguments));
                }
            }
        }
        // Two groups that take each other back.
        let values: Vec<f32> = (0..10).map(|i| if i < 5 { 7.9 } else { -7.9 }).collect();
        let (weights, bias) = (Matrix::from_dense(10, 1, &values), Matrix::zeros(1, 1));
        let products = tables(level, &weights, &bias).expect("a sum in range");
        let tolerance = tolerance(10, &[0.0]);
        assert_near(level, products.softplus_sum(level, 1023), 2f64.ln(), tolerance);
    }
}

#[test]
fn what_is_out_of_range_is_refused() {
    for level in Level::available() {
        for n in [1, 17, 785] {
            for at in [0, n / 2, n - 1] {
                for value in [81.0, -81.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, -f32::NAN] {
                    let sound = (Matrix::zeros(3, n), Matrix::zeros(1, n));
                    assert!(tables(level, &sound.0, &sound.1).is_some());
                    let (mut weights, mut bias) = sound.clone();
                    weights.row_mut(1)[at] = value;
                    assert!(tables(level, &weights, &sound.1).is_none(), "{value} at {at} of {n}");
                    bias.row_mut(0)[at] = value;
                    assert!(tables(level, &sound.0, &bias).is_none(), "{value} at {at} of {n}");
                }
                // Each in range, but not their product.
                let mut weights = Matrix::zeros(2, n);
                weights.row_mut(0)[at] = 41.0;
                weights.row_mut(1)[at] = -41.0;
                assert!(tables(level, &weights, &Matrix::zeros(1, n)).is_none());
            }
        }
    }
}

#[test]
fn nothing_sums_to_nothing() {
    for level in Level::available() {
        let products = tables(level, &Matrix::zeros(3, 0), &Matrix::zeros(1, 0));
        assert_eq!(products.expect("a sum in range").softplus_sum(level, 5), 0.0);
        let products = tables(level, &Matrix::zeros(0, 3), &Matrix::from_row(&[1.0, 0.0, -2.0]));
        let want = scalar::softplus_sum([1.0, 0.0, -2.0]);
        let tolerance = tolerance(0, &[1.0, 0.0, -2.0]);
        let got = products.expect("a sum in range").softplus_sum(level, 0);
        assert_near(level, got, want, tolerance);
    }
}
