//! Swaps between neighbouring rungs by the deterministic even–odd scheme (DEO): even pairs at one
//! step, odd pairs at the next. A swap is two pure steps: its probability from the states, then a
//! decision with a uniform of its own. One uniform for each pair and column; sharing them would
//! leave the product of the rungs' distributions no longer invariant.

use rand::RngExt;

use crate::causes::NonFinite;
use crate::ensemble::Ensemble;
use crate::error::Result;
use crate::replicas::Replicas;
use crate::schedule::Ladder;
use crate::streams::{Key, Purpose};

/// Attempts that the running means of the swap rates look back over.
const HORIZON: f64 = 500.0;

/// min(1, r), from log r.
pub fn acceptance(log_ratio: f64) -> f64 {
    if log_ratio < 0.0 { libm::exp(log_ratio) } else { 1.0 }
}

/// Running means of the pairs' acceptance probabilities, pooled over columns. Averaging min(1, r)
/// instead of counting acceptances has the same mean and less variance.
#[derive(Clone, Debug, PartialEq)]
pub struct SwapRates {
    /// Decaying sum of the acceptance probabilities of each pair.
    sums: Vec<f64>,
    /// Decaying number of attempts of each pair.
    weights: Vec<f64>,
}

impl SwapRates {
    /// Nothing seen yet.
    pub fn new(gaps: usize) -> SwapRates {
        SwapRates { sums: vec![0.0; gaps], weights: vec![0.0; gaps] }
    }

    /// The rates of these sums and weights, or `None` if they have different numbers of pairs.
    pub fn from_parts(sums: Vec<f64>, weights: Vec<f64>) -> Option<SwapRates> {
        (sums.len() == weights.len()).then_some(SwapRates { sums, weights })
    }

    /// The decaying sum of the acceptance probabilities of each pair.
    pub fn sums(&self) -> &[f64] {
        &self.sums
    }

    /// The decaying number of attempts of each pair.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    pub(crate) fn gaps(&self) -> usize {
        self.sums.len()
    }

    fn observe(&mut self, gap: usize, mean_acceptance: f64) {
        let keep = 1.0 - 1.0 / HORIZON;
        self.sums[gap] = self.sums[gap] * keep + mean_acceptance;
        self.weights[gap] = self.weights[gap] * keep + 1.0;
    }

    fn each_rate(&self) -> impl Iterator<Item = Option<f64>> {
        let rate = |(sum, weight): (&f64, &f64)| (*weight > 0.0).then(|| sum / weight);
        self.sums.iter().zip(&self.weights).map(rate)
    }

    /// The acceptance rate r_i of each pair; nothing where no swap was tried yet.
    pub fn rates(&self) -> Vec<Option<f64>> {
        self.each_rate().collect()
    }

    /// Whether every pair has been tried.
    pub fn are_known(&self) -> bool {
        self.weights.iter().all(|&weight| weight > 0.0)
    }

    /// r̄, the mean over the pairs that were tried; 1 before the first. (The paper writes a sum,
    /// which grows with the ladder.)
    pub fn mean(&self) -> f64 {
        let tried = self.each_rate().flatten().count();
        if tried == 0 { 1.0 } else { self.each_rate().flatten().sum::<f64>() / tried as f64 }
    }

    /// The rejection rates 1 − r_i; 0 where no swap was tried yet.
    pub fn rejections(&self) -> Vec<f64> {
        let mut rejections = Vec::new();
        self.rejections_into(&mut rejections);
        rejections
    }

    /// Writes the [`rejections`](SwapRates::rejections) into a buffer.
    pub(crate) fn rejections_into(&self, out: &mut Vec<f64>) {
        out.clear();
        out.extend(self.each_rate().map(|rate| 1.0 - rate.unwrap_or(1.0)));
    }

    /// Splits a gap in two of which nothing is known yet.
    pub(crate) fn split(&mut self, gap: usize) {
        self.sums.insert(gap, 0.0);
        self.weights.insert(gap, 0.0);
        (self.sums[gap + 1], self.weights[gap + 1]) = (0.0, 0.0);
    }

    /// Merges the gaps on both sides of a rung into one of which nothing is known yet.
    pub(crate) fn merge(&mut self, rung: usize) {
        self.sums.remove(rung);
        self.weights.remove(rung);
        (self.sums[rung - 1], self.weights[rung - 1]) = (0.0, 0.0);
    }
}

/// Proposes the swap of every pair (i, i+1) with i ≡ `parity` mod 2 in every column. `acceptances`
/// is room for the sums over the columns.
pub fn swap_pass<E: Ensemble>(
    ensemble: &E,
    ladder: &Ladder,
    replicas: &mut Replicas,
    rates: &mut SwapRates,
    parity: usize,
    key: Key,
    acceptances: &mut Vec<f64>,
) -> Result<()> {
    let betas = ladder.betas();
    acceptances.clear();
    acceptances.resize(ladder.gaps(), 0.0);
    for column in 0..replicas.columns() {
        let mut rng = key.sequence(Purpose::Swap, column);
        for gap in (parity..ladder.gaps()).step_by(2) {
            let rows = replicas.column(column);
            let log_ratio =
                ensemble.log_ratio((rows[gap], betas[gap]), (rows[gap + 1], betas[gap + 1]));
            if log_ratio.is_nan() {
                return Err(NonFinite::SwapRatio { rung: gap, step: key.step + 1 }.into());
            }
            let probability = acceptance(log_ratio);
            acceptances[gap] += probability;
            let uniform: f64 = rng.random();
            if uniform < probability {
                replicas.swap(column, gap);
            }
        }
    }
    for gap in (parity..ladder.gaps()).step_by(2) {
        rates.observe(gap, acceptances[gap] / replicas.columns() as f64);
    }
    Ok(())
}
