//! A first look at grey data: their range decides what their values mean, and all of them together what
//! is drawn from a seed.

use super::visitor::{Visitor, flattened, spelled};
use super::{Origin, pack};
use crate::data::binarise::fingerprint;
use crate::data::{Binarise, Scale};
use crate::{Error, Result};

/// The scales by which values can be intensities.
const INTENSITIES: [Scale; 2] = [Scale::Fractions, Scale::Bytes];

/// The size and the range of the values of a file.
#[derive(Clone, Debug)]
pub(super) struct Survey {
    pub(super) rows: usize,
    pub(super) cols: usize,
    pub(super) smallest: Extreme,
    pub(super) largest: Extreme,
    /// The first value that is no whole number.
    pub(super) fraction: Option<Extreme>,
    /// The sum of all values' fingerprints, if they are fractions and if they are bytes.
    fingerprints: [u64; 2],
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
        Survey { rows: 0, cols: 0, smallest, largest, fraction: None, fingerprints: [0; 2] }
    }

    /// What tells these values from those of other files, to whoever takes them so.
    pub(super) fn fingerprint(&self, scale: Scale) -> u64 {
        self.fingerprints[usize::from(scale == Scale::Bytes)]
    }

    /// What the values are as intensities, if they are some. Whole numbers that stay below the
    /// middle of 255 are counts or labels rather than grey.
    fn scale(&self) -> Option<Scale> {
        if self.smallest.value < 0.0 {
            None
        } else if self.largest.value <= 1.0 {
            Some(Scale::Fractions)
        } else {
            let bytes = self.largest.value > 127.0 && self.largest.value <= 255.0;
            (self.fraction.is_none() && bytes).then_some(Scale::Bytes)
        }
    }

    /// What the values mean to a rule: what they mean in other data, if that is given, which they
    /// must fit.
    pub(super) fn scale_for(
        &self,
        origin: &Origin,
        binarise: Binarise,
        like: Option<Scale>,
    ) -> Result<Scale> {
        if !binarise.is_by_intensity() {
            return Ok(Scale::Values);
        }
        if let Some(scale) = like {
            return self.fit(origin, binarise, scale);
        }
        match (self.scale(), binarise) {
            (Some(scale), _) => Ok(scale),
            // Such as spins, which nobody takes for shares of anything.
            (None, Binarise::Threshold(_)) if self.smallest.value < 0.0 => Ok(Scale::Values),
            (None, _) => Err(self.no_intensities(origin, binarise)),
        }
    }

    fn fit(&self, origin: &Origin, binarise: Binarise, scale: Scale) -> Result<Scale> {
        let (smallest, largest) = (self.smallest.value, self.largest.value);
        let (fits, meant) = match scale {
            Scale::Values => (true, "any numbers"),
            Scale::Fractions => (smallest >= 0.0 && largest <= 1.0, "fractions from 0 to 1"),
            Scale::Bytes => {
                // Zeros and ones are binarised already, and not the darkest of greys.
                let whole = smallest >= 0.0 && self.fraction.is_none();
                (whole && largest <= 255.0 && largest != 1.0, "whole numbers from 0 to 255")
            }
        };
        if fits {
            return Ok(scale);
        }
        let (smallest, largest) = (spelled(smallest), spelled(largest));
        let kind = if self.fraction.is_some() { "numbers" } else { "whole numbers" };
        Err(origin.refuse(format!(
            "the values are {kind} from {smallest} to {largest}, but to {binarise} those of the \
             training data are {meant}; scale both alike"
        )))
    }

    /// A refusal that names a value which is no intensity.
    fn no_intensities(&self, origin: &Origin, binarise: Binarise) -> Error {
        let (smallest, largest) = (self.smallest.value, self.largest.value);
        let odd = if smallest < 0.0 { self.smallest } else { self.largest };
        let place = format!("row {}, column {}", odd.row + 1, odd.col + 1);
        let why = match self.fraction {
            Some(fraction) if odd.value > 1.0 && odd.value <= 255.0 => {
                format!("{} beside {}", spelled(odd.value), spelled(fraction.value))
            }
            None if odd.value > 1.0 && odd.value <= 255.0 => {
                format!("{} as the largest value", spelled(odd.value))
            }
            _ => spelled(odd.value),
        };
        // From 1 on a threshold is a value.
        let from = if smallest < 0.0 { spelled(smallest) } else { "1".to_owned() };
        origin.refuse_at(
            place,
            format!(
                "{why} is no intensity, which {binarise} needs: fractions from 0 to 1, or whole \
                 numbers from 0 to 255 that go beyond 127; scale the values, or choose --binarise \
                 threshold:X with X from {from} to {}",
                spelled(largest)
            ),
        )
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
        for (sum, scale) in self.fingerprints.iter_mut().zip(INTENSITIES) {
            *sum = sum.wrapping_add(fingerprint(row, col, value, scale.full()));
        }
        Ok(())
    }
}
