#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
//! Examples from files: formats that are recognised by their content, and reports of what a file holds.
//!
//! NumPy arrays, text and IDX files are always read, gzipped or not. The features `npz`, `matlab` and
//! `parquet`, on by default, add the other formats; without them such a file is refused with
//! [`FileProblem::NotCompiled`].
//!
//! ```
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("votes.csv");
//! std::fs::write(&path, "a,b,c\n0,1,1\n1,0,1\n")?;
//! let data = isotherm_data::read(&path)?;
//! assert_eq!((data.examples(), data.n_visible()), (Some(2), 3));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod formats;
mod inspection;
mod load;
mod problems;
mod source;

pub use inspection::{ArrayNote, ArrayReport, FileReport, Missing, Suggestion, ValueKind, inspect};
pub use load::{load, load_like, read};
pub use problems::{
    ArchiveProblem, ColumnNames, FileError, FileProblem, MatlabProblem, NoMatrix, NpyProblem,
    OtherArray, ParquetProblem, Separator, TextProblem,
};
pub use source::Source;
