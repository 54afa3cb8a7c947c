//! A first look at grey data: their range decides what their values mean.

use super::visitor::{Visitor, flattened, spelled};
use super::{Origin, pack};
use crate::Result;
use crate::data::Binarise;

/// The size and the range of the values of a file.
#[derive(Clone, Debug)]
pub(super) struct Survey {
    pub(super) rows: usize,
    pub(super) cols: usize,
    pub(super) smallest: Extreme,
    pub(super) largest: Extreme,
    /// The first value that is no whole number.
    pub(super) fraction: Option<Extreme>,
}

/// A value and its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Extreme {
    pub(super) value: f64,
    pub(super) row: usize,
    pub(super) col: usize,
}

impl Survey {
    pub(super) fn new() -> Survey {
        let none = |value| Extreme { value, row: 0, col: 0 };
        let (smallest, largest) = (none(f64::INFINITY), none(f64::NEG_INFINITY));
        Survey { rows: 0, cols: 0, smallest, largest, fraction: None }
    }

    /// What divides the values into intensities, if they are some: 1 for fractions, 255 for bytes.
    pub(super) fn scale(&self) -> Option<f64> {
        if self.smallest.value < 0.0 {
            None
        } else if self.largest.value <= 1.0 {
            Some(1.0)
        } else {
            (self.fraction.is_none() && self.largest.value <= 255.0).then_some(255.0)
        }
    }

    /// The scale, or a refusal that names a value which does not fit it.
    pub(super) fn intensities(&self, origin: &Origin, binarise: Binarise) -> Result<f64> {
        self.scale().ok_or_else(|| {
            let odd = if self.smallest.value < 0.0 { self.smallest } else { self.largest };
            let place = format!("row {}, column {}", odd.row + 1, odd.col + 1);
            let why = match self.fraction {
                Some(fraction) if odd.value > 1.0 && odd.value <= 255.0 => {
                    format!("{} beside {}", spelled(odd.value), spelled(fraction.value))
                }
                _ => spelled(odd.value),
            };
            origin.refuse_at(
                place,
                format!(
                    "{why} is no intensity, which {binarise} needs: fractions from 0 to 1, or whole \
                     numbers from 0 to 255; scale the values, or choose --binarise threshold:X with \
                     X between {} and {}",
                    spelled(self.smallest.value),
                    spelled(self.largest.value)
                ),
            )
        })
    }
}

impl Visitor for Survey {
    fn dimensions(&mut self, shape: &[usize]) -> bool {
        flattened(shape).is_some()
    }

    fn value(&mut self, row: usize, col: usize, value: f64) -> std::result::Result<(), String> {
        if !value.is_finite() {
            return Err(pack::MISSING.to_owned());
        }
        self.rows = self.rows.max(row + 1);
        self.cols = self.cols.max(col + 1);
        let it = Extreme { value, row, col };
        if value < self.smallest.value {
            self.smallest = it;
        }
        if value > self.largest.value {
            self.largest = it;
        }
        if self.fraction.is_none() && value.fract() != 0.0 {
            self.fraction = Some(it);
        }
        Ok(())
    }
}
