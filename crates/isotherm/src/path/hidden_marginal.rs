//! The hidden-marginal path: π_β(h) ∝ p(h)^β with the visible units summed out.
//!
//! −log p(h) is, up to log Z, the free energy F(h) = −b·h − Σ_j softplus(c_j + (Wh)_j). Single-site
//! Gibbs sampling on h keeps the visible field c + Wh and its softplus sum up to date; a site
//! costs one pass over the visible units. Modes are weighed by their mass, not by their visible
//! entropy, so the transition that limits the paper's path does not arise. It suits small hidden
//! layers.

use isotherm_kernels::bits::{BitRows, bit, ones};
use isotherm_kernels::scalar::sigmoid;
use isotherm_kernels::{
    BitMatrix, LANES, LaneRng, Level, Matrix, Tile, bernoulli, softplus, vector,
};
use rayon::prelude::*;

use super::{Path, RbmPath};
use crate::model::Rbm;
use crate::streams::{Clock, Purpose};
use crate::threads::rows_per_thread;

/// A block of replicas that are hidden states alone.
#[derive(Clone, Debug)]
pub struct HiddenMarginal {
    h: BitMatrix,
    /// c + Wh.
    visible_field: Matrix,
    /// −F(h) = b·h + Σ_j softplus(c_j + (Wh)_j).
    log_weight: Vec<f64>,
}

impl HiddenMarginal {
    /// No replicas yet.
    pub fn new(n_visible: usize, n_hidden: usize) -> HiddenMarginal {
        HiddenMarginal {
            h: BitMatrix::zeros(0, n_hidden),
            visible_field: Matrix::zeros(0, n_visible),
            log_weight: Vec::new(),
        }
    }
}

/// `steps` sweeps of one replica over its hidden units, its field up to date; returns −F(h).
fn sweep_row(
    model: &Rbm,
    beta: f64,
    steps: usize,
    rng: &mut LaneRng,
    h: &mut [u64],
    field: &mut [Tile],
) -> f64 {
    let (level, n_visible, n_hidden) = (Level::detect(), model.n_visible(), model.n_hidden());
    let b = model.parameters().b.row(0);
    let mut sum = softplus::softplus_sum(level, field, 1.0, n_visible);
    let sites = if beta == 0.0 { 0 } else { steps * n_hidden };
    let mut uniforms = Tile::ZERO;
    for site in 0..sites {
        if site % LANES == 0 {
            uniforms = rng.next_uniforms();
        }
        let i = site % n_hidden;
        let sign = if bit(h, i) { -1.0 } else { 1.0 };
        let flipped =
            softplus::softplus_sum_shifted(level, field, model.filter(i), sign, n_visible);
        let gain = f64::from(sign * b[i]) + flipped - sum;
        if f64::from(uniforms.0[site % LANES]) < sigmoid(beta * gain) {
            h[i / 64] ^= 1 << (i % 64);
            vector::add_scaled(level, sign, model.filter(i), field);
            sum = flipped;
        }
    }
    sum + ones(h).map(|i| f64::from(b[i])).sum::<f64>()
}

impl Path for HiddenMarginal {
    type Model = Rbm;

    fn rows(&self) -> usize {
        self.h.rows()
    }

    fn sweep(&mut self, model: &Rbm, betas: &[f64], steps: usize, clock: Clock) {
        assert_eq!(betas.len(), self.h.rows(), "one β for each row");
        let cost = steps as f64 * 0.5 * (model.n_visible() * model.n_hidden()) as f64;
        let rows = rows_per_thread(betas.len(), cost);
        let (words, tiles) = (self.h.words_per_row(), self.visible_field.tiles_per_row());
        betas
            .par_chunks(rows)
            .zip(self.h.words_mut().par_chunks_mut(rows * words))
            .zip(self.visible_field.tiles_mut().par_chunks_mut(rows * tiles))
            .zip(self.log_weight.par_chunks_mut(rows))
            .enumerate()
            .for_each(|(chunk, (((betas, h), fields), log_weights))| {
                let stream = |i| clock.lanes(Purpose::Sweep, chunk * rows + i);
                for (i, _) in betas.iter().enumerate().filter(|(_, beta)| **beta == 0.0) {
                    let h = &mut h[i * words..][..words];
                    bernoulli::coin_row(Level::detect(), model.n_hidden(), &mut stream(i), h);
                }
                model.visible_field(BitRows::by_rows(h, words), fields);
                for (i, &beta) in betas.iter().enumerate() {
                    let mut rng = stream(i);
                    let h = &mut h[i * words..][..words];
                    let field = &mut fields[i * tiles..][..tiles];
                    log_weights[i] = sweep_row(model, beta, steps, &mut rng, h, field);
                }
            });
    }

    fn log_ratio(&self, (x, beta_x): (usize, f64), (y, beta_y): (usize, f64)) -> f64 {
        (beta_x - beta_y) * (self.log_weight[y] - self.log_weight[x])
    }

    fn settle(&mut self, _model: &Rbm, _betas: &[f64], _clock: Clock) {}

    fn select(&mut self, rows: &[usize]) {
        self.h = self.h.select(rows);
        self.visible_field = self.visible_field.select(rows);
        self.log_weight = rows.iter().map(|&r| self.log_weight[r]).collect();
    }
}

impl RbmPath for HiddenMarginal {
    fn hidden(&self) -> BitMatrix {
        self.h.clone()
    }

    fn set_hidden(&mut self, h: BitMatrix) {
        self.visible_field = Matrix::zeros(h.rows(), self.visible_field.cols());
        self.log_weight = vec![0.0; h.rows()];
        self.h = h;
    }

    fn visible(&mut self, model: &Rbm, rows: &[usize], clock: Clock, out: &mut BitMatrix) {
        for (i, &row) in rows.iter().enumerate() {
            let mut rng = clock.lanes(Purpose::Visible, row);
            let field = self.visible_field.row_tiles(row);
            let bits = out.row_mut(i);
            bernoulli::draw_row(
                Level::detect(),
                field,
                &[],
                1.0,
                model.n_visible(),
                &mut rng,
                bits,
            );
        }
    }
}
