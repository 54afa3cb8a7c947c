//! The path of a target: π_β(x) ∝ exp(−β E(x)), from uniform states to the target.
//!
//! A sweep is a heat-bath pass over all variables in their order: variable j of each row becomes 1
//! with probability σ(−β [E(x with x_j = 1) − E(x with x_j = 0)]). Each row has its own β and its
//! own stream of random numbers, so neither the threads nor the way a row is swept (`carried.rs`,
//! `flipped.rs`) have a part in what is drawn.

use std::f64::consts::LN_2;
use std::marker::PhantomData;

use isotherm_kernels::scalar::sigmoid;
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{Target, carried, flipped};
use crate::error::{Error, Result};
use crate::path::{Path, Weighted};
use crate::streams::{Clock, Purpose};

/// A block of replicas under a target.
pub struct TargetPath<T: ?Sized> {
    pub(super) block: Block,
    failure: Option<Error>,
    target: PhantomData<fn(&T)>,
}

/// The states of the replicas, and what is known of them.
#[derive(Default)]
pub(super) struct Block {
    pub(super) n: usize,
    /// A row of zeros and ones for each replica.
    pub(super) states: Vec<u8>,
    /// Of each replica, after a sweep.
    pub(super) energies: Vec<f64>,
    /// The fields of each replica, where they are carried along; otherwise empty, and also when
    /// the states were put there from outside.
    pub(super) fields: Vec<f64>,
}

/// One sweep of a block.
pub(super) struct Sweep<'a> {
    pub(super) betas: &'a [f64],
    pub(super) steps: usize,
    pub(super) clock: Clock,
}

impl Sweep<'_> {
    /// The random numbers of a row.
    pub(super) fn stream(&self, row: usize) -> Xoshiro256PlusPlus {
        self.clock.sequence(Purpose::Sweep, row)
    }
}

impl<T: Target + ?Sized> TargetPath<T> {
    /// Replicas in these states, a row of `n` zeros and ones for each.
    pub fn new(n: usize, states: Vec<u8>) -> TargetPath<T> {
        assert!(n > 0 && states.len().is_multiple_of(n), "rows of {n} variables");
        assert!(states.iter().all(|&x| x <= 1), "states of zeros and ones");
        let energies = vec![0.0; states.len() / n];
        let block = Block { n, states, energies, fields: Vec::new() };
        TargetPath { block, failure: None, target: PhantomData }
    }

    /// Replicas in random states.
    pub fn random(n: usize, rows: usize, clock: Clock) -> TargetPath<T> {
        let mut states = vec![0; rows * n];
        for (row, state) in states.chunks_exact_mut(n).enumerate() {
            toss(state, &mut clock.sequence(Purpose::Replicas, row));
        }
        TargetPath::new(n, states)
    }

    /// The state of a replica.
    pub fn state(&self, row: usize) -> &[u8] {
        &self.block.states[row * self.block.n..][..self.block.n]
    }

    /// The energy of a replica after a sweep, up to rounding: it is carried along.
    pub fn energy(&self, row: usize) -> f64 {
        self.block.energies[row]
    }
}

impl<T: Target + ?Sized> Path for TargetPath<T> {
    type Model = T;

    fn rows(&self) -> usize {
        self.block.energies.len()
    }

    fn sweep(&mut self, target: &T, betas: &[f64], steps: usize, clock: Clock) {
        assert_eq!(betas.len(), self.rows(), "one β for each row");
        let sweep = Sweep { betas, steps, clock };
        let outcome = match target.local_fields() {
            Some(fields) => carried::sweep(&mut self.block, fields, &sweep),
            None => flipped::sweep(&mut self.block, target, &sweep),
        };
        self.failure = outcome.err();
    }

    /// With log π_β(x) = −β E(x): −β_x E(y) − β_y E(x) + β_x E(x) + β_y E(y).
    fn log_ratio(&self, (x, beta_x): (usize, f64), (y, beta_y): (usize, f64)) -> f64 {
        (beta_x - beta_y) * (self.energy(x) - self.energy(y))
    }

    fn settle(&mut self, _target: &T, _betas: &[f64], _clock: Clock) {}

    fn select(&mut self, rows: &[usize]) {
        let block = &mut self.block;
        block.states = selected(&block.states, block.n, rows);
        block.energies = selected(&block.energies, 1, rows);
        if !block.fields.is_empty() {
            block.fields = selected(&block.fields, block.n, rows);
        }
    }

    fn take_failure(&mut self) -> Option<Error> {
        self.failure.take()
    }
}

impl<T: Target + ?Sized> Weighted for TargetPath<T> {
    fn log_weights(&self, row: usize, betas: &[f64], out: &mut [f64]) {
        out.iter_mut().zip(betas).for_each(|(out, beta)| *out = -beta * self.energy(row));
    }

    fn log_z_at_the_hot_end(&self) -> f64 {
        self.block.n as f64 * LN_2
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

/// A variable drawn given all others, by its field.
pub(super) fn heat_bath(beta: f64, field: f64, rng: &mut impl RngExt) -> u8 {
    u8::from(rng.random::<f64>() < sigmoid(-beta * field))
}

/// Energies that were asked for have to be finite.
pub(super) fn finite(energies: &[f64], states: &[u8], n: usize) -> Result<()> {
    match energies.iter().position(|energy| !energy.is_finite()) {
        None => Ok(()),
        Some(row) => Err(not_finite(energies[row], &states[row * n..][..n], "")),
    }
}

/// Says of which state the energy is not finite; `flipped` is about a variable of it, or empty.
pub(super) fn not_finite(energy: f64, state: &[u8], flipped: &str) -> Error {
    const SHOWN: usize = 64;
    let shown: String = state.iter().take(SHOWN).map(|x| char::from(b'0' + x)).collect();
    let more = if state.len() > SHOWN { "…" } else { "" };
    Error::non_finite(format!(
        "the energy of the state {shown}{more}{flipped} is {energy}; every state needs a finite \
         energy, a large one if it must not occur"
    ))
}
