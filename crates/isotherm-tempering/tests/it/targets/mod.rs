//! Targets of one's own against enumeration: energies, sweeps, samples, log Z, and what goes wrong.

mod agreement;
mod failures;
mod ising;
mod log_z;
mod quadratic;
mod stationarity;

use isotherm_tempering::Result;
use isotherm_tempering::targets::{Quadratic, Target};
use rand::RngExt;

/// All states of `n` variables, row after row; variable i is bit i of a row's number.
fn all_states(n: usize) -> Vec<u8> {
    (0..1usize << n).flat_map(|x| (0..n).map(move |i| (x >> i & 1) as u8)).collect()
}

/// The number of a state.
fn number(state: &[u8]) -> usize {
    state.iter().enumerate().map(|(i, &x)| usize::from(x) << i).sum()
}

/// The energy of every state.
fn all_energies(target: &impl Target) -> Vec<f64> {
    let mut energies = vec![0.0; 1 << target.n()];
    target.energies(&all_states(target.n()), &mut energies).unwrap();
    energies
}

/// log Z and π_β of every state.
fn enumerated(energies: &[f64], beta: f64) -> (f64, Vec<f64>) {
    let log_z = crate::statistics::log_sum_exp(energies.iter().map(|e| -beta * e));
    (log_z, energies.iter().map(|e| (-beta * e - log_z).exp()).collect())
}

/// A QUBO with entries uniform in ±`scale`, of the upper triangle and the diagonal.
fn random_qubo(n: usize, scale: f64, seed: u64) -> Quadratic {
    let mut rng = crate::statistics::rng(seed);
    let entry = |at: usize| {
        let uniform: f64 = rng.random();
        if at / n <= at % n { scale * (2.0 * uniform - 1.0) } else { 0.0 }
    };
    Quadratic::from_qubo(n, &(0..n * n).map(entry).collect::<Vec<f64>>()).unwrap()
}

/// The bonds of a periodic `side` × `side` lattice, each once; `side` is more than 2.
fn lattice(side: usize, coupling: f64) -> Vec<(usize, usize, f64)> {
    let at = |x: usize, y: usize| y % side * side + x % side;
    (0..side * side)
        .map(|i| (i % side, i / side))
        .flat_map(|(x, y)| [(at(x, y), at(x + 1, y)), (at(x, y), at(x, y + 1))])
        .map(|(i, j)| (i, j, coupling))
        .collect()
}

/// A target of which only the energies are shown.
struct EnergiesOnly<T>(T);

impl<T: Target> Target for EnergiesOnly<T> {
    fn n(&self) -> usize {
        self.0.n()
    }

    fn energies(&self, states: &[u8], energies: &mut [f64]) -> Result<()> {
        self.0.energies(states, energies)
    }
}

/// A target whose energies and flips are shown, but no fields.
struct FlipsOnly<T>(T);

impl<T: Target> Target for FlipsOnly<T> {
    fn n(&self) -> usize {
        self.0.n()
    }

    fn energies(&self, states: &[u8], energies: &mut [f64]) -> Result<()> {
        self.0.energies(states, energies)
    }

    fn flip_changes(
        &self,
        j: usize,
        states: &mut [u8],
        energies: &[f64],
        changes: &mut [f64],
    ) -> Result<()> {
        self.0.flip_changes(j, states, energies, changes)
    }
}
