//! The kind of values of an array, and the rule that fits them.

use isotherm::data::Binarise;
use serde::Serialize;

use crate::formats::inspect::{Column, Look};

/// What the values of an array are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ValueKind {
    /// Zeros and ones.
    Binary,
    /// −1 and 1.
    Spins,
    /// Fractions from 0 to 1.
    Fractions,
    /// Whole numbers from 0 to 255.
    Bytes,
    /// Anything else.
    #[default]
    Numbers,
}

impl ValueKind {
    pub(super) fn of(look: &Look, smallest: f64, largest: f64) -> ValueKind {
        if look.not_binary == 0 {
            ValueKind::Binary
        } else if look.not_spins == 0 {
            ValueKind::Spins
        } else if smallest >= 0.0 && largest <= 1.0 {
            ValueKind::Fractions
        } else if smallest >= 0.0 && largest <= 255.0 && !look.fractions {
            ValueKind::Bytes
        } else {
            ValueKind::Numbers
        }
    }

    /// A rule that fits such values and separates them. For counts, whole numbers from 0 on that are
    /// `rare`, below 1 on average, it separates none from some instead of few from many.
    pub(super) fn suggestion(self, smallest: f64, largest: f64, rare: bool) -> Binarise {
        let separates = |level: f64| smallest <= level && level < largest;
        match self {
            ValueKind::Binary => Binarise::AsIs,
            ValueKind::Bytes | ValueKind::Numbers if rare => Binarise::Threshold(0.0),
            ValueKind::Spins => Binarise::Threshold(0.0),
            ValueKind::Fractions | ValueKind::Bytes if separates(0.5 * self.full(largest)) => {
                Binarise::Threshold(0.5)
            }
            _ => {
                // The middle of the range in few digits. From 1 on it is a value, and below that a
                // fraction unless some values are negative.
                let middle = smallest / 2.0 + largest / 2.0;
                let least = if smallest >= 0.0 && largest > 1.0 { 1.0 } else { f64::MIN };
                let rounded = match self {
                    ValueKind::Bytes => middle.floor(),
                    _ => format!("{middle:.3e}").parse().unwrap_or(middle),
                };
                let rounded = rounded.max(least);
                Binarise::Threshold(if separates(rounded) { rounded } else { middle.max(least) })
            }
        }
    }

    /// The value of which a threshold below 1 is a fraction. Bytes that stay below the middle of their
    /// range, such as 0 to 16, are not fractions of 255.
    fn full(self, largest: f64) -> f64 {
        match self {
            ValueKind::Bytes if largest > 127.0 => 255.0,
            ValueKind::Bytes => f64::INFINITY,
            _ => 1.0,
        }
    }

    /// Whether a column is constant under the suggested rule.
    pub(super) fn makes_constant(self, rule: Binarise, column: &Column) -> bool {
        match rule {
            Binarise::Threshold(level) => {
                let is_fraction = self == ValueKind::Bytes && level < 1.0;
                let level = if is_fraction { level * 255.0 } else { level };
                !(column.smallest <= level && level < column.largest)
            }
            _ => column.smallest >= column.largest,
        }
    }
}
