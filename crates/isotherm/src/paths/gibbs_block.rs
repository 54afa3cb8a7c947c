//! One thread's share of the replicas under block Gibbs sampling.
//!
//! Fields are kept tile by tile and states word by word (all rows' first, then all rows' second,
//! …), so that the products run over contiguous memory.

use std::ops::Range;

use isotherm_kernels::affine::Grouping;
use isotherm_kernels::bits::{BitRows, words_for};
use isotherm_kernels::few_inputs::FewInputs;
use isotherm_kernels::matrix::TILES_PER_WORD;
use isotherm_kernels::{BitMatrix, LANES, LaneRng, Level, Tile, bernoulli, softplus};

use super::components::Components;
use super::gibbs_path::Start;
use super::gibbs_states::StateOfReference;
use super::second_layer::SecondLayer;
use crate::model::Rbm;
use crate::references::Mixture;
use isotherm_tempering::streams::{Key, Purpose};

/// Tiles of visible fields that a block holds at a time: 64 KiB, or one word's where that is more.
const SCRATCH: usize = 1024;

/// Hidden units whose field is held in `f64` at a time.
const AT_A_TIME: usize = 256;

/// The distribution that the rows are drawn from.
pub(super) struct Target<'a> {
    pub(super) model: &'a Rbm,
    /// c₀, or nothing where it is zero.
    pub(super) base: &'a [Tile],
    pub(super) start: &'a Start,
    /// c − c₀.
    pub(super) tilt: &'a [f32],
    /// Whether the hidden units are few enough, and the rows many enough, for [`FewInputs`].
    pub(super) few: bool,
    pub(super) to_visible: Grouping,
    pub(super) to_hidden: Grouping,
    /// How the visible fields of a second hidden layer are summed up.
    pub(super) from_second: Grouping,
}

/// Rows that are swept together.
#[derive(Clone, Debug)]
pub(super) struct Block {
    n_visible: usize,
    n_hidden: usize,
    betas: Vec<f32>,
    /// As many ones: the scales of fields that are complete.
    ones: Vec<f32>,
    rngs: Vec<LaneRng>,
    /// c + Wh in tables, where these are worth it.
    sums: FewInputs,
    h: Vec<u64>,
    v: Vec<u64>,
    /// The visible fields c + Wh of some words of units; scratch when v is drawn.
    visible_field: Vec<Tile>,
    /// The hidden fields a = b + Wᵀv, and t(v) as one more unit.
    hidden_field: Vec<Tile>,
    /// h·a, where swaps are on energies.
    coupling: Vec<f64>,
    /// The components of a mixture that the rows belong to.
    components: Components,
    /// The hidden units of a reference that is an RBM.
    second: SecondLayer,
}

impl Block {
    /// These rows of the hidden states, and what the states have of the reference, a number for each row.
    pub(super) fn new(
        h: &BitMatrix,
        (of_reference, numbers): (StateOfReference, &[u32]),
        rows: Range<usize>,
        n_visible: usize,
    ) -> Block {
        let (n_hidden, count) = (h.cols(), rows.len());
        let tiles = TILES_PER_WORD * (SCRATCH / (TILES_PER_WORD * count.max(1))).max(1);
        let tiles = tiles.min(n_visible.div_ceil(LANES));
        let numbers = numbers.get(rows.clone()).unwrap_or_default();
        let (mut components, mut second) = (Components::default(), SecondLayer::default());
        match of_reference {
            StateOfReference::None => {}
            StateOfReference::Component { .. } => components = Components::new(numbers.to_vec()),
            StateOfReference::Units(_) => {
                second = SecondLayer::new(numbers.iter().map(|&h| h.into()), tiles);
            }
        }
        let mut block = Block {
            n_visible,
            n_hidden,
            betas: vec![0.0; count],
            ones: vec![1.0; count],
            rngs: vec![LaneRng::new(0); count],
            sums: FewInputs::default(),
            h: vec![0; count * h.words_per_row()],
            v: vec![0; count * words_for(n_visible)],
            visible_field: vec![Tile::ZERO; count * tiles],
            hidden_field: vec![Tile::ZERO; count * (n_hidden + 1).div_ceil(LANES)],
            coupling: vec![0.0; count],
            components,
            second,
        };
        for (at, row) in rows.enumerate() {
            for (word, &bits) in h.row(row).iter().enumerate() {
                block.h[word * count + at] = bits;
            }
        }
        block
    }

