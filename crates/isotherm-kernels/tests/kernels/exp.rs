//! The exponentials against the standard library's.

use isotherm_kernels::exp::{exp_f32, exp_f64, sigmoid_f64};

use crate::common::*;

/// The largest relative error over `steps` equal steps from `from` to `to`.
fn worst(from: f64, to: f64, steps: u32, error: impl Fn(f64) -> f64) -> (f64, f64) {
    (0..=steps)
        .map(|k| from + (to - from) * f64::from(k) / f64::from(steps))
        .map(|x| (error(x), x))
        .fold((0.0, 0.0), |worst, here| if here.0 > worst.0 { here } else { worst })
}

#[test]
fn f32_is_accurate() {
    let error = |x: f64| {
        let x = x as f32;
        let want = f64::from(x).exp();
        (f64::from(exp_f32(x)) - want).abs() / want
    };
    let (wide, at) = worst(-86.0, 88.0, 8_000_000, error);
    assert!(wide <= EXP_ERROR, "{wide:e} at {at}");
    // Every reduced argument, and the change of n, at a step finer than an ulp.
    let (near, at) = worst(-0.4, 0.4, 4_000_000, error);
    assert!(near <= EXP_ERROR, "{near:e} at {at}");
}

#[test]
fn f64_is_accurate() {
    // The error of the reference, about half an ulp, counts against the kernel.
    let error = |x: f64| (exp_f64(x) - x.exp()).abs() / x.exp();
    for (from, to) in [(-700.0, 700.0), (-0.4, 0.4), (-40.0, 0.0)] {
        let (worst, at) = worst(from, to, 2_000_000, error);
        assert!(worst <= EXP_ERROR_F64, "{worst:e} at {at}");
    }
}

#[test]
fn sigmoid_is_accurate_and_keeps_its_ends() {
    let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
    let error = |x: f64| (sigmoid_f64(x) - sigmoid(x)).abs() / sigmoid(x);
    for (from, to) in [(-700.0, 40.0), (-1.0, 1.0)] {
        let (worst, at) = worst(from, to, 500_000, error);
        assert!(worst <= EXP_ERROR_F64 + f64::EPSILON, "{worst:e} at {at}");
    }
    assert_eq!(sigmoid_f64(0.0), 0.5);
    assert_eq!(sigmoid_f64(f64::INFINITY), 1.0);
    let least = sigmoid_f64(f64::NEG_INFINITY);
    assert!(least > 0.0 && least == sigmoid_f64(-700.0) && least < 1e-300);
    assert!(sigmoid_f64(f64::NAN).is_nan());
}

#[test]
fn zero_gives_one() {
    for zero in [0.0, -0.0] {
        assert_eq!(exp_f32(zero as f32), 1.0);
        assert_eq!(exp_f64(zero), 1.0);
    }
    // Subnormal arguments are as good as zero.
    assert_eq!(exp_f32(f32::from_bits(1)), 1.0);
    assert_eq!(exp_f64(-f64::from_bits(1)), 1.0);
}

#[test]
fn far_arguments_are_clamped() {
    for x in [-86.1, -1e3, f32::MIN, f32::NEG_INFINITY] {
        assert_eq!(exp_f32(x), exp_f32(-86.0));
    }
    for x in [88.1, 1e3, f32::MAX, f32::INFINITY] {
        assert_eq!(exp_f32(x), exp_f32(88.0));
    }
    for x in [-700.1, f64::MIN, f64::NEG_INFINITY] {
        assert_eq!(exp_f64(x), exp_f64(-700.0));
    }
    for x in [700.1, f64::MAX, f64::INFINITY] {
        assert_eq!(exp_f64(x), exp_f64(700.0));
    }
    assert!(exp_f32(-86.0).is_normal() && exp_f32(88.0).is_normal());
    assert!(exp_f64(-700.0).is_normal() && exp_f64(700.0).is_normal());
    // At the clamp 1 + exp(x) is 1: a term that far out adds exactly nothing to a softplus sum.
    assert_eq!(1.0 + exp_f32(-86.0), 1.0);
    assert_eq!(1.0 + exp_f64(-700.0), 1.0);
}

#[test]
fn every_nan_stays_nan() {
    // A NaN carries a payload; no bit of it may leak into the exponent of the result.
    for payload in (0..23).map(|bit| 1u32 << bit).chain(1..1024) {
        for sign in [0, 1 << 31] {
            let nan = f32::from_bits(sign | 0x7f80_0000 | payload);
            assert!(nan.is_nan() && exp_f32(nan).is_nan(), "{:x}", nan.to_bits());
        }
    }
    for payload in (0..52).map(|bit| 1u64 << bit).chain(1..8192) {
        for sign in [0, 1 << 63] {
            let nan = f64::from_bits(sign | 0x7ff0_0000_0000_0000 | payload);
            assert!(nan.is_nan() && exp_f64(nan).is_nan(), "{:x}", nan.to_bits());
        }
    }
}
