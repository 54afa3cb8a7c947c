//! Files that hold a matrix, one example a row: what they are is told by their content.

mod arrays;
mod idx;
mod input;
pub(super) mod inspect;
mod matlab;
mod matlab_elements;
mod npy;
mod npy_header;
mod npz;
mod numbers;
mod pack;
mod parquet;
mod parquet_pages;
mod recognise;
mod squeeze;
mod survey;
mod text;
mod visitor;
mod without;

use std::fmt::Display;
use std::io;
use std::path::Path;

use isotherm_kernels::BitMatrix;

use super::binarise::static_key;
use super::{Binarise, Intensities, LeftOut, Scale, Source};
use crate::{Error, Result};
use input::Input;
use pack::{PackBits, PackIntensities, Rule};
use recognise::{Format, recognise};
use survey::Survey;
use visitor::Visitor;
pub(super) use visitor::spelled;
use without::Without;

pub use npy::write_npy;
pub use parquet::panics_are_caught;

/// What was read: zeros and ones, or grey values that are yet to be drawn.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Zeros and ones.
    Bits(BitMatrix),
    /// Intensities, of which every epoch draws its own zeros and ones.
    Grey(Intensities),
}

/// What was read, and how it was understood.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// The values.
    pub values: Values,
    /// What those in the file mean to the rule.
    pub scale: Scale,
    /// What was taken for granted, if anything.
    pub note: Option<String>,
}

/// Reads the 0/1 matrix in a file; its rows are the examples.
///
/// The format is recognised by the content, and so is a gzipped file.
///
/// # Errors
///
/// If the file cannot be read, or holds anything but a matrix of zeros and ones.
pub fn load(path: &Path) -> Result<BitMatrix> {
    let source = Source { path: path.to_owned(), ..Source::default() };
    match read(&source, Binarise::AsIs)? {
        Values::Bits(bits) => Ok(bits),
        Values::Grey(_) => Err(Error::data(format!("{}: these are grey values", path.display()))),
    }
}

/// Reads the matrix in a file and binarises it by a rule.
///
/// # Errors
///
/// If the file cannot be read, or holds anything but a matrix that the rule can be applied to.
pub fn read(source: &Source, binarise: Binarise) -> Result<Values> {
    Ok(read_like(source, binarise, None)?.values)
}

/// Reads the matrix in a file and binarises it by a rule, to which its values mean what they mean in
/// other data, if that is given.
///
/// Zeros and ones are read in one pass. Grey values take two, because their range decides what
/// they mean.
///
/// # Errors
///
/// If the file cannot be read, or holds anything but a matrix that the rule can be applied to.
pub fn read_like(source: &Source, binarise: Binarise, like: Option<Scale>) -> Result<Loaded> {
    let origin = Origin { path: &source.path, len: 0 };
    binarised(&origin, &|visitor| visit(source, visitor), binarise, like)
}

/// Binarises a matrix in memory by the same rules. `name` tells errors what it is.
///
/// # Errors
///
/// If the rule cannot be applied to a value.
pub fn of_values(
    name: &str,
    shape: [usize; 2],
    value: &dyn Fn(usize, usize) -> f64,
    binarise: Binarise,
    like: Option<Scale>,
) -> Result<Loaded> {
    let origin = Origin { path: Path::new(name), len: 0 };
    let visit = |visitor: &mut dyn Visitor| {
        if !visitor.dimensions(&shape) {
            return Err(origin.too_large());
        }
        for row in 0..shape[0] {
            for col in 0..shape[1] {
                let value = value(row, col);
                visitor.value(row, col, value).map_err(|why| {
                    let place = format!("row {row}, column {col}");
                    origin.refuse_at(place, format!("{} {why}", spelled(value)))
                })?;
            }
        }
        Ok(())
    };
    binarised(&origin, &visit, binarise, like)
}

/// Whoever hands the values of a matrix to a visitor, as often as asked.
type Visit<'a> = &'a dyn Fn(&mut dyn Visitor) -> Result<()>;

