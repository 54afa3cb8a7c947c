//! Softplus sums against the plain sum.

use isotherm_kernels::softplus::{softplus_sum, softplus_sum_f64, softplus_sum_shifted};
use isotherm_kernels::{LANES, Level, Matrix, scalar};
use proptest::prelude::*;
use proptest::sample::select;

use crate::common::*;

/// The odd sizes, and some on both sides of where a logarithm is taken in between: after 96 tiles
/// of 16 in `f32`, after 96 · 8 in `f64`.
fn length() -> impl Strategy<Value = usize> {
    prop_oneof![3 => size(), 1 => select(vec![767, 768, 769, 1536, 1537, 3100])]
}

/// How far the sum may be off. Each term owes the error of its argument (softplus has a slope of
/// at most 1); half the error of the exponential, since log(1 + e) moves by at most half of that
/// (e ≤ 1); and two roundings, of 1 + e and of the product. The positive parts of a lane pass at
/// most one `f32` addition a tile, 96 of them before they move on to `f64`.
fn tolerance(arguments: &[f64], argument_errors: f64) -> f64 {
    let n = arguments.len();
    let additions = n.div_ceil(LANES).min(96) as f64;
    let positive: f64 = arguments.iter().map(|x| x.max(0.0)).sum();
    let terms = n as f64 * (EXP_ERROR / 2.0 + 2.0 * ROUNDING);
    SECOND_ORDER * (argument_errors + additions * ROUNDING * positive + terms)
}

/// A row whose padding would spoil any sum that reads it.
fn poisoned(values: &[f32]) -> Matrix {
    let mut row = Matrix::from_row(values);
    isotherm_kernels::matrix::flat_mut(row.tiles_mut())[values.len()..].fill(f32::NAN);
    row
}

proptest! {
    #![proptest_config(cases(512))]

    #[test]
    fn scaled(n in length(), scale in select(vec![0.0f32, 0.3, 1.0, -2.0]), seed: u64) {
        let x = Inputs::new(seed).reals(n, 40.0);
        let arguments: Vec<f64> = x.iter().map(|&x| f64::from(scale) * f64::from(x)).collect();
        let errors: f64 = arguments.iter().map(|x| ROUNDING * x.abs()).sum();
        for level in Level::available() {
            let got = softplus_sum(level, poisoned(&x).tiles(), scale, n);
            let want = scalar::softplus_sum(arguments.iter().copied());
            assert_near(level, got, want, tolerance(&arguments, errors));
        }
    }

    #[test]
    fn shifted(n in length(), sign in select(vec![1.0f32, -1.0, 0.3]), seed: u64) {
        let mut data = Inputs::new(seed);
        let (x, shift) = (data.reals(n, 30.0), data.reals(n, 10.0));
        let (mut arguments, mut errors) = (vec![], 0.0);
        for (&x, &shift) in x.iter().zip(&shift) {
            let product = f64::from(sign) * f64::from(shift);
            let argument = f64::from(x) + product;
            arguments.push(argument);
            // One rounding of the product, one of the sum.
            errors += ROUNDING * (product.abs() + argument.abs());
        }
        let (x, shift) = (poisoned(&x), poisoned(&shift));
        for level in Level::available() {
            let got = softplus_sum_shifted(level, x.tiles(), shift.tiles(), sign, n);
            let want = scalar::softplus_sum(arguments.iter().copied());
            assert_near(level, got, want, tolerance(&arguments, errors));
        }
    }

    #[test]
    fn double(n in length(), seed: u64) {
        let mut data = Inputs::new(seed);
        let x: Vec<f64> = (0..n).map(|_| f64::from(data.real(40.0)) * 1.1).collect();
        let want = scalar::softplus_sum(x.iter().copied());
        // As in `tolerance`; and no term of either sum passes more than n additions.
        let terms = n as f64 * (EXP_ERROR_F64 / 2.0 + 2.0 * ROUNDING_F64);
        let tolerance = SECOND_ORDER * (terms + 2.0 * n as f64 * ROUNDING_F64 * want);
        for level in Level::available() {
            assert_near(level, softplus_sum_f64(level, &x), want, tolerance);
        }
    }
}

#[test]
fn known_values() {
    for level in Level::available() {
        for n in [1, 785, 1537] {
            let log_two = n as f64 * 2f64.ln();
            let zeros = Matrix::zeros(1, n);
            let tolerance = tolerance(&vec![0.0; n], 0.0);
            assert_near(level, softplus_sum(level, zeros.tiles(), 1.0, n), log_two, tolerance);
            let f64_tolerance = 4.0 * n as f64 * ROUNDING_F64;
            assert_near(level, softplus_sum_f64(level, &vec![0.0; n]), log_two, f64_tolerance);
        }
        // Tiles beyond the last column count for nothing.
        assert_eq!(softplus_sum(level, poisoned(&[]).tiles(), 1.0, 0), 0.0);
        assert_eq!(softplus_sum(level, Matrix::zeros(1, 40).tiles(), 1.0, 0), 0.0);
        assert_eq!(softplus_sum_shifted(level, &[], &[], 1.0, 0), 0.0);
        assert_eq!(softplus_sum_f64(level, &[]), 0.0);
    }
}

#[test]
fn no_nan_is_lost() {
    for level in Level::available() {
        for n in [1, 17, 785, 1537] {
            for at in [0, n / 2, n - 1] {
                for nan in [f32::NAN, -f32::NAN, f32::from_bits(0x7fc0_0001)] {
                    let zeros = Matrix::zeros(1, n);
                    let mut x = Matrix::zeros(1, n);
                    x.row_mut(0)[at] = nan;
                    let (zeros, tiles) = (zeros.tiles(), x.tiles());
                    assert!(softplus_sum(level, tiles, 1.0, n).is_nan(), "{at} of {n}");
                    assert!(softplus_sum_shifted(level, tiles, zeros, 1.0, n).is_nan());
                    assert!(softplus_sum_shifted(level, zeros, tiles, -1.0, n).is_nan());
                }
                for nan in [f64::NAN, -f64::NAN, f64::from_bits(0x7ff8_0000_0000_0001)] {
                    let mut x = vec![0.0; n];
                    x[at] = nan;
                    assert!(softplus_sum_f64(level, &x).is_nan(), "{at} of {n}");
                }
            }
        }
    }
}

#[test]
fn infinities_behave() {
    for level in Level::available() {
        let x = |value: f32| Matrix::from_row(&[1.0, value, -1.0]);
        let sum = |value: f32| softplus_sum(level, x(value).tiles(), 1.0, 3);
        assert_eq!(sum(f32::INFINITY), f64::INFINITY);
        assert_eq!(sum(f32::MAX), f64::from(f32::MAX));
        assert_eq!(sum(f32::NEG_INFINITY), sum(f32::MIN));
        let two = softplus_sum(level, Matrix::from_row(&[1.0, -1.0]).tiles(), 1.0, 2);
        assert_near(level, sum(f32::NEG_INFINITY), two, 4.0 * ROUNDING);
        assert_eq!(softplus_sum_f64(level, &[1.0, f64::INFINITY]), f64::INFINITY);
        assert_eq!(softplus_sum_f64(level, &[f64::NEG_INFINITY, f64::MIN]), 0.0);
    }
}
