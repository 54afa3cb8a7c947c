//! What a reader hands over: values one by one, so that no file is ever held as a whole.

use super::ValueProblem;
use crate::data::Assumption;

/// Takes the values of a file.
pub trait Visitor {
    /// The type of the values, for people. Called before the first value.
    fn kind(&mut self, _kind: &str) {}

    /// An assumption that the reader made.
    fn assumed(&mut self, _assumption: Assumption) {}

    /// The dimensions of the array, if the file states them before its values: the first counts
    /// examples, the others make up the columns. Only then may values come in any order; otherwise
    /// they come row by row. Returns whether there is room for the array.
    fn dimensions(&mut self, shape: &[usize]) -> bool;

    /// Whether the values of a column are used; others need not be numbers.
    fn wants(&self, _col: usize) -> bool {
        true
    }

    /// A value; a missing one is NaN.
    fn value(&mut self, row: usize, col: usize, value: f64) -> Result<(), ValueProblem>;
}

/// Rows and columns of an array, or nothing if their product overflows.
pub fn flattened(shape: &[usize]) -> Option<(usize, usize)> {
    let (&rows, inner) = shape.split_first()?;
    let cols = inner.iter().try_fold(1usize, |cols, &size| cols.checked_mul(size))?;
    rows.checked_mul(cols)?;
    Some((rows, cols))
}

/// A number as people write it: a whole one without a decimal point, an `f32` with the digits of an `f32`.
pub fn spelled(value: f64) -> String {
    let single = value as f32;
    if value.fract() == 0.0 && value.abs() < 1e15 {
        format!("{value}")
    } else if f64::from(single) == value {
        format!("{single:?}")
    } else {
        format!("{value:?}")
    }
}
