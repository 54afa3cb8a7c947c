//! Why an experiment cannot begin, continue, or be read.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use isotherm::{Action, Cause, Dialect, Error, Kind};
use isotherm_tempering::option_names;

use crate::experiment::Size;
use isotherm_run::record::LineProblem;

option_names! {
    /// The options of an experiment that messages name.
    pub mod name { updates, seeds }
}

/// An experiment that cannot begin, continue, or be read.
#[derive(Debug)]
#[non_exhaustive]
pub enum ExperimentError {
    /// Its size is out of range.
    Size {
        /// The updates that a run may have.
        updates: RangeInclusive<u64>,
        /// The seeds that a setting may have.
        seeds: RangeInclusive<u64>,
    },
    /// The folder holds an experiment of another size.
    OtherSize {
        /// The folder.
        root: PathBuf,
        /// The size of the experiment in it.
        size: Size,
    },
    /// The folder holds other files.
    NotEmpty {
        /// The folder.
        root: PathBuf,
    },
    /// The file that describes the experiment cannot be read.
    Manifest {
        /// The file.
        path: PathBuf,
        /// What its parser says.
        reason: String,
    },
    /// Another version began the experiment, and its runs may differ.
    OtherVersion {
        /// The file that says so.
        path: PathBuf,
        /// That version.
        version: String,
    },
    /// A folder of the experiment holds a run with other options.
    OtherOptions {
        /// That folder.
        folder: PathBuf,
    },
    /// A run of the experiment failed.
    Run {
        /// Its folder.
        folder: PathBuf,
        /// Why it failed.
        error: Error,
    },
    /// A run of the experiment is not complete.
    Incomplete {
        /// Its folder.
        folder: PathBuf,
        /// What is missing.
        missing: Missing,
    },
    /// A measured cost cannot be read.
    Cost {
        /// Its file.
        path: PathBuf,
        /// What its parser says.
        reason: String,
    },
    /// A result cannot be put into a file.
    Unwritable {
        /// The file.
        path: PathBuf,
        /// What the writer says.
        reason: String,
    },
    /// A thread cannot be started.
    Thread {
        /// Why not.
        reason: String,
    },
}

/// What is missing from a run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Missing {
    /// The end of a log.
    End {
        /// The name of the log.
        log: &'static str,
    },
    /// A row of a log, which cannot be read.
    Row {
        /// The name of the log.
        log: &'static str,
        /// The line, from 1.
        line: usize,
        /// Why it cannot be read.
        problem: LineProblem,
    },
    /// The log-likelihood at its end.
    LogLikelihood,
}

impl Cause for ExperimentError {
    fn kind(&self) -> Kind {
        use ExperimentError::*;
        match self {
            Size { .. } | OtherSize { .. } | Manifest { .. } => Kind::Options,
            Incomplete { .. } | Cost { .. } => Kind::Corrupt,
            NotEmpty { .. } | OtherVersion { .. } | OtherOptions { .. } | Run { .. } => Kind::Io,
            Unwritable { .. } | Thread { .. } => Kind::Io,
        }
    }

    fn words(&self, dialect: &dyn Dialect) -> String {
        let option = |name| dialect.option(name);
        let again = || dialect.action(&Action::Again);
        let other_folder = || dialect.action(&Action::OtherFolder);
        match self {
            ExperimentError::Size { updates, seeds } => format!(
                "an experiment has from {} to {} {} and from {} to {} {}",
                updates.start(),
                updates.end(),
                option(name::updates),
                seeds.start(),
                seeds.end(),
                option(name::seeds)
            ),
            ExperimentError::OtherSize { root, size } => format!(
                "{} holds an experiment of {} updates and {} seeds; {} continues it, or choose {}",
                root.display(),
                size.updates,
                size.seeds,
                dialect.action(&Action::Reproduce(root.display().to_string())),
                other_folder()
            ),
            ExperimentError::NotEmpty { root } => format!(
                "{} is not empty and holds no experiment; choose {}",
                root.display(),
                other_folder()
            ),
            ExperimentError::Manifest { path, reason } | ExperimentError::Cost { path, reason } => {
                let path = path.display();
                match self.kind() {
                    Kind::Corrupt => {
                        format!("{path}: {reason}; remove the file and {}", again())
                    }
                    _ => format!("{path}: {reason}"),
                }
            }
            ExperimentError::OtherVersion { path, version } => format!(
                "{} was begun by isotherm {version}; continue with that version, or choose {}",
                path.display(),
                other_folder()
            ),
            ExperimentError::OtherOptions { folder } => format!(
                "{} holds a run with other options than this experiment's; remove that folder and {}",
                folder.display(),
                again()
            ),
            ExperimentError::Run { folder, error } => format!(
                "the run {}: {} (a run of an experiment: {}, which continues it; if it cannot continue, \
                 remove that folder first)",
                folder.display(),
                error.words(dialect),
                again()
            ),
            ExperimentError::Incomplete { folder, missing } => {
                let what = match missing {
                    Missing::End { log } => format!("{log} ends in the middle of a row"),
                    Missing::Row { log, line, problem } => format!("{log}, line {line}: {problem}"),
                    Missing::LogLikelihood => "there is no log-likelihood at its end".to_owned(),
                };
                let folder = folder.display();
                format!("{folder}: {what}; remove that folder and {}", again())
            }
            ExperimentError::Unwritable { path, reason } => {
                format!("{} cannot be written: {reason}", path.display())
            }
            ExperimentError::Thread { reason } => format!("cannot start a thread: {reason}"),
        }
    }
}
