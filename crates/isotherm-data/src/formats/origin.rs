//! The file that is read, as its errors name it.

use std::io;
use std::path::Path;

use isotherm::data::values::ValueProblem;
use isotherm::data::{DataError, DataProblem, Place};
use isotherm::{Error, IoError};

use super::input::MOST_TIMES;
use crate::problems::{FileError, FileProblem};

/// A file, as far as its errors and the checks of its length need it.
pub(super) struct Origin<'a> {
    pub(super) path: &'a Path,
    /// Length in bytes of the content, unpacked.
    pub(super) len: u64,
}

impl Origin<'_> {
    /// The file as a whole cannot be used.
    pub(super) fn refuse(&self, problem: impl Into<FileProblem>) -> Error {
        self.refuse_at(Vec::new(), problem)
    }

    /// The file cannot be used because of one place.
    pub(super) fn refuse_at(&self, place: Vec<Place>, problem: impl Into<FileProblem>) -> Error {
        FileError::new(self.name(), place, problem.into()).into()
    }

    /// A value, as the file has it, cannot be used.
    pub(super) fn refuse_value(
        &self,
        place: Vec<Place>,
        text: String,
        problem: ValueProblem,
    ) -> Error {
        DataError::new(self.name(), place, DataProblem::Value { text, problem }).into()
    }

    /// There is more than memory can hold.
    pub(super) fn too_large(&self) -> Error {
        DataError::new(self.name(), Vec::new(), DataProblem::TooLarge).into()
    }

    /// Reading failed: the file is damaged, or the system refused.
    pub(super) fn io(&self, error: io::Error) -> Error {
        if error.raw_os_error().is_some() {
            return IoError { doing: "read", path: self.path.to_owned(), error }.into();
        }
        self.refuse(match error.kind() {
            io::ErrorKind::UnexpectedEof => FileProblem::EndsEarly,
            io::ErrorKind::FileTooLarge => FileProblem::UnpacksTooFar { times: MOST_TIMES },
            _ => FileProblem::Damaged { why: error.to_string() },
        })
    }

    fn name(&self) -> String {
        self.path.to_string_lossy().into_owned()
    }
}
