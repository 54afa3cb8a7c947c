//! Block Gibbs sampling on π_β(v, h) ∝ exp((1−β) c₀·v − β E(v, h)), which serves the joint path
//! (c₀ = 0) and the base-rate path (c₀ = log-odds of the data's marginals).
//!
//! A step draws v given h, computes the hidden field a = b + Wᵀv, and draws h given v. With swaps
//! on free energies the last draw waits until after the swap (see [`Path::settle`]), so that both
//! kinds of swap cost the same two products.
//!
//! Written with t(v) = (c − c₀)·v and up to a term that is the same on every rung,
//! log π_β(v, h) = β (t + h·a) and, h summed out, log π_β(v) = β t + Σ_i softplus(β a_i).
//! At β = 0 the visible field is c₀ whatever h is: the Gibbs step itself is the exact redraw.

use isotherm_kernels::bits::ones;
use isotherm_kernels::matrix::flat;
use isotherm_kernels::{BitMatrix, LaneRng, Level, Matrix, Tile, bernoulli, softplus};
use rayon::prelude::*;

use super::{Path, RbmPath, SwapOn, rows_per_thread};
use crate::model::Rbm;
use crate::streams::{Clock, Purpose};

/// A block of replicas under block Gibbs sampling.
#[derive(Clone, Debug)]
pub struct Gibbs {
    swap: SwapOn,
    /// c₀, or nothing where it is zero.
    base: Vec<Tile>,
    h: BitMatrix,
    v: BitMatrix,
    /// The visible fields c + Wh that v was drawn from.
    visible_field: Matrix,
    /// The hidden fields a = b + Wᵀv.
    hidden_field: Matrix,
    /// t(v) = (c − c₀)·v.
    tilt: Vec<f64>,
    /// h·a, where swaps are on energies.
    coupling: Vec<f64>,
    rngs: Vec<LaneRng>,
}

impl Gibbs {
    /// No replicas yet. `base` is c₀, one value for each visible unit, or empty for zero.
    pub fn new(n_visible: usize, n_hidden: usize, base: &[f32], swap: SwapOn) -> Gibbs {
        assert!(base.is_empty() || base.len() == n_visible, "length of the base field");
        Gibbs {
            swap,
            base: Matrix::from_row(base).tiles().to_vec(),
            h: BitMatrix::zeros(0, n_hidden),
            v: BitMatrix::zeros(0, n_visible),
            visible_field: Matrix::zeros(0, n_visible),
            hidden_field: Matrix::zeros(0, n_hidden),
            tilt: Vec::new(),
            coupling: Vec::new(),
            rngs: Vec::new(),
        }
    }

    /// The visible units after the last sweep.
    pub fn visible_states(&self) -> &BitMatrix {
        &self.v
    }

    /// log π_β of a row, without the terms that are the same on every rung.
    fn log_weight(&self, row: usize, beta: f64) -> f64 {
        match self.swap {
            SwapOn::Energy => beta * (self.tilt[row] + self.coupling[row]),
            SwapOn::FreeEnergy => {
                let field = self.hidden_field.row_tiles(row);
                let cols = self.h.cols();
                beta * self.tilt[row]
                    + softplus::softplus_sum(Level::detect(), field, beta as f32, cols)
            }
        }
    }
}

/// One thread's share of the rows.
struct Chunk<'a> {
    betas: &'a [f64],
    h: &'a mut [u64],
    v: &'a mut [u64],
    visible_field: &'a mut [Tile],
    hidden_field: &'a mut [Tile],
    tilt: &'a mut [f64],
    coupling: &'a mut [f64],
    rngs: &'a mut [LaneRng],
}

impl Chunk<'_> {
    fn sweep(&mut self, model: &Rbm, base: &[Tile], steps: usize, swap: SwapOn) {
        for step in 1..=steps {
            self.draw_visible(model, base);
            self.update_hidden_field(model);
            if step < steps || swap == SwapOn::Energy {
                self.draw_hidden(model);
            }
        }
    }

    /// v given h; leaves Σ_j v_j (c_j + (Wh)_j − c₀_j) in `tilt`.
    fn draw_visible(&mut self, model: &Rbm, base: &[Tile]) {
        model.visible_field(self.h, self.visible_field);
        let (fields, cols) = (&*self.visible_field, model.n_visible());
        draw_rows(self.betas, fields, base, cols, self.rngs, self.v, self.tilt);
    }

    /// a = b + Wᵀv. Takes vᵀWh = h·(a − b) out of `tilt`, which leaves (c − c₀)·v.
    fn update_hidden_field(&mut self, model: &Rbm) {
        model.hidden_field(self.v, self.hidden_field);
        let rows = self.betas.len();
        let (tiles, words) = (self.hidden_field.len() / rows, self.h.len() / rows);
        let b = model.parameters().b.row(0);
        for (row, h) in self.h.chunks_exact(words).enumerate() {
            let field = flat(&self.hidden_field[row * tiles..][..tiles]);
            self.tilt[row] -= ones(h).map(|i| f64::from(field[i]) - f64::from(b[i])).sum::<f64>();
        }
    }

    /// h given v.
    fn draw_hidden(&mut self, model: &Rbm) {
        let (fields, cols) = (&*self.hidden_field, model.n_hidden());
        draw_rows(self.betas, fields, &[], cols, self.rngs, self.h, self.coupling);
    }
}

