//! MATLAB files of version 5 to 7: which array is meant, and its values.
//!
//! The crates that read such files hold all arrays in memory and trust the sizes that a file claims;
//! hence this reader.

use std::ops::ControlFlow;

use super::arrays;
use super::input::Input;
use super::matlab_elements::{Found, for_each};
use super::numbers::{Order, visit_array};
use crate::problems::{MatlabProblem, NoMatrix, OtherArray};
use isotherm::Result;
use isotherm::data::values::{Visitor, shown};

/// Most arrays that a file may hold.
const MOST_ARRAYS: usize = 10_000;

/// The arrays of a file: the names of its matrices of numbers, of which there is at least one, and the
/// other arrays.
pub(super) struct Names {
    pub(super) matrices: Vec<String>,
    pub(super) others: Vec<OtherArray>,
}

/// The names of the arrays. Each has been read to its end, so that the size it claims is true.
pub(super) fn names(input: &Input) -> Result<Names> {
    let (mut names, mut others) = (Vec::new(), Vec::new());
    for_each(input, |found| {
        match found {
            Found::Array(array) if is_matrix(&array.shape) => names.push(array.name.clone()),
            Found::Array(array) => {
                let is_empty = array.shape.contains(&0);
                let what = if is_empty { NoMatrix::Empty } else { NoMatrix::Vector };
                others.push(OtherArray { name: array.name.clone(), what });
            }
            Found::Other(array) => others.push(array),
        }
        if names.len() + others.len() > MOST_ARRAYS {
            return Err(input.origin.refuse(MatlabProblem::TooManyArrays { most: MOST_ARRAYS }));
        }
        Ok(ControlFlow::Continue(()))
    })?;
    if names.is_empty() {
        return Err(input.origin.refuse(MatlabProblem::NoMatrix { others }));
    }
    Ok(Names { matrices: names, others })
}

fn is_matrix(shape: &[usize]) -> bool {
    !shape.contains(&0) && shape.iter().filter(|&&size| size > 1).count() > 1
}

/// Visits the array with a name, or the only one.
pub(super) fn read(input: &Input, wanted: Option<&str>, visitor: &mut dyn Visitor) -> Result<()> {
    let Names { matrices, others } = names(input)?;
    if let Some(other) = others.into_iter().find(|it| Some(it.name.as_str()) == wanted) {
        return Err(input.origin.refuse(MatlabProblem::NotMatrix(other)));
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
