//! Fused Bernoulli draws: field → σ → compare with a uniform → pack into bits.

use crate::bits::words_for;
use crate::cpu::Cpu;
use crate::exp::{exp_f32, exp_f64};
use crate::level::{Level, per_cpu, per_level};
use crate::matrix::{FLUSH, LANES, Tile, lane_sum};
use crate::quick::{Decisions, STEPS, UNITS};
use crate::rng::LaneRng;

/// Tiles that fill one 64-bit word.
const TILES_PER_WORD: usize = 64 / LANES;

per_cpu! {
    /// Draws rows of bits with P(bit_j = 1) = σ((1 − scale)·base_j + scale·field_j), each row with
    /// its own scale and its own generator. An empty `base` counts as zeros.
    ///
    /// Fields come tile by tile and bits go out word by word: all rows' first tile or word, then
    /// all rows' second one, …. A row's random numbers are used in the order of its units, so that
    /// drawing some words now and the rest later comes to the same.
    ///
    /// A bit is U < σ with 52 random bits in U and σ in `f64`: exact but for rounding there. The
    /// first 16 random bits settle nearly every draw (see [`crate::quick`]). A row whose
    /// probabilities are all one half takes its bits straight from the generator.
    pub fn draw_words(
        fields: &[Tile],
        base: &[Tile],
        scales: &[f32],
        cols: usize,
        rngs: &mut [LaneRng],
        bits: &mut [u64],
    ) = draw_words_body;
}

#[inline(always)]
fn draw_words_body<C: Cpu>(
    fields: &[Tile],
    base: &[Tile],
    scales: &[f32],
    cols: usize,
    rngs: &mut [LaneRng],
    bits: &mut [u64],
) {
    let (rows, tiles) = (rngs.len(), cols.div_ceil(LANES));
    assert_eq!(scales.len(), rows, "one scale for each row");
    assert!(fields.len() >= rows * tiles, "tiles of {cols} units");
    assert_eq!(bits.len(), rows * words_for(cols), "words of {cols} units");
    assert!(base.is_empty() || base.len() == tiles, "tiles of the base field");
    for (row, rng) in rngs.iter_mut().enumerate() {
        let fields = Fields { fields, base, rows, row, scale: scales[row] };
        let mut rng_here = rng.clone();
        if base.is_empty() && scales[row] == 0.0 {
            for (w, word) in bits[row..].iter_mut().step_by(rows).enumerate() {
                let random = rng_here.next_words();
                *word = u64::from(random[0]) | u64::from(random[1]) << 32;
                *word &= u64::MAX >> (64 - (cols - 64 * w).min(64));
            }
        } else {
            for (w, word) in bits[row..].iter_mut().step_by(rows).enumerate() {
                *word = draw_word::<C>(&fields, w * TILES_PER_WORD, tiles, &mut rng_here);
                *word &= u64::MAX >> (64 - (cols - 64 * w).min(64));
            }
        }
        *rng = rng_here;
    }
}

/// What a row is drawn from.
struct Fields<'a> {
    fields: &'a [Tile],
    base: &'a [Tile],
    rows: usize,
    row: usize,
    scale: f32,
}

impl Fields<'_> {
    /// The exponent of a unit of a tile, in units of 1 / `steps`.
    #[inline(always)]
    fn exponent(&self, tile: usize, lane: usize, steps: f32) -> f32 {
        let field = self.fields[tile * self.rows + self.row].0[lane];
        let x = self.scale * steps * field;
        if self.base.is_empty() {
            x
        } else {
            (1.0 - self.scale) * steps * self.base[tile].0[lane] + x
        }
    }
}

/// Up to 64 units from tile `first` on.
#[inline(always)]
fn draw_word<C: Cpu>(fields: &Fields<'_>, first: usize, tiles: usize, rng: &mut LaneRng) -> u64 {
    let mut word = 0;
    for half in 0..2 {
        let first = first + 2 * half;
        if first < tiles {
            let mut exponents = [0.0; UNITS];
            for (t, tile) in (first..tiles.min(first + 2)).enumerate() {
                for lane in 0..LANES {
                    exponents[LANES * t + lane] = fields.exponent(tile, lane, STEPS);
                }
            }
            let random = rng.next_words();
            let Decisions { mut ones, ties } = C::decide(&exponents, &random);
            if ties != 0 {
                ones = settle(fields, first, tiles, &random, rng.clone(), ones, ties);
            }
            word |= u64::from(ones) << (UNITS * half);
        }
    }
    word
}

