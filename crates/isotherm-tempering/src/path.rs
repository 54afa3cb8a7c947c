//! Paths: families of distributions π_β that lead from a hot end β = 0, which can be drawn from
//! exactly, to the model at β = 1. The engine knows a path only through the trait [`Path`], and works on
//! a block of replicas at once.

use crate::error::Error;
use crate::streams::Clock;

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
