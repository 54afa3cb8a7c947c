//! The data of a run: what it learns from, what is watched, what is kept for the end.

use std::path::Path;

use crate::checkpoint;
use isotherm::data::Dataset;
use isotherm::train::Config;
use isotherm::{Error, Result};
use isotherm_data::Source;

/// What a configuration calls data that came without a file.
pub const IN_MEMORY: &str = "an array in memory";

/// The parts of a run's data. All have the same width.
#[derive(Clone, Debug)]
pub struct RunData {
    /// What is learned from.
    pub train: Dataset,
    /// What is watched while learning; nothing is learned from it.
    pub valid: Option<Dataset>,
    /// What is kept for the end.
    pub test: Option<Dataset>,
}

impl RunData {
    /// The data that a configuration names.
    pub fn of(config: &Config) -> Result<RunData> {
        config.check_parts()?;
        let load = |text: &String, like| {
            if text == IN_MEMORY {
                return Err(Error::data(
                    "the data of this run were an array in memory and were not kept with it; give \
                     other data with --data, or train on a file",
                ));
            }
            let source = Source::parse(text).leaving_out(config.drop.as_ref());
            isotherm_data::load_like(&source, config.binarise, config.data_seed, like)
        };
        let whole = match &config.data {
            None => built_in(config.data_seed),
            Some(text) => load(text, None)?,
        };
        // What the training data's values mean, those of the others mean too.
        let scale = whole.scale();
        let load_held_out = |text: &String| load(text, scale);
        let (train, valid, test) = split(whole, config)?;
        let data = RunData {
            train,
            valid: config.valid.as_ref().map(load_held_out).transpose()?.or(valid),
            test: config.test.as_ref().map(load_held_out).transpose()?.or(test),
        };
        data.check_widths()?;
        Ok(data)
    }

    /// The data of a configuration that names no file.
    pub fn built_in(config: &Config) -> Option<Dataset> {
        config.data.is_none().then(|| built_in(config.data_seed))
    }

    /// The parts with their names, for what is done to each.
    pub fn parts(&self) -> impl Iterator<Item = (&'static str, &Dataset)> {
        let held_out = [("valid", self.valid.as_ref()), ("test", self.test.as_ref())];
        let held_out = held_out.into_iter().filter_map(|(name, data)| Some((name, data?)));
        [("train", &self.train)].into_iter().chain(held_out)
    }

    /// A part by its name.
    pub fn part(&self, name: &str) -> Option<&Dataset> {
        self.parts().find(|&(part, _)| part == name).map(|(_, data)| data)
    }

    /// The names of those data that are not what they were when the run in a folder began, as far as
    /// its checkpoint tells.
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

    fn check_widths(&self) -> Result<()> {
        let width = self.train.n_visible();
        match self.parts().find(|(_, data)| data.n_visible() != width) {
            Some((part, data)) => Err(Error::data(format!(
                "{} has {} columns but {}, which is learned from, has {width}; give --{part} data of \
                 the same width",
                data.name(),
                data.n_visible(),
                self.train.name()
            ))),
            None => Ok(()),
        }
    }
}

/// What is learned without a file.
fn built_in(data_seed: u64) -> Dataset {
    Dataset::mixture(data_seed)
}

type Parts = (Dataset, Option<Dataset>, Option<Dataset>);

/// Cuts a file into its parts, if the configuration says so.
fn split(whole: Dataset, config: &Config) -> Result<Parts> {
    let (Some(split), Dataset::Table(table)) = (config.split, &whole) else {
        return Ok((whole, None, None));
    };
    let rows = split.rows(&table.name, table.examples.rows(), config.data_seed)?;
    let part = |part: &str, rows: &[usize]| {
        let name = format!("{} ({part} of {split})", table.name);
        (!rows.is_empty()).then(|| Dataset::Table(table.select(name, rows)))
    };
    let (valid, test) = (part("valid", &rows.valid), part("test", &rows.test));
    Ok((part("train", &rows.train).unwrap_or(whole), valid, test))
}
