//! MATLAB's files of version 5 to 7: which array is meant, and its values.
//!
//! Read here and not by a crate: those that there are hold all arrays in memory and trust the sizes
//! that a file claims.

use std::ops::ControlFlow;

use super::arrays;
use super::input::Input;
use super::matlab_elements::{Found, for_each};
use super::numbers::{Order, visit_array};
use isotherm::Result;
use isotherm::data::values::Visitor;
use isotherm::data::values::shown;

/// Most arrays that a file may hold.
const MOST_ARRAYS: usize = 10_000;

/// Arrays that a message lists.
const LISTED: usize = 6;

/// Whether a file begins as MATLAB's do: a text of 116 bytes, an offset, a version and a mark.
pub(super) fn recognise(head: &[u8]) -> bool {
    matches!(head.get(124..128), Some([0, 1, b'I', b'M'] | [1, 0, b'M', b'I']))
}

/// The arrays of a file: the names of those of numbers that are more than a row or a column, of which there is
/// at least one, and the others, with what they are.
pub(super) struct Names {
    pub(super) matrices: Vec<String>,
    pub(super) others: Vec<(String, &'static str)>,
}

/// The names of the arrays. Each has been read to its end: what it claims of its size is true.
pub(super) fn names(input: &Input) -> Result<Names> {
    let (mut names, mut others) = (Vec::new(), Vec::new());
    for_each(input, |found| {
        match found {
            Found::Array(array) if is_matrix(&array.shape) => names.push(array.name.clone()),
            Found::Array(array) if array.shape.contains(&0) => {
                others.push((array.name.clone(), "empty"));
            }
            Found::Array(array) => others.push((array.name.clone(), "a single row or column")),
            Found::Other { name, why } => others.push((name, why)),
        }
        if names.len() + others.len() > MOST_ARRAYS {
            let why = format!("there are more than {MOST_ARRAYS} arrays in the file");
            return Err(input.origin.refuse(why));
        }
        Ok(ControlFlow::Continue(()))
    })?;
    if names.is_empty() {
        return Err(input.origin.refuse(nothing_but(&others)));
    }
    Ok(Names { matrices: names, others })
}

/// Why a file without a matrix cannot be used.
fn nothing_but(others: &[(String, &'static str)]) -> String {
    let listed = in_words(others);
    let but = if listed.is_empty() { String::new() } else { format!(" ({})", listed.join(", ")) };
    format!("there is no matrix of numbers in the file{but}; save a full one into it")
}

/// The first few of arrays that are no matrices, and what they are.
pub(super) fn in_words(others: &[(String, &'static str)]) -> Vec<String> {
    let listed =
        others.iter().take(LISTED).map(|(name, why)| format!("{} is {why}", shown(name, 20)));
    let more = (others.len() > LISTED).then(|| "…".to_owned());
    listed.chain(more).collect()
}

fn is_matrix(shape: &[usize]) -> bool {
    !shape.contains(&0) && shape.iter().filter(|&&size| size > 1).count() > 1
}

/// Visits the array with a name, or the only one.
pub(super) fn read(input: &Input, wanted: Option<&str>, visitor: &mut dyn Visitor) -> Result<()> {
    let Names { matrices, others } = names(input)?;
    if let Some((name, why)) = others.iter().find(|(name, _)| Some(name.as_str()) == wanted) {
        let why = format!("array {} is {why}; name a matrix of numbers", shown(name, 40));
        return Err(input.origin.refuse(why));
    }
    let chosen = arrays::choose(&input.origin, &matrices, wanted)?;
    let mut matrix = 0;
    for_each(input, |found| {
        let Found::Array(array) = found else { return Ok(ControlFlow::Continue(())) };
        if !is_matrix(&array.shape) {
            return Ok(ControlFlow::Continue(()));
        }
        matrix += 1;
        if matrix <= chosen {
            return Ok(ControlFlow::Continue(()));
        }
        visitor.kind(&format!("MATLAB, {} {}", shown(&array.name, 40), array.class));
        let (number, values) = (array.number, &mut *array.values);
        visit_array(&input.origin, values, number, &array.shape, Order::Fortran, visitor)?;
        Ok(ControlFlow::Break(()))
    })
}
