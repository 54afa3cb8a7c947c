//! The hidden-marginal path: π_β(h) ∝ p(h)^β with the visible units summed out.
//!
//! −log p(h) is, up to log Z, the free energy F(h) = −b·h − Σ_j softplus(c_j + (Wh)_j). Single-site
//! Gibbs sampling on h needs F of the state with one unit flipped, which is a pass over the visible
//! units (`visible_sums.rs`). Modes are weighed by their mass, not by their visible entropy, so
//! the transition that limits the paper's path does not arise. It suits small hidden layers.

mod visible_sums;

use std::f64::consts::LN_2;

use isotherm_kernels::bits::{bit, ones};
use isotherm_kernels::exp::sigmoid_f64;
use isotherm_kernels::{BitMatrix, LANES, LaneRng, Level, Matrix, Products, Tile, bernoulli};
use isotherm_tempering::{Explorer, Path, Population, Result, States};
use rayon::prelude::*;

use self::visible_sums::{Carried, Scratch, Tabulated, VisibleSums};
use super::{HiddenStates, PathEntry, SwapOn, VisibleUnits};
use crate::model::Rbm;
use isotherm_tempering::streams::{Key, Purpose};
use isotherm_tempering::threads::rows_per_thread;

/// The largest hidden layer for which this path is worth it: a sweep costs a pass over the visible
/// units for every hidden one.
pub const SMALL_HIDDEN: usize = 32;

/// The hidden-marginal path in the registry.
pub const PATH: PathEntry = PathEntry {
    build: |context, _| Box::new(hidden_marginal(context.n_visible(), context.n_hidden)),
    swap: SwapOn::FreeEnergy,
    // The visible units, without which there is no energy, are summed out.
    has_energies: false,
    takes_references: false,
    init_std: |_| 0.2,
    cost: 40.0,
};

/// p(h)^β over the hidden units.
#[derive(Clone, Copy, Debug)]
pub struct HiddenMarginalPath {
    n_hidden: usize,
}

/// Hidden states, with −F(h) of each after a sweep.
#[derive(Clone, Debug)]
pub struct HiddenMarginalStates {
    h: BitMatrix,
    /// −F(h) = b·h + Σ_j softplus(c_j + (Wh)_j).
    log_weight: Vec<f64>,
}

/// Single-site Gibbs sampling of hidden units with the visible ones summed out.
#[derive(Clone, Debug)]
pub struct SingleSiteGibbs {
    products: Products,
    /// One for each chunk of rows.
    scratch: Vec<Scratch>,
    /// h and c + Wh of the rows whose visible units were drawn last.
    visible_field: Matrix,
    asked: BitMatrix,
}

/// Replicas on the hidden-marginal path.
pub type HiddenMarginal = Population<HiddenMarginalPath, SingleSiteGibbs>;

/// The hidden-marginal path over `n_visible` and `n_hidden` units, without replicas yet.
pub fn hidden_marginal(n_visible: usize, n_hidden: usize) -> HiddenMarginal {
    Population {
        path: HiddenMarginalPath { n_hidden },
        explorer: SingleSiteGibbs {
            products: Products::default(),
            scratch: Vec::new(),
            visible_field: Matrix::zeros(0, n_visible),
            asked: BitMatrix::zeros(0, n_hidden),
        },
        states: HiddenMarginalStates { h: BitMatrix::zeros(0, n_hidden), log_weight: Vec::new() },
    }
}

/// `steps` sweeps of one replica over its hidden units; returns −F(h).
fn sweep_row(
    sums: &mut impl VisibleSums,
    b: &[f32],
    beta: f64,
    steps: usize,
    rng: &mut LaneRng,
    h: &mut [u64],
) -> f64 {
    let mut sum = sums.begin(h);
    let sites = if beta == 0.0 { 0 } else { steps * b.len() };
    let mut uniforms = Tile::ZERO;
    for site in 0..sites {
        if site % LANES == 0 {
            uniforms = rng.next_uniforms();
        }
        let i = site % b.len();
        let flipped = sums.flipped(h, i);
        let bias = f64::from(if bit(h, i) { -b[i] } else { b[i] });
        if f64::from(uniforms.0[site % LANES]) < sigmoid_f64(beta * (bias + flipped - sum)) {
            sums.flip(h, i);
            h[i / 64] ^= 1 << (i % 64);
            sum = flipped;
        }
    }
    sum + ones(h).map(|i| f64::from(b[i])).sum::<f64>()
}

/// Nanoseconds that the decision about a hidden unit takes, roughly; `tabulated` is the faster way.
fn cost_of_a_site(n_visible: usize, tabulated: bool) -> f64 {
    let unit = if tabulated { 0.05 } else { 0.5 };
    unit * n_visible as f64 + 20.0
}

/// Nanoseconds that a sweep of a row takes, roughly, if the hidden units are few enough for tables.
pub(crate) fn cost_of_a_sweep(n_visible: usize, n_hidden: usize) -> f64 {
    let tabulated = n_hidden <= Products::MOST_INPUTS;
    n_hidden as f64 * cost_of_a_site(n_visible, tabulated)
}

