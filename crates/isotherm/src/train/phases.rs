//! What both phases hand to the gradient.

use isotherm_kernels::{BitMatrix, Matrix};

use crate::model::Rbm;

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
    /// Room for so many rows of each phase.
    pub fn new(positive: usize, negative: usize, n_visible: usize, n_hidden: usize) -> Phases {
        let rows = positive + negative;
        let (v, h) = (BitMatrix::zeros(rows, n_visible), Matrix::zeros(rows, n_hidden));
        Phases { v, h, positive }
    }

    /// φ of the data and of the model's samples.
    pub fn fill(&mut self, model: &Rbm, data: &BitMatrix, samples: &BitMatrix) {
        assert_eq!((data.rows(), self.v.rows()), (self.positive, data.rows() + samples.rows()));
        let (positive, negative) = self.v.words_mut().split_at_mut(data.words().len());
        positive.copy_from_slice(data.words());
        negative.copy_from_slice(samples.words());
        model.hidden_mean_into(&self.v, &mut self.h);
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
