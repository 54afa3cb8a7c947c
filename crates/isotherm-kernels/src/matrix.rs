//! Dense `f32` matrices whose rows are padded to whole tiles of 16 lanes.

use crate::cpu::Cpu;
use crate::level::{Level, per_cpu};
use crate::vector::Readers;

/// Number of `f32` lanes in a tile: one AVX-512 register, two AVX2 ones, a cache line.
pub const LANES: usize = 16;

/// Tiles whose units fill one 64-bit word of bits.
pub const TILES_PER_WORD: usize = 64 / LANES;

/// Sixteen `f32` on one cache line, the unit every kernel works in.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct Tile(pub [f32; LANES]);

impl Tile {
    /// Sixteen zeros.
    pub const ZERO: Tile = Tile([0.0; LANES]);

    /// Sixteen times the same value.
    #[inline(always)]
    pub fn splat(value: f32) -> Tile {
        Tile([value; LANES])
    }

    /// Lane by lane.
    #[inline(always)]
    pub fn map(self, f: impl Fn(f32) -> f32) -> Tile {
        // A plain loop: closures handed to the standard library are not compiled per CPU level.
        let mut out = self;
        for lane in 0..LANES {
            out.0[lane] = f(out.0[lane]);
        }
        out
    }

    /// Adds `other` lane by lane.
    #[inline(always)]
    pub fn add(&mut self, other: &Tile) {
        let mut sum = *self;
        for lane in 0..LANES {
            sum.0[lane] += other.0[lane];
        }
        *self = sum;
    }
}

/// A row-major matrix of `f32` with zero padding at the end of each row.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    rows: usize,
    cols: usize,
    tiles_per_row: usize,
    tiles: Vec<Tile>,
}

impl Matrix {
    /// A matrix of zeros.
    pub fn zeros(rows: usize, cols: usize) -> Matrix {
        let tiles_per_row = cols.div_ceil(LANES);
        Matrix { rows, cols, tiles_per_row, tiles: vec![Tile::ZERO; rows * tiles_per_row] }
    }

    /// A matrix from `rows * cols` values in row-major order.
    pub fn from_dense(rows: usize, cols: usize, values: &[f32]) -> Matrix {
        assert_eq!(
            values.len(),
            rows * cols,
            "a {rows}x{cols} matrix from {} values",
            values.len()
        );
        let mut matrix = Matrix::zeros(rows, cols);
        for (i, row) in values.chunks_exact(cols.max(1)).enumerate() {
            matrix.row_mut(i).copy_from_slice(row);
        }
        matrix
    }

    /// One row.
    pub fn from_row(values: &[f32]) -> Matrix {
        Matrix::from_dense(1, values.len(), values)
    }

    /// The `rows * cols` values without the padding, in row-major order.
    pub fn to_dense(&self) -> Vec<f32> {
        (0..self.rows).flat_map(|i| self.row(i).iter().copied()).collect()
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns, padding not counted.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Number of tiles that hold one row.
    pub fn tiles_per_row(&self) -> usize {
        self.tiles_per_row
    }

    /// All tiles, row after row.
    pub fn tiles(&self) -> &[Tile] {
        &self.tiles
    }

    /// All tiles, row after row. Whoever writes must keep the padding zero.
    pub fn tiles_mut(&mut self) -> &mut [Tile] {
        &mut self.tiles
    }

    /// The tiles of one row.
    pub fn row_tiles(&self, row: usize) -> &[Tile] {
        &self.tiles[row * self.tiles_per_row..][..self.tiles_per_row]
    }

    /// The tiles of one row. Whoever writes must keep the padding zero.
    pub fn row_tiles_mut(&mut self, row: usize) -> &mut [Tile] {
        &mut self.tiles[row * self.tiles_per_row..][..self.tiles_per_row]
    }

    /// The values of one row.
    pub fn row(&self, row: usize) -> &[f32] {
        &flat(self.row_tiles(row))[..self.cols]
    }

    /// The values of one row.
    pub fn row_mut(&mut self, row: usize) -> &mut [f32] {
        let tiles = &mut self.tiles[row * self.tiles_per_row..][..self.tiles_per_row];
        &mut flat_mut(tiles)[..self.cols]
    }

    /// The matrix whose row `i` is row `rows[i]` of this one.
    pub fn select(&self, rows: &[usize]) -> Matrix {
        let tiles = rows.iter().flat_map(|&r| self.row_tiles(r).iter().copied()).collect();
        Matrix { rows: rows.len(), cols: self.cols, tiles_per_row: self.tiles_per_row, tiles }
    }

    /// Writes the transpose of this matrix into `out`.
    pub fn transpose_into(&self, level: Level, out: &mut Matrix) {
        assert_eq!((out.rows, out.cols), (self.cols, self.rows), "shape of the transpose");
        transpose_rows(level, Readers::One, self, 0, &mut out.tiles);
    }
}

per_cpu! {
    /// Rows of the transpose of `source` from row `first` on, a multiple of 16, as many as fit in
    /// `out`.
    pub fn transpose_rows(readers: Readers, source: &Matrix, first: usize, out: &mut [Tile]) =
        transpose_rows_body;
}

#[inline(always)]
fn transpose_rows_body<C: Cpu>(readers: Readers, source: &Matrix, first: usize, out: &mut [Tile]) {
    assert_eq!(first % LANES, 0, "transposed rows begin with a tile");
    let stride = source.rows.div_ceil(LANES);
    assert!(first * stride + out.len() <= source.cols * stride, "rows of the transpose");
    for (t, out) in out.chunks_mut((LANES * stride).max(1)).enumerate() {
        let tile = first / LANES + t;
        for block in 0..stride {
            let mut square = [Tile::ZERO; LANES];
            for (i, row) in square.iter_mut().enumerate().take(source.rows - block * LANES) {
                *row = source.tiles[(block * LANES + i) * source.tiles_per_row + tile];
            }
            C::transpose(&mut square);
            for (i, out) in out.chunks_exact_mut(stride).enumerate() {
                match readers {
                    Readers::One => out[block] = square[i],
                    Readers::Many => C::publish(&square[i], &mut out[block]),
                }
            }
        }
    }
    if readers == Readers::Many {
        C::published();
    }
}

/// The lanes of a run of tiles as one slice.
pub fn flat(tiles: &[Tile]) -> &[f32] {
    // SAFETY: `Tile` is `repr(C)`, exactly 16 `f32` without padding, and its alignment exceeds
    // that of `f32`; the length counts the same bytes.
    unsafe { std::slice::from_raw_parts(tiles.as_ptr().cast::<f32>(), tiles.len() * LANES) }
}

/// The lanes of a run of tiles as one mutable slice.
pub fn flat_mut(tiles: &mut [Tile]) -> &mut [f32] {
    // SAFETY: as in `flat`, and the borrow is exclusive.
    unsafe { std::slice::from_raw_parts_mut(tiles.as_mut_ptr().cast::<f32>(), tiles.len() * LANES) }
}

/// Tiles summed in `f32` before the sum moves on to `f64`.
pub(crate) const FLUSH: usize = 32;

/// The sum of the lanes, in `f64`: halves added to halves.
#[inline(always)]
pub(crate) fn lane_sum(tile: &Tile) -> f64 {
    let mut sums = [0.0; LANES];
    for lane in 0..LANES {
        sums[lane] = f64::from(tile.0[lane]);
    }
    for lane in 0..8 {
        sums[lane] += sums[lane + 8];
    }
    for lane in 0..4 {
        sums[lane] += sums[lane + 4];
    }
    (sums[0] + sums[2]) + (sums[1] + sums[3])
}
