//! Files of several arrays: which one is meant.

use isotherm::Result;

use super::origin::Origin;
use crate::problems::FileProblem;

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
