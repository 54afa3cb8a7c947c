//! Sums of softplus(x) = log(1 + e^x).
//!
//! softplus(x) = max(x, 0) + log(1 + e^−|x|), and the second part lies in (0, log 2]: the factors
//! 1 + e^−|x| are multiplied up and one logarithm is taken of the product of many. One exponential
//! and no logarithm a term.

use crate::exp::{exp_f32, exp_f64};
use crate::level::per_level;
use crate::matrix::{LANES, Tile, lane_sum};

/// Factors, each at most 2, multiplied before a logarithm is taken: 2^96 is far from overflow.
const FLUSH: usize = 96;
/// The sign bit of an `f32`.
const SIGN: u32 = 0x8000_0000;
/// Lanes of the `f64` version.
const LANES_F64: usize = 8;

per_level! {
    /// Σ_j softplus(scale · x_j) over the first `cols` entries.
    pub fn softplus_sum(x: &[Tile], scale: f32, cols: usize) -> f64 = scaled_body;
}

#[inline(always)]
fn scaled_body(x: &[Tile], scale: f32, cols: usize) -> f64 {
    sum_of(x.len(), cols, |t, lane| scale * x[t].0[lane])
}

per_level! {
    /// [`softplus_sum`] of a row whose tiles lie `stride` apart.
    pub fn softplus_sum_strided(x: &[Tile], stride: usize, scale: f32, cols: usize) -> f64 =
        strided_body;
}

#[inline(always)]
fn strided_body(x: &[Tile], stride: usize, scale: f32, cols: usize) -> f64 {
    sum_of(cols.div_ceil(LANES), cols, |t, lane| scale * x[t * stride].0[lane])
}

per_level! {
    /// Σ_j softplus(x_j + sign · shift_j) over the first `cols` entries.
    pub fn softplus_sum_shifted(x: &[Tile], shift: &[Tile], sign: f32, cols: usize) -> f64 =
        shifted_body;
}

#[inline(always)]
fn shifted_body(x: &[Tile], shift: &[Tile], sign: f32, cols: usize) -> f64 {
    assert_eq!(x.len(), shift.len(), "tiles of the shift");
    sum_of(x.len(), cols, |t, lane| x[t].0[lane] + sign * shift[t].0[lane])
}

#[inline(always)]
fn sum_of(tiles: usize, cols: usize, term: impl Fn(usize, usize) -> f32) -> f64 {
    let mut total = 0.0;
    let (mut positive, mut product) = (Tile::ZERO, Tile::splat(1.0));
    let full = (cols / LANES).min(tiles);
    for t in 0..full {
        let x = Tile(lanes(|lane| term(t, lane)));
        multiply_up(&x, &mut positive, &mut product);
        if t % FLUSH == FLUSH - 1 {
            total += lane_sum(&positive) + log_sum(&product);
            (positive, product) = (Tile::ZERO, Tile::splat(1.0));
        }
    }
    if full < tiles {
        // Beyond the last column: −∞ stands for "adds exactly nothing".
        let used = cols - full * LANES;
        let x = lanes(|lane| if lane < used { term(full, lane) } else { f32::NEG_INFINITY });
        multiply_up(&Tile(x), &mut positive, &mut product);
    }
    total + lane_sum(&positive) + log_sum(&product)
}

/// Adds max(x, 0) and multiplies by 1 + e^−|x|, lane by lane.
#[inline(always)]
fn multiply_up(x: &Tile, positive: &mut Tile, product: &mut Tile) {
    for lane in 0..LANES {
        let x = x.0[lane];
        positive.0[lane] += if x > 0.0 { x } else { 0.0 };
        product.0[lane] *= 1.0 + exp_f32(f32::from_bits(x.to_bits() | SIGN));
    }
}

/// Sixteen values; a plain loop, so that it is compiled per CPU level.
#[inline(always)]
fn lanes(value: impl Fn(usize) -> f32) -> [f32; LANES] {
    let mut out = [0.0; LANES];
    for lane in 0..LANES {
        out[lane] = value(lane);
    }
    out
}

#[inline(always)]
fn log_sum(product: &Tile) -> f64 {
    // Each lane is at most 2^96, so eight lanes multiply up safely in f64.
    let (low, high) = product.0.split_at(LANES / 2);
    let multiply = |lanes: &[f32]| lanes.iter().fold(1.0, |p, &x| p * f64::from(x));
    libm::log(multiply(low)) + libm::log(multiply(high))
}

per_level! {
    /// Σ_j softplus(x_j) in `f64`.
    pub fn softplus_sum_f64(x: &[f64]) -> f64 = f64_body;
}

#[inline(always)]
fn f64_body(x: &[f64]) -> f64 {
    let mut total = 0.0;
    for block in x.chunks(FLUSH * LANES_F64) {
        let mut positive = [0.0; LANES_F64];
        let mut product = [1.0; LANES_F64];
        let chunks = block.chunks_exact(LANES_F64);
        let rest = chunks.remainder();
        for chunk in chunks {
            for lane in 0..LANES_F64 {
                let x = chunk[lane];
                positive[lane] += if x > 0.0 { x } else { 0.0 };
                product[lane] *= 1.0 + exp_f64(-x.abs());
            }
        }
        for (lane, &x) in rest.iter().enumerate() {
            positive[lane] += if x > 0.0 { x } else { 0.0 };
            product[lane] *= 1.0 + exp_f64(-x.abs());
        }
        for lane in 0..LANES_F64 {
            total += positive[lane] + libm::log(product[lane]);
        }
    }
    total
}
