//! The hidden units h′ of a reference that is an RBM, beside those of the model.
//!
//! With a [`SmallRbm`] of energy E′(v, h′) = −b′·h′ − c′·v − vᵀW′h′ as reference, and two hidden layers side by
//! side, π_β(v, h, h′) ∝ exp(−(1−β) E′(v, h′) − β E(v, h)): h′ is part of the state. The visible field is
//! (1−β)(c′ + W′h′) + β(c + Wh), and the field of h′ is (1−β)(b′ + W′ᵀv). Given v, h′ is independent of h, and both
//! are summed out where swaps are decided: log π_β(v) has Σ_i softplus((1−β)(b′ + W′ᵀv)_i) beside the sum over
//! the model's hidden units. At β = 1, h′ has no part in the distribution of v and is drawn by fair coins; at
//! β = 0 a sweep begins by drawing h′ from its marginal distribution, whatever it was.

use std::ops::Range;

use isotherm_kernels::affine::{Grouping, affine_by_tiles};
use isotherm_kernels::bits::BitRows;
use isotherm_kernels::{LANES, LaneRng, Level, Tile, bernoulli, softplus};

use crate::references::{SmallRbm, uniform};

/// The fields of a row's second layer are one tile, and its units are one word.
const _: () = assert!(SmallRbm::LARGEST <= LANES);

/// The second layer of some rows.
#[derive(Clone, Debug, Default)]
pub(super) struct SecondLayer {
    /// h′ of each row, a word; empty where the reference is no RBM.
    h: Vec<u64>,
    /// 1 − β of each row.
    shares: Vec<f32>,
    /// The rows below β = 1, and h′ of these.
    below: Vec<usize>,
    h_below: Vec<u64>,
    /// c′ + W′h′ of these rows, some tiles.
    visible_field: Vec<Tile>,
    /// b′ + W′ᵀv, a tile for each row.
    hidden_field: Vec<Tile>,
}

impl SecondLayer {
    /// Rows with these states; room for the visible fields of `tiles` tiles.
    pub(super) fn new(states: impl Iterator<Item = u64>, tiles: usize) -> SecondLayer {
        let h: Vec<u64> = states.collect();
        let rows = h.len();
        SecondLayer {
            h,
            shares: vec![0.0; rows],
            below: Vec::with_capacity(rows),
            h_below: Vec::with_capacity(rows),
            visible_field: vec![Tile::ZERO; rows * tiles],
            hidden_field: vec![Tile::ZERO; rows],
        }
    }

    /// h′ of each row.
    pub(super) fn states(&self) -> impl Iterator<Item = u32> + '_ {
        self.h.iter().map(|&h| h as u32)
    }

    /// Takes in the inverse temperatures of a sweep.
    pub(super) fn begin(&mut self, betas: &[f32]) {
        if self.h.is_empty() {
            return;
        }
        self.below.clear();
        self.below.extend((0..betas.len()).filter(|&row| betas[row] < 1.0));
        for (share, beta) in self.shares.iter_mut().zip(betas) {
            *share = 1.0 - beta;
        }
    }

    /// Draws h′ of the rows at β = 0, so that v is a draw of the reference that depends on nothing before.
    pub(super) fn redraw_at_reference(&mut self, reference: &SmallRbm, rngs: &mut [LaneRng]) {
        for (row, rng) in rngs.iter_mut().enumerate().filter(|(row, _)| self.shares[*row] == 1.0) {
            self.h[row] = reference.hidden_at(uniform(rng));
        }
        self.h_below.clear();
        self.h_below.extend(self.below.iter().map(|&row| self.h[row]));
    }

    /// Turns fields c + Wh of some tiles into β(c + Wh) + (1−β)(c′ + W′h′). All rows' first tile comes first, then
    /// all rows' second one.
    pub(super) fn mix(
        &mut self,
        reference: &SmallRbm,
        (grouping, tiles): (Grouping, Range<usize>),
        betas: &[f32],
        fields: &mut [Tile],
    ) {
        let (rows, below) = (self.h.len(), self.below.len());
        if below == 0 {
            return;
        }
        let own = &mut self.visible_field[..below * tiles.len()];
        let h = BitRows::by_words(&self.h_below, below);
        reference.model().visible_field_by_tiles(grouping, h, tiles.clone(), own);
        for tile in 0..tiles.len() {
            for (own, &row) in own[tile * below..].iter().zip(&self.below) {
                let (beta, share) = (betas[row], self.shares[row]);
                for (x, own) in fields[tile * rows + row].0.iter_mut().zip(own.0) {
                    *x = beta * *x + share * own;
                }
            }
        }
    }

    /// Finds b′ + W′ᵀv; `v` has all rows' first word, then all rows' second one.
    pub(super) fn observe(&mut self, reference: &SmallRbm, grouping: Grouping, v: &[u64]) {
        let (p, v) = (reference.model().parameters(), BitRows::by_words(v, self.h.len()));
        let (bias, out) = (p.b.tiles(), &mut self.hidden_field);
        affine_by_tiles(Level::detect(), grouping, v, &p.w, &[], bias, 0..1, out);
    }

    /// Adds Σ_i softplus((1−β)(b′ + W′ᵀv)_i) of a row, for each β.
    pub(super) fn add_logs(
        &self,
        (reference, row): (&SmallRbm, usize),
        betas: &[f64],
        out: &mut [f64],
    ) {
        let (mut scaled, units) = ([0.0; LANES], reference.n_hidden());
        for (out, beta) in out.iter_mut().zip(betas) {
            for (x, &field) in scaled.iter_mut().zip(&self.hidden_field[row].0) {
                *x = (1.0 - beta) * f64::from(field);
            }
            *out += softplus::softplus_sum_f64(Level::detect(), &scaled[..units]);
        }
    }

    /// h′ given v, at the β of each row.
    pub(super) fn draw(&mut self, reference: &SmallRbm, rngs: &mut [LaneRng]) {
        let (fields, shares, units) = (&self.hidden_field, &self.shares, reference.n_hidden());
        bernoulli::draw_words(Level::detect(), fields, &[], shares, units, rngs, &mut self.h);
    }
}
