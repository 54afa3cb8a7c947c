//! A few samples of a run's model, drawn for its report from its last checkpoint.

use super::reading::RunRecord;
use isotherm::Result;
use isotherm_run::{ModelSamples, Tempered, checkpoint};

/// Draws samples; nothing without a checkpoint, a model or a configuration.
pub(crate) fn draw(record: &RunRecord) -> Result<Option<ModelSamples>> {
    let Some(model) = record.model.as_ref().map(|file| &file.model) else { return Ok(None) };
    if let Some(exact) = ModelSamples::exact(model) {
        return Ok(Some(exact));
    }
    let (Some(config), Some(_)) = (&record.config, record.saved_at) else { return Ok(None) };
    let checkpoint = checkpoint::load(record.folder.path())?.bundle;
    let (options, ladder) = (&config.options, record.ladder());
    ModelSamples::of_checkpoint(options, &checkpoint, model, ladder, &mut |_| true).map(Some)
}

/// How samples of the model at a step were drawn, in a sentence.
pub(crate) fn how_drawn(samples: &ModelSamples, step: u64) -> String {
    let (count, seed) = (samples.v.rows(), samples.seed);
    let Some(Tempered { warm_up, thin, round_trips }) = samples.tempered else {
        return format!(
            "{count} independent samples of the model at step {step}, drawn exactly by enumerating its \
             hidden states (seed {seed})."
        );
    };
    let begun = match warm_up {
        0 => String::new(),
        steps => format!(" after {steps} steps on a new ladder"),
    };
    let caveat = match samples.few_round_trips {
        Some(_) => " They may show a part of the model only: these are too few round trips.",
        None => "",
    };
    format!(
        "{count} samples of the model at step {step}, drawn by its tempered sampler{begun}, one every \
         {thin} steps of each particle (seed {seed}; {round_trips} round trips in the meantime).{caveat}"
    )
}
