//! Options of commands, from the tables that declare them.

use std::marker::PhantomData;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, value_parser};
use isotherm::likelihood::EvaluateOptions;
use isotherm::options::{Chosen, OptionSpec, Section, ValueKind, find, set};
use isotherm::sampling::{self, SampleOptions};
use isotherm::{OptionName, Result};
use isotherm_run::Config;
use isotherm_run::config::name;
use toml::Value;

use crate::words::CommandLineWords;

/// Options that a command takes.
pub(crate) trait Declared: Section + Default + 'static {
    fn table() -> &'static [OptionSpec];
}

impl Declared for Config {
    fn table() -> &'static [OptionSpec] {
        Config::table()
    }
}

impl Declared for SampleOptions {
    fn table() -> &'static [OptionSpec] {
        SampleOptions::table()
    }
}

impl Declared for EvaluateOptions {
    fn table() -> &'static [OptionSpec] {
        EvaluateOptions::table()
    }
}

/// The options that were given.
pub(crate) struct Given<S> {
    values: Vec<(&'static OptionSpec, Value)>,
    of: PhantomData<fn() -> S>,
}

impl<S: Declared> Given<S> {
    /// Which ones they are.
    pub(crate) fn chosen(&self) -> Chosen {
        self.values.iter().map(|(spec, _)| *spec).collect()
    }

    /// Sets options to those that were given.
    pub(crate) fn apply(&self, options: &mut S) -> Result<()> {
        for (spec, value) in &self.values {
            set(options, S::table(), spec.name.as_str(), value.clone(), &value.to_string())?;
        }
        Ok(())
    }

    /// The defaults with those that were given.
    pub(crate) fn options(&self) -> Result<S> {
        let mut options = S::default();
        self.apply(&mut options)?;
        Ok(options)
    }
}

impl<S: Declared> Args for Given<S> {
    fn augment_args(command: Command) -> Command {
        // What is learned from comes first.
        let (data, others): (Vec<_>, Vec<_>) =
            S::table().iter().partition(|spec| spec.section == "data");
        command.args(data.into_iter().chain(others).map(argument))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Given::<S>::augment_args(command)
    }
}

impl<S: Declared> FromArgMatches for Given<S> {
    fn from_arg_matches(matches: &ArgMatches) -> std::result::Result<Self, clap::Error> {
        let given = S::table().iter().filter_map(|spec| {
            let id = spec.name.as_str();
            let value = match spec.kind {
                // Below 2^63, as the parser has it.
                ValueKind::Count { .. } => {
                    matches.get_one::<u64>(id).map(|it| Value::Integer(*it as i64))
                }
                ValueKind::Number { .. } => matches.get_one::<f64>(id).copied().map(Value::Float),
                ValueKind::Switch => matches.get_flag(id).then_some(Value::Boolean(true)),
                _ => matches.get_one::<String>(id).cloned().map(Value::String),
            };
            Some((spec, value?))
        });
        Ok(Given { values: given.collect(), of: PhantomData })
    }

    fn update_from_arg_matches(
        &mut self,
        matches: &ArgMatches,
    ) -> std::result::Result<(), clap::Error> {
        *self = Given::from_arg_matches(matches)?;
        Ok(())
    }
}

fn argument(spec: &OptionSpec) -> Arg {
    let id = spec.name.as_str();
    let argument = Arg::new(id).value_name(value_name(spec));
    let argument = match &spec.kind {
        ValueKind::Count { .. } => argument.value_parser(count),
        ValueKind::Number { .. } => argument.value_parser(value_parser!(f64)),
        ValueKind::Words(words) => argument.value_parser(PossibleValuesParser::new(*words)),
        ValueKind::Switch => argument.action(ArgAction::SetTrue),
        _ => argument,
    };
    let argument = match spec.kind {
        ValueKind::Switch => argument.help(described(spec)),
        _ => argument.help(described(spec) + &default_of(spec)),
    };
    match spec.name {
        // What is learned from is given without a flag.
        name::train => argument,
        // The number of samples is the one short option.
        sampling::name::count => argument.long(id).short('n'),
        _ if spec.title == "Samples" => argument.long(id),
        _ => argument.long(id).help_heading(spec.title),
    }
}

/// What stands for the value.
fn value_name(spec: &OptionSpec) -> String {
    spec.value_name
        .map_or_else(|| spec.name.as_str().to_uppercase().replace('-', "_"), str::to_owned)
}

/// What an option does.
fn described(spec: &OptionSpec) -> String {
    spec.describe(&CommandLineWords).trim_end_matches('.').to_owned()
}

/// Its default, in brackets.
fn default_of(spec: &OptionSpec) -> String {
    let Some(default) = spec.describe_default(&CommandLineWords) else { return String::new() };
    let built_in = spec.describe_built_in(&CommandLineWords);
    let built_in = built_in.map_or(String::new(), |it| format!("; {it} for the paper's mixture"));
    format!(" [default: {default}{built_in}]")
}

/// What an option of `train` does for another command: the first sentence of its help, and what that command
/// adds.
pub(crate) fn as_for_train(option: OptionName, own: &str) -> String {
    let spec = find(Config::table(), option.as_str()).expect("a constant of the table");
    let help = described(spec);
    let sentence = help.split_once(". ").map_or(help.as_str(), |(sentence, _)| sentence);
    format!("{sentence}{own}")
}

/// A whole number, also written as 1e5 or 1_000.
pub(crate) fn count(text: &str) -> std::result::Result<u64, String> {
    let digits = text.replace('_', "");
    // TOML's integers end at 2^63.
    if let Ok(value) = digits.parse::<u64>() {
        return if value < 1 << 63 { Ok(value) } else { Err("not below 2^63".to_owned()) };
    }
    match digits.parse::<f64>() {
        Ok(value) if value < 0.0 => Err("below 0".to_owned()),
        Ok(value) if value > 2f64.powi(53) => Err("too large".to_owned()),
        Ok(value) if value.fract() == 0.0 => Ok(value as u64),
        _ => Err("not a whole number".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_may_have_an_exponent() {
        assert_eq!([count("2e5"), count("1_000"), count("0")], [Ok(200_000), Ok(1000), Ok(0)]);
        for wrong in ["-1", "1.5", "1e30", "nan", "", "x", "9223372036854775808"] {
            assert!(count(wrong).is_err(), "{wrong}");
        }
    }

    /// Every option is on the command line, with a help text and, in the same words, its values.
    fn follows_its_table<S: Declared>() {
        let command = Given::<S>::augment_args(Command::new("command"));
        assert_eq!(command.get_arguments().count(), S::table().len());
        for spec in S::table() {
            let argument = command.get_arguments().find(|it| it.get_id() == spec.name.as_str());
            let argument = argument.expect("an argument");
            assert_eq!(argument.get_long().is_none(), spec.name == name::train);
            let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
            assert!(!help.is_empty() && !help.contains('`'), "{help}");
            if let ValueKind::Words(words) = spec.kind {
                let values = argument.get_possible_values();
                assert!(values.iter().map(|it| it.get_name()).eq(words.iter().copied()));
            }
        }
    }

    #[test]
    fn the_command_line_follows_the_tables() {
        follows_its_table::<Config>();
        follows_its_table::<SampleOptions>();
        follows_its_table::<EvaluateOptions>();
    }
}