/// Draws every row of `bits` from its field and keeps the sums that the draws return.
fn draw_rows(
    betas: &[f64],
    fields: &[Tile],
    base: &[Tile],
    cols: usize,
    rngs: &mut [LaneRng],
    bits: &mut [u64],
    sums: &mut [f64],
) {
    let (tiles, words) = (fields.len() / betas.len(), bits.len() / betas.len());
    let rows = fields.chunks_exact(tiles).zip(bits.chunks_exact_mut(words));
    for (row, (field, bits)) in rows.enumerate() {
        let (beta, rng) = (betas[row] as f32, &mut rngs[row]);
        sums[row] = bernoulli::draw_row(Level::detect(), field, base, beta, cols, rng, bits);
    }
}

impl Gibbs {
    /// Hands the rows out to the threads, each row with a fresh stream.
    fn for_each_chunk(
        &mut self,
        betas: &[f64],
        steps: usize,
        purpose: Purpose,
        clock: Clock,
        work: impl Fn(&mut Chunk<'_>, &[Tile]) + Sync,
    ) {
        assert_eq!(betas.len(), self.h.rows(), "one β for each row");
        let (n_visible, n_hidden) = (self.v.cols() as f64, self.h.cols() as f64);
        // Products go fast, a unit's draw does not.
        let cost = steps as f64 * (0.03 * n_visible * n_hidden + 0.8 * (n_visible + n_hidden));
        let rows = rows_per_thread(betas.len(), cost);
        let (h_words, v_words) = (self.h.words_per_row(), self.v.words_per_row());
        let v_tiles = self.visible_field.tiles_per_row();
        let h_tiles = self.hidden_field.tiles_per_row();
        let base = &self.base;
        betas
            .par_chunks(rows)
            .zip(self.h.words_mut().par_chunks_mut(rows * h_words))
            .zip(self.v.words_mut().par_chunks_mut(rows * v_words))
            .zip(self.visible_field.tiles_mut().par_chunks_mut(rows * v_tiles))
            .zip(self.hidden_field.tiles_mut().par_chunks_mut(rows * h_tiles))
            .zip(self.tilt.par_chunks_mut(rows))
            .zip(self.coupling.par_chunks_mut(rows))
            .zip(self.rngs.par_chunks_mut(rows))
            .enumerate()
            .for_each(|(chunk, parts)| {
                let (((((((betas, h), v), visible_field), hidden_field), tilt), coupling), rngs) =
                    parts;
                for (i, rng) in rngs.iter_mut().enumerate() {
                    *rng = clock.lanes(purpose, chunk * rows + i);
                }
                let mut chunk =
                    Chunk { betas, h, v, visible_field, hidden_field, tilt, coupling, rngs };
                work(&mut chunk, base);
            });
    }
}

impl Path for Gibbs {
    type Model = Rbm;

    fn rows(&self) -> usize {
        self.h.rows()
    }

    fn sweep(&mut self, model: &Rbm, betas: &[f64], steps: usize, clock: Clock) {
        let swap = self.swap;
        self.for_each_chunk(betas, steps, Purpose::Sweep, clock, |chunk, base| {
            chunk.sweep(model, base, steps, swap);
        });
    }

    fn log_ratio(&self, (x, beta_x): (usize, f64), (y, beta_y): (usize, f64)) -> f64 {
        let straight = self.log_weight(x, beta_x) + self.log_weight(y, beta_y);
        let crossed = self.log_weight(y, beta_x) + self.log_weight(x, beta_y);
        crossed - straight
    }

    fn settle(&mut self, model: &Rbm, betas: &[f64], clock: Clock) {
        if self.swap == SwapOn::FreeEnergy {
            self.for_each_chunk(betas, 1, Purpose::Settle, clock, |chunk, _| {
                chunk.draw_hidden(model)
            });
        }
    }

    fn select(&mut self, rows: &[usize]) {
        self.h = self.h.select(rows);
        self.v = self.v.select(rows);
        self.hidden_field = self.hidden_field.select(rows);
        self.visible_field = self.visible_field.select(rows);
        self.tilt = rows.iter().map(|&r| self.tilt[r]).collect();
        self.coupling = rows.iter().map(|&r| self.coupling[r]).collect();
        self.rngs = rows.iter().map(|&r| self.rngs[r].clone()).collect();
    }
}

impl RbmPath for Gibbs {
    fn hidden(&self) -> &BitMatrix {
        &self.h
    }

    fn set_hidden(&mut self, h: BitMatrix) {
        let rows = h.rows();
        self.v = BitMatrix::zeros(rows, self.v.cols());
        self.visible_field = Matrix::zeros(rows, self.v.cols());
        self.hidden_field = Matrix::zeros(rows, h.cols());
        self.tilt = vec![0.0; rows];
        self.coupling = vec![0.0; rows];
        self.rngs = vec![LaneRng::new(0); rows];
        self.h = h;
    }

    fn visible(&mut self, _model: &Rbm, rows: &[usize], _clock: Clock) -> BitMatrix {
        self.v.select(rows)
    }
}
