//! Your own target: any energy over binary states, sampled by the ladder that tunes itself, with
//! log Z.
//!
//! A [`Target`] gives the energies E(x) of states x of zeros and ones. [`sample_target`] then draws
//! from π(x) = exp(−E(x)) / Z and measures log Z. Write a factor of β into E for a temperature of
//! your own. An energy in a few lines is a [`PerState`]:
//!
//! ```
//! use isotherm_tempering::targets::{PerState, TargetRequest, sample_target};
//!
//! // Ten variables in a ring; neighbours like to be the same.
//! let ring = PerState::new(10, |x| {
//!     (0..10).map(|i| if x[i] == x[(i + 1) % 10] { -1.0 } else { 1.0 }).sum()
//! });
//! let request = TargetRequest::default().samples(200);
//! let found = sample_target(&ring, &request, |_share| true)?;
//!
//! let log_z = found.log_z.expect("steps for log Z are not zero").bar;
//! // By transfer matrices: Z = (2 cosh 1)^10 + (2 sinh 1)^10.
//! let exact = ((2.0 * 1f64.cosh()).powi(10) + (2.0 * 1f64.sinh()).powi(10)).ln();
//! assert!((log_z.value - exact).abs() < 4.0 * log_z.std_error);
//! assert_eq!(found.states.len(), 200 * 10);
//! # Ok::<(), isotherm_tempering::Error>(())
//! ```
//!
//! Pairwise energies (QUBO, Ising) are built in, as [`Quadratic`]: its sweeps carry the fields of all
//! variables along and use all threads.

mod carried;
mod couplings;
mod flipped;
mod heat_bath;
mod path;
mod per_state;
mod quadratic;
mod request;
mod sampler;
mod samples;
mod states;

pub use path::TargetEnsemble;
pub use per_state::PerState;
pub use quadratic::Quadratic;
pub use request::TargetRequest;
pub use sampler::{sample_target, sample_target_with};
pub use samples::TargetSamples;

use crate::error::Result;

/// An energy over states of `n` variables that are 0 or 1.
///
/// States come in blocks: one row of `n` bytes for each state, row after row. So code that is
/// called across a language boundary is called once for many states, always from the thread that called
/// the sampler.
///
/// Energies must be finite. A state that must not occur gets a large energy, not an infinite one.
pub trait Target: Sync {
    /// The number of variables.
    fn n(&self) -> usize;

    /// The energy of every state of a block.
    fn energies(&self, states: &[u8], energies: &mut [f64]) -> Result<()>;

    /// By how much the energy of every state changes when its variable `j` is flipped, given the
    /// energies as they are. The states may be changed meanwhile, but must be left as they were.
    ///
    /// The default implementation asks for the energies of the flipped states, so a sweep asks for energies
    /// n + 1 times.
    fn flip_changes(
        &self,
        j: usize,
        states: &mut [u8],
        energies: &[f64],
        changes: &mut [f64],
    ) -> Result<()> {
        flip_all(self.n(), j, states);
        let outcome = self.energies(states, changes);
        flip_all(self.n(), j, states);
        changes.iter_mut().zip(energies).for_each(|(change, energy)| *change -= energy);
        outcome
    }

    /// The target as one that can update fields, if it is; such a target is swept state by state.
    fn local_fields(&self) -> Option<&dyn LocalFields> {
        None
    }
}

/// A target that can keep the fields of all variables of a state up to date. The field of variable
/// j is E(x with x_j = 1) − E(x with x_j = 0), whatever x_j is.
///
/// States are then swept one by one on all threads, and a variable that stays as it is costs next
/// to nothing.
pub trait LocalFields: Sync {
    /// The fields of all variables of a state; returns its energy.
    fn begin(&self, state: &[u8], fields: &mut [f64]) -> f64;

    /// Brings the fields up to date after variable `j` of the state was flipped.
    fn follow(&self, state: &[u8], j: usize, fields: &mut [f64]);
}

/// Flips variable `j` of every state.
fn flip_all(n: usize, j: usize, states: &mut [u8]) {
    states.iter_mut().skip(j).step_by(n).for_each(|x| *x ^= 1);
}
