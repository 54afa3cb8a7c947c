//! Elementwise updates against one-line loops. They round in the same places, so they agree bit
//! for bit: no tolerance.

use isotherm_kernels::matrix::flat;
use isotherm_kernels::vector::{
    Ascent, LARGEST, PenalisedRow, Penalty, Readers, add_scaled, ascend, dot, penalise,
    scaled_difference,
};
use isotherm_kernels::{Level, Matrix};
use proptest::prelude::*;

use crate::common::*;

proptest! {
    #![proptest_config(cases(512))]

    #[test]
    fn add_scaled_and_scaled_difference(n in size(), a in -2.0f32..2.0, seed: u64) {
        let mut data = Inputs::new(seed);
        let (x, y) = (data.matrix(1, n, 9.0), data.matrix(1, n, 3.0));
        let pairs = || x.row(0).iter().zip(y.row(0));
        let scaled: Vec<f32> = pairs().map(|(x, y)| y + a * x).collect();
        let difference: Vec<f32> = pairs().map(|(x, y)| a * (x - y)).collect();
        let product: f64 = pairs().map(|(x, y)| f64::from(*x) * f64::from(*y)).sum();
        let size: f64 = pairs().map(|(x, y)| f64::from(*x).abs() * f64::from(*y).abs()).sum();
        for level in Level::available() {
            let mut out = y.clone();
            add_scaled(level, a, x.tiles(), out.tiles_mut());
            assert_same(level, out.row(0), &scaled);
            assert_tiles_padded(out.tiles(), n);
            let mut out = y.clone();
            scaled_difference(level, a, x.tiles(), y.tiles(), out.tiles_mut());
            assert_same(level, out.row(0), &difference);
            assert_tiles_padded(out.tiles(), n);
            // The products are rounded and pass at most 32 additions in f32.
            let tolerance = SECOND_ORDER * 33.0 * ROUNDING * size;
            assert_near(level, dot(level, x.tiles(), y.tiles()), product, tolerance);
        }
    }

    /// The same operations in the same order, and an inner product within its error.
    #[test]
    fn penalise_matches_its_definition(
        n in size(),
        mu in -2.0f32..2.0,
        momentum in 0.0f32..1.0,
        seed: u64,
    ) {
        let mut data = Inputs::new(seed);
        let [x, p, q, r, s, v, lambda, g, y] = [(); 9].map(|()| data.matrix(1, n, 3.0));
        let penalty = Penalty { decay: 0.1, smooth: 0.3, l1: 0.5, momentum, per_step: 0.2 };
        let (mut left, mut sum) = (g.to_dense(), y.to_dense());
        let (mut product, mut magnitude) = (0.0, 0.0);
        for i in 0..n {
            let at = |m: &Matrix| m.row(0)[i];
            let around = (at(&p) + at(&q)) + (at(&r) + at(&s));
            let pull = 0.1 * at(&x) + 0.3 * (4.0 * at(&x) - around);
            left[i] -= pull;
            let moved = (1.0 - momentum) * (momentum * at(&v) + left[i]) + 0.2 * at(&x);
            let all = pull + moved.clamp(-0.5, 0.5);
            sum[i] += mu * all;
            product += f64::from(all) * f64::from(at(&lambda));
            magnitude += f64::from(all * at(&lambda)).abs();
        }
        for level in Level::available() {
            let (mut gradient, mut sums) = (g.clone(), y.clone());
            let beside = [&p, &q, &r, &s].map(Matrix::tiles);
            let (out, sum_out) = (gradient.tiles_mut(), sums.tiles_mut());
            let (x, velocity, lambda) = (x.tiles(), v.tiles(), lambda.tiles());
            let row = PenalisedRow { x, beside, velocity, mu, lambda };
            let carried = penalise(level, &penalty, &row, out, sum_out);
            assert_same(level, gradient.row(0), &left);
            assert_same(level, sums.row(0), &sum);
            assert_tiles_padded(gradient.tiles(), n);
            assert_tiles_padded(sums.tiles(), n);
            assert_near(level, carried, product, SECOND_ORDER * 33.0 * ROUNDING * magnitude);
        }
    }

    /// What `penalise` takes for L1's part is what `ascend` takes off, whatever the momentum and the velocity.
    #[test]
    fn penalise_knows_what_ascend_takes_off(
        n in size(),
        rate in 0.01f32..1.0,
        momentum in 0.0f32..0.95,
        seed: u64,
    ) {
        let mut data = Inputs::new(seed);
        let [x, v, g] = [(); 3].map(|()| data.matrix(1, n, 1.0));
        let (l1, per_step) = (0.3, (1.0 - momentum) / rate);
        let (level, zero) = (Level::detect(), Matrix::zeros(1, n));
        let penalty = Penalty { decay: 0.0, smooth: 0.0, l1, momentum, per_step };
        let (mut gradient, mut part) = (g.clone(), zero.clone());
        let (beside, velocity, lambda) = ([x.tiles(); 4], v.tiles(), zero.tiles());
        let row = PenalisedRow { x: x.tiles(), beside, velocity, mu: 1.0, lambda };
        penalise(level, &penalty, &row, gradient.tiles_mut(), part.tiles_mut());
        let step = Ascent { rate, momentum, shrink: l1 / per_step, share: 1.0 };
        let (mut moved, mut velocity, mut average, mut sound) =
            (x.clone(), v.clone(), zero.clone(), true);
        let (to, by, mean) = (moved.tiles_mut(), velocity.tiles_mut(), average.tiles_mut());
        ascend(level, &step, Readers::One, g.tiles(), by, to, mean, &mut sound);
        for i in 0..n {
            let without = x.row(0)[i] + rate * velocity.row(0)[i];
            let (taken, told) = (without - moved.row(0)[i], part.row(0)[i] / per_step);
            // A few roundings of numbers up to 30 (a velocity of 2, a rate of 1, a weight of 1 by a tenth).
            assert!((taken - told).abs() < 1e-5, "{taken} was taken off, {told} told");
        }
    }

    /// The exponent of the scale runs up to where sums overflow: some cases stay sound, some not.
    #[test]
    fn ascend_steps_and_watches(
        n in size(),
        exponent in -10..39i32,
        momentum in 0.0f32..1.0,
        rate in 0.0f32..2.0,
        seed: u64,
    ) {
        let mut data = Inputs::new(seed);
        let scale = 3.0 * 10f32.powi(exponent.min(38));
        let [x, v, g, average] = [(); 4].map(|()| data.matrix(1, n, scale));
        let share = 0.2;
        // None, one that takes some to zero, one that takes all.
        let shrink = [0.0, 0.3 * scale, 1e38][seed as usize % 3];
        let (mut want_x, mut want_v) = (x.to_dense(), v.to_dense());
        let mut want_average = average.to_dense();
        for i in 0..n {
            want_v[i] = momentum * want_v[i] + g.row(0)[i];
            want_x[i] += rate * want_v[i];
            want_x[i] -= want_x[i].clamp(-shrink, shrink);
            want_average[i] += share * (want_x[i] - want_average[i]);
        }
        for level in Level::available() {
            let (mut x, mut v, mut average) = (x.clone(), v.clone(), average.clone());
            let step = Ascent { rate, momentum, shrink, share };
            let (velocity, values) = (v.tiles_mut(), x.tiles_mut());
            let readers = if seed.is_multiple_of(2) { Readers::One } else { Readers::Many };
            let (mut sound, average_tiles) = (false, average.tiles_mut());
            ascend(level, &step, readers, g.tiles(), velocity, values, average_tiles, &mut sound);
            assert_same(level, average.row(0), &want_average);
            assert_tiles_padded(average.tiles(), n);
            assert_same(level, x.row(0), &want_x);
            assert_same(level, v.row(0), &want_v);
            assert_eq!(sound, want_x.iter().all(|x| x.abs() <= LARGEST), "{}", level.name());
            assert_tiles_padded(x.tiles(), n);
            assert_tiles_padded(v.tiles(), n);
        }
    }
}

