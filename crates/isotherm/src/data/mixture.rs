//! The paper's data: an endless stream from a mixture of five noisy random images, 28 × 28.
//!
//! f(x) = Σ_m w_m f_m(x), where component m is a random binary image whose pixels are flipped
//! independently with probability p_m. The weights and flip probabilities are those of the
//! paper's footnote; the images are drawn from the data seed.

use isotherm_kernels::{BitMatrix, LaneRng, Level, bernoulli, flips};
use libm::{exp, log};

use super::modes::Modes;
use super::shape::ImageShape;
use isotherm_tempering::streams::{Key, Purpose};

/// Side of the images.
const SIDE: usize = 28;
/// Number of pixels.
const PIXELS: usize = SIDE * SIDE;
/// w_m of the paper's footnote.
const WEIGHTS: [f64; 5] = [0.3314, 0.2262, 0.0812, 0.0254, 0.3358];
/// p_m of the paper's footnote.
const FLIPS: [f64; 5] = [0.0001, 0.0137, 0.0215, 0.0223, 0.0544];

/// The mixture, with its images.
#[derive(Clone, Debug)]
pub struct Mixture {
    seed: u64,
    modes: BitMatrix,
}

impl Mixture {
    /// The mixture whose images are drawn from `data_seed`.
    pub fn new(data_seed: u64) -> Mixture {
        let key = Key { seed: data_seed, step: 0 };
        let mut modes = BitMatrix::zeros(WEIGHTS.len(), PIXELS);
        for m in 0..WEIGHTS.len() {
            let mut rng = key.lanes(Purpose::Modes, m);
            bernoulli::coin_row(Level::detect(), PIXELS, &mut rng, modes.row_mut(m));
        }
        Mixture { seed: data_seed, modes }
    }

    /// Width and height of the images.
    pub fn shape() -> ImageShape {
        ImageShape { width: SIDE, height: SIDE }
    }

    /// The five images.
    pub fn modes(&self) -> &BitMatrix {
        &self.modes
    }

    /// w_m.
    pub fn weights(&self) -> &'static [f64] {
        &WEIGHTS
    }

    /// The images and their w_m.
    pub fn known_modes(&self) -> Modes<'_> {
        Modes { centres: &self.modes, weights: &WEIGHTS }
    }

    /// P(x_j = 1).
    pub fn marginals(&self) -> Vec<f64> {
        let component = |m: usize, j| if self.modes.get(m, j) { 1.0 - FLIPS[m] } else { FLIPS[m] };
        (0..PIXELS)
            .map(|j| (0..WEIGHTS.len()).map(|m| WEIGHTS[m] * component(m, j)).sum())
            .collect()
    }

    /// Its entropy in nats, H(w) + Σ_m w_m · 784 · h(p_m): no model's mean log-likelihood exceeds
    /// −H. (The components overlap by less than e^−100, which the formula leaves out.)
    pub fn entropy(&self) -> f64 {
        let bernoulli = |p: f64| -p * log(p) - (1.0 - p) * log(1.0 - p);
        WEIGHTS
            .iter()
            .zip(FLIPS)
            .map(|(&w, p)| -w * log(w) + w * PIXELS as f64 * bernoulli(p))
            .sum()
    }

    /// log f(x).
    pub fn log_density(&self, x: &[u64]) -> f64 {
        let terms: Vec<f64> = (0..WEIGHTS.len())
            .map(|m| {
                let mode = self.modes.row(m);
                let flips: u32 = x.iter().zip(mode).map(|(a, b)| (a ^ b).count_ones()).sum();
                let flips = f64::from(flips);
                log(WEIGHTS[m])
                    + flips * log(FLIPS[m])
                    + (PIXELS as f64 - flips) * log(1.0 - FLIPS[m])
            })
            .collect();
        let top = terms.iter().fold(f64::NEG_INFINITY, |a, &b| a.max(b));
        top + log(terms.iter().map(|t| exp(t - top)).sum())
    }

    /// The `count` examples of a minibatch: independent draws, a stream for each.
    pub fn examples(&self, count: usize, key: Key) -> BitMatrix {
        let mut examples = BitMatrix::zeros(0, PIXELS);
        self.examples_into(count, key, &mut examples);
        examples
    }

    /// Makes a matrix hold the [`examples`](Mixture::examples) and nothing else.
    pub fn examples_into(&self, count: usize, key: Key, out: &mut BitMatrix) {
        out.clear_rows();
        for i in 0..count {
            let mut rng = key.lanes(Purpose::Examples, i);
            let mode = choose(f64::from(rng.next_uniforms().0[0]));
            out.push_row(self.modes.row(mode));
            flip_pixels(mode, &mut rng, out.row_mut(i));
        }
    }

    /// `per_mode` examples of every component, the same ones each time: strata for measuring a
    /// likelihood.
    pub fn strata(&self, per_mode: usize) -> Vec<BitMatrix> {
        let key = Key { seed: self.seed, step: 0 };
        (0..WEIGHTS.len())
            .map(|mode| {
                let mut rng = key.lanes(Purpose::Evaluation, mode);
                let mut stratum = self.modes.select(&vec![mode; per_mode]);
                for i in 0..per_mode {
                    flip_pixels(mode, &mut rng, stratum.row_mut(i));
                }
                stratum
            })
            .collect()
    }
}

/// Flips each pixel of a component's image with the component's probability.
fn flip_pixels(mode: usize, rng: &mut LaneRng, image: &mut [u64]) {
    let threshold = (FLIPS[mode] * 2f64.powi(32)) as u32;
    flips::flip_row(Level::detect(), threshold, PIXELS, rng, image);
}

/// The component in whose share of [0, 1) the uniform lies.
fn choose(uniform: f64) -> usize {
    let mut sum = 0.0;
    for (mode, weight) in WEIGHTS.iter().enumerate() {
        sum += weight;
        if uniform < sum {
            return mode;
        }
    }
    WEIGHTS.len() - 1
}
