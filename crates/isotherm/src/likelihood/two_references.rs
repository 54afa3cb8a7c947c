//! The two references of an estimate of log Z.
//!
//! A sampler and annealing see the modes that their reference has, so that a reference that lacks a mode can not be
//! caught by itself. There are two, mixtures that are fitted to all states at hand with different seeds and different
//! numbers of components, and extended where the model holds far more than they do (`covering.rs`). Each has one
//! component more that is not fitted, the base rates, from which states that belong to no cluster are reached. (Not
//! fair coins: a component keeps its weight on every rung, and from coins to the model there is a transition that would
//! hold up the replicas in it.)

use isotherm_kernels::{BitMatrix, Matrix};
use rand::seq::index;

use super::covering::Explored;
use crate::error::{Error, Result};
use crate::model::log_odds;
use crate::references::{Mixture, fit};
use isotherm_tempering::streams::{Key, Purpose};

/// The weight of the component that is not fitted.
const WIDE: f64 = 0.05;

/// Components of the first mixture at most.
const MOST_COMPONENTS: usize = 48;

/// Rows for each component at least.
const ROWS: usize = 8;

/// Rows of the data that they are fitted to at most: as many as there are other states, or this.
const ROWS_OF_DATA: usize = 2000;

/// Components of the two mixtures by this number of particles that are annealed, and rows that they are fitted to.
fn components(particles: usize, rows: usize) -> [usize; 2] {
    let first = (particles / 8).min(rows / ROWS).clamp(3, MOST_COMPONENTS);
    [first, 2 * first / 3]
}

/// The two mixtures. `explored` are states that were found from starts far apart, `data` those at hand.
pub(super) fn two_references(
    data: &BitMatrix,
    explored: &Explored<'_>,
    marginals: &[f64],
    particles: usize,
    keys: [Key; 2],
    progress: &mut dyn FnMut(f64) -> bool,
) -> Result<[Mixture; 2]> {
    let odds: Vec<f32> = marginals.iter().map(|&p| log_odds(p) as f32).collect();
    let rows = |key: Key| {
        let most = explored.rows.rows().max(ROWS_OF_DATA).min(data.rows());
        let rng = &mut key.sequence(Purpose::Explore, 1);
        let mut rows = data.select(&index::sample(rng, data.rows(), most).into_vec());
        rows.append(&explored.rows);
        rows
    };
    let [first, second] = keys.map(|key| (rows(key), key));
    let counts = components(particles, first.0.rows());
    let mut fitted = |which: usize, (rows, key): (BitMatrix, Key), wide: &[f32]| {
        let tell = &mut |share| progress(0.5 * (which as f64 + share));
        let fitted = fit(&rows, counts[which], key, tell)?.mixture;
        Ok::<_, Error>(with_wide(&explored.cover(fitted), wide))
    };
    Ok([fitted(0, first, &odds)?, fitted(1, second, &odds)?])
}

/// A mixture with one component more.
fn with_wide(mixture: &Mixture, odds: &[f32]) -> Mixture {
    let mut weights: Vec<f64> = mixture.weights().iter().map(|w| (1.0 - WIDE) * w).collect();
    weights.push(WIDE);
    let mut all = mixture.log_odds().to_dense();
    all.extend(odds);
    Mixture::new(&weights, Matrix::from_dense(weights.len(), odds.len(), &all))
}

/// The same mixture with weights half way to these shares of the model: a component of which the model holds more than
/// the data has more replicas, and one that annealing missed keeps some.
pub(super) fn with_shares(mixture: &Mixture, shares: &[f64]) -> Mixture {
    let halves = mixture.weights().iter().zip(shares).map(|(w, share)| 0.5 * (w + share));
    let weights: Vec<f64> = halves.collect();
    Mixture::new(&weights, mixture.log_odds().clone())
}