    pub(super) fn rows(&self) -> usize {
        self.betas.len()
    }

    /// New inverse temperatures and new streams, those of the rows from `first` on.
    pub(super) fn begin(&mut self, betas: &[f64], purpose: Purpose, key: Key, first: usize) {
        for (own, &beta) in self.betas.iter_mut().zip(betas) {
            *own = beta as f32;
        }
        self.second.begin(&self.betas);
        key.fill_lanes(purpose, first, &mut self.rngs);
    }

    /// Prepares for a model that may have changed.
    pub(super) fn see(&mut self, target: &Target<'_>) {
        if target.few {
            let c = target.model.parameters().c.tiles();
            self.sums.tabulate(Level::detect(), target.model.filters(), c);
        }
    }

    /// v given h.
    pub(super) fn draw_visible(&mut self, target: &Target<'_>) {
        if target.few {
            let (level, betas, rngs) = (Level::detect(), &self.betas, &mut self.rngs);
            self.sums.draw(level, &self.h, target.base, betas, rngs, &mut self.v);
        } else {
            self.draw_visible_by_words(target);
        }
    }

    /// v given h, as many words at a time as the scratch holds.
    fn draw_visible_by_words(&mut self, target: &Target<'_>) {
        match target.start {
            Start::Product => {}
            Start::Mixture(from) => {
                self.components.redraw_at_reference(&from.mixture, &self.betas, &mut self.rngs);
            }
            Start::Rbm(small) => self.second.redraw_at_reference(small, &mut self.rngs),
        }
        let (rows, tiles) = (self.rows(), self.n_visible.div_ceil(LANES));
        let step = self.visible_field.len() / rows;
        for first in (0..tiles).step_by(step) {
            let end = (first + step).min(tiles);
            let fields = &mut self.visible_field[..rows * (end - first)];
            let h = BitRows::by_words(&self.h, rows);
            target.model.visible_field_by_tiles(target.to_visible, h, first..end, fields);
            let cols = (end * LANES).min(self.n_visible) - first * LANES;
            let words = rows * (first / TILES_PER_WORD)..rows * end.div_ceil(TILES_PER_WORD);
            let base = target.base.get(first..end).unwrap_or_default();
            let (level, betas, ones) = (Level::detect(), &self.betas, &self.ones);
            let (base, scales) = match target.start {
                Start::Product => (base, betas),
                Start::Mixture(from) => {
                    self.components.mix(&from.mixture, betas, first, fields);
                    (&[][..], ones)
                }
                Start::Rbm(small) => {
                    self.second.mix(small, (target.from_second, first..end), betas, fields);
                    (&[][..], ones)
                }
            };
            let (rngs, v) = (&mut self.rngs, &mut self.v[words]);
            bernoulli::draw_words(level, fields, base, scales, cols, rngs, v);
        }
    }

    /// a = b + Wᵀv, and t(v) = (c − c₀)·v.
    pub(super) fn update_hidden_field(&mut self, target: &Target<'_>) {
        let v = BitRows::by_words(&self.v, self.betas.len());
        let fields = &mut self.hidden_field;
        target.model.hidden_field_by_tiles(target.to_hidden, v, target.tilt, fields);
        match target.start {
            Start::Product => {}
            Start::Mixture(from) => {
                self.components.observe(&from.mixture, target.to_hidden, &self.betas, &self.v);
            }
            Start::Rbm(small) => self.second.observe(small, target.to_hidden, &self.v),
        }
    }

    /// h given v, and what the state has of the reference.
    pub(super) fn draw_hidden(&mut self, target: &Target<'_>) {
        let (level, fields, betas) = (Level::detect(), &self.hidden_field, &self.betas);
        let (rngs, h) = (&mut self.rngs, &mut self.h);
        bernoulli::draw_words(level, fields, &[], betas, self.n_hidden, rngs, h);
        match target.start {
            Start::Product => {}
            Start::Mixture(from) => self.components.draw(from, betas, &self.v, rngs),
            Start::Rbm(small) => self.second.draw(small, rngs),
        }
    }

