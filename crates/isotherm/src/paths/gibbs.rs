//! Block Gibbs sampling on π_β(v, h) ∝ exp((1−β) c₀·v − β E(v, h)), which serves the joint path
//! (c₀ = 0) and the base-rate path (c₀ = log-odds of the data's marginals).
//!
//! A step draws v given h, computes the hidden field a = b + Wᵀv, and draws h given v. With swaps
//! on free energies the last draw waits until after the swap (see [`Path::settle`]), so that both
//! kinds of swap cost the same two products.
//!
//! Written with t(v) = (c − c₀)·v and up to a term that is the same on every rung,
//! log π_β(v, h) = β (t + h·a) and, h summed out, log π_β(v) = β t + Σ_i softplus(β a_i).
//! t(v) is one more column of the product that gives a. At β = 0 the visible field is c₀ whatever
//! h is: the Gibbs step itself is the exact redraw.

use std::f64::consts::LN_2;

use isotherm_kernels::affine::Grouping;
use isotherm_kernels::few_inputs::FewInputs;
use isotherm_kernels::matrix::flat;
use isotherm_kernels::{BitMatrix, LANES, Level, Matrix, Tile, scalar, softplus};
use rayon::prelude::*;

use super::gibbs_block::{Block, Target};
use super::{Path, RbmPath, SwapOn, Weighted};
use crate::model::Rbm;
use isotherm_tempering::streams::{Clock, Purpose};
use isotherm_tempering::threads::rows_per_thread;

/// Replicas that are worth tables of the whole visible field.
const WORTH_TABLES: usize = 16;

/// Visible units up to which such tables, at most 512 bytes a unit, stay in L2 or near it.
const MOST_TABULATED: usize = 8192;

/// Replicas under block Gibbs sampling.
#[derive(Clone, Debug)]
pub struct Gibbs {
    swap: SwapOn,
    n_visible: usize,
    n_hidden: usize,
    /// c₀, or nothing where it is zero.
    base: Vec<Tile>,
    /// c − c₀, what t(v) weighs the visible units with.
    tilt: Vec<f32>,
    /// The replicas, cut into one block for each thread that is worth waking.
    blocks: Vec<Block>,
    rows: usize,
    /// Whether the rows' v and fields are those of the last sweep: of the rows' states only h
    /// outlives a change of the rows.
    swept: bool,
}

impl Gibbs {
    /// No replicas yet. `base` is c₀, one value for each visible unit, or empty for zero.
    pub fn new(n_visible: usize, n_hidden: usize, base: &[f32], swap: SwapOn) -> Gibbs {
        assert!(base.is_empty() || base.len() == n_visible, "length of the base field");
        let (base, tilt) = (Matrix::from_row(base).tiles().to_vec(), vec![0.0; n_visible]);
        Gibbs { swap, n_visible, n_hidden, base, tilt, blocks: Vec::new(), rows: 0, swept: false }
    }

    /// The visible units after the last sweep.
    pub fn visible_states(&self) -> BitMatrix {
        let mut v = BitMatrix::zeros(self.rows, self.n_visible);
        for row in 0..self.rows {
            let (block, at) = self.find(row);
            block.copy_visible(at, v.row_mut(row));
        }
        v
    }

    /// The block that a row is in, and its place there.
    fn find(&self, row: usize) -> (&Block, usize) {
        let size = self.blocks[0].rows();
        (&self.blocks[row / size], row % size)
    }

    /// log π_β of a row, without the terms that are the same on every rung, as fast as swaps
    /// need it.
    fn swap_weight(&self, row: usize, beta: f64) -> f64 {
        let (block, at) = self.find(row);
        match self.swap {
            SwapOn::Energy => beta * (block.tilt(at) + block.coupling(at)),
            SwapOn::FreeEnergy => {
                let (fields, stride) = block.hidden_field(at);
                let (level, cols) = (Level::detect(), self.n_hidden);
                beta * block.tilt(at)
                    + softplus::softplus_sum_strided(level, fields, stride, beta as f32, cols)
            }
        }
    }

    /// How hidden fields are summed up.
    fn to_hidden(&self) -> Grouping {
        Grouping::of(self.rows, self.n_visible)
    }

    /// Nanoseconds that a row's Gibbs step takes, roughly.
    fn cost_of_a_step(&self) -> f64 {
        let (n_visible, n_hidden) = (self.n_visible as f64, self.n_hidden as f64);
        0.005 * n_visible * n_hidden + 0.3 * (n_visible + n_hidden)
    }

    /// Cuts the rows into blocks of this size, unless they are so already. Of a row's state this
    /// keeps h, which is all that a sweep starts from.
    fn cut(&mut self, size: usize) {
        if self.blocks.first().is_none_or(|block| block.rows() != size.min(self.rows)) {
            let h = self.hidden();
            self.set_blocks(&h, size);
        }
    }

    fn set_blocks(&mut self, h: &BitMatrix, size: usize) {
        (self.rows, self.swept) = (h.rows(), false);
        self.blocks = (0..h.rows())
            .step_by(size.max(1))
            .map(|first| Block::new(h, first..(first + size).min(h.rows()), self.n_visible))
            .collect();
    }

