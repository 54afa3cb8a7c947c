//! The dialect of Python: how its messages name arguments and methods.

use isotherm::{Action, Dialect, OptionName, Plain, sampling};

/// The words of Python.
pub(crate) struct PythonWords;

impl Dialect for PythonWords {
    fn option(&self, name: OptionName) -> String {
        match name {
            isotherm_report::name::out => "path".to_owned(),
            sampling::name::count => "n_samples".to_owned(),
            _ => name.as_str().replace('-', "_"),
        }
    }

    fn setting(&self, name: OptionName, value: &str) -> String {
        let quote = if value.parse::<f64>().is_ok() { "" } else { "'" };
        format!("{}={quote}{value}{quote}", self.option(name))
    }

    fn action(&self, action: &Action) -> String {
        match action {
            Action::Evaluate => "log_likelihood(X)".to_owned(),
            Action::Inspect => "inspecting the values".to_owned(),
            Action::ListOptions => "help(isotherm.RBM)".to_owned(),
            Action::Resume(run) => format!("isotherm.load({run:?}).partial_fit(X)"),
            Action::Reproduce(folder) => {
                format!("`isotherm reproduce --out {folder}` on the command line")
            }
            Action::ReproduceSize { updates, seeds } => format!(
                "`isotherm reproduce --updates {updates} --seeds {seeds} --out DIR` on the command line"
            ),
            Action::Again => "call it again".to_owned(),
            Action::Stop => "Ctrl-C".to_owned(),
            Action::Repeat(_) => "fitting the same data with the same arguments".to_owned(),
            Action::Train => "save(path)".to_owned(),
            Action::Overwrite => "overwrite=True".to_owned(),
            Action::OtherFolder => "another path".to_owned(),
            Action::GiveValidation => "give valid to fit".to_owned(),
            Action::GiveData => "give other data".to_owned(),
            // An action that is newer than this front end.
            _ => Plain.action(action),
        }
    }
}
