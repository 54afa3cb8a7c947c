//! Why a report cannot be written.

use std::path::PathBuf;

use isotherm::{Action, Cause, Dialect, Kind};
use isotherm_tempering::option_names;

option_names! {
    /// The options of a report that messages name.
    pub mod name { out }
}

/// A place where a page or a figure cannot be written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReportError {
    /// It is a folder.
    IsAFolder {
        /// Its path.
        path: PathBuf,
    },
    /// Its folder does not exist.
    NoFolder {
        /// Its path.
        path: PathBuf,
    },
    /// It is a device or a pipe, which can neither be replaced nor waited for.
    NotAFile {
        /// Its path.
        path: PathBuf,
    },
    /// It is a file that isotherm did not write.
    NotOwn {
        /// Its path.
        path: PathBuf,
    },
}

impl Cause for ReportError {
    fn kind(&self) -> Kind {
        Kind::Io
    }

    fn words(&self, dialect: &dyn Dialect) -> String {
        let out = || dialect.option(name::out);
        match self {
            ReportError::IsAFolder { path } => {
                format!("{} is a folder; give {} the name of a file", path.display(), out())
            }
            ReportError::NoFolder { path } => format!(
                "cannot write {}: its folder does not exist; make it first or choose another",
                path.display()
            ),
            ReportError::NotAFile { path } => {
                format!("{} is not a regular file; give {} the name of one", path.display(), out())
            }
            ReportError::NotOwn { path } => format!(
                "{} was not written by isotherm; {} replaces it, {} leaves it alone",
                path.display(),
                dialect.action(&Action::Overwrite),
                dialect.action(&Action::OtherFolder)
            ),
        }
    }
}
