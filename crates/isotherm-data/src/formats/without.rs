//! A visitor that sees only some of the columns.

use isotherm::data::Assumption;
use isotherm::data::values::{ValueProblem, Visitor, flattened};

/// Passes on all but some of the columns, and counts only those that it passes on.
pub(super) struct Without<'a> {
    inner: &'a mut dyn Visitor,
    /// Runs of adjacent columns that are left out, as first and last.
    runs: Vec<(usize, usize)>,
    /// Columns of the file, as far as they have been seen.
    pub(super) width: usize,
}

impl<'a> Without<'a> {
    /// `runs` are disjoint and in ascending order.
    pub(super) fn new(inner: &'a mut dyn Visitor, runs: Vec<(usize, usize)>) -> Without<'a> {
        Without { inner, runs, width: 0 }
    }

    /// How many of the first `columns` columns are passed on.
    pub(super) fn left_of(&self, columns: usize) -> usize {
        let before = self.runs.iter().take_while(|&&(first, _)| first < columns);
        columns - before.map(|&(first, last)| columns.min(last + 1) - first).sum::<usize>()
    }
}

impl Visitor for Without<'_> {
    fn kind(&mut self, kind: &str) {
        self.inner.kind(kind);
    }

    fn assumed(&mut self, assumption: Assumption) {
        self.inner.assumed(assumption);
    }

    fn dimensions(&mut self, shape: &[usize]) -> bool {
        let Some((rows, cols)) = flattened(shape) else { return false };
        self.width = cols;
        self.inner.dimensions(&[rows, self.left_of(cols)])
    }

    fn wants(&self, col: usize) -> bool {
        !self.runs.iter().any(|&(first, last)| (first..=last).contains(&col))
    }

    fn value(&mut self, row: usize, col: usize, value: f64) -> Result<(), ValueProblem> {
        self.width = self.width.max(col + 1);
        match self.wants(col) {
            true => self.inner.value(row, self.left_of(col), value),
            false => Ok(()),
        }
    }
}
