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

per_level! {
    /// `y += a · (x − y)`: a step of a moving average.
    pub fn move_towards(a: f32, x: &[Tile], y: &mut [Tile]) = move_towards_body;
}

#[inline(always)]
fn move_towards_body(a: f32, x: &[Tile], y: &mut [Tile]) {
    assert_eq!(x.len(), y.len(), "lengths of x and y");
    for (x, y) in flat(x).iter().zip(flat_mut(y)) {
        *y += a * (x - *y);
    }
}

per_level! {
    /// One step of gradient ascent with momentum and decay, fused:
    /// `velocity = momentum · velocity + gradient − decay · x`, then `x += rate · velocity`.
    /// Whether every entry of `x` is still at most [`LARGEST`] in magnitude, and a number.
    pub fn ascend(
        rate: f32,
        momentum: f32,
        decay: f32,
        gradient: &[Tile],
        velocity: &mut [Tile],
        x: &mut [Tile],
    ) -> bool = ascend_body;
}

#[inline(always)]
fn ascend_body(
    rate: f32,
    momentum: f32,
    decay: f32,
    gradient: &[Tile],
    velocity: &mut [Tile],
    x: &mut [Tile],
) -> bool {
    assert!(gradient.len() == x.len() && velocity.len() == x.len(), "lengths of the update");
    // Without their sign, floats are ordered like their bits, infinities and NaNs last.
    let mut broken = 0;
    let (gradient, velocity) = (flat(gradient), flat_mut(velocity));
    for ((x, v), g) in flat_mut(x).iter_mut().zip(velocity).zip(gradient) {
        *v = momentum * *v + (g - decay * *x);
        *x += rate * *v;
        broken |= u32::from(x.abs().to_bits() > LARGEST.to_bits());
    }
    broken == 0
}
