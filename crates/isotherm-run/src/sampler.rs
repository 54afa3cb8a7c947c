//! Samples from a model, by a tempered sampler: the ladder adapts while the replicas warm up and stays where
//! it is while samples are taken.
//!
//! A run's own replicas go on, if they are on a ladder and nowhere else. Particles beside a ladder serve
//! learning, where they are many and the ladder brings something new to each of them now and then; as
//! samples they would hardly differ from one time to the next. So they are left behind, and a ladder for
//! sampling alone is laid, as for a model without a run; unless there is no warm-up to lay it in.

use isotherm_kernels::BitMatrix;

use super::folder::RunFolder;
use crate::checkpoint;
use isotherm::diagnostics::Diagnostic;
use isotherm::model::Rbm;
use isotherm::paths::joint::joint;
use isotherm::paths::{Path, RbmPath, SwapOn, random_hidden};
use isotherm::tensors::Bundle;
use isotherm::train::negative::Negative;
use isotherm::train::{Algorithm, Config, Plan, TrainState};
use isotherm::{Error, Result};
use isotherm_tempering::streams::Clock;
use isotherm_tempering::{Replicas, TemperingState};

/// What is asked of the sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampleRequest {
    /// Number of samples.
    pub count: usize,
    /// Steps between two samples of a column.
    pub thin: u64,
    /// Steps before the first sample; the ladder adapts in them, or is laid, and then stays.
    pub warm_up: u64,
    /// Seed of the samples.
    pub seed: u64,
    /// Whether to sample from the averaged parameters.
    pub averaged: bool,
    /// Whether to take note of where every replica is whenever samples are taken.
    pub traced: bool,
}

/// Samples, with the round trips that were completed while they were drawn.
#[derive(Clone, Debug)]
pub struct Samples {
    /// A row for each sample.
    pub v: BitMatrix,
    /// The rung of each replica at each time samples were taken, if that was asked for: replicas side
    /// by side.
    pub rungs: Vec<u16>,
    /// The ladder, cold end first.
    pub betas: Vec<f64>,
    /// Particles: samples that were taken at a time.
    pub particles: usize,
    /// Columns of the ladder.
    pub columns: usize,
    /// Round trips of all replicas after the warm-up.
    pub round_trips: u64,
    /// Those of the warm-up, or of what came after the ladder was laid anew in it: they forget where the
    /// replicas began just as well.
    pub warm_up_trips: u64,
    /// If the current checkpoint was unusable: a sentence that says which one was used.
    pub fell_back: Option<String>,
}

impl Samples {
    /// Why the samples may not be the model's, if there is a doubt: fewer round trips than columns, as
    /// where an evaluation doubts its samplers, but counted from the warm-up on.
    pub fn diagnose(&self) -> Option<Diagnostic> {
        let (round_trips, columns) = (self.warm_up_trips + self.round_trips, self.columns);
        let is_doubtful = round_trips < columns as u64 && self.betas.len() > 1;
        is_doubtful.then_some(Diagnostic::FewRoundTrips { round_trips, columns })
    }
}

/// The fewest and the most columns of a ladder that is laid for sampling: few would tell little of where its
/// rungs should be.
const FEWEST_COLUMNS: usize = 16;
/// The most columns of a ladder that is laid for sampling.
pub const MOST_COLUMNS: usize = 100;

/// Bounds that keep a mistyped option from asking for years or terabytes.
const MOST_STEPS: u64 = 1 << 48;
const MOST_VALUES: usize = 1 << 36;

/// The steps that a request takes.
fn steps(request: &SampleRequest, columns: usize, n_visible: usize) -> Result<u64> {
    if request.count == 0 {
        return Err(Error::config("there is nothing to sample; ask for at least one sample"));
    }
    if request.count.checked_mul(n_visible).is_none_or(|values| values > MOST_VALUES) {
        let count = request.count;
        return Err(Error::config(format!(
            "{count} samples of {n_visible} units are more than 2^36 values; ask for fewer samples"
        )));
    }
    let rounds = request.count.div_ceil(columns) as u64;
    rounds
        .checked_mul(request.thin)
        .and_then(|steps| steps.checked_add(request.warm_up))
        .filter(|&steps| steps <= MOST_STEPS)
        .ok_or_else(|| Error::config("--warm-up and --thin ask for more than 2^48 steps"))
}

