//! What a file is, by how it begins.

use std::path::Path;

use super::input::Input;
use super::{idx, matlab, npy_header, npz, parquet};
use isotherm::Result;

/// A kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Npy,
    Npz,
    Idx,
    Matlab,
    Parquet,
    Text,
}

/// The formats, as errors list them.
const SUPPORTED: &str = "NumPy (.npy, .npz), text (.csv, .txt, .tsv, .amat), IDX, MATLAB version 5 to 7 \
                         (.mat) or Parquet, each also gzipped";

/// Endings of files that are text whatever they begin with.
const TEXT_ENDINGS: [&str; 5] = ["csv", "tsv", "txt", "dat", "amat"];

impl Format {
    /// Whether such files hold several arrays, each with a name.
    pub(super) fn has_names(self) -> bool {
        matches!(self, Format::Npz | Format::Matlab)
    }

    /// What people call it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Format::Npy => "NumPy array",
            Format::Npz => "NumPy archive",
            Format::Idx => "IDX",
            Format::Matlab => "MATLAB",
            Format::Parquet => "Parquet",
            Format::Text => "text",
        }
    }
}

/// The format of a file.
pub(super) fn recognise(input: &Input) -> Result<Format> {
    let (head, origin) = (&input.head[..], &input.origin);
    if input.is_packed_twice() {
        return Err(origin.refuse("the file is gzipped twice; unpack it once with gunzip"));
    }
    if head.starts_with(npy_header::MAGIC) {
        Ok(Format::Npy)
    } else if head.starts_with(npz::MAGIC) {
        Ok(Format::Npz)
    } else if head.starts_with(parquet::MAGIC) {
        Ok(Format::Parquet)
    } else if matlab::recognise(head) {
        Ok(Format::Matlab)
    } else if is_hdf5(head) {
        Err(origin.refuse(
            "HDF5 files, which MATLAB writes as version 7.3, are not supported; save with -v7 or as \
             .npy",
        ))
    } else if idx::recognise(head) {
        Ok(Format::Idx)
    } else if looks_like_text(head) || has_text_ending(origin.path) {
        Ok(Format::Text)
    } else {
        Err(origin.refuse(format!("the format is not recognised; use {SUPPORTED}")))
    }
}

fn is_hdf5(head: &[u8]) -> bool {
    const MAGIC: &[u8] = b"\x89HDF\r\n\x1a\n";
    // MATLAB puts its own header of 512 bytes before.
    head.starts_with(MAGIC) || head.get(512..).is_some_and(|rest| rest.starts_with(MAGIC))
}

/// Whether there is nothing but characters, and among them a digit or a separator.
fn looks_like_text(head: &[u8]) -> bool {
    let control = |byte: &u8| byte.is_ascii_control() && !b"\t\r\n".contains(byte);
    let text = match std::str::from_utf8(head) {
        Ok(_) => true,
        // The last character may be cut in two.
        Err(error) => error.error_len().is_none(),
    };
    let telling = |byte: &u8| byte.is_ascii_digit() || b",;\t ".contains(byte);
    text && !head.iter().any(control) && head.iter().any(telling)
}

fn has_text_ending(path: &Path) -> bool {
    let packed = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gz"));
    let inner = if packed { path.file_stem().map_or(path, Path::new) } else { path };
    let ending = inner.extension().and_then(|ending| ending.to_str()).unwrap_or("");
    TEXT_ENDINGS.iter().any(|known| ending.eq_ignore_ascii_case(known))
}
