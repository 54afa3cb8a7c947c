//! The gradient of Eq. 2: the mean of φ over the rows of the positive phase minus that over the rows
//! of the negative phase.

use isotherm_kernels::{Level, Matrix, outer};

use super::positive::Statistics;
use crate::model::Parameters;

/// How fast the hidden offset follows the data, an update.
const OFFSET_RATE: f32 = 0.01;

/// The offsets μ (visible) and λ (hidden) around which the centered gradient is taken.
#[derive(Clone, Debug, PartialEq)]
pub struct Centering {
    /// μ: the data's marginals.
    pub visible: Vec<f32>,
    /// λ: a moving average of E[h | v] over the data.
    pub hidden: Vec<f32>,
}

impl Centering {
    /// Offsets at the data's marginals and at one half.
    pub fn new(marginals: &[f64], n_hidden: usize) -> Centering {
        Centering {
            visible: marginals.iter().map(|&p| p as f32).collect(),
            hidden: vec![0.5; n_hidden],
        }
    }

    /// Moves λ towards the mean of the positive phase.
    pub fn follow(&mut self, positive: &Statistics) {
        let share = OFFSET_RATE / positive.h.rows() as f32;
        for (i, offset) in self.hidden.iter_mut().enumerate() {
            let total: f32 = (0..positive.h.rows()).map(|row| positive.h.row(row)[i]).sum();
            *offset += share * total - OFFSET_RATE * *offset;
        }
    }
}

/// The mean of (hvᵀ, h, v) over the data minus that over the model's samples.
pub fn gradient(positive: &Statistics, negative: &Statistics, out: &mut Parameters) {
    out.clear();
    for (side, sign) in [(positive, 1.0), (negative, -1.0)] {
        let share = sign / side.v.rows() as f32;
        let mut h = side.h.clone();
        h.tiles_mut().iter_mut().for_each(|tile| *tile = tile.map(|x| share * x));
        let level = Level::detect();
        outer::add_outer(level, side.v.words(), &h, &mut out.w);
        outer::add_rows(level, &h, out.b.tiles_mut());
        let counts = side.v.column_counts();
        for (sum, count) in out.c.row_mut(0).iter_mut().zip(counts) {
            *sum += share * count as f32;
        }
    }
}

/// Turns the plain gradient into the centered one (Melchior, Fischer and Wiskott 2016):
/// ∇W − Δv λᵀ − μ Δhᵀ, then ∇b − ∇Wᵀμ and ∇c − ∇W λ with the new ∇W.
pub fn center(g: &mut Parameters, offsets: &Centering) {
    let Parameters { w, b, c } = g;
    let mut w_mu = Matrix::zeros(1, b.cols());
    for (j, &mu) in offsets.visible.iter().enumerate() {
        let dv = c.row(0)[j];
        let row = w.row_mut(j);
        for ((x, &dh), &lambda) in row.iter_mut().zip(b.row(0)).zip(&offsets.hidden) {
            *x -= dv * lambda + mu * dh;
        }
        for (sum, x) in w_mu.row_mut(0).iter_mut().zip(&*row) {
            *sum += mu * x;
        }
        let w_lambda: f32 = row.iter().zip(&offsets.hidden).map(|(x, lambda)| x * lambda).sum();
        c.row_mut(0)[j] -= w_lambda;
    }
    for (x, y) in b.row_mut(0).iter_mut().zip(w_mu.row(0)) {
        *x -= y;
    }
}
