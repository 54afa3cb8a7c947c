//! Fitting a mixture by expectation maximisation, from seeds that k-means++ chooses.
//!
//! Everything is deterministic: random numbers belong to a key, and sums have a fixed order.

use isotherm_kernels::affine::{Grouping, affine};
use isotherm_kernels::{BitMatrix, Level, Matrix};
use isotherm_tempering::causes::unless_interrupted;
use isotherm_tempering::streams::{Key, Purpose};
use rand::RngExt;

use super::mixture::{Mixture, log_sum_exp};
use crate::data::{marginals, some_rows_by};
use crate::error::Result;
use crate::model::log_odds;

/// How much work a fit may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Effort {
    /// Rows at most; of more, a random choice.
    pub rows: usize,
    /// Iterations of expectation maximisation at most.
    pub iterations: usize,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort { rows: 20_000, iterations: 60 }
    }
}

/// Iterations that usually suffice, and the fewest rows for each component.
pub(super) const SUFFICIENT_ITERATIONS: usize = 20;
const FEWEST_ROWS: usize = 32;

/// Nanoseconds that an iteration takes for each row and component, roughly, and for each visible unit of theirs.
const COST_OF_A_SHARE: f64 = 11.0;
const COST_OF_A_UNIT: f64 = 0.016;

impl Effort {
    /// What fits into so many nanoseconds: first fewer iterations, then fewer rows.
    pub(super) fn within(nanoseconds: f64, components: usize, n_visible: usize) -> Effort {
        let all = Effort::default();
        let row = components as f64 * (COST_OF_A_SHARE + COST_OF_A_UNIT * n_visible as f64);
        let affordable = (nanoseconds / row) as usize;
        let rows = (affordable / SUFFICIENT_ITERATIONS).clamp(FEWEST_ROWS * components, all.rows);
        let iterations = (affordable / rows).clamp(SUFFICIENT_ITERATIONS, all.iterations);
        Effort { rows, iterations }
    }
}

/// It ends when an iteration raises the mean log-likelihood by less than this, in nats.
const ENOUGH: f64 = 1e-3;

/// Rows with the overall marginals that are added to each component, so that few rows make no certainty.
const PSEUDO_ROWS: f64 = 1.0;

/// A component with fewer rows than this has died, and is removed.
const DEAD: f64 = 0.5;

/// What became of a fit.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Fit {
    /// The mixture.
    pub mixture: Mixture,
    /// Iterations.
    pub iterations: usize,
    /// Mean log-likelihood of the rows that it was fitted to.
    pub log_likelihood: f64,
    /// Components that died on the way.
    pub died: usize,
}

/// Fits a mixture of at most `components` components to rows of bits. `progress` gets the share of the iterations
/// that are done, of as many as there may be, and returns whether to go on.
pub fn fit(
    rows: &BitMatrix,
    components: usize,
    key: Key,
    progress: &mut dyn FnMut(f64) -> bool,
) -> Result<Fit> {
    fit_with(Effort::default(), rows, components, key, progress)
}

/// [`fit`] with another effort.
pub(super) fn fit_with(
    effort: Effort,
    rows: &BitMatrix,
    components: usize,
    key: Key,
    progress: &mut dyn FnMut(f64) -> bool,
) -> Result<Fit> {
    let rows = &some_rows_by(&mut key.sequence(Purpose::Mixture, 0), rows, effort.rows);
    let (count, marginals) = (rows.rows() as f64, marginals(rows));
    let seeds = seeds(rows, components.clamp(1, rows.rows()), key);
    let mut on = BitMatrix::zeros(rows.cols(), rows.rows());
    rows.transpose_into(Level::detect(), &mut on);
    let mut shares = nearest(rows, &seeds);
    let (mut before, mut iterations, wanted) = (f64::NEG_INFINITY, 0, shares.cols());
    loop {
        unless_interrupted(progress(iterations as f64 / effort.iterations as f64))?;
        let mixture = maximise(&on, &shares, &marginals);
        let (expected, log_likelihood) = expect(&mixture, rows);
        iterations += 1;
        let ends = log_likelihood - before < ENOUGH || iterations >= effort.iterations;
        if ends {
            let died = wanted - mixture.components();
            return Ok(Fit { mixture, iterations, log_likelihood, died });
        }
        (before, shares) = (log_likelihood, expected);
        debug_assert!((total(&shares) - count).abs() < 1e-3 * count);
    }
}

