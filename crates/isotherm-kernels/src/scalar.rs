//! The plain twin of every kernel: one obvious loop each, for tests and for reading.

use crate::bits::{BitMatrix, bit};
use crate::matrix::Matrix;

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
    1.0 / (1.0 + (-x).exp())
}

/// log(1 + e^x), without overflow.
pub fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

/// Twin of [`crate::bernoulli::draw_row`], given its uniforms: the bits and the returned sum.
pub fn draw_row(field: &[f32], base: &[f32], scale: f32, uniforms: &[f32]) -> (Vec<bool>, f64) {
    let mut sum = 0.0;
    let bits = field
        .iter()
        .zip(base)
        .zip(uniforms)
        .map(|((&field, &base), &uniform)| {
            let x =
                (1.0 - f64::from(scale)) * f64::from(base) + f64::from(scale) * f64::from(field);
            let one = f64::from(uniform) < sigmoid(x);
            if one {
                sum += f64::from(field) - f64::from(base);
            }
            one
        })
        .collect();
    (bits, sum)
}

/// Twin of [`crate::softplus::softplus_sum`] and its relatives.
pub fn softplus_sum(x: impl IntoIterator<Item = f64>) -> f64 {
    x.into_iter().map(softplus).sum()
}

/// Twin of [`crate::outer::add_outer`]: `inputs × outputs` sums in row-major order.
pub fn outer(bits: &BitMatrix, rows: &Matrix) -> Vec<f64> {
    let mut out = vec![0.0; bits.cols() * rows.cols()];
    for r in 0..bits.rows() {
        for j in 0..bits.cols() {
            for i in 0..rows.cols() {
                if bit(bits.row(r), j) {
                    out[j * rows.cols() + i] += f64::from(rows.row(r)[i]);
                }
            }
        }
    }
    out
}
