//! The dialect of the command line: how its messages name options and commands.

use std::borrow::Cow;

use isotherm::{Action, Dialect, Plain};

/// The words of the command line.
pub(crate) struct CommandLineWords;

impl Dialect for CommandLineWords {
    fn option(&self, name: &str) -> String {
        // The number of samples is the one short option.
        if name == "n" { "-n".to_owned() } else { format!("--{name}") }
    }

    fn setting(&self, name: &str, value: &str) -> String {
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
