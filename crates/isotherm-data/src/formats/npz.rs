//! Archives of NumPy arrays: zip files of npy files.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};

use zip::ZipArchive;
use zip::result::ZipError;

use super::arrays::within;
use super::input::Input;
use super::origin::Origin;
use super::{arrays, npy, npy_header};
use crate::problems::ArchiveProblem;
use isotherm::data::Place;
use isotherm::data::values::Visitor;
use isotherm::{Error, Result};

/// The names of the arrays, with the numbers of their entries.
fn list(input: &Input, archive: &ZipArchive<BufReader<File>>) -> Result<Vec<(String, usize)>> {
    let mut arrays = Vec::new();
    for index in 0..archive.len() {
        // An entry whose name is not text is not an array of NumPy.
        let name = archive.name_for_index(index).and_then(|name| name.ok());
        if let Some(name) = name.as_deref().and_then(|name| name.strip_suffix(".npy")) {
            arrays.push((name.to_owned(), index));
        }
    }
    if arrays.is_empty() {
        return Err(input.origin.refuse(ArchiveProblem::NoArrays));
    }
    let is_there = |part: &str| arrays.iter().any(|(name, _)| name == part);
    if ["format", "shape", "data"].iter().all(|part| is_there(part)) {
        return Err(input.origin.refuse(ArchiveProblem::Sparse));
    }
    Ok(arrays)
}

fn open(input: &Input) -> Result<ZipArchive<BufReader<File>>> {
    let file = BufReader::new(input.open_seekable()?);
    ZipArchive::new(file).map_err(|error| failed(&input.origin, error))
}

/// The names of the arrays.
pub(super) fn names(input: &Input) -> Result<Vec<String>> {
    Ok(list(input, &open(input)?)?.into_iter().map(|(name, _)| name).collect())
}

/// Visits the array with a name, or the only one.
pub(super) fn read(input: &Input, wanted: Option<&str>, visitor: &mut dyn Visitor) -> Result<()> {
    let mut archive = open(input)?;
    let (names, indices): (Vec<_>, Vec<_>) = list(input, &archive)?.into_iter().unzip();
    let chosen = arrays::choose(&input.origin, &names, wanted)?;
    let in_array = |error: Error| within(Place::Array(names[chosen].clone()), error);
    // Measured first, because the length that the archive claims may be wrong.
    let len = {
        let mut entry = entry(input, &mut archive, indices[chosen])?;
        io::copy(&mut entry, &mut io::sink()).map_err(|error| in_array(input.origin.io(error)))?
    };
    let mut entry = BufReader::new(entry(input, &mut archive, indices[chosen])?);
    let origin = Origin { path: input.origin.path, len };
    let start = entry.fill_buf().map_err(|error| in_array(origin.io(error)))?;
    if !start.starts_with(npy_header::MAGIC) {
        return Err(in_array(origin.refuse(ArchiveProblem::NotNpy)));
    }
    npy::read(&origin, &mut entry, visitor).map_err(in_array)
}

fn entry<'a>(
    input: &Input,
    archive: &'a mut ZipArchive<BufReader<File>>,
    index: usize,
) -> Result<impl Read + 'a> {
    let entry = archive.by_index(index).map_err(|error| failed(&input.origin, error))?;
    Ok(input.limited(entry))
}

fn failed(origin: &Origin, error: ZipError) -> Error {
    match error {
        ZipError::Io(error) => origin.io(error),
        other => origin.refuse(ArchiveProblem::Damaged { why: other.to_string() }),
    }
}
