//! Samples from the model of a run.
//!
//! If all particles of a run are on its ladder, sampling continues with its replicas. Persistent particles
//! off the ladder serve the training, which needs many of them; as samples they would hardly differ from
//! one time to the next. So they are left out, and a new ladder is set up for sampling, as for a model
//! without a run, unless there is no warm-up. The second half of the samples comes from another new ladder
//! ([`isotherm::sampling`]).

use std::borrow::Cow;

use isotherm::Result;
use isotherm::data::Dataset;
use isotherm::diagnostics::Diagnostic;
use isotherm::model::Rbm;
use isotherm::options::Options;
use isotherm::references::{ROWS_FOR_CLUSTERS, Reference};
use isotherm::sampling::{self, Known, SampleOptions, Samples};
use isotherm::tensors::Bundle;
use isotherm::trainer::TrainState;
use isotherm_kernels::BitMatrix;
use isotherm_tempering::streams::Key;

use super::folder::RunFolder;
use crate::checkpoint;
use crate::run_data::RunData;

/// Draws samples from the model in a run's last checkpoint, or from the averaged parameters in it. The second
/// value is what to know about the run. Its training data serve as first states and tell the weights of clusters, if they
/// can still be read and are what it was trained on. `progress` gets the share that is done and answers whether to go on.
pub fn sample(
    folder: &RunFolder,
    request: &SampleOptions,
    averaged: bool,
    progress: impl FnMut(f64) -> bool,
) -> Result<(Samples, Vec<Diagnostic>)> {
    let config = folder.read_config()?;
    let loaded = checkpoint::load(folder.path())?;
    let before = loaded.bundle.meta.get("data_digest").and_then(|digest| digest.as_str());
    let is_same = |data: &RunData| before.is_some_and(|digest| digest == data.train.digest());
    let data = RunData::of(&config).ok().filter(is_same);
    let rows = data.as_ref().map(|data| rows_of(&data.train));
    let (options, rows) = (&config.options, rows.as_deref());
    let samples = sample_checkpoint(options, &loaded.bundle, rows, request, averaged, progress)?;
    Ok((samples, folder.diagnose(&loaded)?))
}

/// The examples of data, or some draws of a stream.
pub(crate) fn rows_of(data: &Dataset) -> Cow<'_, BitMatrix> {
    let draws = || data.draw(ROWS_FOR_CLUSTERS, Key::after_training(0, 0));
    data.bits().map_or_else(|| Cow::Owned(draws()), Cow::Borrowed)
}

/// The same with the checkpoint itself and the training data, where they are known. The run's options give the columns and the Gibbs steps in a step.
pub fn sample_checkpoint(
    options: &Options,
    checkpoint: &Bundle,
    rows: Option<&BitMatrix>,
    request: &SampleOptions,
    averaged: bool,
    progress: impl FnMut(f64) -> bool,
) -> Result<Samples> {
    let reference = Reference::take_from(checkpoint)?;
    let plan = options.check(reference.marginals().len())?;
    let state = TrainState::take_from(checkpoint, &plan)?;
    let model = Rbm::new(state.result()[usize::from(averaged)].clone());
    let goes_on = state.negative().ladder().is_some_and(|state| {
        let (ladder, replicas) = (state.ladder(), state.replicas());
        let alone = replicas.particles() == replicas.columns();
        let warm_up = request.warm_up_of_run.unwrap_or(request.warm_up);
        ladder.rungs() > 1 && (alone || warm_up == 0 && !request.traced)
    });
    let request = request.clone().k(options.sampler.k);
    // A trace has as many columns however many samples are asked for.
    let columns = request.traced.then_some(plan.columns()).or(request.columns);
    let request = request.columns(columns);
    let known = Known::default().reference(reference).rows(rows);
    match state.into_negative().into_tempering().filter(|_| goes_on) {
        Some(tempering) => {
            // Sampling adapts the ladder in its warm-up, whatever the run was trained with.
            let mut adaptation = options.ladder.adaptation();
            adaptation.max_rungs = adaptation.max_rungs.max(plan.rungs());
            sampling::sample_run(&model, (tempering, adaptation), &known, &request, progress)
        }
        None => sampling::sample_model(&model, &known, &request, progress),
    }
}
