//! A model from a file.

use std::path::{Path, PathBuf};

use isotherm::model::{ModelFile, model_in};
use isotherm::{Cause, Dialect, Error, Kind, Result};

use crate::checkpoint::{self, DamagedFile};

/// Reads a model file, made by isotherm or by another program.
pub fn read_model(path: &Path) -> Result<ModelFile> {
    let is_named = path.extension().is_some_and(|it| it.eq_ignore_ascii_case("safetensors"));
    let bundle = checkpoint::read_any(path).map_err(|error| {
        let is_damaged = error.cause::<DamagedFile>().is_some();
        match is_damaged && !is_named {
            true => ModelFileError::NotAModel { path: path.to_owned() }.into(),
            false => error,
        }
    })?;
    model_in(&bundle)
        .map_err(|error| ModelFileError::Unusable { path: path.to_owned(), error }.into())
}

/// A file that is not that of a model.
#[derive(Debug)]
#[non_exhaustive]
pub enum ModelFileError {
    /// It is not a safetensors file.
    NotAModel {
        /// Its path.
        path: PathBuf,
    },
    /// Its tensors are not a model.
    Unusable {
        /// Its path.
        path: PathBuf,
        /// Why not.
        error: Error,
    },
}

impl Cause for ModelFileError {
    fn kind(&self) -> Kind {
        Kind::Corrupt
    }

    fn words(&self, dialect: &dyn Dialect) -> String {
        match self {
            ModelFileError::NotAModel { path } => format!(
                "{} is neither the folder of a run nor a model, which is a safetensors file",
                path.display()
            ),
            ModelFileError::Unusable { path, error } => {
                format!("{}: {}", path.display(), error.words(dialect))
            }
        }
    }
}
