//! `isotherm evaluate`.

use std::path::Path;

use isotherm::data::{Binarise, DataDiagnostic, Dataset, LeftOut};
use isotherm::diagnostics::Diagnostic;
use isotherm::likelihood::{KnownData, LogLikelihood, LogZ, LogZMethod, LogZResult, Origin, exact};
use isotherm::model::{ModelFile, Rbm};
use isotherm::references::Distribution;
use isotherm::sampling::{Known, SampleOptions, sample_model};
use isotherm::{BitMatrix, Result};
use isotherm_data::Source;

use isotherm_run::config::name;
use isotherm_run::read_model;
use isotherm_run::{RunData, RunFolder};
use isotherm_tempering::streams::Key;
use serde_json::json;

use crate::Ending;
use crate::args::EvaluateArguments;
use crate::error::CliError;
use crate::output::{print, tell, warn};
use crate::stages::Stages;
use crate::train::{digits, nats};
use crate::words::CommandLineWords;

pub(crate) fn run(arguments: &EvaluateArguments, quiet: bool) -> Result<Ending> {
    let options = arguments.options.options()?;
    let subject = match is_model_file(&arguments.run) {
        true => of_file(arguments)?,
        false => of_run(arguments, options.log_z)?,
    };
    let Subject { model, has_averaged, data, training, others } = subject;
    for data in [data.as_ref(), training.as_ref()].into_iter().flatten() {
        if data.n_visible() != model.n_visible() {
            return Err(CliError::Width {
                data: data.name().to_owned(),
                columns: data.n_visible(),
                place: arguments.run.clone(),
                units: model.n_visible(),
            }
            .into());
        }
    }
    if let Some(data) = &data {
        let about = [DataDiagnostic::of_reading(data), DataDiagnostic::of_held_out(data)];
        let about: Vec<Diagnostic> = about.into_iter().flatten().map(Diagnostic::from).collect();
        warn(&about);
    }
    let mut stages = Stages::new(quiet);
    let show = &mut |stage: &str, share| {
        stages.show(stage, share);
        true
    };
    let known = match (&training, &data) {
        (Some(training), data) => KnownData::training(training).and(data),
        (None, Some(data)) => KnownData { origin: Origin::Measured, sets: vec![data] },
        (None, None) => KnownData { origin: Origin::OwnSamples, sets: Vec::new() },
    };
    let known = known.and(&others);
    let log_z = LogZResult::find(&model, known, options.log_z, &options.budget(), show)?;
    stages.finish();
    let Some(data) = data else {
        return tell_log_z(&log_z, arguments.json);
    };
    let measured = log_z.likelihood(&model, &data);
    if arguments.json {
        let text = serde_json::to_string_pretty(&measured)
            .map_err(|error| CliError::Json { reason: error.to_string() })?;
        print(&format!("{text}\n"))?;
    } else {
        let which = match (arguments.averaged, has_averaged) {
            (true, _) => ", averaged parameters",
            (false, true) => ", raw parameters",
            (false, false) => "",
        };
        // A model is fitted to its training data: for others like these they say little.
        let held_out =
            arguments.data.is_some() || matches!(arguments.on.as_deref(), Some("valid" | "test"));
        print(&in_words(&measured, &log_z, which, held_out))?;
    }
    Ok(Ending::Done)
}

/// Whether this is the file of a model, there or not, and not the folder of a run.
pub(crate) fn is_model_file(path: &Path) -> bool {
    let is_named = path.extension().is_some_and(|it| it.eq_ignore_ascii_case("safetensors"));
    path.is_file() || (is_named && !path.is_dir())
}

/// The model in a file with its own or its averaged parameters.
pub(crate) fn choose(file: ModelFile, averaged: bool, place: &Path) -> Result<Rbm> {
    match (averaged, file.averaged) {
        (false, _) => Ok(file.model),
        (true, Some(averaged)) => Ok(averaged),
        (true, None) => Err(CliError::NoAveraged { place: place.to_owned() }.into()),
    }
}

/// What is evaluated.
struct Subject {
    model: Rbm,
    /// Whether there are averaged parameters beside those that are evaluated.
    has_averaged: bool,
    /// What is measured; without it, log Z alone is found.
    data: Option<Dataset>,
    /// The training data, where they are known.
    training: Option<Dataset>,
    /// Other states that are typical of the model: more data of a run, draws of the reference that is stored with a
    /// model, or samples of the model itself.
    others: Vec<Dataset>,
}

/// Samples of a model about which nothing else is known, and draws of its reference.
const DRAWN: usize = 1000;

