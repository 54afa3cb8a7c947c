//! The states of a target's replicas, with their energies.

use rand::RngExt;

use crate::ensemble::States;
use crate::streams::{Key, Purpose};

/// A row of zeros and ones for each replica, and its energy after a sweep.
#[derive(Clone, Debug, Default)]
pub struct TargetStates {
    pub(super) n: usize,
    pub(super) states: Vec<u8>,
    pub(super) energies: Vec<f64>,
    /// The fields of each replica where a sweep carries them along; empty where it does not, and
    /// before the first sweep.
    pub(super) fields: Vec<f64>,
}

impl TargetStates {
    /// These states, a row of `n` zeros and ones for each replica.
    pub fn new(n: usize, states: Vec<u8>) -> TargetStates {
        assert!(n > 0 && states.len().is_multiple_of(n), "rows of {n} variables");
        assert!(states.iter().all(|&x| x <= 1), "states of zeros and ones");
        let energies = vec![0.0; states.len() / n];
        TargetStates { n, states, energies, fields: Vec::new() }
    }

    /// Random states.
    pub fn random(n: usize, rows: usize, key: Key) -> TargetStates {
        let mut states = vec![0; rows * n];
        for (row, state) in states.chunks_exact_mut(n).enumerate() {
            toss(state, &mut key.sequence(Purpose::Replicas, row));
        }
        TargetStates::new(n, states)
    }

    /// The state of a replica.
    pub fn state(&self, row: usize) -> &[u8] {
        &self.states[row * self.n..][..self.n]
    }

    /// The energy of a replica after a sweep, up to rounding: it is carried along.
    pub fn energy(&self, row: usize) -> f64 {
        self.energies[row]
    }
}

impl States for TargetStates {
    fn rows(&self) -> usize {
        self.energies.len()
    }

    fn select(&mut self, rows: &[usize]) {
        self.states = selected(&self.states, self.n, rows);
        self.energies = selected(&self.energies, 1, rows);
        if !self.fields.is_empty() {
            self.fields = selected(&self.fields, self.n, rows);
        }
    }
}

/// Rows of `width` values each, by their numbers.
fn selected<X: Copy>(values: &[X], width: usize, rows: &[usize]) -> Vec<X> {
    rows.iter().flat_map(|&row| &values[row * width..][..width]).copied().collect()
}

/// Draws a state from the uniform distribution.
pub(super) fn toss(state: &mut [u8], rng: &mut impl RngExt) {
    for chunk in state.chunks_mut(64) {
        let bits: u64 = rng.random();
        chunk.iter_mut().enumerate().for_each(|(i, x)| *x = (bits >> i & 1) as u8);
    }
}