fn total(shares: &Matrix) -> f64 {
    (0..shares.rows()).flat_map(|row| shares.row(row)).map(|&x| f64::from(x)).sum()
}

/// Rows far from each other: each is chosen with a probability proportional to its squared distance from
/// the nearest one chosen before (k-means++, Arthur and Vassilvitskii 2007). Between bits the squared
/// distance is the number of units in which they differ.
fn seeds(rows: &BitMatrix, count: usize, key: Key) -> Vec<usize> {
    let mut rng = key.sequence(Purpose::Mixture, 1);
    let mut chosen = vec![rng.random_range(0..rows.rows())];
    let mut distances = vec![u64::MAX; rows.rows()];
    while chosen.len() < count {
        let newest = rows.row(chosen[chosen.len() - 1]);
        for (row, nearest) in distances.iter_mut().enumerate() {
            *nearest = (*nearest).min(distance(rows.row(row), newest));
        }
        let total: u64 = distances.iter().sum();
        if total == 0 {
            break; // every row equals a seed
        }
        let mut left = rng.random_range(0..total);
        let next = distances.iter().position(|&distance| {
            let found = left < distance;
            left = left.saturating_sub(distance);
            found
        });
        chosen.push(next.unwrap_or(0));
    }
    chosen
}

fn distance(a: &[u64], b: &[u64]) -> u64 {
    a.iter().zip(b).map(|(a, b)| u64::from((a ^ b).count_ones())).sum()
}

/// Each row wholly to its nearest seed.
fn nearest(rows: &BitMatrix, seeds: &[usize]) -> Matrix {
    let mut shares = Matrix::zeros(rows.rows(), seeds.len());
    for row in 0..rows.rows() {
        let to = |&seed: &usize| distance(rows.row(row), rows.row(seed));
        let best = (0..seeds.len()).min_by_key(|&k| to(&seeds[k])).unwrap_or(0);
        shares.row_mut(row)[best] = 1.0;
    }
    shares
}

/// The mixture that fits the rows best if they belong to components by these shares. `on` has the rows in
/// which each unit is one.
fn maximise(on: &BitMatrix, shares: &Matrix, marginals: &[f64]) -> Mixture {
    let mut ones = Matrix::zeros(on.rows(), shares.cols());
    let grouping = Grouping::of(on.rows(), shares.rows());
    affine(Level::detect(), grouping, on.as_rows(), shares, &[], ones.tiles_mut());
    let mut sizes = vec![0.0; shares.cols()];
    for row in 0..shares.rows() {
        sizes.iter_mut().zip(shares.row(row)).for_each(|(size, &share)| *size += f64::from(share));
    }
    let alive: Vec<usize> = (0..sizes.len()).filter(|&k| sizes[k] >= DEAD).collect();
    let mut odds = Matrix::zeros(alive.len(), on.rows());
    for (row, &k) in alive.iter().enumerate() {
        for (j, (odds, marginal)) in odds.row_mut(row).iter_mut().zip(marginals).enumerate() {
            let ones = f64::from(ones.row(j)[k]) + PSEUDO_ROWS * marginal;
            *odds = log_odds(ones / (sizes[k] + PSEUDO_ROWS)) as f32;
        }
    }
    let weights: Vec<f64> = alive.iter().map(|&k| sizes[k]).collect();
    Mixture::new(&weights, odds)
}

