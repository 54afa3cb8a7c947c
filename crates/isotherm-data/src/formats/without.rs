//! A visitor that sees some of the columns only.

use isotherm::data::values::{Visitor, flattened};

/// Hands on all but some of the columns, the others counted without them.
pub(super) struct Without<'a> {
    inner: &'a mut dyn Visitor,
    /// First and last of columns in a row that are left out, in ascending order.
    runs: Vec<(usize, usize)>,
    /// Columns that there were.
    pub(super) width: usize,
}

impl<'a> Without<'a> {
    /// `runs` are disjoint and in ascending order.
    pub(super) fn new(inner: &'a mut dyn Visitor, runs: Vec<(usize, usize)>) -> Without<'a> {
        Without { inner, runs, width: 0 }
    }

    /// How many of the first so many columns are left.
    pub(super) fn left_of(&self, columns: usize) -> usize {
        let before = self.runs.iter().take_while(|&&(first, _)| first < columns);
        columns - before.map(|&(first, last)| columns.min(last + 1) - first).sum::<usize>()
    }
}

impl Visitor for Without<'_> {
    fn kind(&mut self, kind: &str) {
        self.inner.kind(kind);
    }

    fn note(&mut self, note: &str) {
        self.inner.note(note);
    }

    fn dimensions(&mut self, shape: &[usize]) -> bool {
        let Some((rows, cols)) = flattened(shape) else { return false };
        self.width = cols;
        self.inner.dimensions(&[rows, self.left_of(cols)])
    }

    fn wants(&self, col: usize) -> bool {
        !self.runs.iter().any(|&(first, last)| (first..=last).contains(&col))
    }

    fn value(&mut self, row: usize, col: usize, value: f64) -> Result<(), String> {
        self.width = self.width.max(col + 1);
        match self.wants(col) {
            true => self.inner.value(row, self.left_of(col), value),
            false => Ok(()),
        }
    }
}
