//! Fused Bernoulli draws: field → σ → compare with a uniform → pack into bits.

use crate::bits::words_for;
use crate::cpu::Cpu;
use crate::exp::{exp_f32, sigmoid_f64};
use crate::level::{Level, per_cpu, per_level};
use crate::matrix::{FLUSH, LANES, TILES_PER_WORD, Tile, lane_sum};
use crate::quick::{Decisions, STEPS, UNITS};
use crate::rng::LaneRng;

per_cpu! {
    /// Draws rows of bits with P(bit_j = 1) = σ((1 − scale)·base_j + scale·field_j), each row with
    /// its own scale and its own generator. An empty `base` counts as zeros.
    ///
    /// Fields come tile by tile and bits go out word by word: all rows' first tile or word, then
    /// all rows' second one, …. A row's random numbers are used in the order of its units, so that
    /// drawing some words now and the rest later comes to the same.
    ///
    /// A bit is U < σ with 52 random bits in U and σ in `f64`: exact but for rounding there. The
    /// first 16 random bits settle nearly every draw (see `quick.rs`). A row whose
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
    assert!(fields.len() >= rngs.len() * cols.div_ceil(LANES), "tiles of {cols} units");
    let source = ByTiles { fields, rows: rngs.len() };
    draw_rows::<C, _>(&source, base, scales, cols, rngs, bits);
}

/// Where fields come from.
pub(crate) trait Source {
    /// The place of a row.
    type Place: Copy;
    /// Prepares a row.
    fn row(&self, row: usize) -> Self::Place;
    /// The fields of two tiles of it from tile `first` on, an even number; anything for a tile
    /// beyond the last.
    fn pair(&self, row: Self::Place, first: usize) -> [Tile; 2];
}

/// All rows' first tile, then all rows' second one, ….
struct ByTiles<'a> {
    fields: &'a [Tile],
    rows: usize,
}

impl Source for ByTiles<'_> {
    type Place = usize;

    #[inline(always)]
    fn row(&self, row: usize) -> usize {
        row
    }

    #[inline(always)]
    fn pair(&self, row: usize, first: usize) -> [Tile; 2] {
        let at = first * self.rows + row;
        [self.fields[at], self.fields.get(at + self.rows).copied().unwrap_or(Tile::ZERO)]
    }
}

/// [`draw_words`] from fields of any origin.
#[inline(always)]
pub(crate) fn draw_rows<C: Cpu, S: Source>(
    source: &S,
    base: &[Tile],
    scales: &[f32],
    cols: usize,
    rngs: &mut [LaneRng],
    bits: &mut [u64],
) {
    let (rows, tiles) = (rngs.len(), cols.div_ceil(LANES));
    assert_eq!(scales.len(), rows, "one scale for each row");
    assert_eq!(bits.len(), rows * words_for(cols), "words of {cols} units");
    assert!(base.is_empty() || base.len() == tiles, "tiles of the base field");
    for (row, rng) in rngs.iter_mut().enumerate() {
        let bits = bits[row..].iter_mut().step_by(rows);
        let (fields, scale) = (source.row(row), scales[row]);
        if !base.is_empty() {
            let row = Drawing::<S, true> { source, fields, base, scale, tiles };
            row.draw::<C>(rng, bits);
        } else if scale != 0.0 {
            let row = Drawing::<S, false> { source, fields, base, scale, tiles };
            row.draw::<C>(rng, bits);
        } else {
            draw_coins(rng, bits);
        }
    }
    if !cols.is_multiple_of(64) {
        let last = bits.len() - rows.min(bits.len());
        bits[last..].iter_mut().for_each(|word| *word &= u64::MAX >> (64 - cols % 64));
    }
}

#[inline(always)]
fn draw_coins<'a>(rng: &mut LaneRng, bits: impl Iterator<Item = &'a mut u64>) {
    for word in bits {
        let random = rng.next_words();
        *word = u64::from(random[0]) | u64::from(random[1]) << 32;
    }
}

/// What one row is drawn from.
struct Drawing<'a, S: Source, const BASE: bool> {
    source: &'a S,
    fields: S::Place,
    base: &'a [Tile],
    scale: f32,
    tiles: usize,
}

