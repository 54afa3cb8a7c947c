//! Files of several arrays: which one is meant.

use isotherm::Result;
use isotherm::data::values::Origin;
use isotherm::data::values::shown;

/// Names that a message lists.
const LISTED: usize = 12;

/// The position of the array that is asked for, or of the only one.
pub(super) fn choose(origin: &Origin, names: &[String], wanted: Option<&str>) -> Result<usize> {
    let list = || {
        let mut list: Vec<String> =
            names.iter().take(LISTED).map(|name| format!(":{}", shown(name, 40))).collect();
        if names.len() > LISTED {
            list.push(format!("and {} more", names.len() - LISTED));
        }
        list.join(", ")
    };
    match (wanted, names) {
        (_, []) => Err(origin.refuse("there is no array of numbers in the file; save one into it")),
        (None, [_]) => Ok(0),
        (None, _) => Err(origin.refuse(format!(
            "the file holds {} arrays; name one of {} after the file, such as {}:{}",
            names.len(),
            list(),
            shown(&origin.file_name(), 60),
            shown(&names[0], 40)
        ))),
        (Some(wanted), _) => names.iter().position(|name| name == wanted).ok_or_else(|| {
            let wanted = shown(wanted, 40);
            origin.refuse(format!("there is no array {wanted:?} in the file; it holds {}", list()))
        }),
    }
}
