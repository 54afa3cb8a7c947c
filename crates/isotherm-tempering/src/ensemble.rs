//! Ensembles: the states of all replicas, with the path they are under and the kernel that moves them.
//!
//! The engine works on an [`Ensemble`], all rungs and columns at once. A [`Population`] makes one of its
//! three parts: a [`Path`], an [`Explorer`] and [`States`]. Whatever has other needs, such as a toy with
//! given swap rates, implements the trait itself.

use crate::error::Result;
use crate::explorer::Explorer;
use crate::path::Path;
use crate::streams::Key;

/// The stored states of replicas, a row each. A replica stays in its row: swaps exchange the β of two
/// rows, never their states.
pub trait States {
    /// Number of replicas.
    fn rows(&self) -> usize;

    /// Makes row `i` what row `rows[i]` was: copies, drops and reorders replicas between two steps.
    /// What a sweep left behind to evaluate the states need not survive: the next call is a sweep
    /// (see [`Path`]).
    fn select(&mut self, rows: &[usize]);
}

/// Replicas under one family of distributions, as the engine sees them. A step of the engine sweeps, asks
/// for log-ratios, and resamples, in this order. States are evaluated only after a sweep of the same rows:
/// see the order of calls in [`Path`].
pub trait Ensemble {
    /// What the distributions depend on besides β.
    type Model: ?Sized;

    /// Number of replicas.
    fn rows(&self) -> usize;

    /// See [`Explorer::sweep`].
    fn sweep(&mut self, model: &Self::Model, betas: &[f64], steps: usize, key: Key) -> Result<()>;

    /// See [`Path::log_ratio`].
    fn log_ratio(&self, x: (usize, f64), y: (usize, f64)) -> f64;

    /// See [`Explorer::resample`].
    fn resample(&mut self, model: &Self::Model, betas: &[f64], key: Key) {
        let _ = (model, betas, key);
    }

    /// See [`Path::learn`].
    fn learn(&mut self, ladder: &[f64], betas: &[f64]) {
        let _ = (ladder, betas);
    }

    /// See [`States::select`].
    fn select(&mut self, rows: &[usize]);
}

/// An ensemble with log densities, so that log Z can be measured along its path.
pub trait Densities: Ensemble {
    /// See [`Path::log_densities`].
    fn log_densities(&self, row: usize, betas: &[f64], out: &mut [f64]);

    /// See [`Path::log_z_of_reference`].
    fn log_z_of_reference(&self) -> f64;
}

/// An ensemble made of its three parts.
#[derive(Clone, Debug)]
pub struct Population<P: Path, E> {
    /// The family of distributions.
    pub path: P,
    /// The transition kernel.
    pub explorer: E,
    /// The states.
    pub states: P::States,
}

impl<P: Path, E: Explorer<P>> Ensemble for Population<P, E> {
    type Model = P::Model;

    fn rows(&self) -> usize {
        self.states.rows()
    }

    fn sweep(&mut self, model: &P::Model, betas: &[f64], steps: usize, key: Key) -> Result<()> {
        assert_eq!(betas.len(), self.states.rows(), "one β for each row");
        self.explorer.sweep(&self.path, model, &mut self.states, betas, steps, key)
    }

    fn log_ratio(&self, x: (usize, f64), y: (usize, f64)) -> f64 {
        self.path.log_ratio(&self.states, x, y)
    }

    fn resample(&mut self, model: &P::Model, betas: &[f64], key: Key) {
        self.explorer.resample(&self.path, model, &mut self.states, betas, key);
    }

    fn learn(&mut self, ladder: &[f64], betas: &[f64]) {
        self.path.learn(&mut self.states, ladder, betas);
    }

    fn select(&mut self, rows: &[usize]) {
        self.states.select(rows);
    }
}

impl<P: Path, E: Explorer<P>> Densities for Population<P, E> {
    fn log_densities(&self, row: usize, betas: &[f64], out: &mut [f64]) {
        self.path.log_densities(&self.states, row, betas, out);
    }

    fn log_z_of_reference(&self) -> f64 {
        self.path.log_z_of_reference()
    }
}

/// An ensemble chosen at run time is an ensemble.
impl<T: Ensemble + ?Sized> Ensemble for Box<T> {
    type Model = T::Model;

    fn rows(&self) -> usize {
        (**self).rows()
    }

    fn sweep(&mut self, model: &Self::Model, betas: &[f64], steps: usize, key: Key) -> Result<()> {
        (**self).sweep(model, betas, steps, key)
    }

    fn log_ratio(&self, x: (usize, f64), y: (usize, f64)) -> f64 {
        (**self).log_ratio(x, y)
    }

    fn resample(&mut self, model: &Self::Model, betas: &[f64], key: Key) {
        (**self).resample(model, betas, key);
    }

    fn learn(&mut self, ladder: &[f64], betas: &[f64]) {
        (**self).learn(ladder, betas);
    }

    fn select(&mut self, rows: &[usize]) {
        (**self).select(rows);
    }
}

impl<T: Densities + ?Sized> Densities for Box<T> {
    fn log_densities(&self, row: usize, betas: &[f64], out: &mut [f64]) {
        (**self).log_densities(row, betas, out);
    }

    fn log_z_of_reference(&self) -> f64 {
        (**self).log_z_of_reference()
    }
}
