//! What both phases hand to the gradient.

use isotherm_kernels::affine::Grouping;
use isotherm_kernels::{BitMatrix, LANES, Level, Matrix, Tile, bernoulli};
use rayon::prelude::*;

use crate::model::Rbm;
use isotherm_tempering::threads::rows_per_thread;

/// The visible rows of the positive phase, then those of the negative phase, each with E[h | v]:
/// the sufficient statistics φ(v, h̃) of Eq. 2, with the hidden units at their mean as in the paper.
#[derive(Clone, Debug)]
pub struct Phases {
    /// Visible rows.
    pub v: BitMatrix,
    /// h̃ = E[h | v] of each row.
    pub h: Matrix,
    /// How many of the rows belong to the positive phase.
    pub positive: usize,
}

impl Phases {
    /// Buffers for this number of rows in each phase.
    pub fn new(positive: usize, negative: usize, n_visible: usize, n_hidden: usize) -> Phases {
        let rows = positive + negative;
        let (v, h) = (BitMatrix::zeros(rows, n_visible), Matrix::zeros(rows, n_hidden));
        Phases { v, h, positive }
    }

    /// Computes φ of the data and of the model's samples. The sampler may already know the hidden fields of
    /// its samples: `fields` writes them, if they are known in the given grouping, and returns whether they
    /// are.
    pub fn fill(
        &mut self,
        model: &Rbm,
        data: &BitMatrix,
        samples: &BitMatrix,
        fields: impl FnOnce(Grouping, &mut [Tile]) -> bool,
    ) {
        assert_eq!((data.rows(), self.v.rows()), (self.positive, data.rows() + samples.rows()));
        let (positive, negative) = self.v.words_mut().split_at_mut(data.words().len());
        positive.copy_from_slice(data.words());
        negative.copy_from_slice(samples.words());
        // The grouping is chosen by all rows, so that known fields change no sum.
        let grouping = Grouping::of(self.v.rows(), self.v.cols());
        let (n_hidden, tiles) = (self.h.cols(), self.h.tiles_per_row());
        let (of_data, of_samples) = self.h.tiles_mut().split_at_mut(self.positive * tiles);
        if fields(grouping, of_samples) {
            model.hidden_mean_of(grouping, data.as_rows(), of_data);
            sigmoid_rows(n_hidden, of_samples);
        } else {
            model.hidden_mean_of(grouping, self.v.as_rows(), self.h.tiles_mut());
        }
    }

    /// The weight of a row in the difference of the two means.
    pub fn share(&self, row: usize) -> f32 {
        if row < self.positive {
            1.0 / self.positive as f32
        } else {
            -1.0 / (self.v.rows() - self.positive) as f32
        }
    }
}

/// σ of every entry, the rows handed out to the threads.
fn sigmoid_rows(cols: usize, x: &mut [Tile]) {
    let tiles = cols.div_ceil(LANES);
    let chunk = tiles * rows_per_thread(x.len() / tiles, 0.5 * cols as f64);
    x.par_chunks_mut(chunk).for_each(|x| bernoulli::sigmoid(Level::detect(), 1.0, cols, x));
}
