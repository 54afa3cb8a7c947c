//! Samples from the model of a run, by its tempered sampler with a ladder that no longer moves.

use isotherm_kernels::BitMatrix;

use super::folder::RunFolder;
use crate::checkpoint;
use crate::error::{Error, Result};
use crate::model::Rbm;
use crate::streams::Clock;
use crate::train::negative::Negative;
use crate::train::{Algorithm, Config, TrainState};

/// What is asked of the sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampleRequest {
    /// Number of samples.
    pub count: usize,
    /// Steps between two samples of a column.
    pub thin: u64,
    /// Steps before the first sample; the ladder adapts in them and then stays.
    pub burn_in: u64,
    /// Seed of the samples.
    pub seed: u64,
    /// Whether to sample from the averaged parameters.
    pub averaged: bool,
}

/// Samples, with the round trips that were completed while they were drawn.
#[derive(Clone, Debug)]
pub struct Samples {
    /// A row for each sample.
    pub v: BitMatrix,
    /// Round trips of all replicas after the burn-in.
    pub round_trips: u64,
}

/// Columns of the ladder that a run without one gets.
const MOST_COLUMNS: usize = 1000;

/// Bounds that keep a mistyped option from asking for years or terabytes.
const MOST_STEPS: u64 = 1 << 48;
const MOST_VALUES: usize = 1 << 36;

/// The steps that a request takes.
fn steps(request: &SampleRequest, columns: usize, n_visible: usize) -> Result<u64> {
    if request.count.checked_mul(n_visible).is_none_or(|values| values > MOST_VALUES) {
        let count = request.count;
        return Err(Error::config(format!(
            "{count} samples of {n_visible} units are more than 2^36 values; ask for fewer samples"
        )));
    }
    let rounds = request.count.div_ceil(columns) as u64;
    rounds
        .checked_mul(request.thin)
        .and_then(|steps| steps.checked_add(request.burn_in))
        .filter(|&steps| steps <= MOST_STEPS)
        .ok_or_else(|| Error::config("--burn-in and --thin ask for more than 2^48 steps"))
}

/// Draws samples from the model in a run's last checkpoint. A run trained without a ladder gets
/// one here. `progress` is told the share that is done and answers whether to go on.
pub fn sample(
    folder: &RunFolder,
    request: &SampleRequest,
    mut progress: impl FnMut(f64) -> bool,
) -> Result<Samples> {
    let config = folder.read_config()?;
    let data = RunFolder::data_of(&config)?;
    let marginals = data.marginals();
    let plan = config.check(data.n_visible())?;
    let loaded = checkpoint::load(folder.path())?;
    let mut state = TrainState::take_from(&loaded.bundle, &plan, &marginals)?;
    let model = match request.averaged {
        true => Rbm::new(state.averaged),
        false => state.model,
    };
    // Sampling adapts its ladder in the burn-in, whatever the run was trained with.
    let tempered = if plan.rungs > 1 {
        let max_rungs = config.max_rungs.max(plan.rungs);
        Config { algorithm: Algorithm::Apt, max_rungs, seed: request.seed, ..plan.config }
    } else {
        // The options of a run without a ladder say nothing about one.
        let columns = Some(plan.columns.min(MOST_COLUMNS));
        let Config { hidden, k, .. } = config;
        Config { hidden, k, columns, seed: request.seed, ..Config::default() }
    };
    let plan = tempered.check(data.n_visible())?;
    if state.negative.tempering().is_none_or(|t| t.state.ladder.rungs() < 2) {
        state.negative = Negative::new(&plan, &marginals);
    }
    let mut v = BitMatrix::zeros(0, data.n_visible());
    let (Some(adaptation), Some(tempering)) = (plan.adaptation(), state.negative.tempering_mut())
    else {
        return Ok(Samples { v, round_trips: 0 });
    };
    let total = steps(request, plan.columns, data.n_visible())?;
    for step in 0..total {
        if step == request.burn_in {
            tempering.state.flow.restart_count();
        }
        let clock = Clock { seed: request.seed, step };
        tempering.step(&model, plan.config.k, clock)?;
        if step < request.burn_in {
            tempering.adapt(&adaptation);
        }
        if step >= request.burn_in && (step + 1 - request.burn_in).is_multiple_of(request.thin) {
            let cold = tempering.state.replicas.cold_rows();
            v.append(&tempering.path.visible(&model, &cold, clock));
        }
        if !progress((step + 1) as f64 / total as f64) {
            break;
        }
    }
    let wanted: Vec<usize> = (0..request.count.min(v.rows())).collect();
    Ok(Samples { v: v.select(&wanted), round_trips: tempering.state.flow.round_trips })
}
