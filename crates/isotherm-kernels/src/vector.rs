//! Elementwise updates of runs of tiles.

use crate::level::per_level;
use crate::matrix::{LANES, Tile};

per_level! {
    /// `y += a · x`.
    pub fn add_scaled(a: f32, x: &[Tile], y: &mut [Tile]) = add_scaled_body;
}

#[inline(always)]
fn add_scaled_body(a: f32, x: &[Tile], y: &mut [Tile]) {
    assert_eq!(x.len(), y.len(), "lengths of x and y");
    for (x, y) in x.iter().zip(y) {
        for lane in 0..LANES {
            y.0[lane] += a * x.0[lane];
        }
    }
}

per_level! {
    /// `y += a · (x − y)`: a step of a moving average.
    pub fn move_towards(a: f32, x: &[Tile], y: &mut [Tile]) = move_towards_body;
}

#[inline(always)]
fn move_towards_body(a: f32, x: &[Tile], y: &mut [Tile]) {
    assert_eq!(x.len(), y.len(), "lengths of x and y");
    for (x, y) in x.iter().zip(y) {
        for lane in 0..LANES {
            y.0[lane] += a * (x.0[lane] - y.0[lane]);
        }
    }
}

per_level! {
    /// One step of gradient ascent with momentum and decay, fused:
    /// `velocity = momentum · velocity + gradient − decay · x`, then `x += rate · velocity`.
    /// Whether every entry of `x` is still finite.
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
    // x·0 is 0 for every finite x and NaN otherwise, so one sum tells of all entries.
    let mut poison = Tile::ZERO;
    for ((x, velocity), gradient) in x.iter_mut().zip(velocity).zip(gradient) {
        for lane in 0..LANES {
            let v = momentum * velocity.0[lane] + (gradient.0[lane] - decay * x.0[lane]);
            velocity.0[lane] = v;
            x.0[lane] += rate * v;
            poison.0[lane] += x.0[lane] * 0.0;
        }
    }
    poison.0.iter().all(|lane| *lane == 0.0)
}
