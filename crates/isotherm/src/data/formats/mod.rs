//! Files that hold a 0/1 matrix, one example a row.

mod csv;
mod npy;
mod npy_header;

use std::fmt::Display;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use isotherm_kernels::BitMatrix;

use crate::{Error, Result};

pub use npy::write_npy;

/// What to do about a number that is neither 0 nor 1.
fn remedy(value: f64) -> &'static str {
    match value {
        -1.0 => "write spins of -1 and 1 as 0 and 1",
        value if !value.is_finite() => "fill in or remove missing values",
        value if value.fract() == 0.0 => {
            "recode the values as 0 and 1, and leave out columns of labels or numbers"
        }
        _ => "binarise the data first (for example threshold at 0.5)",
    }
}

/// A kind of file, and how to tell it from the others.
struct Format {
    name: &'static str,
    /// How the content begins; empty if that says nothing.
    magic: &'static [u8],
    /// The file name's endings, in lower case.
    endings: &'static [&'static str],
    read: fn(&Origin, BufReader<File>) -> Result<BitMatrix>,
}

/// The formats that [`load`] reads, one line each.
#[rustfmt::skip]
const FORMATS: &[Format] = &[
    Format { name: "NumPy array", magic: npy_header::MAGIC, endings: &["npy"], read: npy::read },
    Format { name: "comma-separated text", magic: b"", endings: &["csv", "txt"], read: csv::read },
];

/// Reads the 0/1 matrix in a file; its rows are the examples.
///
/// The format is recognised by the content if that is possible, otherwise by the file's ending.
///
/// # Errors
///
/// If the file cannot be read, or holds anything but a matrix of zeros and ones.
pub fn load(path: &Path) -> Result<BitMatrix> {
    let io_error = |error: io::Error| Error::io("read", path, &error);
    // Asked before opening, because opening a named pipe waits for a writer.
    let metadata = fs::metadata(path).map_err(io_error)?;
    if metadata.is_dir() {
        return Err(io_error(io::ErrorKind::IsADirectory.into()));
    }
    let origin = Origin { path, len: metadata.len() };
    if !metadata.is_file() {
        return Err(origin.refuse("this is not a regular file; save the data to one first"));
    }
    if origin.len == 0 {
        return Err(origin.refuse("the file is empty; write the data again"));
    }
    let mut reader = BufReader::new(File::open(path).map_err(io_error)?);
    let start = reader.fill_buf().map_err(io_error)?;
    match recognise(path, start) {
        Some(format) => (format.read)(&origin, reader),
        None => Err(origin.refuse(format!("the format is not supported; use {}", supported()))),
    }
}

/// The format of a file that begins with `start`.
fn recognise(path: &Path, start: &[u8]) -> Option<&'static Format> {
    let by_content = |format: &&Format| !format.magic.is_empty() && start.starts_with(format.magic);
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("");
    let by_ending =
        |format: &&Format| format.endings.iter().any(|known| ending.eq_ignore_ascii_case(known));
    FORMATS.iter().find(by_content).or_else(|| FORMATS.iter().find(by_ending))
}

/// The supported formats and their endings, for people.
fn supported() -> String {
    let one = |format: &Format| format!("{} (.{})", format.name, format.endings.join(", ."));
    FORMATS.iter().map(one).collect::<Vec<_>>().join(" or ")
}

/// The file that is being read, as its errors name it.
struct Origin<'a> {
    path: &'a Path,
    /// Length in bytes.
    len: u64,
}

impl Origin<'_> {
    /// The file as a whole cannot be used.
    fn refuse(&self, why: impl Display) -> Error {
        Error::data(format!("{}: {why}", self.name()))
    }

    /// One place in the file cannot be used.
    fn refuse_at(&self, place: impl Display, why: impl Display) -> Error {
        Error::data(format!("{}, {place}: {why}", self.name()))
    }

    /// The system refused to read on.
    fn io(&self, error: &io::Error) -> Error {
        Error::io("read", self.path, error)
    }

    fn name(&self) -> String {
        shown(&self.path.to_string_lossy(), usize::MAX)
    }
}

/// Text from outside made fit for a one-line message: at most `limit` characters, no controls.
fn shown(text: &str, limit: usize) -> String {
    let mut out = String::new();
    for (i, c) in text.chars().enumerate() {
        if i == limit {
            out.push('…');
            break;
        }
        if c.is_control() { out.extend(c.escape_debug()) } else { out.push(c) }
    }
    out
}
