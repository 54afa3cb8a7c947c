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
pub mod toy;

pub use gibbs::Gibbs;
pub use hidden_marginal::HiddenMarginal;

use isotherm_kernels::affine::Grouping;
use isotherm_kernels::{BitMatrix, Level, Tile, bernoulli};
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::model::Rbm;
use crate::streams::{Clock, Purpose};

/// What the swap ratio is computed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SwapOn {
    /// Joint energies E(v, h), as in the paper.
    Energy,
    /// Free energies, h summed out: a lower barrier for the same price.
    FreeEnergy,
}

/// A block of replicas under one family of distributions. A replica is a row of the block, and
/// stays there: swaps exchange the β of two rows, never their states.
pub trait Path {
    /// What the distributions depend on besides β.
    type Model: ?Sized;

    /// Number of replicas.
    fn rows(&self) -> usize;

    /// `steps` transitions of each row that leave π_β invariant, β = `betas[row]`. At β = 0 the
    /// row is drawn afresh, independently of what it was.
    fn sweep(&mut self, model: &Self::Model, betas: &[f64], steps: usize, clock: Clock);

    /// log [π_βx(y) π_βy(x)] / [π_βx(x) π_βy(y)] after a sweep, for the rows `x` and `y` and
    /// their inverse temperatures: the logarithm of the paper's swap ratio.
    fn log_ratio(&self, x: (usize, f64), y: (usize, f64)) -> f64;

    /// Draws again what the log-ratio summed out, at the β each row has after the swaps.
    fn settle(&mut self, model: &Self::Model, betas: &[f64], clock: Clock);

    /// Makes row `i` what row `rows[i]` was: copies, drops and reorders replicas between two steps.
    /// The next thing that is asked of the path must be a sweep.
    fn select(&mut self, rows: &[usize]);

    /// What went wrong in the last sweep, if anything did: where the distributions are somebody
    /// else's code, that code may fail. A step asks after its sweep and ends with the error.
    fn take_failure(&mut self) -> Option<Error> {
        None
    }
}

/// A path whose states can be weighed, so that log Z can be measured along it.
pub trait Weighted: Path {
    /// log π_β of a row after a sweep, for each β in `betas`, not normalised and without what is
    /// the same at every β. In `f64` throughout, because estimates of log Z add up thousands of
    /// differences between neighbouring β.
    fn log_weights(&self, row: usize, betas: &[f64], out: &mut [f64]);

    /// log Z of π_0, to which the [`log_weights`](Weighted::log_weights) add up: that of π_1, the
    /// model's own, differs from it by what lies between.
    fn log_z_at_the_hot_end(&self) -> f64;
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
pub(crate) fn random_hidden(rows: usize, n_hidden: usize, clock: Clock) -> BitMatrix {
    let mut h = BitMatrix::zeros(rows, n_hidden);
    for row in 0..rows {
        let mut rng = clock.lanes(Purpose::Replicas, row);
        bernoulli::coin_row(Level::detect(), n_hidden, &mut rng, h.row_mut(row));
    }
    h
}

/// A path chosen at run time is a path.
impl<P: Path + ?Sized> Path for Box<P> {
    type Model = P::Model;

    fn rows(&self) -> usize {
        (**self).rows()
    }

    fn sweep(&mut self, model: &Self::Model, betas: &[f64], steps: usize, clock: Clock) {
        (**self).sweep(model, betas, steps, clock);
    }

    fn log_ratio(&self, x: (usize, f64), y: (usize, f64)) -> f64 {
        (**self).log_ratio(x, y)
    }

    fn settle(&mut self, model: &Self::Model, betas: &[f64], clock: Clock) {
        (**self).settle(model, betas, clock);
    }

    fn select(&mut self, rows: &[usize]) {
        (**self).select(rows);
    }

    fn take_failure(&mut self) -> Option<Error> {
        (**self).take_failure()
    }
}

impl<P: Weighted + ?Sized> Weighted for Box<P> {
    fn log_weights(&self, row: usize, betas: &[f64], out: &mut [f64]) {
        (**self).log_weights(row, betas, out);
    }

    fn log_z_at_the_hot_end(&self) -> f64 {
        (**self).log_z_at_the_hot_end()
    }
}
