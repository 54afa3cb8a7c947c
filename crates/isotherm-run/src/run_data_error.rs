//! Why the data of a run cannot be used.

use std::path::PathBuf;

use isotherm::{Action, Cause, Dialect, Error, Kind, OptionName};

/// Data of a run that cannot be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum RunDataError {
    /// They were an array in memory, and the run did not store them.
    NotStored,
    /// A part has another width than the training data.
    Width {
        /// The part: `valid` or `test`.
        part: OptionName,
        /// The name of its data.
        name: String,
        /// Their width.
        columns: usize,
        /// The name of the training data.
        train: String,
        /// The width of the training data.
        wanted: usize,
    },
    /// They cannot be split.
    Split {
        /// The name of the data.
        name: String,
        /// Why not.
        error: Error,
    },
    /// They cannot be loaded to resume a run.
    Moved {
        /// Why not.
        error: Error,
        /// The file that tells where they are.
        config: PathBuf,
    },
}

impl Cause for RunDataError {
    fn kind(&self) -> Kind {
        Kind::Data
    }

    fn words(&self, dialect: &dyn Dialect) -> String {
        match self {
            RunDataError::NotStored => format!(
                "the data of this run were an array in memory and were not stored with it; {}, or \
                 train on a file",
                dialect.action(&Action::GiveData)
            ),
            RunDataError::Width { part, name, columns, train, wanted } => format!(
                "{name} has {columns} columns, but the training data {train} have {wanted}; give {} of \
                 the same width",
                dialect.option(*part)
            ),
            RunDataError::Split { name, error } => format!("{name}: {}", error.words(dialect)),
            RunDataError::Moved { error, config } => format!(
                "{}; if the data have moved, edit their place in {}",
                error.words(dialect),
                config.display()
            ),
        }
    }
}
