//! The heat bath: a pass over all variables in their order, in which variable j of each row becomes 1
//! with probability σ(−β [E(x with x_j = 1) − E(x with x_j = 0)]).
//!
//! Each row has its own β and its own stream of random numbers, so neither the threads nor the way a
//! row is swept (`carried.rs`, `flipped.rs`) change what is drawn.

use isotherm_kernels::scalar::sigmoid;
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::path::TargetPath;
use super::states::TargetStates;
use super::{Target, carried, flipped};
use crate::causes::NonFinite;
use crate::error::Result;
use crate::explorer::Explorer;
use crate::streams::{Key, Purpose};

/// Single-site heat-bath sampling of a target.
#[derive(Clone, Copy, Debug, Default)]
pub struct HeatBath;

impl<T: Target + ?Sized> Explorer<TargetPath<T>> for HeatBath {
    fn sweep(
        &mut self,
        _: &TargetPath<T>,
        target: &T,
        states: &mut TargetStates,
        betas: &[f64],
        steps: usize,
        key: Key,
    ) -> Result<()> {
        let sweep = Sweep { betas, steps, key };
        match target.local_fields() {
            Some(fields) => carried::sweep(states, fields, &sweep),
            None => flipped::sweep(states, target, &sweep),
        }
    }
}

/// One sweep of all rows.
pub(super) struct Sweep<'a> {
    pub(super) betas: &'a [f64],
    pub(super) steps: usize,
    pub(super) key: Key,
}

impl Sweep<'_> {
    /// The random numbers of a row.
    pub(super) fn stream(&self, row: usize) -> Xoshiro256PlusPlus {
        self.key.sequence(Purpose::Sweep, row)
    }
}

/// A variable drawn given all others, by its field.
pub(super) fn heat_bath(beta: f64, field: f64, rng: &mut impl RngExt) -> u8 {
    u8::from(rng.random::<f64>() < sigmoid(-beta * field))
}

/// Refuses energies that are not finite.
pub(super) fn finite(energies: &[f64], states: &[u8], n: usize) -> Result<()> {
    match energies.iter().position(|energy| !energy.is_finite()) {
        None => Ok(()),
        Some(row) => {
            let (state, energy) = (states[row * n..][..n].to_vec(), energies[row]);
            Err(NonFinite::Energy { state, flipped: None, energy }.into())
        }
    }
}
