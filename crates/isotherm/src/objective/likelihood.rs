//! The likelihood: the mean of φ over the data minus that over the model (Eq. 2), the latter by negative samples.

use isotherm_kernels::BitMatrix;
use isotherm_tempering::streams::Key;

use super::Objective;
use super::gradient::Gradient;
use super::phases::Phases;
use crate::error::Result;
use crate::model::Parameters;
use crate::options::{GradientKind, Plan};
use crate::trainer::TrainState;

/// The gradient of the mean log-likelihood, by samples of the model.
pub struct Likelihood {
    kind: GradientKind,
    samples: BitMatrix,
    phases: Phases,
    gradient: Gradient,
}

impl Likelihood {
    /// Room for the minibatches and the negative samples of a plan.
    pub fn new(plan: &Plan, n_visible: usize) -> Likelihood {
        let (batch, hidden) = (plan.options.optimiser.batch, plan.options.hidden);
        let particles = plan.particles;
        let phases = Phases::new(batch, particles, n_visible, hidden);
        Likelihood {
            kind: plan.options.optimiser.gradient,
            samples: BitMatrix::zeros(particles, n_visible),
            gradient: Gradient::new(&phases),
            phases,
        }
    }
}

impl Objective for Likelihood {
    fn gradient(
        &mut self,
        state: &mut TrainState,
        batch: &BitMatrix,
        key: Key,
    ) -> Result<&mut Parameters> {
        // negative phase: sweep all rungs, swap, observe the flow, sample the cold end
        let (model, negative) = (&state.model, &mut state.negative);
        negative.sample(model, batch, key, &mut self.samples)?;

        // φ(v, E[h | v]) of the data, the positive phase, and of the samples
        self.phases.fill(model, batch, &self.samples, |grouping, out| {
            negative.hidden_fields(grouping, out)
        });

        // the mean of φ over the data minus that over the samples
        let centering = (self.kind == GradientKind::Centered).then(|| {
            state.centering.follow(&self.phases);
            &state.centering
        });
        Ok(self.gradient.of(&self.phases, centering))
    }
}
