//! The exponential, lane by lane, in `f32` and `f64`.
//!
//! Range reduction x = n·ln 2 + r with the rounding done by adding 1.5·2^52 (or 2^23), a Taylor
//! polynomial on |r| ≤ ln 2 / 2, and 2^n made from the low bits that the rounding left; they count
//! from the exponent's bias on. Multiplied and not added into the exponent field, it keeps every
//! NaN a NaN. No fused operation: the result is the same at every CPU level.

/// exp(x) to about 2 ulp; arguments outside [−86, 88] are clamped there. NaN stays NaN.
#[inline(always)]
pub fn exp_f32(x: f32) -> f32 {
    const ROUND: f32 = 12_582_912.0 + 127.0;
    // ln 2 in two parts; the first has enough trailing zeros that n·LN2_HIGH is exact.
    const LN2_HIGH: f32 = 0.693_359_4;
    const LN2_LOW: f32 = -2.121_944_4e-4;
    let x = if x < -86.0 { -86.0 } else { x };
    let x = if x > 88.0 { 88.0 } else { x };
    let shifted = x * std::f32::consts::LOG2_E + ROUND;
    let n = shifted - ROUND;
    let r = x - n * LN2_HIGH - n * LN2_LOW;
    let p = 1.0 / 120.0 + r * (1.0 / 720.0);
    let p = 1.0 / 24.0 + r * p;
    let p = 1.0 / 6.0 + r * p;
    let p = 0.5 + r * p;
    let p = 1.0 + (r + r * r * p);
    p * f32::from_bits(shifted.to_bits() << 23)
}

/// exp(x) to about 2 ulp; arguments outside [−700, 700] are clamped there. NaN stays NaN.
#[inline(always)]
pub fn exp_f64(x: f64) -> f64 {
    const ROUND: f64 = 6_755_399_441_055_744.0 + 1023.0;
    const LN2_HIGH: f64 = 0.693_147_180_369_123_8;
    const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
    const TAYLOR: [f64; 11] = [
        1.0 / 6_227_020_800.0,
        1.0 / 479_001_600.0,
        1.0 / 39_916_800.0,
        1.0 / 3_628_800.0,
        1.0 / 362_880.0,
        1.0 / 40_320.0,
        1.0 / 5_040.0,
        1.0 / 720.0,
        1.0 / 120.0,
        1.0 / 24.0,
        1.0 / 6.0,
    ];
    let x = if x < -700.0 { -700.0 } else { x };
    let x = if x > 700.0 { 700.0 } else { x };
    let shifted = x * std::f64::consts::LOG2_E + ROUND;
    let n = shifted - ROUND;
    let r = x - n * LN2_HIGH - n * LN2_LOW;
    let mut p = TAYLOR[0];
    for coefficient in &TAYLOR[1..] {
        p = coefficient + r * p;
    }
    let p = 1.0 + (r + r * r * (0.5 + r * p));
    p * f64::from_bits(shifted.to_bits() << 52)
}

/// 1 / (1 + e^−x) to about 3 ulp; what it is at −700 for arguments below. NaN stays NaN.
#[inline(always)]
pub fn sigmoid_f64(x: f64) -> f64 {
    1.0 / (1.0 + exp_f64(-x))
}
