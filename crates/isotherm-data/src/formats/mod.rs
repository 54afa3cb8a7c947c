//! Files that hold a matrix, one example a row: what they are is told by their content.

mod arrays;
mod idx;
mod input;
pub(crate) mod inspect;
mod matlab;
mod matlab_elements;
mod npy;
mod npy_header;
mod npz;
mod numbers;
mod parquet;
mod parquet_pages;
mod recognise;
mod squeeze;
mod text;
mod without;

use std::path::Path;

use isotherm_kernels::BitMatrix;

use isotherm::data::values::{Loaded, Origin, Values, Visitor, binarised, shown};
use isotherm::data::{Binarise, LeftOut, Scale};
use isotherm::{Error, Result};

use crate::Source;
use input::Input;
use recognise::{Format, recognise};
use without::Without;

pub use npy::write_npy;
pub use parquet::panics_are_caught;

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
