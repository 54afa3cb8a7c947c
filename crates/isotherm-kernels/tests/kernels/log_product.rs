//! log Π (1 + x·y) against the plain sum of logarithms.

use isotherm_kernels::log_product::log_product_f64;
use isotherm_kernels::{Level, scalar};
use proptest::prelude::*;
use proptest::sample::select;

use crate::common::*;

/// e^x and e^y and the largest x + y, or 0.
fn factors(data: &mut Inputs, n: usize, scale: f32) -> (Vec<f64>, Vec<f64>, f64) {
    let mut exp = || (0..n).map(|_| f64::from(data.real(scale)).exp()).collect::<Vec<f64>>();
    let (x, y) = (exp(), exp());
    let most = x.iter().zip(&y).fold(0.0f64, |most, (x, y)| most.max((x * y).ln()));
    (x, y, most)
}

/// Three roundings a term, of x·y, of 1 + x·y and of the product, 15 of the lanes, and the sum's own.
fn tolerance(n: usize, want: f64) -> f64 {
    SECOND_ORDER * ROUNDING_F64 * (3.0 * n as f64 + 15.0 + 4.0 * want) + 1e-300
}

/// Σ log(1 + x·y), each term to an ulp; the sum of n of them is good to n ulp.
fn plain(x: &[f64], y: &[f64]) -> (f64, f64) {
    let want: f64 = x.iter().zip(y).map(|(x, y)| (x * y).ln_1p()).sum();
    (want, tolerance(x.len(), want) + x.len() as f64 * ROUNDING_F64 * want)
}

proptest! {
    #![proptest_config(cases(512))]

    #[test]
    fn is_the_sum_of_the_logarithms(
        n in prop_oneof![4 => size(), 1 => select(vec![1537, 3100])],
        scale in select(vec![0.0f32, 0.5, 5.0, 50.0, 349.0]),
        seed: u64,
    ) {
        let (x, y, most) = factors(&mut Inputs::new(seed), n, scale);
        let (want, tolerance) = plain(&x, &y);
        for level in Level::available() {
            // A bound that is not tight must do as well.
            for most in [most, 700.0] {
                assert_near(level, log_product_f64(level, &x, &y, most), want, tolerance);
            }
        }
    }

    #[test]
    fn levels_agree(n in size(), scale in 0.0f32..300.0, seed: u64) {
        let (x, y, most) = factors(&mut Inputs::new(seed), n, scale);
        let at = |level| log_product_f64(level, &x, &y, most).to_bits();
        for level in Level::available() {
            prop_assert_eq!(at(level), at(Level::baseline()), "{}", level.name());
        }
    }
}

/// Every factor at the end of the range, and a bound that is as tight as can be.
#[test]
fn the_whole_range_is_covered() {
    for level in Level::available() {
        for n in [1, 7, 16, 31, 33, 785] {
            for log in [-700.0f64, -1.0, 0.0, 1.0, 10.0, 175.0, 350.0, 699.9] {
                let (x, y) = (vec![(log / 2.0).exp(); n], vec![(log / 2.0).exp(); n]);
                let (want, tolerance) = plain(&x, &y);
                // The arguments themselves are exponentials.
                let tolerance = tolerance + 8.0 * n as f64 * ROUNDING_F64;
                let got = log_product_f64(level, &x, &y, log + 1e-9);
                assert_near(level, got, want, tolerance);
                let exact = n as f64 * scalar::softplus(log);
                assert_near(level, got, exact, tolerance + n as f64 * 1e-12);
            }
        }
        assert_eq!(log_product_f64(level, &[], &[], 5.0), 0.0);
        assert_eq!(log_product_f64(level, &[0.0; 40], &[1.0; 40], 0.0), 0.0);
    }
}
