//! One bundle in one file.

use std::fs;
use std::path::Path;

use isotherm::tensors::{Bundle, SealError};
use isotherm::{IoError, Result};

use super::atomic::write_atomically;
use super::error::DamagedFile;

/// Writes a safetensors file with a checksum, [atomically](write_atomically).
pub fn write(bundle: &Bundle, path: &Path) -> Result<()> {
    let bytes = bundle.to_bytes()?;
    write_atomically(path, |out| out.write_all(&bytes))
}

/// Reads a file that [`write()`] or [`save`](super::save) wrote, and checks every bit.
pub fn read(path: &Path) -> Result<Bundle> {
    read_with(path, Bundle::from_bytes)
}

/// Reads any safetensors file; the checksum is checked if there is one.
pub fn read_any(path: &Path) -> Result<Bundle> {
    read_with(path, Bundle::from_any_bytes)
}

fn read_with(
    path: &Path,
    parse: fn(&[u8]) -> std::result::Result<Bundle, SealError>,
) -> Result<Bundle> {
    let path_of = || path.to_owned();
    let bytes =
        fs::read(path).map_err(|error| IoError { doing: "read", path: path_of(), error })?;
    Ok(parse(&bytes).map_err(|reason| DamagedFile { path: path_of(), reason })?)
}
