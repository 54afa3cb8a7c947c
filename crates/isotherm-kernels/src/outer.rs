//! Sums of rows, and outer products of two vectors.

use crate::level::per_level;
use crate::matrix::{LANES, Matrix, Tile, flat, flat_mut};

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

per_level! {
    /// `out[j] −= x_j · y` for every row `j` of `out`.
    pub fn subtract_outer(x: &[f32], y: &[Tile], out: &mut [Tile]) = subtract_outer_body;
}

#[inline(always)]
fn subtract_outer_body(x: &[f32], y: &[Tile], out: &mut [Tile]) {
    assert_eq!(x.len() * y.len(), out.len(), "shape of the outer product");
    for (&x, out) in x.iter().zip(out.chunks_exact_mut(y.len().max(1))) {
        for (out, y) in flat_mut(out).iter_mut().zip(flat(y)) {
            *out -= x * y;
        }
    }
}
