//! Samples from the model of a run.
//!
//! A run's own replicas go on, if all of them are on its ladder. Persistent particles off the ladder serve
//! learning, where they are many and the ladder brings fresh states to each of them now and then; as
//! samples they would hardly differ from one time to the next. So they are left behind, and a ladder for
//! sampling alone is laid, as for a model without a run; unless there is no warm-up to lay it in.

use std::ops::Deref;

use isotherm::Result;
use isotherm::diagnostics::Diagnostic;
use isotherm::model::Rbm;
use isotherm::options::Options;
use isotherm::sampling::{self, SampleOptions};
use isotherm::tensors::Bundle;
use isotherm::trainer::TrainState;
use isotherm_tempering::TemperingState;

use super::folder::RunFolder;
use crate::checkpoint;

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

impl SampleRequest {
    fn options(&self, columns: Option<usize>, k: usize) -> SampleOptions {
        let SampleRequest { count, thin, warm_up, seed, traced, .. } = *self;
        SampleOptions { count, thin, warm_up, seed, traced, columns, k }
    }
}

/// Samples of the model of a run.
#[derive(Clone, Debug)]
pub struct Samples {
    /// The samples and their ladder.
    pub samples: sampling::Samples,
    /// What to know about the run that they are from.
    pub about_run: Vec<Diagnostic>,
}

impl Samples {
    /// What to know before trusting the samples.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        self.about_run.iter().cloned().chain(self.samples.diagnose()).collect()
    }
}

impl Deref for Samples {
    type Target = sampling::Samples;

    fn deref(&self) -> &sampling::Samples {
        &self.samples
    }
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
    let samples = sample_checkpoint(&config.options, &loaded.bundle, request, progress)?;
    Ok(Samples { about_run: folder.diagnose(&loaded)?, ..samples })
}

/// The same with the checkpoint itself.
pub fn sample_checkpoint(
    options: &Options,
    checkpoint: &Bundle,
    request: &SampleRequest,
    progress: impl FnMut(f64) -> bool,
) -> Result<Samples> {
    let n_visible = checkpoint.tensor("marginals")?.shape().first().copied().unwrap_or(0);
    let marginals: Vec<f64> = checkpoint.get("marginals", &[n_visible])?;
    let plan = options.check(n_visible)?;
    let state = TrainState::take_from(checkpoint, &plan, &marginals)?;
    let [model, averaged] = state.result();
    let model = Rbm::new(if request.averaged { averaged } else { model }.clone());
    let goes_on =
        state.negative.ladder().is_some_and(|TemperingState { ladder, replicas, .. }| {
            let alone = replicas.particles() == replicas.columns();
            ladder.rungs() > 1 && (alone || request.warm_up == 0 && !request.traced)
        });
    let samples = match state.negative.into_tempering().filter(|_| goes_on) {
        Some(tempering) => {
            // Sampling adapts the ladder in its warm-up, whatever the run was trained with.
            let mut adaptation = options.ladder.adaptation();
            adaptation.max_rungs = adaptation.max_rungs.max(plan.rungs);
            let request = request.options(None, options.sampler.k);
            sampling::sample_on(&model, tempering, adaptation, &request, progress)?
        }
        None => {
            // A trace has as many columns however many samples are asked for.
            let columns = request.traced.then_some(plan.columns);
            let request = request.options(columns, options.sampler.k);
            sampling::sample(&model, &marginals, &request, progress)?
        }
    };
    Ok(Samples { samples, about_run: Vec::new() })
}

/// Draws samples from a model that comes without a run.
pub fn sample_model(
    model: &Rbm,
    request: &SampleRequest,
    progress: impl FnMut(f64) -> bool,
) -> Result<Samples> {
    let samples = sampling::sample_model(model, &request.options(None, 1), progress)?;
    Ok(Samples { samples, about_run: Vec::new() })
}
