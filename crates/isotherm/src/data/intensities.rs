//! Grey examples from which zeros and ones are drawn again in every epoch.

use isotherm_kernels::BitMatrix;

use isotherm_tempering::streams::{Key, Purpose};

/// Lanes of a random number generator.
const LANES: usize = 16;

/// A matrix of intensities in 255ths, a row for each example.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Intensities {
    cols: usize,
    values: Vec<u8>,
}

impl Intensities {
    /// The rows of a matrix with this number of columns.
    pub(crate) fn new(cols: usize, values: Vec<u8>) -> Intensities {
        assert!(cols > 0 && values.len().is_multiple_of(cols), "whole rows");
        Intensities { cols, values }
    }

    /// Number of examples.
    pub fn rows(&self) -> usize {
        self.values.len() / self.cols
    }

    /// The intensities of an example.
    pub fn row(&self, row: usize) -> &[u8] {
        &self.values[row * self.cols..][..self.cols]
    }

    /// All intensities, row after row.
    pub fn values(&self) -> &[u8] {
        &self.values
    }

    /// The examples with these numbers.
    pub(crate) fn select(&self, rows: &[usize]) -> Intensities {
        let values = rows.iter().flat_map(|&row| self.row(row).iter().copied()).collect();
        Intensities { cols: self.cols, values }
    }

    /// The sum of each column, in 255ths.
    pub(crate) fn column_sums(&self) -> Vec<u64> {
        let mut sums = vec![0; self.cols];
        for row in self.values.chunks_exact(self.cols) {
            for (sum, &value) in sums.iter_mut().zip(row) {
                *sum += u64::from(value);
            }
        }
        sums
    }

    /// Draws an example for an epoch into a row of words, which are zero: each bit is one with its
    /// intensity as probability. The draw depends on seed, epoch and example only.
    pub(crate) fn draw(&self, example: usize, key: Key, purpose: Purpose, words: &mut [u64]) {
        let mut rng = key.lanes(purpose, example);
        for (tile, values) in self.row(example).chunks(LANES).enumerate() {
            let random = rng.next_words();
            let mut bits = 0u64;
            for (lane, (&value, word)) in values.iter().zip(random).enumerate() {
                // One of 0 to 254, each as likely up to one part in 2^24: below `value` with
                // probability value / 255.
                let level = (u64::from(word) * 255) >> 32;
                bits |= u64::from(level < u64::from(value)) << lane;
            }
            words[tile / 4] |= bits << (tile % 4 * LANES);
        }
    }

    /// One draw of every example.
    pub(crate) fn draw_all(&self, key: Key, purpose: Purpose) -> BitMatrix {
        let mut bits = BitMatrix::zeros(self.rows(), self.cols);
        for row in 0..self.rows() {
            self.draw(row, key, purpose, bits.row_mut(row));
        }
        bits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_drawn_with_their_intensity_as_probability() {
        let values: Vec<u8> = (0..=255).chain([0, 255, 127]).collect();
        let grey = Intensities::new(values.len(), values.clone());
        let epochs = 4000;
        let mut ones = vec![0u32; values.len()];
        for epoch in 0..epochs {
            let key = Key { seed: 9, step: epoch };
            let drawn = grey.draw_all(key, Purpose::DynamicBinarise);
            for (col, count) in ones.iter_mut().enumerate() {
                *count += u32::from(drawn.get(0, col));
            }
        }
        for (count, value) in ones.into_iter().zip(values) {
            let p = f64::from(value) / 255.0;
            let expected = epochs as f64 * p;
            // five standard deviations of a binomial count, for 259 of them
            let tolerance = 5.0 * (expected * (1.0 - p)).sqrt();
            assert!((f64::from(count) - expected).abs() <= tolerance, "{count} for {value}");
        }
    }

    #[test]
    fn selected_examples_keep_their_values() {
        let grey = Intensities::new(2, vec![1, 2, 3, 4, 5, 6]);
        assert_eq!(grey.select(&[2, 0]).values(), [5, 6, 1, 2]);
        assert_eq!(grey.column_sums(), [9, 12]);
    }
}
