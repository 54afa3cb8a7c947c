//! The configuration of a run: the options of training, and the data. `config.toml` holds it in sections.

mod data;
mod file;

use std::sync::LazyLock;

use isotherm::options::{
    Chosen, Number, OptionSpec, Options, Plan, Section, Unreadable, check_ranges, set,
};
use isotherm::{OptionName, Result};
use serde::{Deserialize, Deserializer, Serialize};

/// The names of all options.
pub mod name {
    pub use super::data::name::*;
    pub use isotherm::options::name::*;
}

pub use data::{DataOptionError, DataOptions};
pub use file::{ConfigFile, ConfigFileError, WrongEntry};

/// The configuration of a run.
///
/// It is written in sections. It is read from sections as well as from a flat table of names, as older versions
/// wrote it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Config {
    /// The options of training.
    #[serde(flatten)]
    pub options: Options,
    /// The data, and what is done to them.
    pub data: DataOptions,
}

/// Training with these options on the paper's mixture.
impl From<Options> for Config {
    fn from(options: Options) -> Config {
        Config { options, data: DataOptions::default() }
    }
}

impl Config {
    /// All options, each with its name, its kind and its help text.
    pub fn table() -> &'static [OptionSpec] {
        static TABLE: LazyLock<Vec<OptionSpec>> = LazyLock::new(Config::specs);
        &TABLE
    }

    /// The defaults for what these choices learn from: a file of examples, or the paper's mixture.
    pub fn defaults_for(chosen: &Chosen) -> Config {
        match chosen.contains(name::train) {
            true => Config::for_examples(),
            false => Config::default(),
        }
    }

    /// Sets an option by its name. `written` is the value as its writer wrote it, for the error if it is of the
    /// wrong kind.
    pub fn set<'de>(
        &mut self,
        name: &str,
        value: impl Deserializer<'de>,
        written: &str,
    ) -> Result<&'static OptionSpec> {
        set(self, Config::table(), name, value, written)
    }

    /// Checks the options against each other and against the width of the data, and chooses what is absent.
    pub fn check(&self, n_visible: usize) -> Result<Plan> {
        check_ranges(self, Config::table())?;
        self.check_parts()?;
        self.options.check(n_visible)
    }

    /// The options by their names alone, without the sections.
    pub fn flat(&self) -> toml::Table {
        let nested = toml::Table::try_from(self).unwrap_or_default();
        let flat = nested.into_iter().flat_map(|(name, value)| match value {
            toml::Value::Table(section) => section,
            value => toml::Table::from_iter([(name, value)]),
        });
        flat.collect()
    }
}

/// Reads sections, a flat table of names, or a mixture of both.
impl<'de> Deserialize<'de> for Config {
    fn deserialize<D: Deserializer<'de>>(table: D) -> std::result::Result<Config, D::Error> {
        let mut config = Config::default();
        let mut set = |section: &str, name: &str, value: toml::Value| {
            let spec = file::placed(section, name, value.is_table())?;
            let written = value.to_string();
            config.set(spec.name.as_str(), value, &written)
        };
        for (key, value) in toml::Table::deserialize(table)? {
            match value {
                toml::Value::Table(section) if file::is_section(&key) => section
                    .into_iter()
                    .try_for_each(|(name, value)| set(&key, &name, value).map(drop)),
                value => set("", &key, value).map(drop),
            }
            .map_err(serde::de::Error::custom)?;
        }
        Ok(config)
    }
}

impl Section for Config {
    fn for_examples() -> Config {
        Config { options: Options::for_examples(), data: DataOptions::for_examples() }
    }

    fn specs() -> Vec<OptionSpec> {
        [Options::specs(), DataOptions::specs()].concat()
    }

    fn numbers(&self) -> Vec<Option<Number>> {
        [self.options.numbers(), self.data.numbers()].concat()
    }

    fn has(option: OptionName) -> bool {
        Options::has(option) || DataOptions::has(option)
    }

    fn read<'de, D: Deserializer<'de>>(
        &mut self,
        option: OptionName,
        value: D,
    ) -> Option<std::result::Result<(), Unreadable>> {
        match DataOptions::has(option) {
            true => self.data.read(option, value),
            false => self.options.read(option, value),
        }
    }
}
