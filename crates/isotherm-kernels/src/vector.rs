//! Elementwise updates of runs of tiles.

use crate::level::per_level;
use crate::matrix::{FLUSH, LANES, Tile, flat, flat_mut, lane_sum};

/// The largest magnitude that [`ascend`] takes for sound. Sums and products of a few such numbers
/// are still finite in `f32`, so nothing downstream overflows unnoticed.
pub const LARGEST: f32 = 1e15;

per_level! {
    /// `y += a · x`.
    pub fn add_scaled(a: f32, x: &[Tile], y: &mut [Tile]) = add_scaled_body;
}

#[inline(always)]
fn add_scaled_body(a: f32, x: &[Tile], y: &mut [Tile]) {
    assert_eq!(x.len(), y.len(), "lengths of x and y");
    for (x, y) in flat(x).iter().zip(flat_mut(y)) {
        *y += a * x;
    }
}

per_level! {
    /// `out = a · (x − y)`.
    pub fn scaled_difference(a: f32, x: &[Tile], y: &[Tile], out: &mut [Tile]) =
        scaled_difference_body;
}

#[inline(always)]
fn scaled_difference_body(a: f32, x: &[Tile], y: &[Tile], out: &mut [Tile]) {
    assert!(x.len() == y.len() && x.len() == out.len(), "lengths of x, y and their difference");
    for ((x, y), out) in flat(x).iter().zip(flat(y)).zip(flat_mut(out)) {
        *out = a * (x - y);
    }
}

per_level! {
    /// Σ_i x_i · y_i.
    pub fn dot(x: &[Tile], y: &[Tile]) -> f64 = dot_body;
}

#[inline(always)]
fn dot_body(x: &[Tile], y: &[Tile]) -> f64 {
    assert_eq!(x.len(), y.len(), "lengths of x and y");
    let (mut total, mut sum) = (0.0, Tile::ZERO);
    for (t, (x, y)) in x.iter().zip(y).enumerate() {
        for lane in 0..LANES {
            sum.0[lane] += x.0[lane] * y.0[lane];
        }
        if t % FLUSH == FLUSH - 1 {
            total += lane_sum(&sum);
            sum = Tile::ZERO;
        }
    }
    total + lane_sum(&sum)
}

/// The numbers of one step of gradient ascent.
#[derive(Clone, Copy, Debug)]
pub struct Ascent {
    /// The learning rate.
    pub rate: f32,
    /// What is kept of the velocity.
    pub momentum: f32,
    /// The weight decay.
    pub decay: f32,
    /// What the moving average takes in of the new value.
    pub share: f32,
}

per_level! {
    /// One step of gradient ascent with momentum and decay, and of the moving average, fused:
    /// `velocity = momentum · velocity + gradient − decay · x`, `x += rate · velocity`,
    /// `average += share · (x − average)`.
    /// Whether every entry of `x` is still at most [`LARGEST`] in magnitude, and a number.
    pub fn ascend(
        step: &Ascent,
        gradient: &[Tile],
        velocity: &mut [Tile],
        x: &mut [Tile],
        average: &mut [Tile],
    ) -> bool = ascend_body;
}

#[inline(always)]
fn ascend_body(
    step: &Ascent,
    gradient: &[Tile],
    velocity: &mut [Tile],
    x: &mut [Tile],
    average: &mut [Tile],
) -> bool {
    let n = x.len();
    assert!(gradient.len() == n && velocity.len() == n && average.len() == n, "lengths");
    let Ascent { rate, momentum, decay, share } = *step;
    // Without their sign, floats are ordered like their bits, infinities and NaNs last.
    let mut broken = 0;
    let (gradient, velocity) = (flat(gradient), flat_mut(velocity));
    let moving = flat_mut(x).iter_mut().zip(flat_mut(average));
    for (((x, average), v), g) in moving.zip(velocity).zip(gradient) {
        *v = momentum * *v + (g - decay * *x);
        *x += rate * *v;
        *average += share * (*x - *average);
        broken |= u32::from(x.abs().to_bits() > LARGEST.to_bits());
    }
    broken == 0
}
