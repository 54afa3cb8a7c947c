//! The model as the samplers use it: parameters, and the fields that one layer puts on the other.

use isotherm_kernels::{BitMatrix, Level, Matrix, Tile, affine, bernoulli};

use super::Parameters;

/// A Restricted Boltzmann Machine over binary units.
#[derive(Clone, Debug)]
pub struct Rbm {
    parameters: Parameters,
    /// Wᵀ, hidden × visible: kept beside `w` so that both products read rows.
    w_transposed: Matrix,
}

impl Rbm {
    /// A model with these parameters.
    pub fn new(parameters: Parameters) -> Rbm {
        let w_transposed = Matrix::zeros(parameters.n_hidden(), parameters.n_visible());
        let mut rbm = Rbm { parameters, w_transposed };
        rbm.parameters.w.transpose_into(&mut rbm.w_transposed);
        rbm
    }

    /// W, b and c.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Changes the parameters through `change`, whose answer is passed on.
    pub fn change<T>(&mut self, change: impl FnOnce(&mut Parameters) -> T) -> T {
        let answer = change(&mut self.parameters);
        self.parameters.w.transpose_into(&mut self.w_transposed);
        answer
    }

    /// Number of visible units.
    pub fn n_visible(&self) -> usize {
        self.parameters.n_visible()
    }

    /// Number of hidden units.
    pub fn n_hidden(&self) -> usize {
        self.parameters.n_hidden()
    }

    /// Wᵀ: a row of weights for each hidden unit.
    pub fn filters(&self) -> &Matrix {
        &self.w_transposed
    }

    /// The weights of hidden unit `i`: row `i` of Wᵀ.
    pub fn filter(&self, i: usize) -> &[Tile] {
        self.w_transposed.row_tiles(i)
    }

    /// b + Wᵀv for each row of visible bits: P(h_i = 1 | v) = σ of it.
    pub fn hidden_field(&self, v: &[u64], out: &mut [Tile]) {
        let Parameters { w, b, .. } = &self.parameters;
        affine::affine(Level::detect(), v, w, b.tiles(), out);
    }

    /// c + Wh for each row of hidden bits: P(v_j = 1 | h) = σ of it.
    pub fn visible_field(&self, h: &[u64], out: &mut [Tile]) {
        let c = &self.parameters.c;
        affine::affine(Level::detect(), h, &self.w_transposed, c.tiles(), out);
    }

    /// E[h | v] for each row of visible bits.
    pub fn hidden_mean(&self, v: &BitMatrix) -> Matrix {
        let mut mean = Matrix::zeros(v.rows(), self.n_hidden());
        self.hidden_field(v.words(), mean.tiles_mut());
        bernoulli::sigmoid(Level::detect(), 1.0, &mut mean);
        mean
    }

    /// E[v | h] for each row of hidden bits.
    pub fn visible_mean(&self, h: &BitMatrix) -> Matrix {
        let mut mean = Matrix::zeros(h.rows(), self.n_visible());
        self.visible_field(h.words(), mean.tiles_mut());
        bernoulli::sigmoid(Level::detect(), 1.0, &mut mean);
        mean
    }
}
