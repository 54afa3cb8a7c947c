//! Fused Bernoulli draws: field → σ → compare with a uniform → pack into bits.

use crate::bits::words_for;
use crate::exp::exp_f32;
use crate::level::per_level;
use crate::matrix::{LANES, Matrix, Tile};
use crate::rng::LaneRng;

/// Tiles summed in `f32` before the sum moves on to `f64`.
const FLUSH: usize = 32;
/// Tiles that fill one 64-bit word.
const TILES_PER_WORD: usize = 64 / LANES;

per_level! {
    /// Draws one row of bits with P(bit_j = 1) = σ((1 − scale)·base_j + scale·field_j) and returns
    /// Σ_j bit_j · (field_j − base_j). An empty `base` counts as zeros.
    ///
    /// One uniform of 23 bits a unit: probabilities are met to 2^−23, and below 2^−24 (or that far
    /// from one) they are zero (one).
    pub fn draw_row(
        field: &[Tile],
        base: &[Tile],
        scale: f32,
        cols: usize,
        rng: &mut LaneRng,
        bits: &mut [u64],
    ) -> f64 = draw_row_body;
}

#[inline(always)]
fn draw_row_body(
    field: &[Tile],
    base: &[Tile],
    scale: f32,
    cols: usize,
    rng: &mut LaneRng,
    bits: &mut [u64],
) -> f64 {
    assert_eq!(field.len(), cols.div_ceil(LANES), "tiles of {cols} units");
    assert_eq!(bits.len(), words_for(cols), "words of {cols} units");
    assert!(base.is_empty() || base.len() == field.len(), "tiles of the base field");
    let mut rng_here = rng.clone();
    let rest = 1.0 - scale;
    let (mut total, mut sum) = (0.0, Tile::ZERO);
    bits.fill(0);
    for (t, field) in field.iter().enumerate() {
        let base = if base.is_empty() { &Tile::ZERO } else { &base[t] };
        let uniforms = rng_here.next_uniforms();
        let used = (cols - t * LANES).min(LANES);
        let mut drawn = [0; LANES];
        for lane in 0..LANES {
            let x = rest * base.0[lane] + scale * field.0[lane];
            // u < σ(x) without the division: u·(1 + e^−x) < 1.
            let one = uniforms.0[lane] * (1.0 + exp_f32(-x)) < 1.0;
            drawn[lane] = u8::from(one);
            // The padding is zero on both sides and adds nothing.
            sum.0[lane] += if one { field.0[lane] - base.0[lane] } else { 0.0 };
        }
        let drawn = pack(drawn) & (u64::MAX >> (64 - used));
        bits[t / TILES_PER_WORD] |= drawn << (t % TILES_PER_WORD * LANES);
        if t % FLUSH == FLUSH - 1 {
            total += lane_sum(&sum);
            sum = Tile::ZERO;
        }
    }
    *rng = rng_here;
    total + lane_sum(&sum)
}

/// Sixteen bytes of 0 or 1 as sixteen bits. The multiplication moves the lowest bit of byte `k`
/// to bit `56 + k`; no two of its terms meet, so nothing carries.
#[inline(always)]
fn pack(bytes: [u8; LANES]) -> u64 {
    let mut halves = [[0; 8]; 2];
    halves[0].copy_from_slice(&bytes[..8]);
    halves[1].copy_from_slice(&bytes[8..]);
    let [low, high] =
        halves.map(|half| u64::from_le_bytes(half).wrapping_mul(0x0102_0408_1020_4080) >> 56);
    low | high << 8
}

per_level! {
    /// Draws one row of fair coins: [`draw_row`] of a field of zeros at a twentieth of the price.
    pub fn coin_row(cols: usize, rng: &mut LaneRng, bits: &mut [u64]) = coin_row_body;
}

#[inline(always)]
fn coin_row_body(cols: usize, rng: &mut LaneRng, bits: &mut [u64]) {
    assert!(bits.len() * 64 >= cols, "room for {cols} units");
    for (chunk, words) in bits.chunks_mut(LANES / 2).enumerate() {
        let random = rng.next_words();
        for (i, word) in words.iter_mut().enumerate() {
            *word = u64::from(random[2 * i]) | u64::from(random[2 * i + 1]) << 32;
            let used = cols.saturating_sub((chunk * LANES / 2 + i) * 64).min(64);
            *word &= u64::MAX.checked_shr(64 - used as u32).unwrap_or(0);
        }
    }
}

per_level! {
    /// σ(scale · x) of every entry, in place; the padding stays zero.
    pub fn sigmoid(scale: f32, x: &mut Matrix) = sigmoid_body;
}

#[inline(always)]
fn sigmoid_body(scale: f32, x: &mut Matrix) {
    let (cols, tiles) = (x.cols(), x.tiles_per_row());
    for row in x.tiles_mut().chunks_exact_mut(tiles.max(1)) {
        for tile in row.iter_mut() {
            *tile = tile.map(|x| 1.0 / (1.0 + exp_f32(-scale * x)));
        }
        if let (Some(last), used @ 1..) = (row.last_mut(), cols % LANES) {
            last.0[used..].fill(0.0);
        }
    }
}

/// The sum of the lanes, in `f64` and in a fixed order.
#[inline(always)]
pub(crate) fn lane_sum(tile: &Tile) -> f64 {
    let mut sum = 0.0;
    for lane in tile.0 {
        sum += f64::from(lane);
    }
    sum
}
