//! Configuration files.

use std::fs;
use std::path::{Path, PathBuf};

use isotherm::options::{Chosen, OptionError, OptionSpec, Plan, find};
use isotherm::{Cause, Dialect, Error, IoError, Kind, OptionName, Plain, Result};
use serde::Deserialize;
use serde::de::IntoDeserializer;
use toml::de::{DeTable, DeValue};

use super::{Config, name};

/// The options that a file holds, and that were chosen with it.
#[derive(Clone, Debug)]
pub struct ConfigFile {
    entries: Vec<Entry>,
}

/// An option in a file.
#[derive(Clone, Debug)]
struct Entry {
    spec: &'static OptionSpec,
    value: toml::Value,
}

impl ConfigFile {
    /// Reads a file. An error tells the line.
    pub fn read(path: &Path) -> Result<ConfigFile> {
        let text = fs::read_to_string(path).map_err(|error| IoError {
            doing: "read",
            path: path.to_owned(),
            error,
        })?;
        let wrong = |at: usize, why: WrongEntry| ConfigFileError {
            path: path.to_owned(),
            line: 1 + text.as_bytes()[..at.min(text.len())]
                .iter()
                .filter(|it| **it == b'\n')
                .count(),
            why,
        };
        let syntax = |error: toml::de::Error| {
            let at = error.span().map_or(0, |span| span.start);
            wrong(at, WrongEntry::Syntax(error.message().replace('\n', " ")))
        };
        let root = DeTable::parse(&text).map_err(syntax)?;
        let (mut entries, mut config) = (Vec::new(), Config::default());
        for (section, key, value) in in_order(root.get_ref()) {
            let (name, at) = (key.get_ref().as_ref(), key.span().start);
            let refused = |error| wrong(at, WrongEntry::Option(error));
            let spec = placed(section, name, value.get_ref().is_table()).map_err(refused)?;
            if entries.iter().any(|entry: &Entry| entry.spec == spec) {
                return Err(wrong(at, WrongEntry::Twice(spec.name)).into());
            }
            let written = text[value.span()].lines().next().unwrap_or_default();
            let value = toml::Value::deserialize(value.clone().into_deserializer());
            let value = value.map_err(syntax)?;
            config
                .set(spec.name.as_str(), value.clone(), written.trim_matches(['"', '\'']))
                .map_err(refused)?;
            entries.push(Entry { spec, value });
        }
        Ok(ConfigFile { entries })
    }

    /// Sets the options of a configuration to those of the file.
    pub fn apply(&self, config: &mut Config) -> Result<()> {
        for Entry { spec, value } in &self.entries {
            config.set(spec.name.as_str(), value.clone(), &value.to_string())?;
        }
        Ok(())
    }

    /// The options in the file.
    pub fn chosen(&self) -> Chosen {
        self.entries.iter().map(|entry| entry.spec).collect()
    }

    /// Whether a run wrote the file, maybe one of an older version: then it has every option that was known.
    pub fn is_written_out(&self) -> bool {
        let chosen = self.chosen();
        Plan::ALWAYS_CHOSEN.into_iter().all(|name| chosen.contains(name))
    }
}

/// The options in a file with their sections, as they follow each other.
fn in_order<'a, 'i>(root: &'a DeTable<'i>) -> Vec<(&'a str, &'a Key<'i>, &'a Value<'i>)> {
    let mut found = Vec::new();
    for (key, value) in root {
        match value.get_ref() {
            DeValue::Table(section) if is_section(key.get_ref()) => {
                found.extend(section.iter().map(|(inner, value)| (&**key.get_ref(), inner, value)));
            }
            _ => found.push(("", key, value)),
        }
    }
    found.sort_by_key(|(_, key, _)| key.span().start);
    found
}

type Key<'i> = toml::Spanned<toml::de::DeString<'i>>;
type Value<'i> = toml::Spanned<DeValue<'i>>;

/// Whether there is a section of this name.
pub(super) fn is_section(name: &str) -> bool {
    !name.is_empty() && Config::table().iter().any(|spec| spec.section == name)
}

/// The option of a name in a section, or outside of all.
pub(super) fn placed(section: &str, name: &str, is_table: bool) -> Result<&'static OptionSpec> {
    if is_table && section.is_empty() {
        return Err(OptionError::UnknownSection { name: name.to_owned() }.into());
    }
    // The name that the training data had before there were sections.
    let name = if name == "data" { name::train.as_str() } else { name };
    let spec = find(Config::table(), name)?;
    match section.is_empty() || section == spec.section {
        true => Ok(spec),
        false => Err(OptionError::WrongSection { name: spec.name, section: spec.section }.into()),
    }
}

/// A configuration file that cannot be used.
#[derive(Debug)]
pub struct ConfigFileError {
    /// The file.
    pub path: PathBuf,
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong there.
    pub why: WrongEntry,
}

/// What may be wrong in a configuration file.
#[derive(Debug)]
pub enum WrongEntry {
    /// It is not TOML.
    Syntax(String),
    /// This option is given twice, in its section and outside.
    Twice(OptionName),
    /// An option that does not exist, or a value that it does not take.
    Option(Error),
}

impl Cause for ConfigFileError {
    fn kind(&self) -> Kind {
        Kind::Options
    }

    /// In a file, options have their own names.
    fn words(&self, _: &dyn Dialect) -> String {
        let why = match &self.why {
            WrongEntry::Syntax(message) => message.clone(),
            WrongEntry::Twice(name) => format!("{} is given twice", Plain.option(*name)),
            WrongEntry::Option(error) => error.words(&Plain),
        };
        format!("{}, line {}: {why}", self.path.display(), self.line)
    }
}
