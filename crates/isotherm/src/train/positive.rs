//! The positive phase, and what both phases hand to the gradient.

use isotherm_kernels::{BitMatrix, Matrix};

use crate::model::Rbm;

/// Visible rows with E[h | v]: the sufficient statistics φ(v, h̃) of one side of Eq. 2.
#[derive(Clone, Debug)]
pub struct Statistics {
    /// Visible rows.
    pub v: BitMatrix,
    /// h̃ = E[h | v] of each row.
    pub h: Matrix,
}

impl Statistics {
    /// φ(v, E[h | v]), with the hidden units at their mean as in the paper.
    pub fn of(model: &Rbm, v: BitMatrix) -> Statistics {
        let h = model.hidden_mean(&v);
        Statistics { v, h }
    }
}
