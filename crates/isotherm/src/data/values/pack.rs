//! Values packed as they are read: one bit each, or eight.

use isotherm_kernels::BitMatrix;
use isotherm_kernels::bits::words_for;

use super::ValueProblem;
use super::visitor::{Visitor, flattened};
use crate::data::Assumption;
use crate::data::binarise::static_draw;

/// How a value becomes a bit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Rule {
    /// It is 0 or 1.
    AsIs,
    /// It is above this.
    Above(f64),
    /// It is drawn with the key of the file and the value over `scale` as probability.
    Draw { key: u64, scale: f64 },
}

/// Packs bits.
pub(super) struct PackBits {
    rule: Rule,
    words: Vec<u64>,
    /// Words per row; while the first row is read, of the part that has been read.
    words_per_row: usize,
    rows: usize,
    cols: usize,
    /// Values that have been read.
    count: usize,
    pub(super) assumption: Option<Assumption>,
}

impl PackBits {
    pub(super) fn new(rule: Rule) -> PackBits {
        let (words, words_per_row) = (Vec::new(), 0);
        PackBits { rule, words, words_per_row, rows: 0, cols: 0, count: 0, assumption: None }
    }

    /// Whether every value has been read.
    pub(super) fn is_complete(&self) -> bool {
        self.count == self.rows * self.cols
    }

    /// The matrix, or nothing if there was no value.
    pub(super) fn finish(self) -> Option<BitMatrix> {
        let bits = BitMatrix::from_words(self.rows, self.cols, self.words)?;
        (bits.rows() > 0 && bits.cols() > 0).then_some(bits)
    }

    fn bit(&self, row: usize, col: usize, value: f64) -> Result<bool, ValueProblem> {
        match self.rule {
            Rule::AsIs if value == 0.0 => Ok(false),
            Rule::AsIs if value == 1.0 => Ok(true),
            Rule::AsIs => Err(ValueProblem::NotBinary { value }),
            _ if !value.is_finite() => Err(ValueProblem::Missing),
            Rule::Above(level) => Ok(value > level),
            Rule::Draw { key, scale } => Ok(static_draw(key, row, col, value / scale)),
        }
    }
}

impl Visitor for PackBits {
    fn assumed(&mut self, assumption: Assumption) {
        self.assumption = Some(assumption);
    }

    fn dimensions(&mut self, shape: &[usize]) -> bool {
        let Some((rows, cols)) = flattened(shape) else { return false };
        let words_per_row = words_for(cols);
        let Some(count) = rows.checked_mul(words_per_row) else { return false };
        if !self.words.is_empty() {
            return self.words.len() == count && self.cols == cols;
        }
        if self.words.try_reserve_exact(count).is_err() {
            return false;
        }
        self.words.resize(count, 0);
        (self.words_per_row, self.rows, self.cols) = (words_per_row, rows, cols);
        true
    }

    fn value(&mut self, row: usize, col: usize, value: f64) -> Result<(), ValueProblem> {
        let bit = self.bit(row, col, value)?;
        if row == 0 && self.rows <= 1 && col >= self.cols {
            self.cols = col + 1;
            self.words_per_row = words_for(self.cols);
        }
        self.rows = self.rows.max(row + 1);
        let word = row * self.words_per_row + col / 64;
        if word >= self.words.len() {
            self.words.resize((row + 1) * self.words_per_row, 0);
        }
        match self.words.get_mut(word).filter(|_| col < self.cols) {
            Some(word) => *word |= u64::from(bit) << (col % 64),
            None => return Err(ValueProblem::Changed),
        }
        self.count += 1;
        Ok(())
    }
}

/// Packs intensities in 255ths. The dimensions must be known before the values.
pub(super) struct PackIntensities {
    scale: f64,
    pub(super) values: Vec<u8>,
    pub(super) cols: usize,
    /// Values that have been read.
    count: usize,
    pub(super) assumption: Option<Assumption>,
}

impl PackIntensities {
    /// Intensities are the values divided by `scale`.
    pub(super) fn new(scale: f64) -> PackIntensities {
        PackIntensities { scale, values: Vec::new(), cols: 0, count: 0, assumption: None }
    }

    /// Whether every value has been read.
    pub(super) fn is_complete(&self) -> bool {
        self.count == self.values.len()
    }
}

impl Visitor for PackIntensities {
    fn assumed(&mut self, assumption: Assumption) {
        self.assumption = Some(assumption);
    }

    fn dimensions(&mut self, shape: &[usize]) -> bool {
        let Some((rows, cols)) = flattened(shape) else { return false };
        if !self.values.is_empty() {
            return self.values.len() == rows * cols && self.cols == cols;
        }
        if self.values.try_reserve_exact(rows * cols).is_err() {
            return false;
        }
        self.values.resize(rows * cols, 0);
        self.cols = cols;
        true
    }

    fn value(&mut self, row: usize, col: usize, value: f64) -> Result<(), ValueProblem> {
        let place = row.checked_mul(self.cols).filter(|_| col < self.cols);
        let place = place.and_then(|start| self.values.get_mut(start + col));
        match place {
            // Rounded to the nearest 255th; whole numbers to 255 are kept as they are.
            Some(at) => *at = (value / self.scale * 255.0).round() as u8,
            None => return Err(ValueProblem::Changed),
        }
        self.count += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file that shrinks between the first reading and the second lacks values.
    #[test]
    fn a_value_that_is_not_read_is_noticed() {
        let mut bits = PackBits::new(Rule::Above(0.5));
        let mut grey = PackIntensities::new(1.0);
        let packers: [&mut dyn Visitor; 2] = [&mut bits, &mut grey];
        for packer in packers {
            assert!(packer.dimensions(&[2, 2]));
            for (row, col) in [(0, 0), (0, 1), (1, 0)] {
                assert_eq!(packer.value(row, col, 1.0), Ok(()));
            }
        }
        assert!(!bits.is_complete() && !grey.is_complete());
        assert_eq!((bits.value(1, 1, 1.0), grey.value(1, 1, 1.0)), (Ok(()), Ok(())));
        assert!(bits.is_complete() && grey.is_complete());
    }
}
