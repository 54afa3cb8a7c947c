//! NumPy's archives of arrays: zip files of npy files.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};

use zip::ZipArchive;
use zip::result::ZipError;

use super::input::Input;
use super::{arrays, npy, npy_header};
use isotherm::data::values::Visitor;
use isotherm::data::values::{Origin, shown};
use isotherm::{Error, Result};

/// How a zip file begins.
pub(super) const MAGIC: &[u8] = b"PK\x03\x04";

/// The names of the arrays, with the numbers of their entries.
fn list(input: &Input, archive: &ZipArchive<BufReader<File>>) -> Result<Vec<(String, usize)>> {
    let mut arrays = Vec::new();
    for index in 0..archive.len() {
        // An entry whose name is no text is no array of numpy's.
        let name = archive.name_for_index(index).and_then(|name| name.ok());
        if let Some(name) = name.as_deref().and_then(|name| name.strip_suffix(".npy")) {
            arrays.push((name.to_owned(), index));
        }
    }
    if arrays.is_empty() {
        let why = "this zip file holds no .npy array; save arrays with numpy.savez, or unpack it";
        return Err(input.origin.refuse(why));
    }
    let is_there = |part: &str| arrays.iter().any(|(name, _)| name == part);
    if ["format", "shape", "data"].iter().all(|part| is_there(part)) {
        let why =
            "this is a sparse matrix of SciPy's; save the full one, x.toarray(), with numpy.save";
        return Err(input.origin.refuse(why));
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
    let in_array = |error: Error| {
        let name = shown(&names[chosen], 40);
        let message = error.to_string();
        let after = message.strip_prefix(&input.origin.name()).unwrap_or(&message);
        input.origin.refuse_at(format!("array {name}"), after.trim_start_matches([':', ',', ' ']))
    };
    // Measured first: what the archive says of the length may not be so.
    let len = {
        let mut entry = entry(input, &mut archive, indices[chosen])?;
        io::copy(&mut entry, &mut io::sink()).map_err(|error| in_array(input.origin.io(&error)))?
    };
    let mut entry = BufReader::new(entry(input, &mut archive, indices[chosen])?);
    let origin = Origin { path: input.origin.path, len };
    let start = entry.fill_buf().map_err(|error| in_array(origin.io(&error)))?;
    if !start.starts_with(npy_header::MAGIC) {
        return Err(in_array(origin.refuse("this is not an npy array; save it with numpy.savez")));
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
        ZipError::Io(error) => origin.io(&error),
        other => {
            let why = shown(&other.to_string(), 80);
            origin.refuse(format!("the zip file is damaged ({why}); copy or save it again"))
        }
    }
}
