//! θ = {W, b, c}, and whatever has its shape: gradients, velocities, averages.

use isotherm_kernels::Matrix;

/// The parameters of an RBM. The paper writes W_ij for hidden i and visible j; here `w` has a row
/// for each visible unit, as in the model file.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// Weights, visible × hidden.
    pub w: Matrix,
    /// Hidden biases, one row.
    pub b: Matrix,
    /// Visible biases, one row.
    pub c: Matrix,
}

impl Parameters {
    /// All zero.
    pub fn zeros(n_visible: usize, n_hidden: usize) -> Parameters {
        Parameters {
            w: Matrix::zeros(n_visible, n_hidden),
            b: Matrix::zeros(1, n_hidden),
            c: Matrix::zeros(1, n_visible),
        }
    }

    /// Number of visible units.
    pub fn n_visible(&self) -> usize {
        self.w.rows()
    }

    /// Number of hidden units.
    pub fn n_hidden(&self) -> usize {
        self.w.cols()
    }

    /// Whether every entry is finite.
    pub fn is_finite(&self) -> bool {
        [&self.w, &self.b, &self.c]
            .iter()
            .all(|part| (0..part.rows()).all(|row| part.row(row).iter().all(|x| x.is_finite())))
    }
}