/// Draws samples from the model in a run's last checkpoint. `progress` is told the share that is done and
/// answers whether to go on.
pub fn sample(
    folder: &RunFolder,
    request: &SampleRequest,
    progress: impl FnMut(f64) -> bool,
) -> Result<Samples> {
    let config = folder.read_config()?;
    let loaded = checkpoint::load(folder.path())?;
    let mut samples = sample_checkpoint(&config, &loaded.bundle, request, progress)?;
    samples.fell_back = loaded.fell_back;
    Ok(samples)
}

/// The same with the checkpoint itself.
pub fn sample_checkpoint(
    config: &Config,
    checkpoint: &Bundle,
    request: &SampleRequest,
    mut progress: impl FnMut(f64) -> bool,
) -> Result<Samples> {
    let n_visible = checkpoint.tensor("marginals")?.shape().first().copied().unwrap_or(0);
    let marginals: Vec<f64> = checkpoint.get("marginals", &[n_visible])?;
    let plan = config.check(n_visible)?;
    let mut state = TrainState::take_from(checkpoint, &plan, &marginals)?;
    let [model, averaged] = state.result();
    let model = Rbm::new(if request.averaged { averaged } else { model }.clone());
    let goes_on = state.negative.tempering().is_some_and(|tempering| {
        let TemperingState { ladder, replicas, .. } = &tempering.state;
        let alone = replicas.particles() == replicas.columns();
        ladder.rungs() > 1 && (alone || request.warm_up == 0 && !request.traced)
    });
    if !goes_on {
        // What is traced has as many columns however many samples are asked for.
        let columns = if request.traced { plan.columns } else { request.count };
        let shape = (columns, config.k);
        return sample_afresh(&model, &marginals, shape, request, &mut progress);
    }
    // Sampling adapts the ladder in its warm-up, whatever the run was trained with.
    let max_rungs = config.max_rungs.max(plan.rungs);
    let plan = Config { algorithm: Algorithm::Apt, max_rungs, seed: request.seed, ..plan.config }
        .check(n_visible)?;
    draw(&model, &plan, (&mut state.negative, 0), request, &mut progress)
}

/// Draws samples from a model that comes without a run. Nothing is known of its data, so the hot end
/// of the ladder gets the marginals that a short run of Gibbs sampling shows.
pub fn sample_model(
    model: &Rbm,
    request: &SampleRequest,
    mut progress: impl FnMut(f64) -> bool,
) -> Result<Samples> {
    let marginals = marginals_of(model, request.seed);
    let shape = (request.count, Config::default().k);
    sample_afresh(model, &marginals, shape, request, &mut progress)
}

/// Draws samples by a ladder laid for it with the default options, from the hot end on: about so many columns, and
/// k Gibbs steps a step once it is laid.
fn sample_afresh(
    model: &Rbm,
    marginals: &[f64],
    (columns, k): (usize, usize),
    request: &SampleRequest,
    progress: &mut dyn FnMut(f64) -> bool,
) -> Result<Samples> {
    let columns = columns.clamp(FEWEST_COLUMNS, MOST_COLUMNS);
    // Before anything is done for a request that is too large.
    steps(request, columns, model.n_visible())?;
    let (hidden, seed) = (model.n_hidden(), request.seed);
    let config = Config { hidden, k, columns: Some(columns), seed, ..Config::default() };
    let plan = config.check(model.n_visible())?;
    let mut negative = begun(&plan, marginals, model);
    let total = (request.warm_up + request.count.div_ceil(columns) as u64 * request.thin) as f64;
    let (mut going, mut trips) = (true, 0);
    if let Some(tempering) = negative.tempering_mut() {
        // The model does not change any more: its ladder is tuned in rounds.
        let clock = Clock::of_log_z(seed, 1);
        trips = tempering.warm_up(model, request.warm_up, clock, &mut |step| {
            going = progress(step as f64 / total);
            going
        })?;
    }
    let (warmed, rest) = (request.warm_up as f64 / total, SampleRequest { warm_up: 0, ..*request });
    draw(model, &plan, (&mut negative, trips), &rest, &mut |share| {
        going && progress(warmed + (1.0 - warmed) * share)
    })
}

