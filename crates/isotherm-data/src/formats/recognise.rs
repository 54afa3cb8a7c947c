//! Recognises the format of a file by its first bytes.

use std::path::Path;

use super::input::Input;
use super::{idx, npy_header};
use crate::problems::FileProblem;
use isotherm::Result;

/// The format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// A NumPy array.
    Npy,
    /// An archive of NumPy arrays.
    Npz,
    /// An array in the format of MNIST.
    Idx,
    /// A MATLAB file of version 5 to 7.
    Matlab,
    /// A Parquet file.
    Parquet,
    /// Numbers as text.
    Text,
}

/// Extensions of files that are text whatever they begin with.
const TEXT_EXTENSIONS: [&str; 5] = ["csv", "tsv", "txt", "dat", "amat"];

impl Format {
    /// Whether such files hold several arrays, each with a name.
    pub(super) fn has_names(self) -> bool {
        matches!(self, Format::Npz | Format::Matlab)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Format::Npy => "NumPy array",
            Format::Npz => "NumPy archive",
            Format::Idx => "IDX",
            Format::Matlab => "MATLAB",
            Format::Parquet => "Parquet",
            Format::Text => "text",
        }
    }

    /// The feature that reads it and that was not compiled in, if there is one.
    fn missing_feature(self) -> Option<&'static str> {
        match self {
            Format::Npz => (!cfg!(feature = "npz")).then_some("npz"),
            Format::Matlab => (!cfg!(feature = "matlab")).then_some("matlab"),
            Format::Parquet => (!cfg!(feature = "parquet")).then_some("parquet"),
            Format::Npy | Format::Idx | Format::Text => None,
        }
    }
}

/// The format of a file, if it can be read.
pub(super) fn recognise(input: &Input) -> Result<Format> {
    let (head, origin) = (&input.head[..], &input.origin);
    if input.is_packed_twice() {
        return Err(origin.refuse(FileProblem::GzippedTwice));
    }
    let format = if head.starts_with(npy_header::MAGIC) {
        Format::Npy
    } else if head.starts_with(b"PK\x03\x04") {
        Format::Npz
    } else if head.starts_with(b"PAR1") {
        Format::Parquet
    } else if is_matlab(head) {
        Format::Matlab
    } else if is_hdf5(head) {
        return Err(origin.refuse(FileProblem::Hdf5));
    } else if idx::recognise(head) {
        Format::Idx
    } else if looks_like_text(head) || has_text_extension(origin.path) {
        Format::Text
    } else {
        return Err(origin.refuse(FileProblem::Unrecognised));
    };
    match format.missing_feature() {
        Some(feature) => {
            Err(origin.refuse(FileProblem::NotCompiled { format: format.name(), feature }))
        }
        None => Ok(format),
    }
}

/// Whether a file begins as those of MATLAB do: a text of 116 bytes, an offset, a version and a mark.
fn is_matlab(head: &[u8]) -> bool {
    matches!(head.get(124..128), Some([0, 1, b'I', b'M'] | [1, 0, b'M', b'I']))
}

fn is_hdf5(head: &[u8]) -> bool {
    const MAGIC: &[u8] = b"\x89HDF\r\n\x1a\n";
    // MATLAB puts its own header of 512 bytes before.
    head.starts_with(MAGIC) || head.get(512..).is_some_and(|rest| rest.starts_with(MAGIC))
}

/// Whether there are only characters, and among them a digit or a separator.
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

fn has_text_extension(path: &Path) -> bool {
    let packed = path.extension().is_some_and(|it| it.eq_ignore_ascii_case("gz"));
    let inner = if packed { path.file_stem().map_or(path, Path::new) } else { path };
    let extension = inner.extension().and_then(|it| it.to_str()).unwrap_or("");
    TEXT_EXTENSIONS.iter().any(|known| extension.eq_ignore_ascii_case(known))
}
