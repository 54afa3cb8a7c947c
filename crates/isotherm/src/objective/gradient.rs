//! The gradient of Eq. 2: the mean of φ over the rows of the positive phase minus that over the rows
//! of the negative phase.
//!
//! With s_r = ±1/n for the rows r of the two phases, ∇W = Σ_r v_r (s_r h_r)ᵀ is a product of bits
//! with reals like those of the samplers, with Vᵀ for the bits.

use isotherm_kernels::affine::{Grouping, affine};
use isotherm_kernels::{BitMatrix, Level, Matrix, Tile, bernoulli, outer, vector};
use rayon::prelude::*;

use super::phases::Phases;
use crate::model::Parameters;
use isotherm_tempering::threads::rows_per_thread;

/// The rate at which the hidden offset follows the data, per update.
const OFFSET_RATE: f32 = 0.01;

/// The offsets μ (visible) and λ (hidden) around which the centered gradient is taken.
#[derive(Clone, Debug, PartialEq)]
pub struct Centering {
    /// μ: the data's marginals.
    pub visible: Matrix,
    /// λ: a moving average of E[h | v] over the data.
    pub hidden: Matrix,
}

impl Centering {
    /// Offsets at the data's marginals and at one half.
    pub fn new(marginals: &[f64], n_hidden: usize) -> Centering {
        let marginals: Vec<f32> = marginals.iter().map(|&p| p as f32).collect();
        let hidden = Matrix::from_row(&vec![0.5; n_hidden]);
        Centering { visible: Matrix::from_row(&marginals), hidden }
    }

    /// Moves λ towards the mean of the positive phase.
    pub fn follow(&mut self, phases: &Phases) {
        let (level, share) = (Level::detect(), OFFSET_RATE / phases.positive as f32);
        for offset in self.hidden.row_mut(0) {
            *offset -= OFFSET_RATE * *offset;
        }
        for row in 0..phases.positive {
            vector::add_scaled(level, share, phases.h.row_tiles(row), self.hidden.tiles_mut());
        }
    }
}

/// The buffers that the gradient is made in.
#[derive(Clone, Debug)]
pub struct Gradient {
    /// Vᵀ: for each visible unit, the rows in which it is one.
    on: BitMatrix,
    /// s_r (h_r − λ) of each row.
    hidden: Matrix,
    /// Two numbers for each row: s_r, and what centering subtracts from ∇c for it.
    sides: Matrix,
    /// v_r·μ of each row.
    v_mu: Vec<f64>,
    /// Their sums over the rows in which a visible unit is one.
    visible: Matrix,
    /// λ where nothing is centered.
    no_offset: Matrix,
}

impl Gradient {
    /// Nothing yet, for phases of this size.
    pub fn new(phases: &Phases) -> Gradient {
        let (rows, n_visible, n_hidden) = (phases.v.rows(), phases.v.cols(), phases.h.cols());
        Gradient {
            on: BitMatrix::zeros(n_visible, rows),
            hidden: Matrix::zeros(rows, n_hidden),
            sides: Matrix::zeros(rows, 2),
            v_mu: vec![0.0; rows],
            visible: Matrix::zeros(n_visible, 2),
            no_offset: Matrix::zeros(1, n_hidden),
        }
    }

    /// The mean of (hvᵀ, h, v) over the data minus that over the model's samples; centered
    /// (Melchior, Fischer and Wiskott 2016) if there are offsets.
    ///
    /// Centered, ∇W = Σ_r s_r (v_r − μ)(h_r − λ)ᵀ, ∇b = Δh − ∇Wᵀμ and ∇c = Δv − ∇W λ, where
    /// Δh = Σ_r s_r h_r and Δv = Σ_r s_r v_r. The s_r add up to zero, so a constant that is added to
    /// each h_r or each v_r changes none of the sums.
    pub fn write(&mut self, phases: &Phases, centering: Option<&Centering>, out: &mut Parameters) {
        let level = Level::detect();
        phases.v.transpose_into(level, &mut self.on);
        self.fill_rows(phases, centering);
        let Parameters { w, b, c } = &mut *out;
        product(&self.on, &self.hidden, w);
        product(&self.on, &self.sides, &mut self.visible);
        for (j, c) in c.row_mut(0).iter_mut().enumerate() {
            *c = self.visible.row(j)[0];
        }
        b.tiles_mut().fill(Tile::ZERO);
        outer::add_rows(level, &self.hidden, b.tiles_mut());
        if let Some(offsets) = centering {
            self.center(&offsets.visible, out);
        }
    }

