//! Initial parameters. They matter more than any other choice.

use isotherm_kernels::Matrix;
use rand_distr::{Distribution, StandardNormal};

use super::{Parameters, Rbm};
use isotherm_tempering::streams::{Key, Purpose};

/// Marginals are kept this far from 0 and 1 before their log-odds are taken.
const CLIP: f64 = 0.01;

/// The log-odds of a unit's marginal, clipped so that a constant unit stays finite.
pub fn log_odds(marginal: f64) -> f64 {
    let p = marginal.clamp(CLIP, 1.0 - CLIP);
    libm::log(p / (1.0 - p))
}

/// How a model starts: W ~ N(0, std²), b = 0, and c at the log-odds of the data's marginals, so
/// that learning does not begin by finding the mean image.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Initial {
    /// Number of hidden units.
    pub n_hidden: usize,
    /// Standard deviation of the weights.
    pub std: f64,
    /// Seed of the weights.
    pub seed: u64,
}

impl Initial {
    /// A model for data with these marginals.
    pub fn model(&self, marginals: &[f64]) -> Rbm {
        let mut rng = Key { seed: self.seed, step: 0 }.sequence(Purpose::Weights, 0);
        let weights: Vec<f32> = (0..marginals.len() * self.n_hidden)
            .map(|_| {
                let normal: f64 = StandardNormal.sample(&mut rng);
                (self.std * normal) as f32
            })
            .collect();
        let c: Vec<f32> = marginals.iter().map(|&p| log_odds(p) as f32).collect();
        Rbm::new(Parameters {
            w: Matrix::from_dense(marginals.len(), self.n_hidden, &weights),
            b: Matrix::zeros(1, self.n_hidden),
            c: Matrix::from_row(&c),
        })
    }
}
