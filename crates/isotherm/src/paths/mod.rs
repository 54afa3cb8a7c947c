//! Paths: families of distributions π_β that lead from a hot end β = 0, which can be drawn from
//! exactly, to the model at β = 1.
//!
//! | path | π_β | hot end |
//! |---|---|---|
//! | [`joint`] (the paper's) | exp(−β E(v, h)) | uniform |
//! | [`base_rate`] | v-field (1−β)c₀ + β(c + Wh), h-field β(b + Wᵀv) | product of the data's marginals |
//! | [`hidden_marginal`] | p(h)^β, v summed out | uniform h |
//!
//! The tempering engine knows a path only through the trait [`Path`], and works on a block of
//! replicas at once. Implementations whose answers are known in closed form ([`toy`]) are what
//! the engine is tested with.

pub mod base_rate;
mod gibbs;
mod gibbs_block;
pub mod hidden_marginal;
pub mod joint;

pub use gibbs::Gibbs;
pub use hidden_marginal::HiddenMarginal;

use isotherm_kernels::affine::Grouping;
use isotherm_kernels::{BitMatrix, Level, Tile, bernoulli};
use serde::{Deserialize, Serialize};

use crate::model::Rbm;
use isotherm_tempering::streams::{Clock, Purpose};
pub use isotherm_tempering::{Path, Weighted};

/// What the swap ratio is computed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SwapOn {
    /// Joint energies E(v, h), as in the paper.
    Energy,
    /// Free energies, h summed out: a lower barrier for the same price.
    FreeEnergy,
}

/// A path of an RBM. Between two steps its whole state is the hidden units of its replicas.
pub trait RbmPath: Path<Model = Rbm> + Weighted + Send + Sync {
    /// The hidden units, a row for each replica.
    fn hidden(&self) -> BitMatrix;

    /// Puts the replicas into these hidden states; there may be another number of them.
    fn set_hidden(&mut self, h: BitMatrix);

    /// Copies the hidden units of the given rows into `out`'s rows.
    fn copy_hidden(&self, rows: &[usize], out: &mut BitMatrix);

    /// Puts the given rows into the hidden states that are `h`'s rows; the others stay as they are. The
    /// next thing that is asked of the path must be a sweep.
    fn put_hidden(&mut self, rows: &[usize], h: &BitMatrix);

    /// Visible samples of the given rows, which must be at β = 1 and settled, into `out`'s rows.
    fn visible(&mut self, model: &Rbm, rows: &[usize], clock: Clock, out: &mut BitMatrix);

    /// The hidden fields b + Wᵀv of these samples into `out`, row by row, if the sweep has summed them up
    /// in this grouping; whether it has. What is in the padding is not said.
    fn hidden_fields(&self, rows: &[usize], grouping: Grouping, out: &mut [Tile]) -> bool {
        let _ = (rows, grouping, out);
        false
    }
}

/// Hidden units in random states.
pub fn random_hidden(rows: usize, n_hidden: usize, clock: Clock) -> BitMatrix {
    let mut h = BitMatrix::zeros(rows, n_hidden);
    for row in 0..rows {
        let mut rng = clock.lanes(Purpose::Replicas, row);
        bernoulli::coin_row(Level::detect(), n_hidden, &mut rng, h.row_mut(row));
    }
    h
}
