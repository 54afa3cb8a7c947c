//! Exact samples: the hidden states are enumerated, and each sample is independent. Nothing is kept.

use isotherm_kernels::BitMatrix;
use isotherm_tempering::streams::Key;

use super::{Keeps, Learner, Negative};
use crate::error::Result;
use crate::model::{PerfectSampler, Rbm};
use crate::options::OptionError;

/// Exact sampling in the registry.
pub const LEARNER: Learner = Learner {
    keeps: Keeps::Nothing,
    check: |options| {
        if options.sampler.k > 1 {
            return Err(OptionError::StepsWithExact.into());
        }
        let (hidden, most) = (options.hidden, PerfectSampler::LARGEST);
        match hidden > most {
            true => Err(OptionError::TooManyToEnumerate { hidden, most }.into()),
            false => Ok(()),
        }
    },
    begin: |plan, marginals| {
        let sampler = PerfectSampler::new(marginals.len(), plan.options.hidden);
        Box::new(Exact { sampler })
    },
};

/// The perfect sampler.
pub struct Exact {
    sampler: PerfectSampler,
}

impl Negative for Exact {
    fn sample(&mut self, model: &Rbm, _: &BitMatrix, key: Key, out: &mut BitMatrix) -> Result<()> {
        self.sampler.visible(model, key, out);
        Ok(())
    }
}
