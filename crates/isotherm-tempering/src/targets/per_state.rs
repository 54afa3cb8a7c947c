//! A target from a function of one state.

use super::Target;
use crate::error::Result;

/// A target from a function that gives the energy of one state, a slice of zeros and ones.
#[derive(Clone, Copy, Debug)]
pub struct PerState<F> {
    n: usize,
    energy: F,
}

impl<F: Fn(&[u8]) -> f64 + Sync> PerState<F> {
    /// The target of `n` variables with this energy.
    pub fn new(n: usize, energy: F) -> PerState<F> {
        PerState { n, energy }
    }
}

impl<F: Fn(&[u8]) -> f64 + Sync> Target for PerState<F> {
    fn n(&self) -> usize {
        self.n
    }

    fn energies(&self, states: &[u8], energies: &mut [f64]) -> Result<()> {
        for (energy, state) in energies.iter_mut().zip(states.chunks_exact(self.n)) {
            *energy = (self.energy)(state);
        }
        Ok(())
    }
}