fn binarised(
    origin: &Origin,
    visit: Visit,
    binarise: Binarise,
    like: Option<Scale>,
) -> Result<Loaded> {
    if binarise == Binarise::AsIs {
        return pack_bits(visit, origin, Rule::AsIs, None, Scale::Values);
    }
    let mut survey = Survey::new();
    visit(&mut survey)?;
    let shape = [survey.rows, survey.cols];
    let scale = survey.scale_for(origin, binarise, like)?;
    let rule = match binarise {
        Binarise::AsIs => Rule::AsIs,
        Binarise::Static(seed) => {
            let key = static_key(seed, survey.fingerprint(scale));
            Rule::Draw { key, scale: scale.full() }
        }
        Binarise::Threshold(level) => Rule::Above(level * scale.full()),
        Binarise::Dynamic => return pack_intensities(visit, origin, shape, scale),
    };
    pack_bits(visit, origin, rule, Some(shape), scale)
}

fn pack_bits(
    visit: Visit,
    origin: &Origin,
    rule: Rule,
    shape: Option<[usize; 2]>,
    scale: Scale,
) -> Result<Loaded> {
    let mut pack = PackBits::new(rule);
    if shape.is_some_and(|shape| !pack.dimensions(&shape)) {
        return Err(origin.too_large());
    }
    visit(&mut pack)?;
    if !pack.is_complete() {
        return Err(origin.refuse(SHRUNK));
    }
    let note = pack.note.take();
    let bits = pack.finish().ok_or_else(|| origin.refuse("there are no values in the file"))?;
    Ok(Loaded { values: Values::Bits(bits), scale, note })
}

fn pack_intensities(
    visit: Visit,
    origin: &Origin,
    shape: [usize; 2],
    scale: Scale,
) -> Result<Loaded> {
    let mut pack = PackIntensities::new(scale.full());
    if !pack.dimensions(&shape) {
        return Err(origin.too_large());
    }
    visit(&mut pack)?;
    if !pack.is_complete() {
        return Err(origin.refuse(SHRUNK));
    }
    let values = Values::Grey(Intensities::new(pack.cols, pack.values));
    Ok(Loaded { values, scale, note: pack.note })
}

/// Why a file that has lost values since it was looked at cannot be used.
const SHRUNK: &str = "the file became shorter while it was read; wait until it is written";

/// Hands every value in a file to a visitor, but for the columns that are left out.
fn visit(source: &Source, visitor: &mut dyn Visitor) -> Result<()> {
    let input = Input::new(&source.path)?;
    let (format, array) = (recognise(&input)?, source.array.as_deref());
    let left_out = &source.left_out;
    if left_out.is_empty() || format == Format::Parquet {
        return visit_all(&input, format, array, left_out, visitor);
    }
    let named = match format {
        Format::Text => text::columns_named(&input, left_out)?,
        _ => Vec::new(),
    };
    if let Some(name) = left_out.names().find(|name| !named.iter().any(|(it, _)| it == name)) {
        let why = match format {
            Format::Text => {
                "the first row names no such column; give its number, or --drop \"\" if it is not there"
            }
            _ => "the columns of this file have no names; give their numbers",
        };
        return Err(input.origin.refuse(format!("--drop {}: {why}", shown(name, 40))));
    }
    let mut without = Without::new(visitor, left_out.runs(named.iter().map(|&(_, column)| column)));
    visit_all(&input, format, array, left_out, &mut without)?;
    left_out.check_width(without.width).map_err(|why| input.origin.refuse(why))?;
    match without.left_of(without.width) {
        0 => Err(input.origin.refuse(NOTHING_LEFT)),
        _ => Ok(()),
    }
}

/// Why a file without its columns cannot be used.
const NOTHING_LEFT: &str = "--drop leaves no column";

fn visit_all(
    input: &Input,
    format: Format,
    array: Option<&str>,
    left_out: &LeftOut,
    visitor: &mut dyn Visitor,
) -> Result<()> {
    let origin = &input.origin;
    if let (Some(array), false) = (array, format.has_names()) {
        let array = shown(array, 40);
        let why = format!("the file holds no arrays with names; leave :{array} out");
        return Err(origin.refuse(why));
    }
    match format {
        Format::Npy => npy::read(origin, &mut input.open()?, visitor),
        Format::Npz => npz::read(input, array, visitor),
        Format::Idx => idx::read(origin, input.open()?, visitor),
        Format::Matlab => matlab::read(input, array, visitor),
        Format::Parquet => parquet::read(input, left_out, visitor),
        Format::Text => text::read(input, left_out, visitor),
    }
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
            io::ErrorKind::FileTooLarge => {
                let why = shown(&error.to_string(), 80);
                self.refuse(format!("{why}; if that is right, unpack it first"))
            }
            _ => Error::io("read", self.path, error),
        }
    }

    fn file_name(&self) -> String {
        self.path.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned())
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
