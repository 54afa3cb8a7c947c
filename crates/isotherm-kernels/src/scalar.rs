//! The plain twins of the kernels: one obvious loop each, for tests and for reading. Where a twin
//! is a line or two it stands in the tests.

use crate::bits::BitMatrix;
use crate::matrix::Matrix;
use crate::rng::LaneRng;

/// Twin of [`crate::affine::affine`], summed in `f64`.
pub fn affine(bits: &BitMatrix, weights: &Matrix, bias: &[f32]) -> Vec<Vec<f64>> {
    (0..bits.rows())
        .map(|r| {
            (0..weights.cols())
                .map(|i| {
                    let mut sum = f64::from(bias[i]);
                    for j in 0..weights.rows() {
                        if bits.get(r, j) {
                            sum += f64::from(weights.row(j)[i]);
                        }
                    }
                    sum
                })
                .collect()
        })
        .collect()
}

/// 1 / (1 + e^−x).
pub fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-x))
}

/// log(1 + e^x), without overflow.
pub fn softplus(x: f64) -> f64 {
    x.max(0.0) + libm::log1p(libm::exp(-x.abs()))
}

/// Twin of [`crate::bernoulli::draw_row`]: a uniform of 52 bits for every unit, compared with σ.
/// An empty `base` counts as zeros; with a scale of zero every unit is then a fair coin.
pub fn draw_row(field: &[f32], base: &[f32], scale: f32, rng: &mut LaneRng) -> Vec<bool> {
    let mut bits = Vec::new();
    if base.is_empty() && scale == 0.0 {
        for units in field.chunks(64) {
            let words = rng.next_words();
            bits.extend((0..units.len()).map(|unit| words[unit / 32] >> (unit % 32) & 1 == 1));
        }
        return bits;
    }
    for (i, units) in field.chunks(32).enumerate() {
        let words = rng.next_words();
        for (unit, field) in units.iter().enumerate() {
            let x = match base.get(32 * i + unit) {
                Some(base) => (1.0 - scale) * base + scale * field,
                None => scale * field,
            };
            let first = u64::from(words[unit / 2] >> (16 * (unit % 2)) & 0xffff);
            let u = (first << 36 | rng.more_bits(unit)) as f64 + 0.5;
            bits.push(u < sigmoid(f64::from(x)) * (1u64 << 52) as f64);
        }
    }
    bits
}

/// Twin of [`crate::bernoulli::selected_sums`], for one row.
pub fn selected_sum(field: &[f32], bits: &[bool]) -> f64 {
    field.iter().zip(bits).filter(|(_, bit)| **bit).map(|(&x, _)| f64::from(x)).sum()
}

/// Twin of [`crate::softplus::softplus_sum`] and its relatives.
pub fn softplus_sum(x: impl IntoIterator<Item = f64>) -> f64 {
    x.into_iter().map(softplus).sum()
}
