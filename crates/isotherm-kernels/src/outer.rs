//! Sums of outer products of bits with reals.

use crate::bits::{ones, words_for};
use crate::level::per_level;
use crate::matrix::{LANES, Matrix, Tile, flat, flat_mut};

per_level! {
    /// `out[j] += Σ_r bits[r][j] · rows[r]` for the inputs `j` of `out`'s rows.
    ///
    /// `bits` holds the rows' words one after the other. The sum over `r` runs in order for each
    /// `j`, so cutting `out` into blocks of rows changes nothing.
    pub fn add_outer(bits: &[u64], rows: &Matrix, out: &mut Matrix) = add_outer_body;
}

#[inline(always)]
fn add_outer_body(bits: &[u64], rows: &Matrix, out: &mut Matrix) {
    let (words, tiles) = (words_for(out.rows()), rows.tiles_per_row());
    assert_eq!(rows.cols(), out.cols(), "columns of the outer product");
    assert_eq!(bits.len(), rows.rows() * words, "rows of bits and of reals");
    for (r, row_bits) in bits.chunks_exact(words.max(1)).enumerate() {
        let row = rows.row_tiles(r);
        for j in ones(row_bits) {
            let target = &mut out.tiles_mut()[j * tiles..][..tiles];
            // Lane by lane: over whole tiles AVX-512 is given gathers and scatters, 20 times slower.
            for (target, source) in flat_mut(target).iter_mut().zip(flat(row)) {
                *target += source;
            }
        }
    }
}

per_level! {
    /// `out_i += Σ_r rows[r][i]`, the rows in order.
    pub fn add_rows(rows: &Matrix, out: &mut [Tile]) = add_rows_body;
}

#[inline(always)]
fn add_rows_body(rows: &Matrix, out: &mut [Tile]) {
    assert_eq!(out.len() * LANES, rows.tiles_per_row() * LANES, "columns of the sum");
    for r in 0..rows.rows() {
        for (sum, x) in flat_mut(out).iter_mut().zip(flat(rows.row_tiles(r))) {
            *sum += x;
        }
    }
}
