//! A small RBM as a reference. Its hidden states are enumerated: it can be sampled exactly, and its normaliser is
//! known.

use isotherm_kernels::BitMatrix;
use isotherm_tempering::streams::Key;

use crate::error::Result;
use crate::likelihood::exact;
use crate::model::{Parameters, PerfectSampler, Rbm};

/// An RBM with at most [`SmallRbm::LARGEST`] hidden units, which does not change.
#[derive(Clone, Debug)]
pub struct SmallRbm {
    model: Rbm,
    log_z: f64,
    /// Knows p(h) of every hidden state.
    sampler: PerfectSampler,
}

/// The parameters say all.
impl PartialEq for SmallRbm {
    fn eq(&self, other: &SmallRbm) -> bool {
        self.model.parameters() == other.model.parameters()
    }
}

impl SmallRbm {
    /// The most hidden units: all their states are enumerated, once.
    pub const LARGEST: usize = PerfectSampler::LARGEST;

    /// The RBM with these parameters.
    pub fn new(parameters: Parameters) -> Result<SmallRbm> {
        let mut sampler = PerfectSampler::new(parameters.n_visible(), parameters.n_hidden());
        let model = Rbm::new(parameters);
        sampler.weigh(&model);
        Ok(SmallRbm { log_z: exact::log_z(&model)?, sampler, model })
    }

    /// The RBM.
    pub fn model(&self) -> &Rbm {
        &self.model
    }

    /// Number of visible units.
    pub fn n_visible(&self) -> usize {
        self.model.n_visible()
    }

    /// Number of hidden units.
    pub fn n_hidden(&self) -> usize {
        self.model.n_hidden()
    }

    /// log Z.
    pub fn log_z(&self) -> f64 {
        self.log_z
    }

    /// The hidden state that a uniform `u` in (0, 1) draws from p(h); unit i is bit i.
    pub(crate) fn hidden_at(&self, u: f64) -> u64 {
        self.sampler.state_at(u) as u64
    }

    /// log p(v) of each row.
    pub fn log_densities(&self, v: &BitMatrix) -> Vec<f64> {
        exact::log_probabilities(&self.model, self.log_z, v)
    }

    /// Independent draws.
    pub fn draw(&self, count: usize, key: Key) -> BitMatrix {
        let mut v = BitMatrix::zeros(count, self.n_visible());
        self.sampler.clone().visible(&self.model, key, &mut v);
        v
    }
}