    /// Adds to log π_β of a row, for each β, what the reference adds beside the field c₀: log Σ_k exp(a_k(β))
    /// q(v | k)^(1−β), or what the hidden units of an RBM come to, summed out.
    pub(super) fn add_reference(&self, row: usize, start: &Start, betas: &[f64], out: &mut [f64]) {
        match start {
            Start::Product => {}
            Start::Mixture(from) => self.components.add_logs((from, row, &self.v), betas, out),
            Start::Rbm(small) => self.second.add_logs((small, row), betas, out),
        }
    }

    /// The component of a row, and log q(v | z) with it.
    pub(super) fn component(&self, row: usize, mixture: &Mixture) -> (usize, f64) {
        let log = self.components.own_log(mixture, row, &self.v);
        (self.components.of_rows()[row] as usize, log)
    }

    /// What the states of the rows have of the reference, a number for each row: the component of a mixture, or
    /// the hidden units of an RBM as bits.
    pub(super) fn of_reference(&self) -> impl Iterator<Item = u32> + '_ {
        self.components.of_rows().iter().copied().chain(self.second.states())
    }

    /// h·a of every row.
    pub(super) fn update_coupling(&mut self) {
        let (fields, h) = (&self.hidden_field, &self.h);
        let (scratch, sums) = (&mut self.visible_field, &mut self.coupling);
        bernoulli::selected_sums(Level::detect(), fields, h, self.n_hidden, scratch, sums);
    }

    /// t(v) of a row.
    pub(super) fn tilt(&self, row: usize) -> f64 {
        let (tile, lane) = (self.n_hidden / LANES, self.n_hidden % LANES);
        f64::from(self.hidden_field[tile * self.rows() + row].0[lane])
    }

    /// h·a of a row, as of the last [`Block::update_coupling`].
    pub(super) fn coupling(&self, row: usize) -> f64 {
        self.coupling[row]
    }

    /// A row's hidden field: its first tile, and how far on the next ones are.
    pub(super) fn hidden_field(&self, row: usize) -> (&[Tile], usize) {
        (&self.hidden_field[row..], self.rows())
    }

    /// Adds Σ_i softplus(β a_i) of a row, in `f64`, for each β.
    pub(super) fn add_softplus(&self, row: usize, betas: &[f64], out: &mut [f64]) {
        let (mut field, mut scaled) = ([0.0; AT_A_TIME], [0.0; AT_A_TIME]);
        for first in (0..self.n_hidden).step_by(AT_A_TIME) {
            let units = AT_A_TIME.min(self.n_hidden - first);
            for (i, a) in field[..units].iter_mut().enumerate() {
                let (tile, lane) = ((first + i) / LANES, (first + i) % LANES);
                *a = f64::from(self.hidden_field[tile * self.rows() + row].0[lane]);
            }
            for (out, beta) in out.iter_mut().zip(betas) {
                for (x, a) in scaled.iter_mut().zip(&field[..units]) {
                    *x = beta * a;
                }
                *out += softplus::softplus_sum_f64(Level::detect(), &scaled[..units]);
            }
        }
    }

    pub(super) fn copy_hidden(&self, row: usize, out: &mut [u64]) {
        copy(&self.h, self.rows(), row, out);
    }

    pub(super) fn put_hidden(&mut self, row: usize, bits: &[u64]) {
        let rows = self.rows();
        for (own, word) in self.h[row..].iter_mut().step_by(rows).zip(bits) {
            *own = *word;
        }
    }

    pub(super) fn copy_visible(&self, row: usize, out: &mut [u64]) {
        copy(&self.v, self.rows(), row, out);
    }
}

fn copy(words: &[u64], rows: usize, row: usize, out: &mut [u64]) {
    for (out, word) in out.iter_mut().zip(words[row..].iter().step_by(rows)) {
        *out = *word;
    }
}
