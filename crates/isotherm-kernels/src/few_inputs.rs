//! Draws from bias + bits × weights for few input bits, without the product in between.
//!
//! With at most twelve inputs the subset sums of all tiles are two tables that fit in L2: a row's
//! field is the sum of two entries, made on the way to its draw and never stored. The sums are
//! those of [`crate::affine`] by sixes, rounding included.

use crate::affine::Split;
use crate::bernoulli::{Source, draw_rows};
use crate::cpu::Cpu;
use crate::level::{Level, per_cpu};
use crate::matrix::{Matrix, TILES_PER_WORD, Tile};
use crate::rng::LaneRng;

/// The most inputs of a table.
const GROUP: usize = 6;
/// An entry holds the tiles of a word side by side.
const WIDE: usize = TILES_PER_WORD;

/// Tables for all outputs.
#[derive(Clone, Debug, Default)]
pub struct FewInputs {
    inputs: usize,
    outputs: usize,
    /// For each word of outputs the first group's entries, then the second's.
    entries: Vec<[Tile; WIDE]>,
}

impl FewInputs {
    /// The most inputs there may be.
    pub const MOST: usize = 2 * GROUP;

    /// Makes the tables for `weights`, inputs × outputs, and the tiles of the bias.
    pub fn tabulate(&mut self, level: Level, weights: &Matrix, bias: &[Tile]) {
        assert!((1..=FewInputs::MOST).contains(&weights.rows()), "1 to 12 inputs");
        assert_eq!(bias.len(), weights.tiles_per_row(), "tiles of the bias");
        (self.inputs, self.outputs) = (weights.rows(), weights.cols());
        let words = weights.cols().div_ceil(64);
        self.entries.resize(words * self.entries_per_word(), [Tile::ZERO; WIDE]);
        tabulate(level, weights, bias, self.entries_per_word(), &mut self.entries);
    }

    /// [`crate::bernoulli::draw_words`] from the fields of `states`, one word of inputs a row.
    pub fn draw(
        &self,
        level: Level,
        states: &[u64],
        base: &[Tile],
        scales: &[f32],
        rngs: &mut [LaneRng],
        bits: &mut [u64],
    ) {
        assert_eq!(states.len(), rngs.len(), "one state for each row");
        draw(level, self, states, base, scales, rngs, bits);
    }

    fn entries_per_word(&self) -> usize {
        let split = Split::<GROUP, GROUP>::new(self.inputs);
        split.sizes[..split.groups].iter().map(|size| 1 << size).sum()
    }
}

per_cpu! {
    fn tabulate(weights: &Matrix, bias: &[Tile], stride: usize, entries: &mut [[Tile; WIDE]]) =
        tabulate_body;
}

#[inline(always)]
fn tabulate_body<C: Cpu>(
    weights: &Matrix,
    bias: &[Tile],
    stride: usize,
    entries: &mut [[Tile; WIDE]],
) {
    let (split, tiles) = (Split::<GROUP, GROUP>::new(weights.rows()), weights.tiles_per_row());
    for (word, entries) in entries.chunks_exact_mut(stride).enumerate() {
        let first = word * WIDE;
        let mut table = 0;
        for k in 0..split.groups {
            let from = split.shifts[k] as usize;
            for i in 0..WIDE.min(tiles - first) {
                entries[table][i] = if k == 0 { bias[first + i] } else { Tile::ZERO };
            }
            for bit in 0..split.sizes[k] as usize {
                let row = weights.row_tiles(from + bit);
                let (done, new) = entries[table..][..2 << bit].split_at_mut(1 << bit);
                for (done, new) in done.iter().zip(new) {
                    for i in 0..WIDE.min(tiles - first) {
                        C::store(C::add(C::load(&done[i]), C::load(&row[first + i])), &mut new[i]);
                    }
                }
            }
            table += 1 << split.sizes[k];
        }
    }
}

per_cpu! {
    fn draw(
        tables: &FewInputs,
        states: &[u64],
        base: &[Tile],
        scales: &[f32],
        rngs: &mut [LaneRng],
        bits: &mut [u64],
    ) = draw_body;
}

#[inline(always)]
fn draw_body<C: Cpu>(
    tables: &FewInputs,
    states: &[u64],
    base: &[Tile],
    scales: &[f32],
    rngs: &mut [LaneRng],
    bits: &mut [u64],
) {
    let split = Split::<GROUP, GROUP>::new(tables.inputs);
    let stride = tables.entries_per_word();
    let source = Sums { entries: &tables.entries, stride, states, split };
    draw_rows::<C, _>(&source, base, scales, tables.outputs, rngs, bits);
}

struct Sums<'a> {
    entries: &'a [[Tile; WIDE]],
    stride: usize,
    states: &'a [u64],
    split: Split<GROUP, GROUP>,
}

impl Source for Sums<'_> {
    /// The places of its entries in the first and in the second table of a word; twice the first
    /// where there is no second.
    type Place = (usize, usize);

    #[inline(always)]
    fn row(&self, row: usize) -> (usize, usize) {
        let first = self.split.index(self.states[row], 0);
        let second = (1 << self.split.sizes[0]) + self.split.index(self.states[row], 1);
        (first, if self.split.groups == 2 { second } else { first })
    }

    #[inline(always)]
    fn pair(&self, (first, second): (usize, usize), tile: usize) -> [Tile; 2] {
        let entries = &self.entries[tile / WIDE * self.stride..][..self.stride];
        let (a, b) = (&entries[first], &entries[second]);
        let mut sums = [a[tile % WIDE], a[tile % WIDE + 1]];
        if self.split.groups == 2 {
            for (i, sum) in sums.iter_mut().enumerate() {
                sum.add(&b[tile % WIDE + i]);
            }
        }
        sums
    }
}
