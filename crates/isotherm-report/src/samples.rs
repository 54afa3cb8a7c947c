//! A few samples of a run's model, drawn for its report from its last checkpoint.

use isotherm_kernels::BitMatrix;

use super::reading::RunRecord;
use isotherm::Result;
use isotherm::model::{PerfectSampler, Rbm};
use isotherm::options::{Options, PathKind};
use isotherm::paths::hidden_marginal::SMALL_HIDDEN;
use isotherm_run::{MOST_COLUMNS, SampleRequest, sample};
use isotherm_tempering::streams::Clock;

/// Samples that are drawn where that is cheap.
const WANTED: usize = 500;
/// The most steps of the sampler.
const MOST_STEPS: usize = 2000;
/// The most steps between two samples of a column.
const MOST_THINNING: usize = 20;
/// Multiplications that a report may spend on samples: about a second.
const BUDGET: f64 = 4e10;
/// What the collapsed sweep of the hidden-marginal path costs beside a product.
const COLLAPSED: f64 = 40.0;
/// Rungs that a ladder for a run without one may well take.
const NEW_LADDER: usize = 25;
/// The seed of the samples: the same page comes of the same run.
const SEED: u64 = 1;

/// Samples of a run's model.
#[derive(Clone, Debug)]
pub struct Drawn {
    /// A row for each.
    pub(crate) v: BitMatrix,
    /// Mean of P(h_i = 1 | v) over them, for each hidden unit.
    pub(crate) activations: Vec<f64>,
    /// How they were drawn, in a sentence.
    pub(crate) how: String,
}

/// Draws samples; nothing without a checkpoint, a model or a configuration.
pub(crate) fn draw(record: &RunRecord) -> Result<Option<Drawn>> {
    let Some(model) = record.model.as_ref().map(|file| &file.model) else { return Ok(None) };
    if model.n_hidden() <= PerfectSampler::LARGEST {
        let v = exact_samples(model, WANTED, SEED);
        let how = format!(
            "{WANTED} independent samples of the model at step {}, drawn exactly by enumerating its \
             hidden states (seed {SEED}).",
            record.saved_at.unwrap_or_else(|| record.last_step())
        );
        return Ok(Some(Drawn { activations: activations(model, &v), v, how }));
    }
    let (Some(config), Some(step)) = (&record.config, record.saved_at) else { return Ok(None) };
    let rungs = record.ladder().map(|ladder| ladder.betas.len());
    let request = request(&config.options, rungs, model.n_visible());
    let samples = sample(&record.folder, &request, |_| true)?;
    let count = samples.v.rows();
    let begun = match request.warm_up {
        0 => String::new(),
        steps => format!(" after {steps} steps on a ladder made for it"),
    };
    let doubt = match samples.round_trips {
        0 => " Without a round trip they may show a part of the model only.",
        _ => "",
    };
    let how = format!(
        "{count} samples of the model at step {step}, drawn by its tempered sampler{begun}, one \
         every {} steps of each particle (seed {SEED}; {} round trips meanwhile).{doubt}",
        request.thin, samples.round_trips
    );
    Ok(Some(Drawn {
        activations: activations(model, &samples.samples.v),
        v: samples.samples.v,
        how,
    }))
}

/// Independent, exact samples of a model with a small hidden layer.
pub fn exact_samples(model: &Rbm, count: usize, seed: u64) -> BitMatrix {
    let mut sampler = PerfectSampler::new(model.n_visible(), model.n_hidden());
    let mut samples = BitMatrix::zeros(count, model.n_visible());
    sampler.visible(model, Clock::after_training(seed, 0), &mut samples);
    samples
}

/// Mean of P(h_i = 1 | v) over samples, for each hidden unit.
fn activations(model: &Rbm, v: &BitMatrix) -> Vec<f64> {
    let (mean, count) = (model.hidden_mean(v), v.rows());
    (0..model.n_hidden())
        .map(|unit| (0..count).map(|row| f64::from(mean.row(row)[unit])).sum::<f64>())
        .map(|sum| sum / count.max(1) as f64)
        .collect()
}

/// As many samples as fit the budget.
fn request(options: &Options, rungs: Option<usize>, n_visible: usize) -> SampleRequest {
    let columns = match rungs {
        Some(_) => options.sampler.columns.unwrap_or(options.optimiser.batch).clamp(1, 1000),
        None => MOST_COLUMNS,
    };
    let collapsed = match rungs {
        Some(_) => options.sampler.path == PathKind::HiddenMarginal,
        None => options.hidden <= SMALL_HIDDEN.min(n_visible),
    };
    let spare = rungs.map_or(0, |_| options.sampler.particles.unwrap_or(0).saturating_sub(columns));
    let replicas = (columns * rungs.unwrap_or(NEW_LADDER) + spare) as f64;
    let product = (n_visible * (options.hidden + 10) * options.sampler.k) as f64;
    let step = replicas * product * if collapsed { COLLAPSED } else { 1.0 };
    let steps = ((BUDGET / step) as usize).clamp(2, MOST_STEPS);
    // The replicas of a tempered run are where they should be; others have a way to go first.
    let warm_up = if rungs.is_some() { 0 } else { steps / 2 };
    let steps = steps - warm_up;
    let particles = columns + spare;
    let rounds = WANTED.div_ceil(particles).min(steps);
    SampleRequest {
        count: WANTED.min(rounds * particles),
        thin: (steps / rounds).clamp(1, MOST_THINNING) as u64,
        warm_up: warm_up as u64,
        seed: SEED,
        averaged: false,
        traced: false,
    }
}