impl<S: Source, const BASE: bool> Drawing<'_, S, BASE> {
    #[inline(always)]
    fn draw<'a, C: Cpu>(&self, rng: &mut LaneRng, bits: impl Iterator<Item = &'a mut u64>) {
        let mut rng_here = rng.clone();
        for (w, word) in bits.enumerate() {
            let first = w * TILES_PER_WORD;
            *word = u64::from(self.draw_pair::<C>(first, &mut rng_here));
            if first + 2 < self.tiles {
                *word |= u64::from(self.draw_pair::<C>(first + 2, &mut rng_here)) << UNITS;
            }
        }
        *rng = rng_here;
    }

    /// Thirty-two units from tile `first` on.
    #[inline(always)]
    fn draw_pair<C: Cpu>(&self, first: usize, rng: &mut LaneRng) -> u32 {
        let exponents = self.exponents(first, STEPS);
        let random = rng.next_words();
        let Decisions { ones, ties } = C::decide(&exponents, &random);
        // The further bits are those of the state after this step of the generator.
        if ties == 0 { ones } else { self.settle(first, &random, rng.clone(), ones, ties) }
    }

    /// The exponents of thirty-two units from tile `first` on, in units of 1 / `steps`.
    #[inline(always)]
    fn exponents(&self, first: usize, steps: f32) -> [Tile; 2] {
        let mut pair = self.source.pair(self.fields, first);
        for (t, x) in pair.iter_mut().enumerate() {
            for lane in 0..LANES {
                x.0[lane] *= self.scale * steps;
            }
            if BASE && first + t < self.tiles {
                let base = &self.base[first + t];
                for lane in 0..LANES {
                    x.0[lane] += (1.0 - self.scale) * steps * base.0[lane];
                }
            }
        }
        pair
    }

    /// Decides ties by 36 more random bits and σ in `f64`.
    #[cold]
    #[inline(never)]
    fn settle(
        &self,
        first: usize,
        random: &[u32; LANES],
        rng: LaneRng,
        mut ones: u32,
        mut ties: u32,
    ) -> u32 {
        let exponents = self.exponents(first, 1.0);
        while ties != 0 {
            let unit = ties.trailing_zeros() as usize;
            ties &= ties - 1;
            let bits = u64::from(random[unit / 2] >> (unit % 2 * 16) & 0xffff);
            let x = exponents[unit / LANES].0[unit % LANES];
            let one = is_one(bits, rng.more_bits(unit), x);
            ones = ones & !(1 << unit) | u32::from(one) << unit;
        }
        ones
    }
}

/// U < σ(x) for the U of 16 bits followed by 36 more, in the middle of its cell.
pub(crate) fn is_one(bits: u64, more: u64, x: f32) -> bool {
    const CELLS: f64 = (1u64 << 52) as f64;
    let u = ((bits << 36 | more) as f64 + 0.5) / CELLS;
    u < sigmoid_f64(f64::from(x))
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

per_cpu! {
    /// Σ_j bits_j · fields_j of each row, over the first `cols` units; layouts as in
    /// [`draw_words`]. `scratch` has a tile for each row.
    pub fn selected_sums(
        fields: &[Tile],
        bits: &[u64],
        cols: usize,
        scratch: &mut [Tile],
        sums: &mut [f64],
    ) = selected_sums_body;
}

#[inline(always)]
fn selected_sums_body<C: Cpu>(
    fields: &[Tile],
    bits: &[u64],
    cols: usize,
    scratch: &mut [Tile],
    sums: &mut [f64],
) {
    let (rows, tiles) = (sums.len(), cols.div_ceil(LANES));
    assert!(fields.len() >= rows * tiles, "tiles of {cols} units");
    assert_eq!(bits.len(), rows * words_for(cols), "words of {cols} units");
    sums.fill(0.0);
    let scratch = &mut scratch[..rows];
    scratch.fill(Tile::ZERO);
    for tile in 0..tiles {
        let words = &bits[tile / TILES_PER_WORD * rows..][..rows];
        let fields = &fields[tile * rows..][..rows];
        for ((word, field), sum) in words.iter().zip(fields).zip(&mut *scratch) {
            let mask = (word >> (tile % TILES_PER_WORD * LANES)) as u16;
            C::store(C::add(C::load(sum), C::select(mask, field)), sum);
        }
        if tile % FLUSH == FLUSH - 1 || tile + 1 == tiles {
            for (total, sum) in sums.iter_mut().zip(&mut *scratch) {
                *total += lane_sum(sum);
                *sum = Tile::ZERO;
            }
        }
    }
}

per_level! {
    /// Draws one row of fair coins, every random bit of the stream used.
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
