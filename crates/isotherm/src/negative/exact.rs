//! Exact samples: the hidden states are enumerated, and each sample is independent. Nothing is kept.

use isotherm_kernels::BitMatrix;
use isotherm_tempering::streams::Key;

use super::{Algorithm, AlgorithmEntry, NegativeSampler, Persistence};
use crate::error::Result;
use crate::model::{PerfectSampler, Rbm};
use crate::options::{OptionError, name};

/// Exact sampling in the registry.
pub const ENTRY: AlgorithmEntry = AlgorithmEntry {
    persistence: Persistence::Nothing,
    check: |options| {
        let (by, most) = (Algorithm::Exact, PerfectSampler::LARGEST);
        let refused = if options.sampler.k > 1 {
            OptionError::Refused { by, name: name::k, why: "whose samples need no Gibbs steps" }
        } else if options.hidden > most {
            let (name, why) = (name::hidden, "which enumerates the hidden states");
            OptionError::Beyond { by, name, value: options.hidden, most, why }
        } else {
            return Ok(());
        };
        Err(refused.into())
    },
    begin: |plan, reference| {
        let sampler = PerfectSampler::new(reference.marginals().len(), plan.options.hidden);
        Box::new(Exact { sampler })
    },
};

/// The perfect sampler.
pub struct Exact {
    sampler: PerfectSampler,
}

impl NegativeSampler for Exact {
    fn sample(&mut self, model: &Rbm, _: &BitMatrix, key: Key, out: &mut BitMatrix) -> Result<()> {
        self.sampler.visible(model, key, out);
        Ok(())
    }
}
