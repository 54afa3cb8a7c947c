//! Examples from files.

use std::path::Path;

use isotherm::Result;
use isotherm::data::{Binarise, Dataset, Scale};

use crate::{Source, formats};

/// The zeros and ones in a file.
///
/// # Errors
///
/// If the file cannot be read, or holds anything but a matrix of zeros and ones.
pub fn read(path: &Path) -> Result<Dataset> {
    load(&Source { path: path.to_owned(), ..Source::default() }, Binarise::AsIs, 0)
}

/// The examples in a file, binarised by a rule. Likelihoods of grey examples are measured on one draw by
/// the data seed.
///
/// # Errors
///
/// If the file cannot be read, or holds anything but a matrix that the rule can be applied to.
pub fn load(source: &Source, binarise: Binarise, data_seed: u64) -> Result<Dataset> {
    load_like(source, binarise, data_seed, None)
}

/// The same; `like` is the scale of the training data, on which the values of this file must lie too.
///
/// # Errors
///
/// If the file cannot be read, or holds anything but a matrix that the rule can be applied to.
pub fn load_like(
    source: &Source,
    binarise: Binarise,
    data_seed: u64,
    like: Option<Scale>,
) -> Result<Dataset> {
    let loaded = formats::read_like(source, binarise, like)?;
    let data = Dataset::of_loaded(source.name(), loaded, binarise, data_seed);
    Ok(if source.left_out.is_empty() { data } else { data.some_left_out() })
}
