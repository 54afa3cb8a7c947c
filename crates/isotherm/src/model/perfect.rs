//! The perfect sampler: independent samples of the model, drawn exactly by enumerating the hidden
//! states. What every other sampler approaches, for hidden layers small enough to enumerate.

use isotherm_kernels::exp::exp_f64;
use isotherm_kernels::{BitMatrix, Level, Matrix, Products, bernoulli, softplus};
use rand::RngExt;

use super::rbm::Rbm;
use isotherm_tempering::streams::{Key, Purpose};

/// Hidden states whose fields are held at the same time.
const BLOCK: usize = 256;

/// Draws exact samples. Holds the buffers of the enumeration and nothing that outlives a draw.
#[derive(Clone, Debug)]
pub struct PerfectSampler {
    /// All hidden states; unit i of state s is bit i of s.
    states: BitMatrix,
    products: Products,
    /// c + Wh of a block of states.
    fields: Matrix,
    /// −F(h) of every state, then Σ p(h') over it and the states before it.
    masses: Vec<f64>,
}

impl PerfectSampler {
    /// The largest hidden layer that is enumerated: 2^16 states at every step.
    pub const LARGEST: usize = 16;

    /// A sampler of models of this size, at most [`PerfectSampler::LARGEST`] hidden units.
    pub fn new(n_visible: usize, n_hidden: usize) -> PerfectSampler {
        assert!(n_hidden <= Self::LARGEST, "2^{n_hidden} states are too many");
        let count = 1usize << n_hidden;
        let mut states = BitMatrix::zeros(count, n_hidden);
        for (state, word) in states.words_mut().iter_mut().enumerate() {
            *word = state as u64;
        }
        let fields = Matrix::zeros(count.min(BLOCK), n_visible);
        PerfectSampler { states, products: Products::default(), fields, masses: vec![0.0; count] }
    }

    /// Independent samples for the rows of `v`: h from p(h), v from p(v | h).
    pub fn visible(&mut self, model: &Rbm, key: Key, v: &mut BitMatrix) {
        let count = v.rows();
        self.weigh(model);
        let chosen: Vec<usize> =
            (0..count).map(|i| self.state_at(key.sequence(Purpose::Perfect, i).random())).collect();
        let h = self.states.select(&chosen);
        let mut field = Matrix::zeros(count, model.n_visible());
        model.visible_field(h.as_rows(), field.tiles_mut());
        let (level, cols) = (Level::detect(), model.n_visible());
        for i in 0..count {
            let mut rng = key.lanes(Purpose::Visible, i);
            bernoulli::draw_row(level, field.row_tiles(i), &[], 1.0, cols, &mut rng, v.row_mut(i));
        }
    }

    /// The hidden state that a uniform `u` in [0, 1) draws, of the model that was weighed last.
    pub(crate) fn state_at(&self, u: f64) -> usize {
        let total = self.masses.last().copied().unwrap_or(0.0);
        let state = self.masses.partition_point(|&mass| mass <= u * total);
        state.min(self.masses.len() - 1)
    }

    /// Fills `masses` with the running sums of e^−F(h), relative to the largest of them.
    pub(crate) fn weigh(&mut self, model: &Rbm) {
        let (level, c) = (Level::detect(), model.parameters().c.tiles());
        if self.products.tabulate(level, model.filters(), c) {
            for (state, mass) in self.masses.iter_mut().enumerate() {
                *mass = self.products.softplus_sum(level, state as u64);
            }
        } else {
            self.sum_fields(model);
        }
        let b = model.parameters().b.row(0);
        for (state, mass) in self.masses.iter_mut().enumerate() {
            *mass += self.states.ones(state).map(|i| f64::from(b[i])).sum::<f64>();
        }
        let top = self.masses.iter().fold(f64::NEG_INFINITY, |top, &x| top.max(x));
        let mut sum = 0.0;
        for mass in &mut self.masses {
            sum += exp_f64(*mass - top);
            *mass = sum;
        }
    }

    /// Fills `masses` with Σ_j softplus(c_j + (Wh)_j) for weights that are too large for products.
    fn sum_fields(&mut self, model: &Rbm) {
        for first in (0..self.masses.len()).step_by(BLOCK) {
            let rows = BLOCK.min(self.masses.len() - first);
            model.visible_field(self.states.as_rows().slice(first, rows), self.fields.tiles_mut());
            for row in 0..rows {
                let field = self.fields.row_tiles(row);
                let sum = softplus::softplus_sum(Level::detect(), field, 1.0, model.n_visible());
                self.masses[first + row] = sum;
            }
        }
    }
}
