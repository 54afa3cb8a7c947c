//! The options of `train`, from the table that declares them.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches, value_parser};
use isotherm::Result;
use isotherm::options::{Chosen, OptionSpec, ValueKind};
use isotherm_run::Config;
use toml::Value;

use crate::words::CommandLineWords;

/// The name of the option that is given without a flag.
const POSITIONAL: &str = "train";

/// The options that were given.
pub(crate) struct TrainOptions {
    given: Vec<(&'static OptionSpec, Value)>,
}

impl TrainOptions {
    /// Which ones they are.
    pub(crate) fn chosen(&self) -> Chosen {
        self.given.iter().map(|(spec, _)| *spec).collect()
    }

    /// Sets the options of a configuration to those that were given.
    pub(crate) fn apply(&self, config: &mut Config) -> Result<()> {
        for (spec, value) in &self.given {
            config.set(spec.name, value.clone(), &value.to_string())?;
        }
        Ok(())
    }
}

impl Args for TrainOptions {
    fn augment_args(command: Command) -> Command {
        // What is learned from comes first.
        let (data, others): (Vec<_>, Vec<_>) =
            Config::table().iter().partition(|spec| spec.section == "data");
        command.args(data.into_iter().chain(others).map(argument))
    }

    fn augment_args_for_update(command: Command) -> Command {
        TrainOptions::augment_args(command)
    }
}

impl FromArgMatches for TrainOptions {
    fn from_arg_matches(matches: &ArgMatches) -> std::result::Result<Self, clap::Error> {
        let given = Config::table().iter().filter_map(|spec| {
            let value = match spec.kind {
                // Below 2^63, as the parser has it.
                ValueKind::Count { .. } => {
                    matches.get_one::<u64>(spec.name).map(|it| Value::Integer(*it as i64))
                }
                ValueKind::Number { .. } => {
                    matches.get_one::<f64>(spec.name).copied().map(Value::Float)
                }
                _ => matches.get_one::<String>(spec.name).cloned().map(Value::String),
            };
            Some((spec, value?))
        });
        Ok(TrainOptions { given: given.collect() })
    }

    fn update_from_arg_matches(
        &mut self,
        matches: &ArgMatches,
    ) -> std::result::Result<(), clap::Error> {
        *self = TrainOptions::from_arg_matches(matches)?;
        Ok(())
    }
}

fn argument(spec: &OptionSpec) -> Arg {
    let mut help = spec.describe(&CommandLineWords).trim_end_matches('.').to_owned();
    if let Some(default) = spec.describe_default(&CommandLineWords) {
        let mixture = spec.describe_mixture(&CommandLineWords);
        let mixture = mixture.map_or(String::new(), |it| format!("; {it} for the mixture"));
        help += &format!(" [default: {default}{mixture}]");
    }
    let value_name = match spec.value_name {
        Some(name) => name.to_owned(),
        None => spec.name.to_uppercase().replace('-', "_"),
    };
    let argument = Arg::new(spec.name).value_name(value_name).help(help);
    let argument = match &spec.kind {
        ValueKind::Count { .. } => argument.value_parser(count),
        ValueKind::Number { .. } => argument.value_parser(value_parser!(f64)),
        ValueKind::Words(words) => argument.value_parser(PossibleValuesParser::new(*words)),
        _ => argument,
    };
    match spec.name {
        POSITIONAL => argument,
        name => argument.long(name).help_heading(spec.title),
    }
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

/// The same of something that fits into memory.
pub(crate) fn size(text: &str) -> std::result::Result<usize, String> {
    usize::try_from(count(text)?).map_err(|_| "too large".to_owned())
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
    #[test]
    fn the_command_line_follows_the_table() {
        let command = TrainOptions::augment_args(Command::new("train"));
        assert_eq!(command.get_arguments().count(), Config::table().len());
        for spec in Config::table() {
            let argument = command.get_arguments().find(|it| it.get_id() == spec.name);
            let argument = argument.expect("an argument");
            assert_eq!(argument.get_long().is_none(), spec.name == POSITIONAL);
            let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
            assert!(!help.is_empty() && !help.contains('`'), "{help}");
            if let ValueKind::Words(words) = spec.kind {
                let values = argument.get_possible_values();
                assert!(values.iter().map(|it| it.get_name()).eq(words.iter().copied()));
            }
        }
    }
}
