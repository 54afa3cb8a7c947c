//! Samples from the model of a run.
//!
//! If all particles of a run are on its ladder, sampling continues with its replicas. Persistent particles
//! off the ladder serve the training, which needs many of them; as samples they would hardly differ from
//! one time to the next. So they are left out, and a new ladder is set up for sampling, as for a model
//! without a run, unless there is no warm-up.

use isotherm::Result;
use isotherm::diagnostics::Diagnostic;
use isotherm::model::Rbm;
use isotherm::options::Options;
use isotherm::references::Reference;
use isotherm::sampling::{self, SampleOptions, Samples};
use isotherm::tensors::Bundle;
use isotherm::trainer::TrainState;

use super::folder::RunFolder;
use crate::checkpoint;

/// Draws samples from the model in a run's last checkpoint, or from the averaged parameters in it. The second
/// value is what to know about the run. `progress` gets the share that is done and answers whether to go on.
pub fn sample(
    folder: &RunFolder,
    request: &SampleOptions,
    averaged: bool,
    progress: impl FnMut(f64) -> bool,
) -> Result<(Samples, Vec<Diagnostic>)> {
    let config = folder.read_config()?;
    let loaded = checkpoint::load(folder.path())?;
    let samples = sample_checkpoint(&config.options, &loaded.bundle, request, averaged, progress)?;
    Ok((samples, folder.diagnose(&loaded)?))
}

/// The same with the checkpoint itself. The run's options give the columns and the Gibbs steps in a step.
pub fn sample_checkpoint(
    options: &Options,
    checkpoint: &Bundle,
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
        ladder.rungs() > 1 && (alone || request.warm_up == 0 && !request.traced)
    });
    let request = request.clone().k(options.sampler.k);
    match state.into_negative().into_tempering().filter(|_| goes_on) {
        Some(tempering) => {
            // Sampling adapts the ladder in its warm-up, whatever the run was trained with.
            let mut adaptation = options.ladder.adaptation();
            adaptation.max_rungs = adaptation.max_rungs.max(plan.rungs());
            sampling::sample_on(&model, tempering, adaptation, &request, &mut [], progress)
        }
        None => {
            // A trace has as many columns however many samples are asked for.
            let columns = request.traced.then_some(plan.columns());
            let request = request.columns(columns);
            sampling::sample(&model, &reference, &request, &mut [], progress)
        }
    }
}
