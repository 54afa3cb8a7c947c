//! A penalty on differences between the weights of neighbouring pixels, where the examples are images.
//!
//! Over pairs of pixels that share an edge it is (λ/2) Σ |W_j − W_k|², so that the gradient of what is
//! maximised gains λ Σ_k (W_k − W_j), the sum over the neighbours k of j. A weight decay pulls all weights
//! to zero alike; this one holds down only what neither neighbours nor data ask for.
//!
//! Like the L1 penalty and the decay it moves the weights alone. The centered gradient moves biases along
//! with weights, by what the data ask of these and not by what a penalty does. So where it ends, the mean
//! activities of the units differ a little from the data's: those of the hidden ones by pᵀμ, those of the
//! visible ones by p times the hidden offsets, with p the gradient of the penalty and μ the visible offsets.
//! A strict maximum of the penalised likelihood is reached with the plain gradient only.

use isotherm_kernels::{Level, Matrix, Tile, vector};
use rayon::prelude::*;

use crate::data::ImageShape;
use crate::threads::rows_per_thread;

/// The penalty of a run that has one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Smoothness {
    /// The images.
    pub shape: ImageShape,
    /// λ.
    pub strength: f64,
}

impl Smoothness {
    /// Adds λ Σ_k (W_k − W_j) to the gradient of each pixel's weights, the pixels handed out to the
    /// threads.
    pub fn add_to(&self, gradient: &mut Matrix, w: &Matrix) {
        let tiles = w.tiles_per_row();
        let chunk = rows_per_thread(w.rows(), 5.0 * tiles as f64);
        let chunks = gradient.tiles_mut().par_chunks_mut(chunk * tiles).enumerate();
        chunks.for_each(|(i, rows)| self.add_to_rows(i * chunk, rows, w));
    }

    /// The same for the rows from `first` on.
    fn add_to_rows(&self, first: usize, rows: &mut [Tile], w: &Matrix) {
        let (level, strength) = (Level::detect(), self.strength as f32);
        for (at, row) in rows.chunks_exact_mut(w.tiles_per_row()).enumerate() {
            let (pixel, mut neighbours) = (first + at, 0.0);
            for neighbour in self.neighbours(pixel) {
                vector::add_scaled(level, strength, w.row_tiles(neighbour), row);
                neighbours += 1.0;
            }
            vector::add_scaled(level, -strength * neighbours, w.row_tiles(pixel), row);
        }
    }

    /// The pixels that share an edge with one.
    fn neighbours(&self, pixel: usize) -> impl Iterator<Item = usize> {
        let ImageShape { width, height } = self.shape;
        let (x, y) = (pixel % width, pixel / width);
        let sides = [
            (x > 0).then(|| pixel - 1),
            (x + 1 < width).then(|| pixel + 1),
            (y > 0).then(|| pixel - width),
            (y + 1 < height).then(|| pixel + width),
        ];
        sides.into_iter().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn penalty(it: &Smoothness, w: &Matrix) -> f64 {
        let ImageShape { width, height } = it.shape;
        let mut sum = 0.0;
        let mut pair = |j: usize, k: usize| {
            let differences = w.row(j).iter().zip(w.row(k)).map(|(a, b)| f64::from(a - b));
            sum += differences.map(|difference| difference * difference).sum::<f64>();
        };
        for y in 0..height {
            for x in 0..width {
                if x + 1 < width {
                    pair(y * width + x, y * width + x + 1);
                }
                if y + 1 < height {
                    pair(y * width + x, (y + 1) * width + x);
                }
            }
        }
        0.5 * it.strength * sum
    }

    /// Against differences of the penalty itself, on an image that is not square.
    #[test]
    fn it_is_the_gradient_of_the_penalty() {
        let it = Smoothness { shape: ImageShape { width: 4, height: 3 }, strength: 0.7 };
        let (rows, cols) = (12, 21);
        let weights: Vec<f32> = (0..rows * cols).map(|i| ((i * 37) % 101) as f32 / 101.0).collect();
        let at = |j: usize, i: usize, by: f32| {
            let mut moved = weights.clone();
            moved[j * cols + i] += by;
            Matrix::from_dense(rows, cols, &moved)
        };
        let mut gradient = Matrix::from_dense(rows, cols, &vec![1.0; rows * cols]);
        let (w, tiles) = (at(0, 0, 0.0), gradient.tiles_per_row());
        // In parts, as threads do.
        let (front, back) = gradient.tiles_mut().split_at_mut(5 * tiles);
        it.add_to_rows(0, front, &w);
        it.add_to_rows(5, back, &w);
        let mut whole = Matrix::from_dense(rows, cols, &vec![1.0; rows * cols]);
        it.add_to(&mut whole, &w);
        assert_eq!(whole.tiles(), gradient.tiles());
        for j in 0..rows {
            for i in [0, 7, 20] {
                let up = penalty(&it, &at(j, i, 0.125));
                let down = penalty(&it, &at(j, i, -0.125));
                let expected = 1.0 - (up - down) / 0.25;
                let found = f64::from(gradient.row(j)[i]);
                assert!((found - expected).abs() < 1e-5, "{j} {i}: {found} for {expected}");
            }
        }
    }
}