impl Path for HiddenMarginalPath {
    type Model = Rbm;
    type States = HiddenMarginalStates;

    fn log_densities(
        &self,
        states: &HiddenMarginalStates,
        row: usize,
        betas: &[f64],
        out: &mut [f64],
    ) {
        for (out, beta) in out.iter_mut().zip(betas) {
            *out = beta * states.log_weight[row];
        }
    }

    fn log_z_of_reference(&self) -> f64 {
        self.n_hidden as f64 * LN_2
    }

    fn log_ratio(
        &self,
        states: &HiddenMarginalStates,
        (x, beta_x): (usize, f64),
        (y, beta_y): (usize, f64),
    ) -> f64 {
        (beta_x - beta_y) * (states.log_weight[y] - states.log_weight[x])
    }
}

impl Explorer<HiddenMarginalPath> for SingleSiteGibbs {
    fn sweep(
        &mut self,
        _: &HiddenMarginalPath,
        model: &Rbm,
        states: &mut HiddenMarginalStates,
        betas: &[f64],
        steps: usize,
        key: Key,
    ) -> Result<()> {
        let (n_visible, n_hidden) = (model.n_visible(), model.n_hidden());
        let (level, c) = (Level::detect(), &model.parameters().c);
        // The model may have changed since the last sweep: the tables are computed again.
        let tabulated = n_hidden <= Products::MOST_INPUTS
            && self.products.tabulate(level, model.filters(), c.tiles());
        let site = cost_of_a_site(n_visible, tabulated);
        let rows = rows_per_thread(betas.len(), site * (steps * n_hidden) as f64);
        let (b, words) = (model.parameters().b.row(0), states.h.words_per_row());
        let products = &self.products;
        self.scratch.resize_with(betas.len().div_ceil(rows), Scratch::default);
        betas
            .par_chunks(rows)
            .zip(states.h.words_mut().par_chunks_mut(rows * words))
            .zip(states.log_weight.par_chunks_mut(rows))
            .zip(&mut self.scratch)
            .enumerate()
            .for_each(|(chunk, (((betas, h), log_weights), scratch))| {
                let share = Share { first: chunk * rows, betas, h, log_weights };
                if tabulated {
                    share.sweep(b, steps, key, &mut Tabulated::new(products, n_hidden, scratch));
                } else {
                    share.sweep(b, steps, key, &mut Carried::new(model, scratch));
                }
            });
        Ok(())
    }
}

/// One thread's share of the rows.
struct Share<'a> {
    first: usize,
    betas: &'a [f64],
    h: &'a mut [u64],
    log_weights: &'a mut [f64],
}

impl Share<'_> {
    fn sweep(self, b: &[f32], steps: usize, key: Key, sums: &mut impl VisibleSums) {
        let words = self.h.len() / self.betas.len();
        for (i, &beta) in self.betas.iter().enumerate() {
            let mut rng = key.lanes(Purpose::Sweep, self.first + i);
            let h = &mut self.h[i * words..][..words];
            if beta == 0.0 {
                bernoulli::coin_row(Level::detect(), b.len(), &mut rng, h);
            }
            self.log_weights[i] = sweep_row(sums, b, beta, steps, &mut rng, h);
        }
    }
}

impl States for HiddenMarginalStates {
    fn rows(&self) -> usize {
        self.h.rows()
    }

    fn select(&mut self, rows: &[usize]) {
        self.h = self.h.select(rows);
        self.log_weight = rows.iter().map(|&r| self.log_weight[r]).collect();
    }
}

impl HiddenStates for HiddenMarginalStates {
    fn hidden(&self) -> BitMatrix {
        self.h.clone()
    }

    fn set_hidden(&mut self, h: BitMatrix) {
        self.log_weight = vec![0.0; h.rows()];
        self.h = h;
    }

    fn copy_hidden(&self, rows: &[usize], out: &mut BitMatrix) {
        for (i, &row) in rows.iter().enumerate() {
            out.row_mut(i).copy_from_slice(self.h.row(row));
        }
    }

    fn put_hidden(&mut self, rows: &[usize], h: &BitMatrix) {
        for (i, &row) in rows.iter().enumerate() {
            self.h.row_mut(row).copy_from_slice(h.row(i));
        }
    }
}

impl VisibleUnits<HiddenMarginalPath> for SingleSiteGibbs {
    fn visible(
        &mut self,
        model: &Rbm,
        states: &HiddenMarginalStates,
        rows: &[usize],
        key: Key,
        out: &mut BitMatrix,
    ) {
        let (level, n_visible) = (Level::detect(), model.n_visible());
        if self.visible_field.rows() != rows.len() {
            self.visible_field = Matrix::zeros(rows.len(), n_visible);
        }
        self.asked.clear_rows();
        rows.iter().for_each(|&row| self.asked.push_row(states.h.row(row)));
        model.visible_field(self.asked.as_rows(), self.visible_field.tiles_mut());
        for (i, &row) in rows.iter().enumerate() {
            let mut rng = key.lanes(Purpose::Visible, row);
            let field = self.visible_field.row_tiles(i);
            bernoulli::draw_row(level, field, &[], 1.0, n_visible, &mut rng, out.row_mut(i));
        }
    }
}
