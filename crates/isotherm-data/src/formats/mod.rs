//! Files that hold a matrix with one example per row. The format is recognised by the content.

#[cfg(any(feature = "npz", feature = "matlab"))]
mod arrays;
mod collapse_spaces;
mod guard;
mod idx;
mod input;
pub(crate) mod inspect;
#[cfg(feature = "matlab")]
mod matlab;
#[cfg(feature = "matlab")]
mod matlab_elements;
mod npy;
mod npy_header;
#[cfg(feature = "npz")]
mod npz;
mod numbers;
mod origin;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(feature = "parquet")]
mod parquet_pages;
#[cfg(feature = "parquet")]
mod parquet_rows;
mod recognise;
mod text;
mod text_fields;
mod without;

use isotherm::Result;
use isotherm::data::values::{self, Loaded, Values, Visitor, binarised};
use isotherm::data::{Binarise, LeftOut, Scale};

use crate::Source;
use crate::problems::{ColumnNames, FileProblem};
use input::Input;
use origin::Origin;
use recognise::recognise;
use without::Without;

pub use guard::panics_are_caught;
pub use npy::write_npy;
pub use recognise::Format;

/// Reads the matrix in a file and binarises it by a rule.
///
/// # Errors
///
/// If the file cannot be read, or holds anything but a matrix that the rule can be applied to.
pub fn read(source: &Source, binarise: Binarise) -> Result<Values> {
    Ok(read_like(source, binarise, None)?.values)
}

/// Reads the matrix in a file and binarises it by a rule. `like` is the scale of other data, on which the
/// values of this file must lie too.
///
/// Zeros and ones are read in one pass. Grey values take two, because their range decides what
/// they mean.
///
/// # Errors
///
/// If the file cannot be read, or holds anything but a matrix that the rule can be applied to.
pub(crate) fn read_like(
    source: &Source,
    binarise: Binarise,
    like: Option<Scale>,
) -> Result<Loaded> {
    let origin = values::Origin::file(&source.path);
    binarised(&origin, &|visitor| visit(source, visitor), binarise, like)
}

/// Passes the values in a file to a visitor, except for the columns that are left out.
fn visit(source: &Source, visitor: &mut dyn Visitor) -> Result<()> {
    let input = Input::new(&source.path)?;
    let (format, array) = (recognise(&input)?, source.array.as_deref());
    let left_out = &source.left_out;
    if left_out.is_empty() || format == Format::Parquet {
        return visit_all(&input, format, array, left_out, visitor);
    }
    let (named, names) = match format {
        Format::Text => (text::columns_named(&input, left_out)?, ColumnNames::FirstRow),
        _ => (Vec::new(), ColumnNames::None),
    };
    if let Some(name) = left_out.names().find(|name| !named.iter().any(|(it, _)| it == name)) {
        let name = name.to_owned();
        return Err(input.origin.refuse(FileProblem::DropUnknown { name, names }));
    }
    let mut without = Without::new(visitor, left_out.runs(named.iter().map(|&(_, column)| column)));
    visit_all(&input, format, array, left_out, &mut without)?;
    check_width(&input.origin, left_out, without.width)?;
    match without.left_of(without.width) {
        0 => Err(input.origin.refuse(FileProblem::DropAll)),
        _ => Ok(()),
    }
}

/// Refuses to leave out columns beyond the last one.
fn check_width(origin: &Origin, left_out: &LeftOut, columns: usize) -> Result<()> {
    match left_out.largest_number() {
        Some(column) if column > columns => {
            Err(origin.refuse(FileProblem::DropBeyond { column, columns }))
        }
        _ => Ok(()),
    }
}

fn visit_all(
    input: &Input,
    format: Format,
    array: Option<&str>,
    left_out: &LeftOut,
    visitor: &mut dyn Visitor,
) -> Result<()> {
    let origin = &input.origin;
    if let (Some(array), false) = (array, format.has_names()) {
        return Err(origin.refuse(FileProblem::NamelessArray { wanted: array.to_owned() }));
    }
    match format {
        Format::Npy => npy::read(origin, &mut input.open()?, visitor),
        Format::Idx => idx::read(origin, input.open()?, visitor),
        Format::Text => text::read(input, left_out, visitor),
        #[cfg(feature = "npz")]
        Format::Npz => npz::read(input, array, visitor),
        #[cfg(feature = "matlab")]
        Format::Matlab => matlab::read(input, array, visitor),
        #[cfg(feature = "parquet")]
        Format::Parquet => parquet::read(input, left_out, visitor),
        #[allow(unreachable_patterns, reason = "reachable without some of the features")]
        _ => Err(origin.refuse(FileProblem::Unrecognised)),
    }
}