fn of_run(arguments: &EvaluateArguments, way: LogZMethod) -> Result<Subject> {
    let folder = RunFolder::open(&arguments.run)?;
    if arguments.train.is_some() {
        return Err(CliError::OwnTrainingData { run: arguments.run.clone() }.into());
    }
    let (file, about) = folder.read_model()?;
    warn(&about);
    let has_averaged = file.averaged.is_some();
    let reference = file.reference.clone();
    let model = choose(file, arguments.averaged, folder.path())?;
    let mut config = folder.read_config()?;
    let rule = rule(arguments)?.unwrap_or(config.data.binarise);
    let is_own_rule = rule == config.data.binarise;
    if config.data.train.is_some() {
        config.data.binarise = rule;
    }
    let own = RunData::of(&config);
    if let (Ok(own), true) = (&own, is_own_rule) {
        for name in own.changed_since(folder.path()) {
            let run = folder.path().display();
            tell(&format!("isotherm: warning: {name} has changed since the run {run} began"));
        }
    }
    if let Some(text) = &arguments.data {
        let scale = own.as_ref().ok().and_then(|own| own.train.scale());
        let left_out = left_out(arguments)?.or(config.data.drop);
        let source = Source::parse(text).leaving_out(left_out.as_ref());
        let data = isotherm_data::load_like(&source, rule, config.data.data_seed, scale)?;
        // The training data may have gone; an exact likelihood of zeros and ones does without them.
        let own = own.map_err(|error| {
            if rule != Binarise::AsIs || is_estimated(&model, way) {
                tell(&format!(
                    "isotherm: warning: the training data cannot be read, so {text} is used instead \
                     ({})",
                    error.words(&CommandLineWords)
                ));
            }
        });
        let (training, others) = match own {
            Ok(RunData { train, valid, test }) => {
                (Some(train), valid.into_iter().chain(test).collect())
            }
            Err(()) => (None, drawn(&reference)?.into_iter().collect()),
        };
        return Ok(Subject { model, has_averaged, data: Some(data), training, others });
    }
    let RunData { train, valid, test } = own?;
    let others = valid.iter().chain(&test).cloned().collect();
    let (name, part) = match arguments.on.as_deref() {
        Some("valid") => (name::valid, valid),
        Some("test") => (name::test, test),
        _ => (name::train, Some(train.clone())),
    };
    let no_part = || CliError::NoPart { run: folder.path().to_owned(), part: name };
    let data = part.ok_or_else(no_part)?;
    Ok(Subject { model, has_averaged, data: Some(data), training: Some(train), others })
}

/// Draws of a reference that was fitted to the training data: all that is left of them.
fn drawn(reference: &Distribution) -> Result<Option<Dataset>> {
    reference.draw(DRAWN, Key { seed: 0, step: 0 }).map(Dataset::from_bits).transpose()
}

fn of_file(arguments: &EvaluateArguments) -> Result<Subject> {
    let file = read_model(&arguments.run)?;
    let has_averaged = file.averaged.is_some();
    let reference = file.reference.clone();
    let model = choose(file, arguments.averaged, &arguments.run)?;
    let rule = rule(arguments)?.unwrap_or_default();
    let left_out = left_out(arguments)?;
    let load = |text: &String, like| {
        let source = Source::parse(text).leaving_out(left_out.as_ref());
        isotherm_data::load_like(&source, rule, 1, like)
    };
    let training = arguments.train.as_ref().map(|text| load(text, None)).transpose()?;
    let like = training.as_ref().and_then(Dataset::scale);
    let data = arguments.data.as_ref().map(|text| load(text, like)).transpose()?;
    let mut others: Vec<Dataset> = match &training {
        Some(_) => Vec::new(),
        None => drawn(&reference)?.into_iter().collect(),
    };
    if data.is_none() && training.is_none() {
        // Where log Z is enumerated, any states will do.
        let samples = match is_estimated(&model, arguments.options.options()?.log_z) {
            true => {
                let known = Known::of_distribution(&reference);
                let request = SampleOptions::default().count(DRAWN);
                sample_model(&model, &known, &request, |_| true)?.v
            }
            false => BitMatrix::zeros(1, model.n_visible()),
        };
        others.insert(0, Dataset::from_bits(samples)?);
    }
    Ok(Subject { model, has_averaged, data, training, others })
}

/// The rule that is asked for.
fn rule(arguments: &EvaluateArguments) -> Result<Option<Binarise>> {
    arguments.binarise.as_deref().map(str::parse).transpose()
}

/// The columns that are asked to be left out.
fn left_out(arguments: &EvaluateArguments) -> Result<Option<LeftOut>> {
    arguments.drop.as_deref().map(str::parse).transpose()
}

fn is_estimated(model: &Rbm, way: LogZMethod) -> bool {
    way == LogZMethod::Estimate
        || (way == LogZMethod::Auto && exact::smaller_layer(model) > exact::LARGEST)
}

/// log Z alone, where there are no data.
fn tell_log_z(log_z: &LogZResult, as_json: bool) -> Result<Ending> {
    let text = if as_json {
        let text = match log_z {
            LogZResult::Exact(value) => serde_json::to_string_pretty(&json!({
                "value": value, "std_error": 0.0, "lower": value, "upper": value, "method": "exact",
            })),
            LogZResult::Estimated(found) => serde_json::to_string_pretty(found),
        };
        text.map_err(|error| CliError::Json { reason: error.to_string() })?
    } else {
        match log_z {
            LogZResult::Exact(value) => format!("log Z {value:.4} by enumeration"),
            LogZResult::Estimated(found) => {
                let digits = digits(found.std_error);
                let LogZ { value, std_error, lower, upper, .. } = &**found;
                format!(
                    "log Z {value:.digits$} ± {std_error:.digits$}, estimated, between {lower:.digits$} and \
                     {upper:.digits$}\n{}",
                    found.verdict.sentence
                )
            }
        }
    };
    print(&format!("{text}\n"))?;
    Ok(Ending::Done)
}

fn in_words(measured: &LogLikelihood, log_z: &LogZResult, which: &str, held_out: bool) -> String {
    let log_z = match (log_z, &measured.log_z) {
        (LogZResult::Exact(value), _) => format!("log Z {value:.4} by enumeration"),
        // As it is after the measured rows were seen.
        (LogZResult::Estimated(_), Some(it)) | (LogZResult::Estimated(it), None) => {
            let (value, error, digits) = (it.value, it.std_error, digits(it.std_error));
            format!("log Z {value:.digits$} ± {error:.digits$}, estimated")
        }
    };
    let mut text = format!("log-likelihood {} ({log_z}{which})\n", nats(measured));
    if let Some(error) = measured.examples_std_error.filter(|_| held_out) {
        text += &format!(
            "standard error of the mean over other examples like these: {error:.0$}\n",
            digits(error)
        );
    }
    if let Some(verdict) = measured.verdict() {
        text += &format!("{}\n", verdict.sentence);
    }
    text
}
