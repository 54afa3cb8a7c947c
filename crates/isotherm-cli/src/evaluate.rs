//! `isotherm evaluate`.

use isotherm::data::{Dataset, Source};
use isotherm::likelihood::{Effort, measure};
use isotherm::run::{RunData, RunFolder};
use isotherm::{Error, Result};

use crate::Ending;
use crate::args::EvaluateArguments;
use crate::output::{print, tell};
use crate::train::nats;

pub(crate) fn run(arguments: &EvaluateArguments) -> Result<Ending> {
    let folder = RunFolder::open(&arguments.run)?;
    let (file, note) = folder.read_model()?;
    if let Some(note) = note {
        tell(&format!("isotherm: {note}"));
    }
    let model = match (arguments.averaged, file.averaged) {
        (false, _) => file.model,
        (true, Some(averaged)) => averaged,
        (true, None) => {
            return Err(Error::run(format!(
                "{} holds no averaged parameters; leave --averaged out",
                folder.path().display()
            )));
        }
    };
    let data = data(arguments, &folder)?;
    if data.n_visible() != model.n_visible() {
        return Err(Error::data(format!(
            "{} has {} columns but the model of {} has {} visible units; evaluate on data of the \
             same width",
            data.name(),
            data.n_visible(),
            folder.path().display(),
            model.n_visible()
        )));
    }
    let measured = measure(&model, &data, Effort::Full)?;
    if arguments.json {
        let text = serde_json::to_string_pretty(&measured)
            .map_err(|error| Error::run(format!("the result cannot be written: {error}")))?;
        print(&format!("{text}\n"))?;
    } else {
        let text = format!("log-likelihood {} (log Z {})\n", nats(&measured), measured.method);
        print(&text)?;
    }
    Ok(Ending::Done)
}

/// The data to evaluate on: a file, or a part of the run's own.
fn data(arguments: &EvaluateArguments, folder: &RunFolder) -> Result<Dataset> {
    let config = folder.read_config()?;
    if let Some(text) = &arguments.data {
        return Dataset::load(&Source::parse(text), config.binarise, config.data_seed);
    }
    let RunData { train, valid, test } = RunFolder::data_of(&config)?;
    let (name, part) = match arguments.on.as_deref() {
        Some("valid") => ("valid", valid),
        Some("test") => ("test", test),
        _ => ("train", Some(train)),
    };
    part.ok_or_else(|| {
        Error::config(format!(
            "{} has no {name} data; evaluate on a file with --data FILE, or train with --{name} or \
             --split",
            folder.path().display()
        ))
    })
}
