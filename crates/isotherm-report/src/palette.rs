//! Places in the palette: the same thing has the same colour in all figures of a report.

/// What was measured, or the first of two.
pub(crate) const FIRST: usize = 0;
/// What is compared with it: averaged, predicted, spawned.
pub(crate) const SECOND: usize = 1;
/// A third.
pub(crate) const THIRD: usize = 2;