    /// The contribution of each row of the phases to the sums, the rows divided among the threads.
    fn fill_rows(&mut self, phases: &Phases, centering: Option<&Centering>) {
        let lambda = centering.map_or(&self.no_offset, |offsets| &offsets.hidden).tiles();
        let (rows, tiles) = (phases.h.rows(), self.hidden.tiles_per_row());
        let chunk = rows_per_thread(rows, 0.2 * (phases.v.cols() + phases.h.cols()) as f64);
        let hidden = self.hidden.tiles_mut().par_chunks_mut(chunk * tiles);
        let sides = self.sides.tiles_mut().par_chunks_mut(chunk);
        let v_mu = self.v_mu.par_chunks_mut(chunk);
        hidden.zip(sides).zip(v_mu).enumerate().for_each(|(i, ((hidden, sides), v_mu))| {
            let level = Level::detect();
            for (at, centered) in hidden.chunks_exact_mut(tiles).enumerate() {
                let row = i * chunk + at;
                let (share, h) = (phases.share(row), phases.h.row_tiles(row));
                vector::scaled_difference(level, share, h, lambda, centered);
                let side = vector::dot(level, centered, lambda) as f32;
                sides[at].0[..2].copy_from_slice(&[share, side]);
                if let Some(Centering { visible: mu, .. }) = centering {
                    let (v, v_mu) = (phases.v.row(row), &mut v_mu[at..=at]);
                    let (mu, cols, scratch) = (mu.tiles(), mu.cols(), &mut [Tile::ZERO]);
                    bernoulli::selected_sums(level, mu, v, cols, scratch, v_mu);
                }
            }
        });
    }

    /// Takes the visible offsets into account. So far ∇W is Σ_r s_r v_r (h_r − λ)ᵀ, ∇b is Δh and ∇c
    /// is Δv.
    fn center(&self, mu: &Matrix, Parameters { w, b, c }: &mut Parameters) {
        let level = Level::detect();
        let (delta_h, tiles) = (b.tiles(), w.tiles_per_row());
        let chunk = rows_per_thread(w.rows(), 2.0 * tiles as f64);
        let rows = mu.row(0).par_chunks(chunk).zip(w.tiles_mut().par_chunks_mut(chunk * tiles));
        rows.for_each(|(mu, w)| outer::subtract_outer(Level::detect(), mu, delta_h, w));
        // ∇W λ = Σ_r (v_r − μ) e_r with e_r = s_r (h_r − λ)·λ.
        let all: f32 = (0..self.sides.rows()).map(|row| self.sides.row(row)[1]).sum();
        for (j, (c, mu)) in c.row_mut(0).iter_mut().zip(mu.row(0)).enumerate() {
            *c -= self.visible.row(j)[1] - mu * all;
        }
        // ∇Wᵀμ = Σ_r s_r (h_r − λ) (v_r·μ − μ·μ).
        let mu_mu = vector::dot(level, mu.tiles(), mu.tiles());
        for row in 0..self.hidden.rows() {
            let weight = (mu_mu - self.v_mu[row]) as f32;
            vector::add_scaled(level, weight, self.hidden.row_tiles(row), b.tiles_mut());
        }
    }
}

/// `out[j] = Σ_r on[j][r] · rows[r]`, the rows of `out` handed out to the threads.
fn product(on: &BitMatrix, rows: &Matrix, out: &mut Matrix) {
    let grouping = Grouping::of(on.rows(), on.cols());
    let chunk = rows_per_thread(on.rows(), 0.005 * (rows.rows() * rows.cols()) as f64);
    let tiles = out.tiles_per_row();
    out.tiles_mut().par_chunks_mut(chunk * tiles).enumerate().for_each(|(i, out)| {
        let bits = on.as_rows().slice(i * chunk, out.len() / tiles);
        affine(Level::detect(), grouping, bits, rows, &[], out);
    });
}