#[test]
fn ascend_sees_every_position() {
    let infinities = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::from_bits(0x7f80_0001)];
    for level in Level::available() {
        for n in [1, 17, 64, 785] {
            let zero = Matrix::zeros(1, n);
            let step = |gradient: &Matrix, velocity: &Matrix, x: &Matrix, rate: f32| {
                let (mut velocity, mut x, mut average) = (velocity.clone(), x.clone(), x.clone());
                let (velocity, x) = (velocity.tiles_mut(), x.tiles_mut());
                let step = Ascent { rate, momentum: 0.9, shrink: 0.0, share: 0.5 };
                let (gradient, average, mut sound) = (gradient.tiles(), average.tiles_mut(), true);
                ascend(level, &step, Readers::One, gradient, velocity, x, average, &mut sound);
                sound
            };
            assert!(step(&zero, &zero, &zero, 0.5));
            for at in 0..n {
                for bad in infinities {
                    let mut broken = zero.clone();
                    broken.row_mut(0)[at] = bad;
                    assert!(!step(&broken, &zero, &zero, 0.5), "gradient {at} of {n}");
                    assert!(!step(&zero, &broken, &zero, 0.5), "velocity {at} of {n}");
                    assert!(!step(&zero, &zero, &broken, 0.5), "x {at} of {n}");
                }
                // The largest sound number is still sound; one step more is not.
                let mut edge = zero.clone();
                edge.row_mut(0)[at] = -LARGEST;
                assert!(step(&zero, &zero, &edge, 0.0), "the edge at {at} of {n}");
                assert!(!step(&edge, &zero, &edge, 2.0), "beyond it at {at} of {n}");
            }
        }
    }
}

#[test]
fn nothing_to_do() {
    for level in Level::available() {
        add_scaled(level, 2.0, &[], &mut []);
        scaled_difference(level, 2.0, &[], &[], &mut []);
        assert_eq!(dot(level, &[], &[]), 0.0);
        let step = Ascent { rate: 0.1, momentum: 0.9, shrink: 0.0, share: 1.0 };
        let mut sound = false;
        ascend(level, &step, Readers::Many, &[], &mut [], &mut [], &mut [], &mut sound);
        assert!(sound);
        assert_eq!(flat(&[]), []);
    }
}
