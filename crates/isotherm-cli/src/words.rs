//! The dialect of the command line: how its messages name options and commands.

use std::borrow::Cow;

use isotherm::sampling::name::count;
use isotherm::{Action, Dialect, OptionName, Plain};

/// The words of the command line.
pub(crate) struct CommandLineWords;

impl Dialect for CommandLineWords {
    fn option(&self, name: OptionName) -> String {
        // The number of samples is the one short option.
        if name == count { "-n".to_owned() } else { format!("--{name}") }
    }

    fn setting(&self, name: OptionName, value: &str) -> String {
        format!("{} {value}", self.option(name))
    }

    fn action(&self, action: &Action) -> String {
        match action {
            Action::Evaluate => "`isotherm evaluate`".to_owned(),
            Action::Inspect => "`isotherm data FILE`".to_owned(),
            Action::ListOptions => "`isotherm train --help`".to_owned(),
            Action::Resume(run) => format!("`isotherm resume {}`", quoted(run)),
            Action::Reproduce(folder) => {
                format!("`isotherm reproduce --out {}`", quoted(folder))
            }
            Action::ReproduceSize { updates, seeds } => {
                format!("`isotherm reproduce --updates {updates} --seeds {seeds} --out DIR`")
            }
            Action::Again => "repeat the command".to_owned(),
            Action::Stop => "Ctrl-C twice".to_owned(),
            Action::Repeat(config) => {
                format!("`isotherm train --config {} --out NEW`", quoted(config))
            }
            Action::Train => "`isotherm train --out`".to_owned(),
            Action::Overwrite => "--overwrite".to_owned(),
            Action::OtherFolder => "another --out".to_owned(),
            Action::GiveValidation => "give --valid or --split".to_owned(),
            Action::GiveData => "give other data with --data".to_owned(),
            // An action that is newer than this front end.
            _ => Plain.action(action),
        }
    }
}

/// A word as a shell reads it, in quotes if it needs them.
pub(crate) fn quoted(text: &str) -> String {
    // Only a NUL byte cannot be quoted, and no argument of a command has one.
    shlex::try_quote(text).map_or_else(|_| text.to_owned(), Cow::into_owned)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::cell::RefCell;
    use std::collections::BTreeSet;

    use clap::CommandFactory;
    use isotherm::diagnostics::Diagnostic;
    use isotherm::{data, likelihood, options, sampling};
    use isotherm_tempering::causes;

    use super::*;
    use crate::args::CommandLine;
    use crate::error;

    /// The names that sentences mention.
    #[derive(Default)]
    struct Mentioned(RefCell<BTreeSet<OptionName>>);

    impl Dialect for Mentioned {
        fn option(&self, name: OptionName) -> String {
            self.0.borrow_mut().insert(name);
            String::new()
        }

        fn setting(&self, name: OptionName, _: &str) -> String {
            self.option(name)
        }

        fn action(&self, _: &Action) -> String {
            String::new()
        }
    }

    /// Names that are not constants of a table are options of some command all the same.
    #[test]
    fn every_name_in_a_message_is_an_option_of_some_command() {
        let mentioned = Mentioned::default();
        let all = include_str!("../../isotherm/tests/fixtures/diagnostics.json");
        for diagnostic in serde_json::from_str::<Vec<Diagnostic>>(all).unwrap() {
            diagnostic.words(&mentioned);
        }
        let tables = [
            isotherm_run::Config::table(),
            sampling::SampleOptions::table(),
            likelihood::EvaluateOptions::table(),
        ];
        for spec in tables.into_iter().flatten() {
            mentioned.option(spec.name);
            spec.describe(&mentioned);
            spec.describe_default(&mentioned);
            spec.describe_built_in(&mentioned);
        }
        for name in [
            error::name::threads,
            error::name::averaged,
            error::name::data,
            error::name::out,
            error::name::train,
            causes::name::columns,
            causes::name::thin,
            causes::name::warm_up,
            data::name::valid,
            data::name::test,
            data::name::split,
            data::name::drop,
            data::name::binarise,
            data::name::constant_columns,
            options::name::lr,
            isotherm_report::name::out,
            isotherm_experiments::name::updates,
            isotherm_experiments::name::seeds,
        ] {
            mentioned.option(name);
        }
        let command = CommandLine::command();
        let commands = command.get_subcommands().chain([&command]);
        let known: BTreeSet<String> = commands
            .flat_map(|command| command.get_arguments().map(|it| it.get_id().to_string()))
            .collect();
        let mentioned = mentioned.0.into_inner();
        assert!(mentioned.len() > isotherm_run::Config::table().len(), "{}", mentioned.len());
        for name in mentioned {
            assert!(known.contains(name.as_str()), "{name}");
        }
    }
}
