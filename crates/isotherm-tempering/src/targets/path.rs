//! The path of a target: π_β(x) ∝ exp(−β E(x)), from uniform states to the target.

use std::f64::consts::LN_2;
use std::marker::PhantomData;

use super::Target;
use super::heat_bath::HeatBath;
use super::states::TargetStates;
use crate::ensemble::Population;
use crate::path::Path;
use crate::streams::Key;

/// The family of distributions exp(−β E(x)) over `n` variables.
#[derive(Clone, Copy, Debug)]
pub struct TargetPath<T: ?Sized> {
    n: usize,
    target: PhantomData<fn(&T)>,
}

/// Replicas under a target, swept by a heat bath.
pub type TargetEnsemble<T> = Population<TargetPath<T>, HeatBath>;

impl<T: Target + ?Sized> TargetEnsemble<T> {
    /// Replicas in these states, a row of `n` zeros and ones for each.
    pub fn of_states(n: usize, states: Vec<u8>) -> TargetEnsemble<T> {
        let path = TargetPath { n, target: PhantomData };
        Population { path, explorer: HeatBath, states: TargetStates::new(n, states) }
    }

    /// Replicas in random states.
    pub fn random(n: usize, rows: usize, key: Key) -> TargetEnsemble<T> {
        let path = TargetPath { n, target: PhantomData };
        Population { path, explorer: HeatBath, states: TargetStates::random(n, rows, key) }
    }

    /// The state of a replica.
    pub fn state(&self, row: usize) -> &[u8] {
        self.states.state(row)
    }

    /// The energy of a replica after a sweep, up to rounding: it is carried along.
    pub fn energy(&self, row: usize) -> f64 {
        self.states.energy(row)
    }
}

impl<T: Target + ?Sized> Path for TargetPath<T> {
    type Model = T;
    type States = TargetStates;

    fn log_densities(&self, states: &TargetStates, row: usize, betas: &[f64], out: &mut [f64]) {
        out.iter_mut().zip(betas).for_each(|(out, beta)| *out = -beta * states.energy(row));
    }

    fn log_z_of_reference(&self) -> f64 {
        self.n as f64 * LN_2
    }

    /// With log π_β(x) = −β E(x): −β_x E(y) − β_y E(x) + β_x E(x) + β_y E(y).
    fn log_ratio(
        &self,
        states: &TargetStates,
        (x, beta_x): (usize, f64),
        (y, beta_y): (usize, f64),
    ) -> f64 {
        (beta_x - beta_y) * (states.energy(x) - states.energy(y))
    }
}
