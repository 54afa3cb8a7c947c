//! The table of options: what the front ends know of each.

use std::collections::BTreeSet;

use serde::Deserializer;

use super::error::OptionError;
use super::value::{Number, Unreadable, ValueKind};
use crate::error::{Dialect, OptionName, Result};

/// An option, as its declaration describes it.
#[derive(Clone, Debug, PartialEq)]
pub struct OptionSpec {
    /// Its name. No other option of its table has it.
    pub name: OptionName,
    /// The section that it is in, empty for those outside all sections.
    pub section: &'static str,
    /// What its section is called in a help text.
    pub title: &'static str,
    /// The values that it takes.
    pub kind: ValueKind,
    /// What it does. Other options are named in backticks; see [`OptionSpec::describe`].
    pub help: &'static str,
    /// The default for the built-in data, unless it is absent.
    pub default: Option<String>,
    /// The default for a file of examples, unless it is absent.
    pub for_examples: Option<String>,
    /// The value that describes the default for a file of examples, where that is not simply
    /// [`OptionSpec::default`].
    pub found: Option<String>,
    /// The words for it, after that value if there is one.
    pub found_by: Option<&'static str>,
    /// Words for the default for the built-in data, where it is absent.
    pub built_in: Option<&'static str>,
    /// What stands for its value in a help text, if that is not its name.
    pub value_name: Option<&'static str>,
}

impl OptionSpec {
    /// What it does, with other options as a front end names them.
    pub fn describe(&self, dialect: &dyn Dialect) -> String {
        named(self.help, dialect)
    }

    /// Whether the default is not always the same.
    pub fn depends(&self) -> bool {
        self.found.is_some() || self.found_by.is_some()
    }

    /// Its default for a file of examples in words, if it has one.
    pub fn describe_default(&self, dialect: &dyn Dialect) -> Option<String> {
        if !self.depends() {
            return self.default.clone();
        }
        let words = self.found_by.map(|words| named(words, dialect)).unwrap_or_default();
        Some(self.found.clone().unwrap_or_default() + &words)
    }

    /// Its default for the built-in data in words, if that is another.
    pub fn describe_built_in(&self, dialect: &dyn Dialect) -> Option<String> {
        let words = self.built_in.map(|words| named(words, dialect));
        words.or_else(|| self.default.clone().filter(|_| self.depends()))
    }
}

/// A text with what stands in backticks as the dialect has it: an option, or a setting such as `swap energy`.
pub(super) fn named(text: &'static str, dialect: &dyn Dialect) -> String {
    let mut out = String::with_capacity(text.len());
    for (i, part) in text.split('`').enumerate() {
        match (i % 2, part.split_once(' ')) {
            (0, _) => out.push_str(part),
            (_, None) => out.push_str(&dialect.option(OptionName::new(part))),
            (_, Some((name, value))) => {
                out.push_str(&dialect.setting(OptionName::new(name), value))
            }
        }
    }
    out
}

/// A struct of options that `section!` declares.
#[doc(hidden)]
pub trait Section {
    /// The defaults for a file of examples.
    fn for_examples() -> Self;

    /// Its options, in order, and those of the sections in it.
    fn specs() -> Vec<OptionSpec>;

    /// The numbers that the same options are set to, for those that have one.
    fn numbers(&self) -> Vec<Option<Number>>;

    /// Whether it has an option of this name.
    fn has(option: OptionName) -> bool;

    /// Sets an option to a value in its range; nothing if there is no such option.
    fn read<'de, D: Deserializer<'de>>(
        &mut self,
        option: OptionName,
        value: D,
    ) -> Option<std::result::Result<(), Unreadable>>;
}

/// Finds an option by its name. The error for an unknown name suggests the most similar one.
pub fn find(table: &'static [OptionSpec], name: &str) -> Result<&'static OptionSpec> {
    table.iter().find(|spec| spec.name.as_str() == name).ok_or_else(|| {
        let distance = |spec: &&OptionSpec| strsim::damerau_levenshtein(spec.name.as_str(), name);
        let nearest = table.iter().min_by_key(distance);
        let nearest = nearest.filter(|spec| 3 * distance(spec) <= name.len());
        OptionError::Unknown { name: name.to_owned(), nearest: nearest.map(|spec| spec.name) }
            .into()
    })
}

/// Sets an option of a section by its name. `written` is the value as its writer wrote it.
pub fn set<'de, S: Section>(
    section: &mut S,
    table: &'static [OptionSpec],
    name: &str,
    value: impl Deserializer<'de>,
    written: &str,
) -> Result<&'static OptionSpec> {
    let spec = find(table, name)?;
    match section.read(spec.name, value) {
        Some(Err(Unreadable::Text(error))) => Err(error),
        Some(Err(Unreadable::Kind)) => Err(spec.refuse(written)),
        Some(Ok(())) | None => Ok(spec),
    }
}

/// Checks that all numbers of a section are in their ranges.
pub fn check_ranges<S: Section>(section: &S, table: &'static [OptionSpec]) -> Result<()> {
    for (spec, number) in table.iter().zip(section.numbers()) {
        if let Some(number) = number.filter(|&number| !spec.kind.allows(number)) {
            return Err(spec.refuse(&number.to_string()));
        }
    }
    Ok(())
}

impl OptionSpec {
    fn refuse(&self, value: &str) -> crate::Error {
        let (name, wanted) = (self.name, self.kind.clone());
        OptionError::NotAllowed { name, value: value.to_owned(), wanted }.into()
    }
}

/// The options that were chosen, rather than left at their defaults.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chosen(BTreeSet<OptionName>);

impl Chosen {
    /// Adds others.
    pub fn extend(&mut self, others: &Chosen) {
        self.0.extend(&others.0);
    }

    /// Adds one.
    pub(crate) fn insert(&mut self, name: OptionName) {
        self.0.insert(name);
    }

    /// Whether an option is among them.
    pub fn contains(&self, name: OptionName) -> bool {
        self.0.contains(&name)
    }

    /// Their names.
    pub fn names(&self) -> impl Iterator<Item = OptionName> {
        self.0.iter().copied()
    }
}

impl FromIterator<&'static OptionSpec> for Chosen {
    fn from_iter<I: IntoIterator<Item = &'static OptionSpec>>(specs: I) -> Chosen {
        Chosen(specs.into_iter().map(|spec| spec.name).collect())
    }
}
