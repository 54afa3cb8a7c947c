//! The model as the samplers use it: parameters, and the fields that one layer puts on the other.

use std::ops::Range;

use isotherm_kernels::affine::{Grouping, affine, affine_by_tiles};
use isotherm_kernels::bits::BitRows;
use isotherm_kernels::matrix::transpose_rows;
use isotherm_kernels::{BitMatrix, LANES, Level, Matrix, Tile, bernoulli};
use rayon::prelude::*;

use super::Parameters;
use isotherm_tempering::threads::{readers, rows_per_thread};

/// A Restricted Boltzmann Machine over binary units.
#[derive(Clone, Debug)]
pub struct Rbm {
    parameters: Parameters,
    /// Wᵀ, hidden × visible: kept beside `w` so that both products read rows.
    w_transposed: Matrix,
}

impl Rbm {
    /// A model with these parameters.
    pub fn new(parameters: Parameters) -> Rbm {
        let w_transposed = Matrix::zeros(parameters.n_hidden(), parameters.n_visible());
        let mut rbm = Rbm { parameters, w_transposed };
        rbm.transpose();
        rbm
    }

    /// W, b and c.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Calls `change` on the parameters, updates Wᵀ and returns the result of `change`.
    pub fn change<T>(&mut self, change: impl FnOnce(&mut Parameters) -> T) -> T {
        let answer = change(&mut self.parameters);
        self.transpose();
        answer
    }

    /// Updates Wᵀ, its rows divided among the threads.
    fn transpose(&mut self) {
        let (w, out) = (&self.parameters.w, &mut self.w_transposed);
        let rows = rows_per_thread(out.rows(), 0.3 * out.cols() as f64).next_multiple_of(LANES);
        let chunk = rows * out.tiles_per_row();
        out.tiles_mut().par_chunks_mut(chunk).enumerate().for_each(|(i, out)| {
            transpose_rows(Level::detect(), readers(), w, i * rows, out);
        });
    }

    /// Number of visible units.
    pub fn n_visible(&self) -> usize {
        self.parameters.n_visible()
    }

    /// Number of hidden units.
    pub fn n_hidden(&self) -> usize {
        self.parameters.n_hidden()
    }

    /// Wᵀ: a row of weights for each hidden unit.
    pub fn filters(&self) -> &Matrix {
        &self.w_transposed
    }

    /// The weights of hidden unit `i`: row `i` of Wᵀ.
    pub fn filter(&self, i: usize) -> &[Tile] {
        self.w_transposed.row_tiles(i)
    }

    /// b + Wᵀv for each row of visible bits: P(h_i = 1 | v) = σ of it.
    pub fn hidden_field(&self, v: BitRows<'_>, out: &mut [Tile]) {
        let Parameters { w, b, .. } = &self.parameters;
        affine(Level::detect(), Grouping::of(v.rows(), w.rows()), v, w, b.tiles(), out);
    }

    /// c + Wh for each row of hidden bits: P(v_j = 1 | h) = σ of it.
    pub fn visible_field(&self, h: BitRows<'_>, out: &mut [Tile]) {
        let (w, c) = (&self.w_transposed, &self.parameters.c);
        affine(Level::detect(), Grouping::of(h.rows(), w.rows()), h, w, c.tiles(), out);
    }

    /// Some tiles of c + Wh for each row of hidden bits, tile by tile.
    pub fn visible_field_by_tiles(
        &self,
        grouping: Grouping,
        h: BitRows<'_>,
        tiles: Range<usize>,
        out: &mut [Tile],
    ) {
        let (w, c) = (&self.w_transposed, &self.parameters.c);
        affine_by_tiles(Level::detect(), grouping, h, w, &[], c.tiles(), tiles, out);
    }

    /// Wᵀv with b and, beside it, t·v as one more hidden unit, for each row of visible bits, tile
    /// by tile.
    pub fn hidden_field_by_tiles(
        &self,
        grouping: Grouping,
        v: BitRows<'_>,
        t: &[f32],
        out: &mut [Tile],
    ) {
        let Parameters { w, b, .. } = &self.parameters;
        let tiles = 0..(w.cols() + 1).div_ceil(LANES);
        affine_by_tiles(Level::detect(), grouping, v, w, t, b.tiles(), tiles, out);
    }

    /// E[h | v] for each row of visible bits.
    pub fn hidden_mean(&self, v: &BitMatrix) -> Matrix {
        let mut mean = Matrix::zeros(v.rows(), self.n_hidden());
        let grouping = Grouping::of(v.rows(), self.n_visible());
        self.hidden_mean_of(grouping, v.as_rows(), mean.tiles_mut());
        mean
    }

    /// E[h | v] for each row of visible bits, row by row into `out`, the rows handed out to the threads.
    pub fn hidden_mean_of(&self, grouping: Grouping, v: BitRows<'_>, out: &mut [Tile]) {
        let Parameters { w, b, .. } = &self.parameters;
        let (tiles, cols) = (w.tiles_per_row(), w.cols());
        assert_eq!(out.len(), v.rows() * tiles, "rows of E[h | v]");
        let chunk = rows_per_thread(v.rows(), 0.005 * (w.rows() * w.cols()) as f64);
        out.par_chunks_mut(chunk * tiles).enumerate().for_each(|(i, out)| {
            let v = v.slice(i * chunk, out.len() / tiles);
            affine(Level::detect(), grouping, v, w, b.tiles(), out);
            bernoulli::sigmoid(Level::detect(), 1.0, cols, out);
        });
    }

    /// E[v | h] for each row of hidden bits.
    pub fn visible_mean(&self, h: &BitMatrix) -> Matrix {
        let mut mean = Matrix::zeros(h.rows(), self.n_visible());
        self.visible_field(h.as_rows(), mean.tiles_mut());
        bernoulli::sigmoid(Level::detect(), 1.0, mean.cols(), mean.tiles_mut());
        mean
    }
}
