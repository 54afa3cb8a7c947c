//! States of a model that are at hand, and the bound of log Z that they are.
//!
//! Z is a sum of positive terms, so that log Z ≥ log Σ e^−F(v) over any set of distinct states. A model that holds
//! more in the known rows than an estimate of Z says shows that the estimate is wrong.

use std::collections::HashSet;

use isotherm_kernels::BitMatrix;

use super::free_energies::minus_free_energies;
use crate::data::Dataset;
use crate::model::Rbm;
use crate::references::log_sum_exp;
use isotherm_tempering::evidence::Origin;
use isotherm_tempering::streams::Key;

/// Rows of a data set at most; of more, a random choice.
const MOST_ROWS: usize = 100_000;

/// Rows that are drawn from a data set that is a stream.
const ROWS_OF_STREAM: usize = 5000;

/// The data that an estimate of log Z begins with.
#[derive(Clone, Debug)]
pub struct KnownData<'a> {
    /// What the first of the sets is.
    pub origin: Origin,
    /// All of them; at least one.
    pub sets: Vec<&'a Dataset>,
}

impl<'a> KnownData<'a> {
    /// Training data.
    pub fn training(data: &'a Dataset) -> KnownData<'a> {
        KnownData { origin: Origin::Training, sets: vec![data] }
    }

    /// With other data of the same kind, such as those that are measured.
    #[must_use]
    pub fn and(mut self, others: impl IntoIterator<Item = &'a Dataset>) -> KnownData<'a> {
        self.sets.extend(others);
        self
    }

    /// The visible marginals of the first set.
    pub(super) fn marginals(&self) -> Vec<f64> {
        self.sets.first().map_or(Vec::new(), |data| data.marginals())
    }

    /// All rows, or a random choice of those of a large set.
    pub(super) fn rows(&self, n_visible: usize, key: Key) -> BitMatrix {
        let mut rows = BitMatrix::zeros(0, n_visible);
        for data in &self.sets {
            match data.bits() {
                Some(bits) if bits.rows() <= MOST_ROWS => rows.append(bits),
                Some(_) => rows.append(&data.draw(MOST_ROWS, key)),
                None => rows.append(&data.draw(ROWS_OF_STREAM, key)),
            }
        }
        rows
    }
}

impl<'a> From<&'a Dataset> for KnownData<'a> {
    fn from(training: &'a Dataset) -> KnownData<'a> {
        KnownData::training(training)
    }
}

/// Distinct visible states of a model.
pub(super) struct KnownStates<'a> {
    model: &'a Rbm,
    seen: HashSet<Box<[u64]>>,
    rows: BitMatrix,
    minus_f: Vec<f64>,
}

impl<'a> KnownStates<'a> {
    /// These rows.
    pub(super) fn new(model: &'a Rbm, rows: &BitMatrix) -> KnownStates<'a> {
        let none = BitMatrix::zeros(0, model.n_visible());
        let mut known =
            KnownStates { model, seen: HashSet::new(), rows: none, minus_f: Vec::new() };
        known.add(rows);
        known
    }

    /// Adds those that are not known yet.
    pub(super) fn add(&mut self, rows: &BitMatrix) {
        let new: Vec<usize> =
            (0..rows.rows()).filter(|&row| self.seen.insert(rows.row(row).into())).collect();
        let new = rows.select(&new);
        self.minus_f.extend(minus_free_energies(self.model, &new));
        self.rows.append(&new);
    }

    /// The states, a row each.
    pub(super) fn rows(&self) -> &BitMatrix {
        &self.rows
    }

    /// log Σ e^−F(v) over them, which log Z is not below.
    pub(super) fn floor(&self) -> f64 {
        log_sum_exp(self.minus_f.iter().copied())
    }

    /// The numbers of the states with the highest −F(v).
    pub(super) fn highest(&self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.minus_f.len()).collect();
        order.sort_by(|&a, &b| self.minus_f[b].total_cmp(&self.minus_f[a]).then(a.cmp(&b)));
        order.truncate(count);
        order
    }
}

/// log Σ e^−F(v) over the distinct rows among these.
pub(super) fn floor_of<'a>(rows: impl IntoIterator<Item = (&'a BitMatrix, &'a [f64])>) -> f64 {
    let (mut seen, mut logs) = (HashSet::new(), Vec::new());
    for (rows, minus_f) in rows {
        logs.extend((0..rows.rows()).filter(|&it| seen.insert(rows.row(it))).map(|it| minus_f[it]));
    }
    log_sum_exp(logs.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::likelihood::exact;
    use crate::model::Initial;

    /// All states hold all of Z; copies of a state add nothing, and any part holds less.
    #[test]
    fn distinct_states_bound_log_z_from_below() {
        let rbm = Initial { n_hidden: 5, std: 1.0, seed: 2 }.model(&[0.3; 6]);
        let log_z = exact::log_z(&rbm).expect("few units");
        let all = BitMatrix::from_words(64, 6, (0..64).collect()).expect("a word a state");
        let mut known = KnownStates::new(&rbm, &all.select(&[3, 9, 3, 9]));
        let two = known.floor();
        assert!(two < log_z && known.rows().rows() == 2);
        let minus_f = minus_free_energies(&rbm, &all.select(&[3, 9]));
        assert!((two - log_sum_exp(minus_f.iter().copied())).abs() < 1e-12);
        known.add(&all);
        known.add(&all);
        assert!((known.floor() - log_z).abs() < 1e-6 && known.rows().rows() == 64);
        let logs = minus_free_energies(&rbm, &all);
        let doubled = [(&all, logs.as_slice()), (&all, logs.as_slice())];
        assert!((floor_of(doubled) - log_z).abs() < 1e-6);
        let best = known.highest(2);
        assert!(logs.iter().all(|&log| log <= known.minus_f[best[0]]));
        assert!(known.minus_f[best[0]] >= known.minus_f[best[1]]);
    }
}
