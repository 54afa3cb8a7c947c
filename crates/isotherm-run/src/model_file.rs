//! A model from a file.

use std::path::Path;

use isotherm::model::{ModelFile, model_in};
use isotherm::{Error, Result};

use crate::checkpoint;

/// Reads a model file, made by isotherm or elsewhere.
pub fn read_model(path: &Path) -> Result<ModelFile> {
    let is_named = path.extension().is_some_and(|it| it.eq_ignore_ascii_case("safetensors"));
    let bundle = checkpoint::read_any(path).map_err(|error| match is_named || error.is_io() {
        true => error,
        false => Error::corrupt(format!(
            "{} is not the folder of a run, and no model either: that is a safetensors file",
            path.display()
        )),
    })?;
    model_in(&bundle).map_err(|error| Error::corrupt(format!("{}: {error}", path.display())))
}
