//! Elementwise updates of runs of tiles.

use crate::cpu::Cpu;
use crate::level::{per_cpu, per_level};
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

/// The penalties on weights, and what of the [`Ascent`] that follows says how much of L1 they feel.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Penalty {
    /// The weight decay: it pulls by this times a weight.
    pub decay: f32,
    /// The pull towards each neighbour, times the difference.
    pub smooth: f32,
    /// The L1 penalty: it pulls by this, and by less where that would carry a weight beyond zero.
    pub l1: f32,
    /// The momentum of the ascent.
    pub momentum: f32,
    /// (1 − momentum) / rate: the change of a weight in an update, times this, is as a constant gradient.
    pub per_step: f32,
}

/// A row of weights and what [`penalise`] asks of it.
#[derive(Clone, Copy, Debug)]
pub struct PenalisedRow<'a> {
    /// The weights.
    pub x: &'a [Tile],
    /// Those of the neighbours; one that is missing is `x` itself.
    pub beside: [&'a [Tile]; 4],
    /// Their velocity before the step.
    pub velocity: &'a [Tile],
    /// The offset of the row's visible unit.
    pub mu: f32,
    /// The offsets of the hidden units.
    pub lambda: &'a [Tile],
}

per_level! {
    /// The gradient p of the penalties on a row of weights: decay · x + smooth · Σ_k (x − beside_k), which is
    /// taken out of `gradient`, and what [`ascend`] then takes off for L1, times `per_step`. `sum += mu · p`, and
    /// p·`lambda` is returned.
    pub fn penalise(
        penalty: &Penalty,
        row: &PenalisedRow<'_>,
        gradient: &mut [Tile],
        sum: &mut [Tile],
    ) -> f64 = penalise_body;
}

#[inline(always)]
fn penalise_body(
    penalty: &Penalty,
    row: &PenalisedRow<'_>,
    gradient: &mut [Tile],
    sum: &mut [Tile],
) -> f64 {
    let PenalisedRow { x, beside, velocity, mu, lambda } = *row;
    let n = x.len();
    assert!(beside.iter().all(|row| row.len() == n), "lengths of neighbours");
    assert!(velocity.len() == n && lambda.len() == n, "lengths of velocity and offsets");
    assert!(gradient.len() == n && sum.len() == n, "lengths of gradient and sum");
    let Penalty { decay, smooth, l1, momentum, per_step } = *penalty;
    let kept = 1.0 - momentum;
    let [left, right, above, below] = beside;
    let (mut total, mut product) = (0.0, Tile::ZERO);
    for t in 0..n {
        for lane in 0..LANES {
            let w = x[t].0[lane];
            let sides = left[t].0[lane] + right[t].0[lane];
            let around = sides + (above[t].0[lane] + below[t].0[lane]);
            let pull = decay * w + smooth * (4.0 * w - around);
            let g = gradient[t].0[lane] - pull;
            // `ascend` takes within(shrink, w + rate · (momentum · velocity + g)) off, with a shrink of
            // l1 / per_step.
            let moved = kept * (momentum * velocity[t].0[lane] + g) + per_step * w;
            let p = pull + within(l1, moved);
            gradient[t].0[lane] = g;
            sum[t].0[lane] += mu * p;
            product.0[lane] += p * lambda[t].0[lane];
        }
        if t % FLUSH == FLUSH - 1 {
            total += lane_sum(&product);
            product = Tile::ZERO;
        }
    }
    total + lane_sum(&product)
}

/// `x`, clamped to ±`limit`. A NaN becomes `limit`; subtracting that from a NaN leaves a NaN. (`f32::clamp`
/// keeps NaNs, which takes one more comparison.)
#[inline(always)]
fn within(limit: f32, x: f32) -> f32 {
    let below = if x < limit { x } else { limit };
    if below > -limit { below } else { -limit }
}

/// The numbers of one step of gradient ascent.
#[derive(Clone, Copy, Debug)]
pub struct Ascent {
    /// The learning rate.
    pub rate: f32,
    /// What is kept of the velocity.
    pub momentum: f32,
    /// How far an entry is drawn towards zero after the step, and no further than that: the
    /// proximal step of an L1 penalty.
    pub shrink: f32,
    /// What the moving average takes in of the new value.
    pub share: f32,
}

/// Who reads what a kernel writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readers {
    /// This thread.
    One,
    /// Other threads too. A core that writes a line which others hold waits for each of them to
    /// give it up, line by line: the weights of 784 × 10 units took 50 µs. Written past the caches
    /// they take 7.
    Many,
}

per_cpu! {
    /// One step of gradient ascent with momentum, and of the moving average, fused:
    /// `velocity = momentum · velocity + gradient`, `x += rate · velocity`,
    /// `x −= clamp(x, −shrink, shrink)`, `average += share · (x − average)`. Sets `sound` to whether
    /// every entry of `x` is still at most [`LARGEST`] in magnitude, and a number.
    pub fn ascend(
        step: &Ascent,
        readers: Readers,
        gradient: &[Tile],
        velocity: &mut [Tile],
        x: &mut [Tile],
        average: &mut [Tile],
        sound: &mut bool,
    ) = ascend_body;
}

#[inline(always)]
fn ascend_body<C: Cpu>(
    step: &Ascent,
    readers: Readers,
    gradient: &[Tile],
    velocity: &mut [Tile],
    x: &mut [Tile],
    average: &mut [Tile],
    sound: &mut bool,
) {
    let n = x.len();
    assert!(gradient.len() == n && velocity.len() == n && average.len() == n, "lengths");
    let Ascent { rate, momentum, shrink, share } = *step;
    // Without their sign, floats are ordered like their bits, infinities and NaNs last.
    let mut broken = [0; LANES];
    for (((x, average), v), g) in x.iter_mut().zip(average).zip(velocity).zip(gradient) {
        let (mut new, mut new_v, mut new_average) = (*x, *v, *average);
        for lane in 0..LANES {
            new_v.0[lane] = momentum * new_v.0[lane] + g.0[lane];
            let moved = new.0[lane] + rate * new_v.0[lane];
            new.0[lane] = moved - within(shrink, moved);
            new_average.0[lane] += share * (new.0[lane] - new_average.0[lane]);
            broken[lane] |= u32::from(new.0[lane].abs().to_bits() > LARGEST.to_bits());
        }
        (*v, *average) = (new_v, new_average);
        match readers {
            Readers::One => *x = new,
            Readers::Many => C::publish(&new, x),
        }
    }
    if readers == Readers::Many {
        C::published();
    }
    *sound = broken == [0; LANES];
}
