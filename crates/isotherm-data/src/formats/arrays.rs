//! Files of several arrays: which one is meant, and errors inside one.

use isotherm::data::{DataError, Place};
use isotherm::{Error, Result};

use super::origin::Origin;
use crate::problems::{FileError, FileProblem};

/// The position of the array that is named, or of the only one.
pub(super) fn choose(origin: &Origin, names: &[String], wanted: Option<&str>) -> Result<usize> {
    let all = || names.to_vec();
    match (wanted, names) {
        (_, []) => Err(origin.refuse(FileProblem::NoArray)),
        (None, [_]) => Ok(0),
        (None, _) => {
            let file_name = origin.path.file_name().unwrap_or_default();
            let file_name = file_name.to_string_lossy().into_owned();
            Err(origin.refuse(FileProblem::SeveralArrays { file_name, names: all() }))
        }
        (Some(wanted), _) => names.iter().position(|name| name == wanted).ok_or_else(|| {
            origin.refuse(FileProblem::NoSuchArray { wanted: wanted.to_owned(), names: all() })
        }),
    }
}

/// The error of a part of a file, with that part as its outermost place.
pub(super) fn within(part: Place, error: Error) -> Error {
    let error = match error.into_cause::<FileError>() {
        Ok(mut cause) => {
            cause.place.insert(0, part);
            return cause.into();
        }
        Err(error) => error,
    };
    match error.into_cause::<DataError>() {
        Ok(mut cause) => {
            cause.place.insert(0, part);
            cause.into()
        }
        Err(error) => error,
    }
}
