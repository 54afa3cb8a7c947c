//! Fitting a small RBM: the trainer itself on the hidden-marginal path, which equilibrates small hidden layers.
//!
//! It takes as many updates as fit into a share of the work of the run that the reference is for. Everything is
//! deterministic: the work is that of the plan, and nothing is timed.

use isotherm_kernels::stream_key;
use isotherm_tempering::causes::{NonFinite, unless_interrupted};
use isotherm_tempering::streams::Purpose;
use isotherm_tempering::threads::keep_awake;

use super::work::{self, COST_OF_A_WEIGHT};
use super::{ReferenceError, SmallRbm};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::options::{Algorithm, LrDecay, Options, PathKind, Plan};
use crate::paths::cost_of_a_step;
use crate::paths::hidden_marginal::cost_of_a_sweep;
use crate::trainer::{Diverged, TrainState, Trainer};

/// The most updates: with a few hidden units, more improve nothing.
const MOST_UPDATES: u64 = 20_000;

/// Columns, each with one particle, and rungs of the ladder.
const COLUMNS: usize = 16;
const RUNGS: usize = 5;

/// Examples in a minibatch.
const BATCH: usize = 100;

/// Nanoseconds of a state and a visible unit when the hidden states are enumerated, roughly, and of a weight and a
/// row when the likelihood is measured.
const COST_OF_A_TERM: f64 = 1.0;

/// Trains an RBM of `n_hidden` units on the data; returns it with the number of updates.
pub(super) fn train(
    plan: &Plan,
    n_hidden: usize,
    data: &Dataset,
    progress: &mut dyn FnMut(f64) -> bool,
) -> Result<(SmallRbm, u64)> {
    // Options take seeds below 2^63.
    let seed = stream_key(plan.options.seed, Purpose::SmallRbm.number(), 0, 0) >> 1;
    let updates = updates(plan, data.n_visible(), n_hidden);
    let options = options(n_hidden, updates).seed(seed);
    let plan = options.check(data.n_visible())?;
    let mut state = TrainState::new(&plan, &data.marginals());
    let mut trainer = Trainer::new(plan, data.clone());
    let trained = keep_awake(|| {
        for update in 0..updates {
            if update.is_multiple_of((updates / 100).max(1)) {
                unless_interrupted(progress(update as f64 / updates as f64))?;
            }
            trainer.step(&mut state)?;
        }
        Ok(())
    });
    trained.map_err(about_the_reference)?;
    Ok((SmallRbm::new(state.averaged().clone())?, updates))
}

fn options(n_hidden: usize, updates: u64) -> Options {
    Options::default()
        .hidden(n_hidden)
        .algorithm(Algorithm::Apt)
        .path(PathKind::HiddenMarginal)
        .columns(Some(COLUMNS))
        .rungs(Some(RUNGS))
        .spawn_every(100)
        .burn_in(10)
        .beta_lr(1e-3)
        .batch(BATCH)
        .updates(updates)
        .lr(0.05)
        .lr_decay(LrDecay::HoldExponential)
        .likelihood_every(Some(0))
}

/// That it diverged has nothing to do with the rate of the run.
fn about_the_reference(error: Error) -> Error {
    match error.cause::<Diverged>().is_some() || error.cause::<NonFinite>().is_some() {
        true => ReferenceError::Diverged.into(),
        false => error,
    }
}

/// As many updates as fit into the share of the run's work, by rough costs in nanoseconds.
fn updates(plan: &Plan, n_visible: usize, n_hidden: usize) -> u64 {
    // An update on the hidden-marginal path, whose samples are drawn apart.
    let row = cost_of_a_step(n_visible, n_hidden);
    let update = (COLUMNS * RUNGS) as f64 * cost_of_a_sweep(n_visible, n_hidden)
        + (BATCH + 2 * COLUMNS) as f64 * row
        + COST_OF_A_WEIGHT * (n_visible * n_hidden) as f64;
    let enumeration = COST_OF_A_TERM * libm::exp2(n_hidden as f64) * n_visible as f64;
    let affordable = (work::of_reference(plan, n_visible) - enumeration) / update;
    (affordable as u64).clamp(1, MOST_UPDATES)
}
