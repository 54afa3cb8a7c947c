//! Examples from files.

use std::path::Path;

use isotherm::Result;
use isotherm::data::{Binarise, Dataset, Scale, Table};

use crate::{Source, formats};

/// The zeros and ones in a file.
pub fn read(path: &Path) -> Result<Dataset> {
    load(&Source { path: path.to_owned(), ..Source::default() }, Binarise::AsIs, 0)
}

/// The examples in a file, binarised by a rule. Grey ones are measured on a draw by the data
/// seed.
pub fn load(source: &Source, binarise: Binarise, data_seed: u64) -> Result<Dataset> {
    load_like(source, binarise, data_seed, None)
}

/// The same with values that mean what they mean in other data, and must fit that.
pub fn load_like(
    source: &Source,
    binarise: Binarise,
    data_seed: u64,
    like: Option<Scale>,
) -> Result<Dataset> {
    let loaded = formats::read_like(source, binarise, like)?;
    let table = Table::of(source.name(), loaded, binarise, data_seed);
    Ok(Dataset::Table(Table { is_without_some: !source.left_out.is_empty(), ..table }))
}