/// A sampler whose replicas begin at the hot end. Coins for h, as learning begins with, would put strong
/// fields on v and many replicas into the narrowest modes.
fn begun(plan: &Plan, marginals: &[f64], model: &Rbm) -> Negative {
    let mut negative = Negative::new(plan, marginals);
    if let Some(tempering) = negative.tempering_mut() {
        tempering.begin_at_the_hot_end(model, Clock::after_training(plan.config.seed, 0));
    }
    negative
}

/// P(v_j = 1) as independent Gibbs samplers from random states see it.
fn marginals_of(model: &Rbm, seed: u64) -> Vec<f64> {
    const ROWS: usize = 200;
    const STEPS: usize = 200;
    let clock = Clock::of_log_z(seed, 0);
    let mut path = joint(model.n_visible(), model.n_hidden(), SwapOn::Energy);
    path.set_hidden(random_hidden(ROWS, model.n_hidden(), clock));
    path.sweep(model, &[1.0; ROWS], STEPS, clock);
    let counts = path.visible_states().column_counts();
    counts.into_iter().map(|count| count as f64 / ROWS as f64).collect()
}

/// Steps the sampler and takes samples; the ladder adapts in the warm-up and then stays. Replicas may
/// have warmed up before, and completed some round trips.
fn draw(
    model: &Rbm,
    plan: &Plan,
    (negative, mut warm_up_trips): (&mut Negative, u64),
    request: &SampleRequest,
    progress: &mut dyn FnMut(f64) -> bool,
) -> Result<Samples> {
    let n_visible = model.n_visible();
    let mut v = BitMatrix::zeros(0, n_visible);
    let (Some(adaptation), Some(tempering)) = (plan.adaptation(), negative.tempering_mut()) else {
        return Err(Error::config("there is no ladder to sample with"));
    };
    let total = steps(request, plan.particles, n_visible)?;
    let mut samples = BitMatrix::zeros(plan.particles, n_visible);
    let mut rungs = Vec::new();
    tempering.state.flow.restart_count();
    for step in 0..total {
        if step == request.warm_up {
            warm_up_trips += tempering.state.flow.round_trips;
            tempering.state.flow.restart_count();
        }
        let clock = Clock::after_training(request.seed, step);
        tempering.step(model, plan.config.k, clock)?;
        if step < request.warm_up {
            tempering.adapt(&adaptation);
        }
        if step >= request.warm_up && (step + 1 - request.warm_up).is_multiple_of(request.thin) {
            tempering.at_the_cold_end(|path, rows| {
                path.visible(model, rows, clock, &mut samples);
            });
            v.append(&samples);
            if request.traced {
                trace(&tempering.state.replicas, &mut rungs);
            }
        }
        if !progress((step + 1) as f64 / total as f64) {
            break;
        }
    }
    let wanted: Vec<usize> = (0..request.count.min(v.rows())).collect();
    Ok(Samples {
        v: v.select(&wanted),
        rungs,
        betas: tempering.state.ladder.betas().to_vec(),
        particles: plan.particles,
        columns: tempering.state.replicas.columns(),
        round_trips: tempering.state.flow.round_trips,
        warm_up_trips,
        fell_back: None,
    })
}

/// Adds the rung of each replica.
fn trace(replicas: &Replicas, out: &mut Vec<u16>) {
    let start = out.len();
    out.resize(start + replicas.rows(), 0);
    for column in 0..replicas.columns() {
        for (rung, &row) in replicas.column(column).iter().enumerate() {
            // A ladder never has as many rungs as would not fit.
            out[start + row] = rung as u16;
        }
    }
}
