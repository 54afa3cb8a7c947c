//! Files that hold a matrix, one example a row: what they are is told by their content.

mod csv;
mod gzip;
mod npy;
mod npy_header;
mod numbers;
mod pack;
mod survey;
mod visitor;

use std::fmt::Display;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use isotherm_kernels::BitMatrix;

use super::{Binarise, Intensities, Source};
use crate::{Error, Result};
use pack::{PackBits, PackIntensities, Rule};
use survey::Survey;
use visitor::Visitor;

pub use npy::write_npy;

/// What was read: zeros and ones, or grey values that are yet to be drawn.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Zeros and ones.
    Bits(BitMatrix),
    /// Intensities, of which every epoch draws its own zeros and ones.
    Grey(Intensities),
}

/// A kind of file, and how to tell it from the others.
struct Format {
    name: &'static str,
    /// How the content begins; empty if that says nothing.
    magic: &'static [u8],
    /// The file name's endings, in lower case.
    endings: &'static [&'static str],
    read: fn(&Origin, &mut dyn BufRead, &mut dyn Visitor) -> Result<()>,
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
    let source = Source { path: path.to_owned(), array: None };
    match read(&source, Binarise::AsIs)? {
        Values::Bits(bits) => Ok(bits),
        Values::Grey(_) => Err(Error::data(format!("{}: these are grey values", path.display()))),
    }
}

/// Reads the matrix in a file and binarises it by a rule.
///
/// Zeros and ones are read in one pass. Grey values take two, because their range decides what
/// they mean.
///
/// # Errors
///
/// If the file cannot be read, or holds anything but a matrix that the rule can be applied to.
pub fn read(source: &Source, binarise: Binarise) -> Result<Values> {
    let origin = Origin { path: &source.path, len: 0 };
    if binarise == Binarise::AsIs {
        return pack_bits(source, &origin, Rule::AsIs, None);
    }
    let mut survey = Survey::new();
    visit(source, &mut survey)?;
    let shape = [survey.rows, survey.cols];
    match binarise {
        Binarise::Static(seed) => {
            let scale = survey.intensities(&origin, binarise)?;
            pack_bits(source, &origin, Rule::Draw { seed, scale }, Some(shape))
        }
        Binarise::Dynamic => {
            let mut pack = PackIntensities::new(survey.intensities(&origin, binarise)?);
            if !pack.dimensions(&shape) {
                return Err(origin.too_large());
            }
            visit(source, &mut pack)?;
            Ok(Values::Grey(Intensities::new(pack.cols, pack.values)))
        }
        Binarise::Threshold(level) => {
            // A share of the range, if it can be one and the values have a range.
            let share = (0.0..1.0).contains(&level);
            let scale = survey.scale().filter(|_| share).unwrap_or(1.0);
            pack_bits(source, &origin, Rule::Above(level * scale), Some(shape))
        }
        Binarise::AsIs => pack_bits(source, &origin, Rule::AsIs, Some(shape)),
    }
}

fn pack_bits(
    source: &Source,
    origin: &Origin,
    rule: Rule,
    shape: Option<[usize; 2]>,
) -> Result<Values> {
    let mut pack = PackBits::new(rule);
    if shape.is_some_and(|shape| !pack.dimensions(&shape)) {
        return Err(origin.too_large());
    }
    visit(source, &mut pack)?;
    let bits = pack.finish();
    bits.map(Values::Bits).ok_or_else(|| origin.refuse("there are no values in the file"))
}

/// Hands every value in a file to a visitor.
fn visit(source: &Source, visitor: &mut dyn Visitor) -> Result<()> {
    let path = &source.path;
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
    let open = || File::open(path).map(BufReader::new).map_err(io_error);
    let mut reader = open()?;
    let start = reader.fill_buf().map_err(io_error)?;
    if start.starts_with(gzip::MAGIC) {
        let len = gzip::unpacked_len(&origin, reader)?;
        let origin = Origin { path, len };
        return visit_unpacked(&origin, source, &mut gzip::unpack(open()?), visitor);
    }
    visit_unpacked(&origin, source, &mut reader, visitor)
}

fn visit_unpacked(
    origin: &Origin,
    source: &Source,
    input: &mut dyn BufRead,
    visitor: &mut dyn Visitor,
) -> Result<()> {
    let start = input.fill_buf().map_err(|error| origin.io(&error))?;
    if start.starts_with(gzip::MAGIC) {
        return Err(origin.refuse("the file is gzipped twice; unpack it once with gunzip"));
    }
    if let Some(array) = &source.array {
        let array = shown(array, 40);
        return Err(
            origin.refuse(format!("the file holds no arrays with names; leave :{array} out"))
        );
    }
    match recognise(origin.path, start) {
        Some(format) => (format.read)(origin, input, visitor),
        None => Err(origin.refuse(format!("the format is not supported; use {}", supported()))),
    }
}

/// The format of a file that begins with `start`.
fn recognise(path: &Path, start: &[u8]) -> Option<&'static Format> {
    let by_content = |format: &&Format| !format.magic.is_empty() && start.starts_with(format.magic);
    let packed = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gz"));
    let inner = if packed { path.file_stem().map(Path::new).unwrap_or(path) } else { path };
    let ending = inner.extension().and_then(|ending| ending.to_str()).unwrap_or("");
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
    /// Length in bytes of what is read, unpacked.
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

    /// There is more than memory can hold.
    fn too_large(&self) -> Error {
        self.refuse("the array does not fit into memory; use fewer rows")
    }

    /// Reading on failed: the file is damaged, or the system refused.
    fn io(&self, error: &io::Error) -> Error {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => {
                self.refuse("the file ends too early; copy or save it again")
            }
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => {
                let why = shown(&error.to_string(), 80);
                self.refuse(format!("the file is damaged ({why}); copy or save it again"))
            }
            _ => Error::io("read", self.path, error),
        }
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