/// Decides the ties by 36 more random bits and σ in `f64`.
#[cold]
#[inline(never)]
fn settle(
    fields: &Fields<'_>,
    first: usize,
    tiles: usize,
    random: &[u32; LANES],
    rng: LaneRng,
    mut ones: u32,
    mut ties: u32,
) -> u32 {
    while ties != 0 {
        let unit = ties.trailing_zeros() as usize;
        ties &= ties - 1;
        let tile = first + unit / LANES;
        if tile < tiles {
            let bits = u64::from(random[unit / 2] >> (unit % 2 * 16) & 0xffff);
            let x = fields.exponent(tile, unit % LANES, 1.0);
            let one = is_one(bits, rng.more_bits(unit), x);
            ones = ones & !(1 << unit) | u32::from(one) << unit;
        }
    }
    ones
}

/// U < σ(x) for the U of 16 bits followed by 36 more, in the middle of its cell.
pub(crate) fn is_one(bits: u64, more: u64, x: f32) -> bool {
    const CELLS: f64 = (1u64 << 52) as f64;
    let u = ((bits << 36 | more) as f64 + 0.5) / CELLS;
    u < 1.0 / (1.0 + exp_f64(-f64::from(x)))
}

/// [`draw_words`] of one row.
pub fn draw_row(
    level: Level,
    field: &[Tile],
    base: &[Tile],
    scale: f32,
    cols: usize,
    rng: &mut LaneRng,
    bits: &mut [u64],
) {
    draw_words(level, field, base, &[scale], cols, std::slice::from_mut(rng), bits);
}

per_level! {
    /// Σ_j bits_j · fields_j of each row, over the first `cols` units; layouts as in
    /// [`draw_words`].
    pub fn selected_sums(fields: &[Tile], bits: &[u64], cols: usize, sums: &mut [f64]) =
        selected_sums_body;
}

#[inline(always)]
fn selected_sums_body(fields: &[Tile], bits: &[u64], cols: usize, sums: &mut [f64]) {
    let (rows, tiles) = (sums.len(), cols.div_ceil(LANES));
    assert!(fields.len() >= rows * tiles, "tiles of {cols} units");
    assert_eq!(bits.len(), rows * words_for(cols), "words of {cols} units");
    for (row, total) in sums.iter_mut().enumerate() {
        *total = 0.0;
        let mut sum = Tile::ZERO;
        for tile in 0..tiles {
            let word = bits[tile / TILES_PER_WORD * rows + row];
            let mask = (word >> (tile % TILES_PER_WORD * LANES)) as u16;
            let field = &fields[tile * rows + row];
            for lane in 0..LANES {
                sum.0[lane] += if mask >> lane & 1 == 1 { field.0[lane] } else { 0.0 };
            }
            if tile % FLUSH == FLUSH - 1 {
                *total += lane_sum(&sum);
                sum = Tile::ZERO;
            }
        }
        *total += lane_sum(&sum);
    }
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
    /// σ(scale · x) of every entry of rows of `cols` entries, in place; the padding stays zero.
    pub fn sigmoid(scale: f32, cols: usize, x: &mut [Tile]) = sigmoid_body;
}

#[inline(always)]
fn sigmoid_body(scale: f32, cols: usize, x: &mut [Tile]) {
    for row in x.chunks_exact_mut(cols.div_ceil(LANES).max(1)) {
        for tile in row.iter_mut() {
            *tile = tile.map(|x| 1.0 / (1.0 + exp_f32(-scale * x)));
        }
        if let (Some(last), used @ 1..) = (row.last_mut(), cols % LANES) {
            last.0[used..].fill(0.0);
        }
    }
}
