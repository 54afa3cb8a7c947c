//! A first reading of grey data: their range decides the scale, and all values together the key of static
//! draws.

use super::visitor::{Visitor, flattened};
use super::{Origin, ValueProblem};
use crate::data::binarise::fingerprint;
use crate::data::{Binarise, DataProblem, Scale};
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
    /// The first value that is not a whole number.
    pub(super) fraction: Option<Extreme>,
    /// The sum of the fingerprints of all values, taken as fractions and as bytes.
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

    /// A fingerprint of the values taken on a scale.
    pub(super) fn fingerprint(&self, scale: Scale) -> u64 {
        self.fingerprints[usize::from(scale == Scale::Bytes)]
    }

    /// The scale on which the values are intensities, if there is one. Whole numbers that stay below
    /// the middle of 255 are counts or labels rather than grey.
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

    /// What the values mean to a rule. They must fit the meaning that `like` gives, if any.
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
            // Such as spins, which are not fractions of anything.
            (None, Binarise::Threshold(_)) if self.smallest.value < 0.0 => Ok(Scale::Values),
            (None, _) => Err(self.no_intensities(origin, binarise)),
        }
    }

    fn fit(&self, origin: &Origin, rule: Binarise, scale: Scale) -> Result<Scale> {
        let (smallest, largest) = (self.smallest.value, self.largest.value);
        let whole = self.fraction.is_none();
        let fits = match scale {
            Scale::Values => true,
            Scale::Fractions => smallest >= 0.0 && largest <= 1.0,
            // Zeros and ones are binary already, and not the darkest greys.
            Scale::Bytes => smallest >= 0.0 && whole && largest <= 255.0 && largest != 1.0,
        };
        match fits {
            true => Ok(scale),
            false => {
                let range = [smallest, largest];
                Err(origin.refuse(DataProblem::OtherScale { range, whole, scale, rule }))
            }
        }
    }

    /// A refusal that names a value which is not an intensity.
    fn no_intensities(&self, origin: &Origin, rule: Binarise) -> Error {
        let range = [self.smallest.value, self.largest.value];
        let odd = if range[0] < 0.0 { self.smallest } else { self.largest };
        let fraction = self.fraction.map(|it| it.value);
        let problem = DataProblem::NoIntensity { value: odd.value, fraction, range, rule };
        origin.refuse_at(origin.cell(odd.row, odd.col), problem)
    }
}

impl Visitor for Survey {
    fn dimensions(&mut self, shape: &[usize]) -> bool {
        flattened(shape).is_some()
    }

    fn value(
        &mut self,
        row: usize,
        col: usize,
        value: f64,
    ) -> std::result::Result<(), ValueProblem> {
        if !value.is_finite() {
            return Err(ValueProblem::Missing);
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
