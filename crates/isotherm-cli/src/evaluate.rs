//! `isotherm evaluate`.

use std::path::Path;

use isotherm::Result;
use isotherm::data::{Binarise, DataDiagnostic, Dataset, LeftOut};
use isotherm::diagnostics::Diagnostic;
use isotherm::likelihood::{KnownData, LogLikelihood, LogZMethod, LogZResult, Origin, exact};
use isotherm::model::{ModelFile, Rbm};
use isotherm_data::Source;
use isotherm_run::config::name;
use isotherm_run::read_model;
use isotherm_run::{RunData, RunFolder};

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
    let Subject { model, has_averaged, data, training } = subject;
    for data in [Some(&data), training.as_ref()].into_iter().flatten() {
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
    let about = [DataDiagnostic::of_reading(&data), DataDiagnostic::of_held_out(&data)];
    let about: Vec<Diagnostic> = about.into_iter().flatten().map(Diagnostic::from).collect();
    warn(&about);
    let mut stages = Stages::new(quiet);
    let show = &mut |stage: &str, share| {
        stages.show(stage, share);
        true
    };
    let known = match &training {
        Some(training) => KnownData::training(training).and([&data]),
        None => KnownData { origin: Origin::Measured, sets: vec![&data] },
    };
    let log_z = LogZResult::find(&model, known, options.log_z, &options.budget(), show)?;
    stages.finish();
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
    data: Dataset,
    /// The training data, where they are known.
    training: Option<Dataset>,
}

fn of_run(arguments: &EvaluateArguments, way: LogZMethod) -> Result<Subject> {
    let folder = RunFolder::open(&arguments.run)?;
    if arguments.train.is_some() {
        return Err(CliError::OwnTrainingData { run: arguments.run.clone() }.into());
    }
    let (file, about) = folder.read_model()?;
    warn(&about);
    let has_averaged = file.averaged.is_some();
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
        let training = own.map(|own| own.train).map_err(|error| {
            if rule != Binarise::AsIs || is_estimated(&model, way) {
                tell(&format!(
                    "isotherm: warning: the training data cannot be read, so {text} is used instead \
                     ({})",
                    error.words(&CommandLineWords)
                ));
            }
        });
        let training = training.ok();
        return Ok(Subject { model, has_averaged, data, training });
    }
    let RunData { train, valid, test } = own?;
    let (name, part) = match arguments.on.as_deref() {
        Some("valid") => (name::valid, valid),
        Some("test") => (name::test, test),
        _ => (name::train, Some(train.clone())),
    };
    let no_part = || CliError::NoPart { run: folder.path().to_owned(), part: name };
    let data = part.ok_or_else(no_part)?;
    Ok(Subject { model, has_averaged, data, training: Some(train) })
}

fn of_file(arguments: &EvaluateArguments) -> Result<Subject> {
    let file = read_model(&arguments.run)?;
    let Some(data) = &arguments.data else {
        return Err(CliError::NoData { place: arguments.run.clone() }.into());
    };
    let has_averaged = file.averaged.is_some();
    let model = choose(file, arguments.averaged, &arguments.run)?;
    let rule = rule(arguments)?.unwrap_or_default();
    let left_out = left_out(arguments)?;
    let load = |text: &String, like| {
        let source = Source::parse(text).leaving_out(left_out.as_ref());
        isotherm_data::load_like(&source, rule, 1, like)
    };
    let training = arguments.train.as_ref().map(|text| load(text, None)).transpose()?;
    let data = load(data, training.as_ref().and_then(Dataset::scale))?;
    Ok(Subject { model, has_averaged, data, training })
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
