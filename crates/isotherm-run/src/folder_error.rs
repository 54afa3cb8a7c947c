//! Why a folder cannot be used as that of a run.

use std::path::PathBuf;

use isotherm::{Action, Cause, Dialect, Kind};

/// A folder that cannot be used as that of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FolderError {
    /// It does not exist.
    NotFound {
        /// Its path.
        path: PathBuf,
    },
    /// It is not a folder.
    NotAFolder {
        /// Its path.
        path: PathBuf,
    },
    /// It holds an experiment of many runs.
    Experiment {
        /// Its path.
        path: PathBuf,
    },
    /// It has no configuration, so it is not a run.
    NotARun {
        /// Its path.
        path: PathBuf,
    },
    /// A new run needs a folder, and there is a file of that name.
    IsAFile {
        /// Its path.
        path: PathBuf,
    },
    /// It already holds a run.
    HoldsARun {
        /// Its path.
        path: PathBuf,
    },
    /// It holds other files, which a run would overwrite.
    NotEmpty {
        /// Its path.
        path: PathBuf,
    },
    /// The configuration cannot be written.
    UnwritableConfig {
        /// What the writer says.
        reason: String,
    },
    /// The summary cannot be written.
    UnwritableSummary {
        /// What the writer says.
        reason: String,
    },
}

impl Cause for FolderError {
    fn kind(&self) -> Kind {
        match self {
            FolderError::UnwritableConfig { .. } => Kind::Options,
            _ => Kind::Io,
        }
    }

    fn words(&self, dialect: &dyn Dialect) -> String {
        let train = || dialect.action(&Action::Train);
        let other = || dialect.action(&Action::OtherFolder);
        match self {
            FolderError::NotFound { path } => format!(
                "{} does not exist; give the folder of a run, as {} makes it",
                path.display(),
                train()
            ),
            FolderError::NotAFolder { path } => format!(
                "{} is not a folder; give the folder of a run, as {} makes it",
                path.display(),
                train()
            ),
            FolderError::Experiment { path } => {
                let path = path.display();
                let reproduce = dialect.action(&Action::Reproduce(path.to_string()));
                format!(
                    "{path} is an experiment, and its runs are under {path}/runs; {reproduce} continues \
                     it and draws its report.html"
                )
            }
            FolderError::NotARun { path } => format!(
                "{} holds no config.toml, so it is not the folder of a run; {} makes one",
                path.display(),
                train()
            ),
            FolderError::IsAFile { path } => {
                format!(
                    "{} is a file, and a run needs a folder; choose {}",
                    path.display(),
                    other()
                )
            }
            FolderError::HoldsARun { path } => format!(
                "{} already holds a run; {} continues it, {} replaces it, {} leaves it alone",
                path.display(),
                dialect.action(&Action::Resume(path.display().to_string())),
                dialect.action(&Action::Overwrite),
                other()
            ),
            FolderError::NotEmpty { path } => {
                format!("{} is not empty and holds no run; choose {}", path.display(), other())
            }
            FolderError::UnwritableConfig { reason } => {
                format!("the configuration cannot be written as TOML: {reason}")
            }
            FolderError::UnwritableSummary { reason } => {
                format!("the summary cannot be written as JSON: {reason}")
            }
        }
    }
}
