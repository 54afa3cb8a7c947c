//! What a mixture needs of a row of bits: sums of rows that the bits select, and weights that are
//! exponentials.

use crate::exp::exp_f64;
use crate::level::per_level;
use crate::matrix::{FLUSH, LANES, Matrix, Tile};

/// Lanes of sums in `f64`.
const LANES_F64: usize = 8;

per_level! {
    /// `out += Σ_j bits_j · rows[first + j]`: in `f32` over every 32 rows, and these sums in `f64`.
    pub fn add_selected_rows(bits: &[u64], rows: &Matrix, first: usize, out: &mut [f64]) =
        selected_body;
}

#[inline(always)]
fn selected_body(bits: &[u64], rows: &Matrix, first: usize, out: &mut [f64]) {
    assert_eq!(out.len(), rows.cols(), "columns of the sum");
    let (tiles, per_row) = (rows.tiles(), rows.tiles_per_row());
    for (t, out) in out.chunks_mut(LANES).enumerate() {
        let (mut sum, mut summed, mut total) = (Tile::ZERO, 0, [0.0; LANES]);
        for (w, &word) in bits.iter().enumerate() {
            let mut left = word;
            while left != 0 {
                let j = first + w * 64 + left.trailing_zeros() as usize;
                left &= left - 1;
                let row = &tiles[j * per_row + t];
                for lane in 0..LANES {
                    sum.0[lane] += row.0[lane];
                }
                summed += 1;
                if summed == FLUSH {
                    for lane in 0..LANES {
                        total[lane] += f64::from(sum.0[lane]);
                    }
                    (sum, summed) = (Tile::ZERO, 0);
                }
            }
        }
        for (lane, out) in out.iter_mut().enumerate() {
            *out += total[lane] + f64::from(sum.0[lane]);
        }
    }
}

per_level! {
    /// `out_k = exp(y_k − m)` with `y_k = offsets_k + scale · x_k` and m the largest of them. Returns m and the
    /// sum of `out`, so that log Σ_k exp(y_k) is m plus the logarithm of that sum.
    pub fn exp_weights(offsets: &[f64], x: &[f64], scale: f64, out: &mut [f64]) -> (f64, f64) =
        exp_weights_body;
}

#[inline(always)]
fn exp_weights_body(offsets: &[f64], x: &[f64], scale: f64, out: &mut [f64]) -> (f64, f64) {
    assert!(offsets.len() == out.len() && x.len() == out.len(), "one of each");
    let mut largest = [f64::NEG_INFINITY; LANES_F64];
    for (i, out) in out.iter_mut().enumerate() {
        *out = offsets[i] + scale * x[i];
    }
    for chunk in out.chunks(LANES_F64) {
        for (lane, &y) in chunk.iter().enumerate() {
            largest[lane] = if y > largest[lane] { y } else { largest[lane] };
        }
    }
    let largest = largest.into_iter().fold(f64::NEG_INFINITY, f64::max);
    let mut sums = [0.0; LANES_F64];
    let mut chunks = out.chunks_exact_mut(LANES_F64);
    for chunk in &mut chunks {
        for lane in 0..LANES_F64 {
            chunk[lane] = exp_f64(chunk[lane] - largest);
            sums[lane] += chunk[lane];
        }
    }
    for (lane, y) in chunks.into_remainder().iter_mut().enumerate() {
        *y = exp_f64(*y - largest);
        sums[lane] += *y;
    }
    (largest, sums.into_iter().sum())
}
