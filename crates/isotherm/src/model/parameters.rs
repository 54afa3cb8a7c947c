//! θ = {W, b, c}, and whatever has its shape: gradients, velocities, averages.

use isotherm_kernels::{Level, Matrix, vector};

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

    /// Sets everything to zero.
    pub fn clear(&mut self) {
        for part in [&mut self.w, &mut self.b, &mut self.c] {
            part.tiles_mut().fill(isotherm_kernels::Tile::ZERO);
        }
    }

    /// Moves the fraction `a` of the way to `target`.
    pub fn move_towards(&mut self, a: f32, target: &Parameters) {
        let level = Level::detect();
        vector::move_towards(level, a, target.w.tiles(), self.w.tiles_mut());
        vector::move_towards(level, a, target.b.tiles(), self.b.tiles_mut());
        vector::move_towards(level, a, target.c.tiles(), self.c.tiles_mut());
    }

    /// Whether every entry is finite.
    pub fn is_finite(&self) -> bool {
        [&self.w, &self.b, &self.c]
            .iter()
            .all(|part| (0..part.rows()).all(|row| part.row(row).iter().all(|x| x.is_finite())))
    }
}