/// The share of each component in each row, and the mean log-likelihood.
fn expect(mixture: &Mixture, rows: &BitMatrix) -> (Matrix, f64) {
    let mut shares = mixture.log_conditionals(rows.as_rows());
    let mut sum = 0.0;
    for row in 0..rows.rows() {
        let shares = shares.row_mut(row);
        let log_density = log_sum_exp(mixture.joint_logs(shares));
        for (share, log_weight) in shares.iter_mut().zip(mixture.log_weights()) {
            *share = libm::exp(log_weight + f64::from(*share) - log_density) as f32;
        }
        sum += log_density;
    }
    (shares, sum / rows.rows() as f64)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::Kind;

    fn fitted(rows: &BitMatrix, components: usize, seed: u64) -> Fit {
        fit(rows, components, Key { seed, step: 0 }, &mut |_| true).unwrap()
    }

    #[test]
    fn it_stops_when_it_is_told_to() {
        let (rows, _) =
            Mixture::new(&[1.0], Matrix::zeros(1, 40)).draw(500, Key { seed: 1, step: 0 });
        let mut shares = Vec::new();
        let stopped = fit(&rows, 8, Key { seed: 2, step: 0 }, &mut |share| {
            shares.push(share);
            shares.len() < 3
        });
        assert_eq!(stopped.unwrap_err().kind(), Kind::Interrupted);
        assert!(shares.len() == 3 && shares.is_sorted(), "{shares:?}");
    }

    /// Five far components with weights from 0.5 to 0.02: all are found, with their weights within five standard
    /// errors and their log-odds near.
    #[test]
    fn components_that_lie_apart_are_found() {
        const ROWS: usize = 4000;
        let weights = [0.5, 0.25, 0.15, 0.08, 0.02];
        let mut odds = Matrix::zeros(5, 60);
        for k in 0..5 {
            for (j, odds) in odds.row_mut(k).iter_mut().enumerate() {
                *odds = if (j * 7 + k * 13 + j * k) % 5 < 2 { 2.0 } else { -2.0 };
            }
        }
        let truth = Mixture::new(&weights, odds);
        let (rows, _) = truth.draw(ROWS, Key { seed: 4, step: 0 });
        let found = fitted(&rows, 12, 5);
        assert!(found.iterations < Effort::default().iterations);
        let log_likelihoods =
            |mixture: &Mixture| mixture.log_densities(&rows).iter().sum::<f64>() / ROWS as f64;
        let (of_fit, of_truth) = (log_likelihoods(&found.mixture), log_likelihoods(&truth));
        assert!(of_fit > of_truth - 0.05, "{of_fit} against {of_truth}");
        // Draws of the fit belong to the true components as often as the components weigh.
        let (drawn, _) = found.mixture.draw(ROWS, Key { seed: 6, step: 0 });
        let mut counts = [0.0; 5];
        truth.assign(&drawn).into_iter().for_each(|k| counts[k] += 1.0);
        for (count, weight) in counts.iter().zip(weights) {
            let error = (2.0 * weight * (1.0 - weight) / ROWS as f64).sqrt();
            assert!((count / ROWS as f64 - weight).abs() < 5.0 * error, "{counts:?}");
        }
    }

    #[test]
    fn one_component_has_the_marginals() {
        let (rows, _) = Mixture::new(&[1.0], Matrix::from_row(&[1.0, -1.0, 0.0]))
            .draw(500, Key { seed: 1, step: 0 });
        let found = fitted(&rows, 1, 2).mixture;
        for (odds, marginal) in found.log_odds().row(0).iter().zip(marginals(&rows)) {
            assert!((f64::from(*odds) - log_odds(marginal)).abs() < 1e-5);
        }
    }

    #[test]
    fn a_cheap_fit_takes_fewer_iterations_and_then_fewer_rows() {
        let within = |seconds: f64| Effort::within(seconds * 1e9, 64, 1000);
        assert_eq!(within(100.0), Effort::default());
        let fewer = within(1.0);
        assert!(fewer.rows == 20_000 && fewer.iterations < 60, "{fewer:?}");
        let fewer = within(0.3);
        assert!(fewer.rows < 20_000 && fewer.iterations == 20, "{fewer:?}");
        assert_eq!(within(0.0), Effort { rows: 2048, iterations: 20 });
        let (rows, _) =
            Mixture::new(&[1.0], Matrix::zeros(1, 40)).draw(500, Key { seed: 1, step: 0 });
        let effort = Effort { rows: 100, iterations: 3 };
        let found = fit_with(effort, &rows, 8, Key { seed: 2, step: 0 }, &mut |_| true).unwrap();
        assert_eq!(found.iterations, 3);
    }

    #[test]
    fn equal_rows_need_one_component() {
        let rows = BitMatrix::from_rows(3, &[[1, 0, 1]; 20]);
        let found = fitted(&rows, 8, 3);
        assert_eq!((found.mixture.components(), found.died), (1, 0));
    }
}
