//! Penalties on the weights: a decay, an L1 penalty and, where the examples are images, one on differences
//! between the weights of neighbouring pixels.
//!
//! The objective is the mean log-likelihood of an example minus P(W) = (d/2) Σ W² + l Σ |W| + (s/2) Σ |W_j
//! − W_k|², with the last sum over pairs of pixels that share an edge. A decay pulls all weights towards
//! zero; the last term penalises only what neither neighbours nor data support.
//!
//! The centered gradient is an ascent in W, b + Wᵀμ and c + Wλ, the biases around the offsets. So a move of
//! W at fixed centered biases also moves b and c: with p the gradient of P, b moves by +pᵀμ and c by +pλ
//! when W moves by −p. Only then is the fixed point that of the plain gradient.

use isotherm_kernels::vector::{PenalisedRow, Penalty, penalise};
use isotherm_kernels::{Level, Matrix, Tile, outer};
use rayon::prelude::*;

use crate::data::ImageShape;
use crate::model::Parameters;
use crate::objective::gradient::Centering;
use crate::options::{OptimiserOptions, Plan};
use isotherm_tempering::threads::rows_per_thread;

/// Pixels whose contributions to pᵀμ are summed by one thread. The sums are added in order, so the number
/// of threads changes nothing.
pub(crate) const BLOCK: usize = 64;

/// The penalty on differences between neighbouring pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Smoothness {
    /// Which pixels are neighbours.
    pub shape: ImageShape,
    /// s in P(W).
    pub strength: f64,
}

impl Smoothness {
    /// The pixels that share an edge with one; at the border the pixel itself, which contributes nothing.
    fn beside(&self, pixel: usize) -> [usize; 4] {
        let ImageShape { width, height } = self.shape;
        let (x, y) = (pixel % width, pixel / width);
        [
            if x > 0 { pixel - 1 } else { pixel },
            if x + 1 < width { pixel + 1 } else { pixel },
            if y > 0 { pixel - width } else { pixel },
            if y + 1 < height { pixel + width } else { pixel },
        ]
    }
}

/// The penalties of a run.
#[derive(Clone, Debug)]
pub struct Penalties {
    decay: f64,
    l1: f64,
    smoothness: Option<Smoothness>,
    momentum: f64,
    /// A row for each block: Σ_j μ_j p_j over its pixels.
    sums: Matrix,
    /// λ where nothing is centered.
    no_offset: Matrix,
}

impl Penalties {
    /// Those of a plan, for weights of `n_visible` rows.
    pub fn new(plan: &Plan, n_visible: usize) -> Penalties {
        let OptimiserOptions { weight_decay: decay, l1, momentum, .. } = plan.options.optimiser;
        let hidden = plan.options.hidden;
        let sums = Matrix::zeros(n_visible.div_ceil(BLOCK), hidden);
        let no_offset = Matrix::zeros(1, hidden);
        Penalties { decay, l1, smoothness: plan.smoothness, momentum, sums, no_offset }
    }

    /// Subtracts the gradient p of the penalties from that of the likelihood, before an ascent with this
    /// rate. The weights lose all of it except the L1 part, which the ascent itself subtracts; the biases
    /// gain the part that belongs to p, if the gradient is centered.
    pub fn subtract_from(
        &mut self,
        gradient: &mut Parameters,
        (w, velocity): (&Matrix, &Matrix),
        centering: Option<&Centering>,
        rate: f64,
    ) {
        let carries = centering.is_some() && self.l1 > 0.0;
        if self.decay == 0.0 && self.smoothness.is_none() && !carries {
            return;
        }
        let (smoothness, penalty) = (self.smoothness, self.before_an_ascent(rate));
        let lambda = centering.map_or(&self.no_offset, |offsets| &offsets.hidden).tiles();
        let mu = |pixel: usize| centering.map_or(0.0, |offsets| offsets.visible.row(0)[pixel]);

        let tiles = w.tiles_per_row();
        let blocks = rows_per_thread(self.sums.rows(), (BLOCK * 6 * tiles) as f64);
        let chunk = blocks * BLOCK;
        let Parameters { w: of_w, b: of_b, c: of_c } = gradient;
        let rows = of_w.tiles_mut().par_chunks_mut(chunk * tiles);
        let biases = of_c.row_mut(0).par_chunks_mut(chunk);
        let sums = self.sums.tiles_mut().par_chunks_mut(blocks * tiles);
        rows.zip(biases).zip(sums).enumerate().for_each(|(i, ((rows, biases), sums))| {
            let level = Level::detect();
            sums.fill(Tile::ZERO);
            for (at, (row, bias)) in rows.chunks_exact_mut(tiles).zip(biases).enumerate() {
                let pixel = i * chunk + at;
                let beside = smoothness.map_or([pixel; 4], |it| it.beside(pixel));
                let weights = PenalisedRow {
                    x: w.row_tiles(pixel),
                    beside: beside.map(|neighbour| w.row_tiles(neighbour)),
                    velocity: velocity.row_tiles(pixel),
                    mu: mu(pixel),
                    lambda,
                };
                let sum = &mut sums[at / BLOCK * tiles..][..tiles];
                *bias += penalise(level, &penalty, &weights, row, sum) as f32;
            }
        });
        outer::add_rows(Level::detect(), &self.sums, of_b.tiles_mut());
    }

    /// How far L1 moves a weight towards zero in an update. Momentum multiplies a constant gradient by 1 /
    /// (1 − momentum), so this one too.
    pub fn shrink(&self, rate: f64) -> f64 {
        rate * self.l1 / (1.0 - self.momentum)
    }

    /// As the kernel takes them, before an ascent of this rate.
    fn before_an_ascent(&self, rate: f64) -> Penalty {
        Penalty {
            decay: self.decay as f32,
            smooth: self.smoothness.map_or(0.0, |it| it.strength) as f32,
            l1: self.l1 as f32,
            momentum: self.momentum as f32,
            // Finite at a rate of zero, too: times a weight of zero it must be zero.
            per_step: ((1.0 - self.momentum) / rate).min(1e30) as f32,
        }
    }
}
