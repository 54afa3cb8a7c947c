//! The data of a run: for training, for validation along the way, and for a test at the end.

use std::path::Path;

use crate::checkpoint;
use crate::config::name;
use crate::config::{Config, DataOptions};
use crate::run_data_error::RunDataError;
use isotherm::Result;
use isotherm::data::{DataDiagnostic, Dataset};
use isotherm::diagnostics::Diagnostic;
use isotherm_data::Source;

/// The name in a configuration of data that had no file.
pub const IN_MEMORY: &str = "an array in memory";

/// The parts of a run's data. All have the same width.
#[derive(Clone, Debug)]
pub struct RunData {
    /// The training data.
    pub train: Dataset,
    /// The validation data, which are measured along the way and not trained on.
    pub valid: Option<Dataset>,
    /// The test data, which are measured at the end.
    pub test: Option<Dataset>,
}

impl RunData {
    /// The data that a configuration names.
    pub fn of(config: &Config) -> Result<RunData> {
        config.check_parts()?;
        let options = &config.data;
        let load = |text: &String, like| {
            if text == IN_MEMORY {
                return Err(RunDataError::NotStored.into());
            }
            let source = Source::parse(text).leaving_out(options.drop.as_ref());
            isotherm_data::load_like(&source, options.binarise, options.data_seed, like)
        };
        let whole = match &options.train {
            None => built_in(options.data_seed),
            Some(text) => load(text, None)?,
        };
        // The values of all parts have the scale of the training data.
        let scale = whole.scale();
        let load_held_out = |text: &String| load(text, scale);
        let (train, valid, test) = split(whole, options)?;
        let data = RunData {
            train,
            valid: options.valid.as_ref().map(load_held_out).transpose()?.or(valid),
            test: options.test.as_ref().map(load_held_out).transpose()?.or(test),
        };
        data.check_widths()?;
        Ok(data)
    }

    /// The parts with their names.
    pub fn parts(&self) -> impl Iterator<Item = (&'static str, &Dataset)> {
        let held_out = [("valid", self.valid.as_ref()), ("test", self.test.as_ref())];
        let held_out = held_out.into_iter().filter_map(|(name, data)| Some((name, data?)));
        [("train", &self.train)].into_iter().chain(held_out)
    }

    /// A part by its name.
    pub fn part(&self, name: &str) -> Option<&Dataset> {
        self.parts().find(|&(part, _)| part == name).map(|(_, data)| data)
    }

    /// The names of those data that have changed since the run in a folder began, as far as its
    /// checkpoint tells.
    pub fn changed_since(&self, folder: &Path) -> Vec<&str> {
        let Ok(loaded) = checkpoint::load(folder) else { return Vec::new() };
        let has_changed = |part: &str, data: &Dataset| {
            let name = if part == "train" { "data" } else { part };
            let before = loaded.bundle.meta.get(format!("{name}_digest"));
            before.and_then(|digest| digest.as_str()).is_some_and(|it| it != data.digest())
        };
        let changed = self.parts().filter(|(part, data)| has_changed(part, data));
        changed.map(|(_, data)| data.name()).collect()
    }

    /// What to know about the data. The parts of one file were read once, and are noted once.
    pub(super) fn diagnose(&self, options: &DataOptions) -> Vec<Diagnostic> {
        let train = &self.train;
        let of_train = [DataDiagnostic::of_reading(train), DataDiagnostic::of_training(train)];
        let of_reading = |data| match options.split {
            Some(_) => None,
            None => DataDiagnostic::of_reading(data),
        };
        let held_out = [&self.valid, &self.test].into_iter().flatten();
        let held_out =
            held_out.flat_map(|data| [of_reading(data), DataDiagnostic::of_held_out(data)]);
        of_train.into_iter().chain(held_out).flatten().map(Diagnostic::from).collect()
    }

    fn check_widths(&self) -> Result<()> {
        let width = self.train.n_visible();
        let held_out = [(name::valid, &self.valid), (name::test, &self.test)];
        let mut held_out =
            held_out.into_iter().filter_map(|(part, data)| Some((part, data.as_ref()?)));
        match held_out.find(|(_, data)| data.n_visible() != width) {
            Some((part, data)) => Err(RunDataError::Width {
                part,
                name: data.name().to_owned(),
                columns: data.n_visible(),
                train: self.train.name().to_owned(),
                wanted: width,
            }
            .into()),
            None => Ok(()),
        }
    }
}

/// The data of a run without a file.
fn built_in(data_seed: u64) -> Dataset {
    Dataset::mixture(data_seed)
}

impl DataOptions {
    /// The training data that options without a file mean. A program may have trained on other data in memory: a
    /// run's record tells by its digest of the data.
    pub fn built_in(&self) -> Option<Dataset> {
        self.train.is_none().then(|| built_in(self.data_seed))
    }
}

type Parts = (Dataset, Option<Dataset>, Option<Dataset>);

/// Splits the data into parts, if the configuration asks for it.
fn split(whole: Dataset, options: &DataOptions) -> Result<Parts> {
    let (Some(split), Some(examples)) = (options.split, whole.examples()) else {
        return Ok((whole, None, None));
    };
    let rows = split.rows(whole.name(), examples, options.data_seed)?;
    let part = |part: &str, rows: &[usize]| {
        let name = format!("{} ({part} of {split})", whole.name());
        if rows.is_empty() { None } else { whole.select(name, rows) }
    };
    let (valid, test) = (part("valid", &rows.valid), part("test", &rows.test));
    Ok((part("train", &rows.train).unwrap_or(whole), valid, test))
}
