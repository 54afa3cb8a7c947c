//! The known modes of a data distribution.

use isotherm_kernels::BitMatrix;

/// The share of the units by which a sample may differ from a mode and still belong to it.
const BELONGS: f64 = 0.25;

/// The modes of a distribution, and the probability of each.
#[derive(Clone, Copy, Debug)]
pub struct Modes<'a> {
    centres: &'a BitMatrix,
    weights: &'a [f64],
}

impl<'a> Modes<'a> {
    /// Modes in the rows of a matrix, and the probability of each.
    ///
    /// # Panics
    ///
    /// If there is not one probability for each row.
    pub fn new(centres: &'a BitMatrix, weights: &'a [f64]) -> Modes<'a> {
        assert_eq!(centres.rows(), weights.len(), "a weight for each mode");
        Modes { centres, weights }
    }

    /// A row for each mode.
    pub fn centres(&self) -> &'a BitMatrix {
        self.centres
    }

    /// Their probabilities.
    pub fn weights(&self) -> &'a [f64] {
        self.weights
    }

    /// The mode that a sample belongs to, if it is close enough to any.
    pub fn nearest(&self, sample: &[u64]) -> Option<usize> {
        let most = (BELONGS * self.centres.cols() as f64) as u32;
        let distance = |mode: usize| -> u32 {
            self.centres.row(mode).iter().zip(sample).map(|(a, b)| (a ^ b).count_ones()).sum()
        };
        let nearest = (0..self.centres.rows()).map(|mode| (distance(mode), mode)).min();
        nearest.filter(|&(distance, _)| distance <= most).map(|(_, mode)| mode)
    }

    /// The share of samples that belong to each mode and, last, to none.
    pub fn masses(&self, samples: &BitMatrix) -> Vec<f64> {
        let mut counts = vec![0usize; self.centres.rows() + 1];
        for row in 0..samples.rows() {
            counts[self.nearest(samples.row(row)).unwrap_or(self.centres.rows())] += 1;
        }
        counts.into_iter().map(|count| count as f64 / samples.rows().max(1) as f64).collect()
    }

    /// The total variation distance of masses, as [`Modes::masses`] gives them, from the weights.
    pub fn distance(&self, masses: &[f64]) -> f64 {
        let weights = self.weights.iter().chain([&0.0]);
        masses.iter().zip(weights).map(|(mass, weight)| (mass - weight).abs()).sum::<f64>() / 2.0
    }
}
