//! The paper's data: an endless stream from a mixture of five noisy random images, 28 × 28.
//!
//! f(x) = Σ_m w_m f_m(x), where component m is a random binary image whose pixels are flipped
//! independently with probability p_m. The weights and flip probabilities are those of the
//! paper's footnote; the images are drawn from the data seed.

use isotherm_kernels::{BitMatrix, LaneRng, Level, bernoulli, flips};
use libm::{exp, log};

use super::dataset::identity_of_bits;
use super::{Dataset, ImageShape, KnownDensity, Modes, Stratum};
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
    images: BitMatrix,
}

impl Mixture {
    /// Width and height of the images.
    pub const SHAPE: ImageShape = ImageShape { width: SIDE, height: SIDE };

    /// The mixture whose images are drawn from `data_seed`.
    pub fn new(data_seed: u64) -> Mixture {
        let key = Key { seed: data_seed, step: 0 };
        let mut images = BitMatrix::zeros(WEIGHTS.len(), PIXELS);
        for m in 0..WEIGHTS.len() {
            let mut rng = key.lanes(Purpose::Modes, m);
            bernoulli::coin_row(Level::detect(), PIXELS, &mut rng, images.row_mut(m));
        }
        Mixture { seed: data_seed, images }
    }

    /// w_m.
    pub fn weights(&self) -> &'static [f64] {
        &WEIGHTS
    }

    /// The five images and their w_m.
    pub fn known_modes(&self) -> Modes<'_> {
        Modes::new(&self.images, &WEIGHTS)
    }
}

impl KnownDensity for Mixture {
    fn name(&self) -> &str {
        "mixture"
    }

    fn describe(&self) -> String {
        "the paper's mixture: an endless stream of 28x28 images".to_owned()
    }

    fn n_visible(&self) -> usize {
        PIXELS
    }

    fn marginals(&self) -> Vec<f64> {
        let component = |m: usize, j| if self.images.get(m, j) { 1.0 - FLIPS[m] } else { FLIPS[m] };
        (0..PIXELS)
            .map(|j| (0..WEIGHTS.len()).map(|m| WEIGHTS[m] * component(m, j)).sum())
            .collect()
    }

    /// H(w) + Σ_m w_m · 784 · h(p_m). The components overlap by less than e^−100, which the formula
    /// leaves out.
    fn entropy(&self) -> f64 {
        let bernoulli = |p: f64| -p * log(p) - (1.0 - p) * log(1.0 - p);
        WEIGHTS
            .iter()
            .zip(FLIPS)
            .map(|(&w, p)| -w * log(w) + w * PIXELS as f64 * bernoulli(p))
            .sum()
    }

    fn log_density(&self, x: &[u64]) -> f64 {
        let terms: Vec<f64> = (0..WEIGHTS.len())
            .map(|m| {
                let image = self.images.row(m);
                let flips: u32 = x.iter().zip(image).map(|(a, b)| (a ^ b).count_ones()).sum();
                let flips = f64::from(flips);
                log(WEIGHTS[m])
                    + flips * log(FLIPS[m])
                    + (PIXELS as f64 - flips) * log(1.0 - FLIPS[m])
            })
            .collect();
        let top = terms.iter().fold(f64::NEG_INFINITY, |a, &b| a.max(b));
        top + log(terms.iter().map(|t| exp(t - top)).sum())
    }

    fn draw(&self, rows: usize, key: Key, purpose: Purpose, out: &mut BitMatrix) {
        out.clear_rows();
        for i in 0..rows {
            let mut rng = key.lanes(purpose, i);
            let mode = choose(f64::from(rng.next_uniforms().0[0]));
            out.push_row(self.images.row(mode));
            flip_pixels(mode, &mut rng, out.row_mut(i));
        }
    }

    /// A stratum for each component.
    fn strata(&self, per_stratum: usize) -> Vec<Stratum> {
        let key = Key { seed: self.seed, step: 0 };
        let stratum = |(mode, &weight): (usize, &f64)| {
            let mut rng = key.lanes(Purpose::Evaluation, mode);
            let mut examples = self.images.select(&vec![mode; per_stratum]);
            for i in 0..per_stratum {
                flip_pixels(mode, &mut rng, examples.row_mut(i));
            }
            Stratum { weight, examples }
        };
        WEIGHTS.iter().enumerate().map(stratum).collect()
    }

    /// The images. A file that holds them as its examples has the same digest.
    fn identity(&self) -> Vec<u8> {
        identity_of_bits(&self.images).flatten().collect()
    }

    fn modes(&self) -> Option<Modes<'_>> {
        Some(self.known_modes())
    }

    fn shape(&self) -> Option<ImageShape> {
        Some(Mixture::SHAPE)
    }
}

impl Dataset {
    /// The paper's mixture, its images drawn from the data seed.
    pub fn mixture(data_seed: u64) -> Dataset {
        Dataset::from_density(Mixture::new(data_seed))
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
