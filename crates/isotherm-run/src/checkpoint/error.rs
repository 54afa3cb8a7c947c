//! Why a checkpoint, or a file of tensors, cannot be used.

use std::fmt;
use std::path::PathBuf;

use isotherm::diagnostics::Diagnostic;
use isotherm::tensors::SealError;
use isotherm::{Cause, Dialect, Error, Kind, Plain};

/// A file of tensors that is damaged, or is not one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DamagedFile {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub reason: SealError,
}

impl Cause for DamagedFile {
    fn kind(&self) -> Kind {
        Kind::Corrupt
    }

    fn words(&self, dialect: &dyn Dialect) -> String {
        let (path, reason) = (self.path.display(), self.reason.words(dialect));
        format!(
            "{path} cannot be used because {reason}; restore it from a backup or write it again"
        )
    }
}

/// A checkpoint in the folder of a run that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unusable {
    /// The name of its file.
    pub name: &'static str,
    /// What is wrong with it.
    pub problem: Problem,
}

pub use isotherm::diagnostics::CheckpointProblem as Problem;

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name;
        match &self.problem {
            Problem::Missing => write!(f, "{name} is missing"),
            Problem::Unreadable { reason } => write!(f, "{name} cannot be read ({reason})"),
            Problem::Damaged(reason) => write!(f, "{name} is damaged ({})", reason.words(&Plain)),
            _ => write!(f, "{name} cannot be used"),
        }
    }
}

/// The current checkpoint could not be used, and the previous one was used instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FellBack {
    /// The folder of the run.
    pub folder: PathBuf,
    /// What is wrong with the current checkpoint.
    pub current: Unusable,
}

impl From<FellBack> for Diagnostic {
    fn from(fell_back: FellBack) -> Diagnostic {
        Diagnostic::PreviousCheckpoint { problem: fell_back.current.problem }
    }
}

/// A run that cannot continue from its checkpoint.
#[derive(Debug)]
#[non_exhaustive]
pub enum CheckpointError {
    /// Neither the current nor the previous checkpoint can be used.
    NoneUsable {
        /// The folder of the run.
        folder: PathBuf,
        /// What is wrong with each of them.
        reasons: [Unusable; 2],
    },
    /// Another version wrote it, in another format.
    OtherVersion {
        /// The run.
        run: String,
    },
    /// It does not fit the run's configuration.
    DoesNotFit {
        /// The run.
        run: String,
        /// Why it does not.
        error: Error,
    },
    /// The data are not those that the run began with.
    DataChanged {
        /// The run.
        run: String,
        /// The name of the data that changed.
        data: String,
    },
    /// It holds no model.
    NoModel {
        /// The folder of the run.
        folder: PathBuf,
        /// Why not.
        error: Error,
    },
}

impl Cause for CheckpointError {
    fn kind(&self) -> Kind {
        match self {
            CheckpointError::NoneUsable { reasons, .. } => {
                let is_damaged = |it: &Unusable| matches!(it.problem, Problem::Damaged(_));
                if reasons.iter().any(is_damaged) { Kind::Corrupt } else { Kind::Io }
            }
            CheckpointError::OtherVersion { .. } => Kind::Io,
            CheckpointError::DataChanged { .. } => Kind::Data,
            CheckpointError::DoesNotFit { .. } | CheckpointError::NoModel { .. } => Kind::Corrupt,
        }
    }

    fn words(&self, dialect: &dyn Dialect) -> String {
        match self {
            CheckpointError::NoneUsable { folder, reasons: [current, previous] } => {
                let (folder, reasons) = (folder.display(), format!("{current} and {previous}"));
                match self.kind() {
                    Kind::Corrupt => format!(
                        "no checkpoint in {folder} is usable: {reasons}; restore one from a backup or \
                         begin the run again"
                    ),
                    _ => format!(
                        "{folder} holds no readable checkpoint: {reasons}; check that this is the \
                         folder of a run that has saved one"
                    ),
                }
            }
            CheckpointError::OtherVersion { run } => format!(
                "the checkpoint of {run} was written by another version of isotherm; resume it with \
                 that version"
            ),
            CheckpointError::DoesNotFit { run, error } => format!(
                "the checkpoint of {run} does not fit its config.toml ({}); restore that file or begin \
                 a new run",
                error.words(dialect)
            ),
            CheckpointError::DataChanged { run, data } => {
                format!("{data} has changed since {run} began; restore the data or begin a new run")
            }
            CheckpointError::NoModel { folder, error } => {
                format!("the checkpoint of {}: {}", folder.display(), error.words(dialect))
            }
        }
    }
}
