//! Bits × weights + bias, by subset sums.
//!
//! A row of bits selects rows of the weight matrix to add up. Four input bits can select only 16
//! different sums, so for each tile of 16 outputs the sums of every four weight rows are tabulated
//! once and each row of bits then adds one table entry where it would have added two weight rows
//! on average (and multiplied four). The tables of one 64-bit word take 16 KiB: they stay in L1.

use crate::bits::words_for;
use crate::level::per_level;
use crate::matrix::{Matrix, Tile};

/// Input bits a table covers.
const GROUP: usize = 4;
/// Entries of one table.
const ENTRIES: usize = 1 << GROUP;
/// Tables that cover one word.
const GROUPS_PER_WORD: usize = 64 / GROUP;

per_level! {
    /// For every row of `bits`: `out = bias + Σ_j bits_j · weights[j]`.
    ///
    /// `bits` holds the rows' words one after the other, `out` the rows' tiles; `weights` is
    /// inputs × outputs and `bias` the tiles of one output row.
    pub fn affine(bits: &[u64], weights: &Matrix, bias: &[Tile], out: &mut [Tile]) = affine_body;
}

#[inline(always)]
fn affine_body(bits: &[u64], weights: &Matrix, bias: &[Tile], out: &mut [Tile]) {
    let (words, tiles) = (words_for(weights.rows()), weights.tiles_per_row());
    assert_eq!(bias.len(), tiles, "tiles of the bias");
    if tiles == 0 {
        return;
    }
    let rows = out.len() / tiles;
    assert_eq!(out.len(), rows * tiles, "tiles of the outputs");
    assert_eq!(bits.len(), rows * words, "rows of bits and of outputs");
    for out_row in out.chunks_exact_mut(tiles) {
        out_row.copy_from_slice(bias);
    }
    let mut tables = [[Tile::ZERO; ENTRIES]; GROUPS_PER_WORD];
    for tile in 0..tiles {
        for word in 0..words {
            let inputs = (weights.rows() - word * 64).min(64);
            let groups = inputs.div_ceil(GROUP);
            for (group, table) in tables[..groups].iter_mut().enumerate() {
                let first = word * 64 + group * GROUP;
                subset_sums(weights, first, (inputs - group * GROUP).min(GROUP), tile, table);
            }
            let rows = bits.chunks_exact(words).zip(out.chunks_exact_mut(tiles));
            if groups == GROUPS_PER_WORD {
                for (row, out_row) in rows {
                    add_groups(&tables, row[word], &mut out_row[tile]);
                }
            } else {
                for (row, out_row) in rows {
                    add_groups(&tables[..groups], row[word], &mut out_row[tile]);
                }
            }
        }
    }
}

/// The sums of all subsets of `count` weight rows from `first` on: entry `s` sums the rows whose
/// bit is set in `s`.
#[inline(always)]
fn subset_sums(
    weights: &Matrix,
    first: usize,
    count: usize,
    tile: usize,
    table: &mut [Tile; ENTRIES],
) {
    table[0] = Tile::ZERO;
    for bit in 0..count {
        let row = &weights.row_tiles(first + bit)[tile];
        for subset in 0..1 << bit {
            let mut sum = table[subset];
            sum.add(row);
            table[subset | 1 << bit] = sum;
        }
    }
}

#[inline(always)]
fn add_groups(tables: &[[Tile; ENTRIES]], mut word: u64, out: &mut Tile) {
    let mut sum = *out;
    for table in tables {
        sum.add(&table[(word as usize) % ENTRIES]);
        word >>= GROUP;
    }
    *out = sum;
}