    /// Hands the blocks out to the threads, each row with a fresh stream.
    fn for_each_block(
        &mut self,
        model: &Rbm,
        betas: &[f64],
        (purpose, clock): (Purpose, Clock),
        work: impl Fn(&mut Block, &Target<'_>) + Sync,
    ) {
        let Some(size) = self.blocks.first().map(Block::rows) else { return };
        let c = model.parameters().c.row(0);
        self.tilt.copy_from_slice(c);
        for (tilt, base) in self.tilt.iter_mut().zip(flat(&self.base)) {
            *tilt -= base;
        }
        // By all rows, so that sums do not depend on the number of threads.
        let few = self.n_hidden <= FewInputs::MOST
            && self.n_visible <= MOST_TABULATED
            && self.rows >= WORTH_TABLES;
        let target = Target {
            model,
            base: &self.base,
            tilt: &self.tilt,
            few,
            to_visible: Grouping::of(self.rows, self.n_hidden),
            to_hidden: self.to_hidden(),
        };
        self.blocks.par_iter_mut().zip(betas.par_chunks(size)).enumerate().for_each(
            |(block, (rows, betas))| {
                rows.begin(betas, purpose, clock, block * size);
                work(rows, &target);
            },
        );
    }
}

impl Path for Gibbs {
    type Model = Rbm;

    fn rows(&self) -> usize {
        self.rows
    }

    fn sweep(&mut self, model: &Rbm, betas: &[f64], steps: usize, clock: Clock) {
        assert_eq!(betas.len(), self.rows, "one β for each row");
        let (swap, stream) = (self.swap, (Purpose::Sweep, clock));
        self.cut(rows_per_thread(self.rows, steps as f64 * self.cost_of_a_step()));
        self.for_each_block(model, betas, stream, |block, target| {
            block.see(target);
            for step in 1..=steps {
                block.draw_visible(target);
                block.update_hidden_field(target);
                if step < steps || swap == SwapOn::Energy {
                    block.draw_hidden();
                }
            }
            if swap == SwapOn::Energy {
                block.update_coupling();
            }
        });
        self.swept = true;
    }

    fn log_ratio(&self, (x, beta_x): (usize, f64), (y, beta_y): (usize, f64)) -> f64 {
        assert!(self.swept, "a log-ratio needs a sweep before it");
        let straight = self.swap_weight(x, beta_x) + self.swap_weight(y, beta_y);
        let crossed = self.swap_weight(y, beta_x) + self.swap_weight(x, beta_y);
        crossed - straight
    }

    fn settle(&mut self, model: &Rbm, betas: &[f64], clock: Clock) {
        if self.swap == SwapOn::FreeEnergy {
            assert!(self.swept, "there is nothing to settle without a sweep before it");
            let stream = (Purpose::Settle, clock);
            self.for_each_block(model, betas, stream, |block, _| block.draw_hidden());
        }
    }

    fn select(&mut self, rows: &[usize]) {
        let h = self.hidden().select(rows);
        self.set_hidden(h);
    }
}

impl RbmPath for Gibbs {
    fn hidden(&self) -> BitMatrix {
        let mut h = BitMatrix::zeros(self.rows, self.n_hidden);
        self.copy_hidden(&(0..self.rows).collect::<Vec<_>>(), &mut h);
        h
    }

    fn copy_hidden(&self, rows: &[usize], out: &mut BitMatrix) {
        for (i, &row) in rows.iter().enumerate() {
            let (block, at) = self.find(row);
            block.copy_hidden(at, out.row_mut(i));
        }
    }

    fn put_hidden(&mut self, rows: &[usize], h: &BitMatrix) {
        let size = self.blocks.first().map_or(1, Block::rows);
        for (i, &row) in rows.iter().enumerate() {
            self.blocks[row / size].put_hidden(row % size, h.row(i));
        }
        self.swept = false;
    }

    fn set_hidden(&mut self, h: BitMatrix) {
        assert_eq!(h.cols(), self.n_hidden, "hidden units");
        self.set_blocks(&h, h.rows());
    }

    fn visible(&mut self, _model: &Rbm, rows: &[usize], _clock: Clock, out: &mut BitMatrix) {
        assert!(self.swept, "visible samples need a sweep before them");
        for (i, &row) in rows.iter().enumerate() {
            let (block, at) = self.find(row);
            block.copy_visible(at, out.row_mut(i));
        }
    }

    fn hidden_fields(&self, rows: &[usize], grouping: Grouping, out: &mut [Tile]) -> bool {
        assert!(self.swept, "hidden fields need a sweep before them");
        let has = grouping == self.to_hidden();
        if has {
            let tiles = self.n_hidden.div_ceil(LANES);
            assert_eq!(out.len(), rows.len() * tiles, "one row of fields for each sample");
            for (&row, out) in rows.iter().zip(out.chunks_exact_mut(tiles)) {
                let (block, at) = self.find(row);
                let (fields, stride) = block.hidden_field(at);
                for (out, field) in out.iter_mut().zip(fields.iter().step_by(stride)) {
                    *out = *field;
                }
            }
        }
        has
    }
}

impl Weighted for Gibbs {
    fn log_weights(&self, row: usize, betas: &[f64], out: &mut [f64]) {
        assert!(self.swept, "log-weights need a sweep before them");
        let (block, at) = self.find(row);
        let linear = match self.swap {
            SwapOn::Energy => block.tilt(at) + block.coupling(at),
            SwapOn::FreeEnergy => block.tilt(at),
        };
        for (out, beta) in out.iter_mut().zip(betas) {
            *out = beta * linear;
        }
        if self.swap == SwapOn::FreeEnergy {
            block.add_softplus(at, betas, out);
        }
    }

    fn log_z_at_the_hot_end(&self) -> f64 {
        let base = flat(&self.base).iter().take(self.n_visible);
        let visible = match self.base.is_empty() {
            true => self.n_visible as f64 * LN_2,
            false => base.map(|&c0| scalar::softplus(f64::from(c0))).sum(),
        };
        visible + self.n_hidden as f64 * LN_2
    }
}
