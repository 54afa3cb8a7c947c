//! What a reader hands over: values one by one, so that no file is ever held as a whole.

/// Whoever takes in the values of a file.
pub trait Visitor {
    /// The type of the values, for people. Comes before the first value.
    fn kind(&mut self, _kind: &str) {}

    /// What the reader took for granted, for people.
    fn note(&mut self, _note: &str) {}

    /// The dimensions of the array, where the file names them before its values; the first counts
    /// examples, the others make up the columns. Only then may values come in any order, otherwise
    /// they come row by row. Answers whether there is room for it.
    fn dimensions(&mut self, shape: &[usize]) -> bool;

    /// Whether the values of a column are asked for; others need not be numbers.
    fn wants(&self, _col: usize) -> bool {
        true
    }

    /// A value; a missing one is NaN. An answer of why it cannot be used follows the value itself
    /// in the message, such as "is not 0 or 1".
    fn value(&mut self, row: usize, col: usize, value: f64) -> Result<(), String>;
}

/// Rows and columns of an array, or nothing if that is more than can be counted.
pub fn flattened(shape: &[usize]) -> Option<(usize, usize)> {
    let (&rows, inner) = shape.split_first()?;
    let cols = inner.iter().try_fold(1usize, |cols, &size| cols.checked_mul(size))?;
    rows.checked_mul(cols)?;
    Some((rows, cols))
}

/// A number as people write it: whole ones without a point, `f32` with its own digits.
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
