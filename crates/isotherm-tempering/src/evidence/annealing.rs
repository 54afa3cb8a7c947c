//! Annealed importance sampling, in either direction.
//!
//! Particles drawn from π at one end of the path are taken to the other end in small steps of β.
//! Before each step a particle's weight is multiplied by π_next(x) / π_now(x), then x moves by a
//! transition that leaves π_next invariant. The mean weight is Z_last / Z_first, whatever the
//! steps are.
//!
//! Upwards from β = 0, where particles are drawn exactly, the estimate of log Z is low on average
//! (Jensen). Downwards from samples of the model it is log Z_0 minus such an estimate, and high: the
//! two enclose log Z, as far as the samples were the model's.

use rayon::prelude::*;

use super::estimate::{End, Estimate};
use super::log_mean::log_mean;
use crate::causes::{NonFinite, unless_interrupted};
use crate::error::Result;

use crate::ensemble::Densities;
use crate::streams::Key;
use crate::threads::rows_per_thread;

/// log Z from the weights of particles that were annealed up, given log Z of the reference.
pub fn from_below(log_weights: &[f64], of_reference: f64) -> Estimate {
    log_mean(log_weights, log_weights.len()).plus(of_reference).bounding(End::Lower)
}

/// log Z from the weights of samples of the model that were annealed down. Sample i comes from
/// group i mod `groups`, of which each is independent of the others.
pub fn from_above(log_weights: &[f64], groups: usize, of_reference: f64) -> Estimate {
    log_mean(log_weights, groups).negated().plus(of_reference).bounding(End::Upper)
}

/// The logarithm of each row's weight after a walk along the schedule, which rises from 0 to 1, or
/// falls from 1 to 0 and starts from the ensemble's states.
pub fn anneal<E: Densities + Sync + ?Sized>(
    ensemble: &mut E,
    model: &E::Model,
    schedule: &[f64],
    key: Key,
    progress: &mut dyn FnMut(f64) -> bool,
) -> Result<Vec<f64>> {
    let rows = ensemble.rows();
    let (mut betas, mut log_weights) = (vec![0.0; rows], vec![0.0; rows]);
    let steps = schedule.len() - 1;
    for (step, pair) in schedule.windows(2).enumerate() {
        let key = Key { step: step as u64, ..key };
        betas.fill(pair[0]);
        ensemble.sweep(model, &betas, 1, key)?;
        for (log_weight, change) in log_weights.iter_mut().zip(changes(ensemble, pair)) {
            *log_weight += change;
        }
        betas.fill(pair[1]);
        ensemble.resample(model, &betas, key);
        if step % 64 == 0 {
            unless_interrupted(progress(step as f64 / steps as f64))?;
        }
    }
    match log_weights.iter().all(|log_weight| log_weight.is_finite()) {
        true => Ok(log_weights),
        false => Err(NonFinite::AnnealingWeights.into()),
    }
}

/// log π_to(x) − log π_from(x) of each row, `pair` being [from, to].
pub(super) fn changes<E: Densities + Sync + ?Sized>(ensemble: &E, pair: &[f64]) -> Vec<f64> {
    let mut changes = vec![0.0; ensemble.rows()];
    // A softplus in f64, roughly 2 ns, for both β and each of some hundred units.
    let chunk = rows_per_thread(ensemble.rows(), 500.0);
    changes.par_chunks_mut(chunk).enumerate().for_each(|(at, changes)| {
        let mut logs = [0.0; 2];
        for (i, change) in changes.iter_mut().enumerate() {
            ensemble.log_densities(at * chunk + i, pair, &mut logs);
            *change = logs[1] - logs[0];
        }
    });
    changes
}
