//! Sums of selected rows and exponential weights against plain loops.

use isotherm_kernels::mixture::{add_selected_rows, exp_weights};
use isotherm_kernels::{Level, scalar};
use proptest::prelude::*;

use crate::common::*;

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn selected_rows_add_up(inputs in size(), outputs in size(), seed: u64) {
        let mut data = Inputs::new(seed);
        let bits = data.bits(1, inputs);
        let all = data.matrix(inputs + 2, outputs, 3.0);
        let rows = all.select(&(2..inputs + 2).collect::<Vec<_>>());
        let want = &scalar::affine(&bits, &rows, &vec![0.0; outputs])[0];
        let mut first: Option<Vec<f64>> = None;
        for level in Level::available() {
            let mut out = vec![1.5; outputs];
            add_selected_rows(level, bits.row(0), &all, 2, &mut out);
            for (out, want) in out.iter().zip(want) {
                // At most 32 additions in `f32`, of partial sums below 32 · 3.
                let tolerance = SECOND_ORDER * ROUNDING * 32.0 * 96.0 * (inputs as f64 / 32.0).ceil();
                assert_near(level, *out, want + 1.5, tolerance);
            }
            assert_eq!(&out, first.get_or_insert(out.clone()), "{level:?}");
        }
    }

    #[test]
    fn weights_are_exponentials(count in size(), scale in 0.0..1.0f64, seed: u64) {
        let mut data = Inputs::new(seed);
        let mut reals = |bound| -> Vec<f64> {
            data.reals(count, bound).into_iter().map(f64::from).collect()
        };
        let (offsets, x) = (reals(3.0), reals(400.0));
        let y: Vec<f64> = offsets.iter().zip(&x).map(|(o, x)| o + scale * x).collect();
        let largest = y.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let want: Vec<f64> = y.iter().map(|y| (y - largest).exp()).collect();
        let mut first: Option<Vec<f64>> = None;
        for level in Level::available() {
            let mut out = vec![0.0; count];
            let (m, sum) = exp_weights(level, &offsets, &x, scale, &mut out);
            assert_eq!(m, largest);
            for (out, want) in out.iter().zip(&want) {
                assert_near(level, *out, *want, 1e-300 + 2.0 * EXP_ERROR_F64 * want);
            }
            let total: f64 = want.iter().sum();
            assert_near(level, sum, total, 1e-13 * total);
            assert_eq!(&out, first.get_or_insert(out.clone()), "{level:?}");
        }
    }
}
