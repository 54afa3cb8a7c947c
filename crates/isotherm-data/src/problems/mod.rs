//! Why a file cannot be read.

mod matlab;
mod npy;
mod parquet;
mod text;
mod words;

use isotherm::data::{Place, located};
use isotherm::{Cause, Dialect, Kind};

pub use matlab::{MatlabProblem, NoMatrix, OtherArray};
pub use npy::{ArchiveProblem, NpyProblem};
pub use parquet::ParquetProblem;
pub use text::{Separator, TextProblem};

/// A file that cannot be read: where, and why.
///
/// A value that can be read but not used is a [`DataError`](isotherm::data::DataError).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FileError {
    /// The file.
    pub file: String,
    /// The place in it, from the outermost part to the innermost; empty for the whole.
    pub place: Vec<Place>,
    /// What is wrong there.
    pub problem: FileProblem,
}

/// What is wrong with a file.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum FileProblem {
    /// It is empty.
    Empty,
    /// It is a device, a pipe or the like.
    NotRegular,
    /// It is gzipped, and its content is empty.
    EmptyContent,
    /// It is gzipped twice.
    GzippedTwice,
    /// Its format is not supported.
    Unrecognised,
    /// It is an HDF5 file.
    Hdf5,
    /// Its format is supported, but by a feature of this crate that was not compiled in.
    NotCompiled {
        /// What such files are called.
        format: &'static str,
        /// The Cargo feature.
        feature: &'static str,
    },
    /// It ends before all that it should hold.
    EndsEarly,
    /// A decoder refused it.
    Damaged {
        /// The words of the decoder.
        why: String,
    },
    /// It unpacks to more than files do.
    UnpacksTooFar {
        /// How many times its size is allowed.
        times: u64,
    },
    /// It cannot be unpacked into a temporary file.
    CannotUnpack {
        /// The words of the system.
        why: String,
    },
    /// It holds one array without a name, but an array was named.
    NamelessArray {
        /// The name.
        wanted: String,
    },
    /// It holds several arrays, and none was named.
    SeveralArrays {
        /// The last part of the path.
        file_name: String,
        /// The names of the arrays.
        names: Vec<String>,
    },
    /// It holds no array with the name that was given.
    NoSuchArray {
        /// The name that was given.
        wanted: String,
        /// The names of the arrays.
        names: Vec<String>,
    },
    /// It holds no array of numbers.
    NoArray,
    /// It holds no values.
    NoValues,
    /// An array without elements.
    EmptyArray {
        /// Its dimensions.
        shape: Vec<u64>,
    },
    /// An array that is not a matrix.
    TooFewDimensions {
        /// How many it has.
        dimensions: usize,
    },
    /// A list of numbers, such as the labels of images.
    Labels {
        /// How many.
        count: usize,
    },
    /// Numbers of a type that is not supported.
    UnknownType {
        /// The code of the type.
        code: u32,
    },
    /// An array that takes more or fewer bytes than its dimensions need.
    WrongLength {
        /// Its dimensions.
        shape: Vec<u64>,
        /// Bytes per value.
        size: u64,
        /// Bytes that there are.
        present: u64,
    },
    /// A boolean that is neither 0 nor 1.
    NotBoolean {
        /// Its byte.
        value: u8,
    },
    /// A column to leave out that is beyond the last one.
    DropBeyond {
        /// The column, counted from 1.
        column: usize,
        /// The columns that there are.
        columns: usize,
    },
    /// A column to leave out whose name the file does not have.
    DropUnknown {
        /// The name.
        name: String,
        /// What the file has instead.
        names: ColumnNames,
    },
    /// Nothing is left when all columns that are to be left out are.
    DropAll,
    /// Data to compare with that have another number of columns.
    OtherWidth {
        /// Their columns.
        columns: usize,
        /// What they were to be compared with.
        with: String,
    },
    /// A problem of NumPy arrays.
    Npy(NpyProblem),
    /// A problem of NumPy archives.
    Archive(ArchiveProblem),
    /// A problem of MATLAB files.
    Matlab(MatlabProblem),
    /// A problem of Parquet files.
    Parquet(ParquetProblem),
    /// A problem of text.
    Text(TextProblem),
}

/// Whether the columns of a file have names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ColumnNames {
    /// The format gives them names.
    All,
    /// The first row may name them.
    FirstRow,
    /// They have no names.
    None,
}

impl FileError {
    /// An error about a place in a file.
    pub(crate) fn new(file: String, place: Vec<Place>, problem: FileProblem) -> FileError {
        FileError { file, place, problem }
    }
}

impl Cause for FileError {
    fn kind(&self) -> Kind {
        Kind::Data
    }

    fn words(&self, d: &dyn Dialect) -> String {
        format!("{}: {}", located(&self.file, &self.place), self.problem.words(d))
    }
}

/// Conversions, so that a format refuses by its own problem.
macro_rules! problems {
    ($($variant:ident($problem:ty)),*) => {$(
        impl From<$problem> for FileProblem {
            fn from(problem: $problem) -> FileProblem {
                FileProblem::$variant(problem)
            }
        }
    )*};
}

problems!(
    Npy(NpyProblem),
    Archive(ArchiveProblem),
    Matlab(MatlabProblem),
    Parquet(ParquetProblem),
    Text(TextProblem)
);
