//! The sentences of the problems that all formats share.

use isotherm::Dialect;
use isotherm::data::name;
use isotherm::data::values::shown;

use super::{ColumnNames, FileProblem};

/// The formats, as errors list them.
const SUPPORTED: &str = "NumPy (.npy, .npz), text (.csv, .txt, .tsv, .amat), IDX, MATLAB version 5 to 7 \
                         (.mat) or Parquet, each also gzipped";

/// Names of arrays that a message lists.
const LISTED: usize = 12;

impl FileProblem {
    pub(super) fn words(&self, d: &dyn Dialect) -> String {
        match self {
            FileProblem::Empty => "the file is empty; write the data again".to_owned(),
            FileProblem::NotRegular => {
                "this is not a regular file; save the data to one first".to_owned()
            }
            FileProblem::EmptyContent => {
                "the content of the gzipped file is empty; write the data again".to_owned()
            }
            FileProblem::GzippedTwice => {
                "the file is gzipped twice; unpack it once with gunzip".to_owned()
            }
            FileProblem::Unrecognised => {
                format!("the format is not recognised; use {SUPPORTED}")
            }
            FileProblem::Hdf5 => {
                "HDF5 files, which MATLAB writes as version 7.3, are not supported; save with -v7 or as \
                 .npy"
                    .to_owned()
            }
            FileProblem::NotCompiled { format, feature } => format!(
                "this program was compiled without support for {format} files; compile it with the \
                 feature `{feature}` of isotherm-data, or save the data as .npy or .csv"
            ),
            FileProblem::EndsEarly => "the file ends too early; copy or save it again".to_owned(),
            FileProblem::Damaged { why } => {
                format!("the file is damaged ({}); copy or save it again", shown(why, 80))
            }
            FileProblem::UnpacksTooFar { times } => format!(
                "the file unpacks to more than {times} times its size; if that is right, unpack it first"
            ),
            FileProblem::CannotUnpack { why } => {
                format!("the file cannot be unpacked into a temporary file: {}", shown(why, 80))
            }
            FileProblem::NamelessArray { wanted } => {
                format!("the array in the file has no name; omit :{}", shown(wanted, 40))
            }
            FileProblem::SeveralArrays { file_name, names } => format!(
                "the file holds {} arrays; name one of {} after the file, such as {}:{}",
                names.len(),
                listed(names),
                shown(file_name, 60),
                shown(names.first().map_or("", String::as_str), 40)
            ),
            FileProblem::NoSuchArray { wanted, names } => format!(
                "there is no array {:?} in the file; it holds {}",
                shown(wanted, 40),
                listed(names)
            ),
            FileProblem::NoArray => {
                "there is no array of numbers in the file; save one into it".to_owned()
            }
            FileProblem::NoValues => {
                "there are no values in the file; write rows of 0 and 1".to_owned()
            }
            FileProblem::EmptyArray { shape } => format!(
                "the array is empty ({}); give it at least one row and one column",
                spelled(shape)
            ),
            FileProblem::TooFewDimensions { dimensions } => format!(
                "the array has {dimensions} dimension(s), not two; reshape it to examples by variables"
            ),
            FileProblem::Labels { count } => format!(
                "this IDX file holds a list of {count} values, such as the labels of images, and nothing \
                 to learn from; give the file of images, which has two dimensions or more"
            ),
            FileProblem::UnknownType { code } => format!(
                "values of the type {code:#04x} are not supported; save them as another type"
            ),
            FileProblem::WrongLength { shape, size, present } => format!(
                "the header announces {} values of {size} byte(s), but {present} bytes follow it; copy or \
                 save the file again",
                spelled(shape)
            ),
            FileProblem::NotBoolean { value } => {
                format!("a boolean of {value} is neither 0 nor 1; save the file again")
            }
            FileProblem::DropBeyond { column, columns } => format!(
                "{}: there are only {columns} columns",
                d.setting(name::drop, &column.to_string())
            ),
            FileProblem::DropUnknown { name, names } => {
                let why = match names {
                    ColumnNames::All => "there is no column of that name".to_owned(),
                    ColumnNames::FirstRow => format!(
                        "the first row names no such column; give its number, or {} if the file does \
                         not have it",
                        d.setting(name::drop, "\"\"")
                    ),
                    ColumnNames::None => {
                        "the columns of this file have no names; give their numbers".to_owned()
                    }
                };
                format!("{}: {why}", d.setting(name::drop, &shown(name, 40)))
            }
            FileProblem::DropAll => {
                format!("{} leaves no column; leave out fewer", d.option(name::drop))
            }
            FileProblem::OtherWidth { columns, with } => format!(
                "the data have {columns} columns, and nothing in {} has as many; compare data of the same \
                 width",
                shown(with, usize::MAX)
            ),
            FileProblem::Npy(problem) => problem.words(),
            FileProblem::Archive(problem) => problem.words(),
            FileProblem::Matlab(problem) => problem.words(),
            FileProblem::Parquet(problem) => problem.words(d),
            FileProblem::Text(problem) => problem.words(d),
        }
    }
}

/// Dimensions as people write them: `60000 x 28 x 28`.
fn spelled(shape: &[u64]) -> String {
    shown(&shape.iter().map(u64::to_string).collect::<Vec<_>>().join(" x "), 60)
}

/// The first names, as they are written behind a file.
fn listed(names: &[String]) -> String {
    let mut list: Vec<String> =
        names.iter().take(LISTED).map(|name| format!(":{}", shown(name, 40))).collect();
    if names.len() > LISTED {
        list.push(format!("and {} more", names.len() - LISTED));
    }
    list.join(", ")
}
