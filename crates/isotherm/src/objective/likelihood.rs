//! The likelihood: the mean of φ over the data minus that over the model (Eq. 2), the latter by negative samples.

use isotherm_kernels::{BitMatrix, Matrix};
use isotherm_tempering::streams::Key;

use super::gradient::{Centering, Gradient};
use super::phases::Phases;
use super::{Objective, ObjectiveEntry};
use crate::error::Result;
use crate::model::{Parameters, Rbm};
use crate::negative::NegativeSampler;
use crate::options::{GradientKind, Plan};
use crate::tensors::Bundle;

/// The likelihood in the registry.
pub const ENTRY: ObjectiveEntry = ObjectiveEntry {
    check: |_| Ok(()),
    begin: |plan, marginals| Box::new(Likelihood::new(plan, marginals)),
};

/// The gradient of the mean log-likelihood, by samples of the model.
pub struct Likelihood {
    kind: GradientKind,
    centering: Centering,
    samples: BitMatrix,
    phases: Phases,
    gradient: Gradient,
}

impl Likelihood {
    /// Room for the minibatches and the negative samples of a plan.
    pub fn new(plan: &Plan, marginals: &[f64]) -> Likelihood {
        let (batch, hidden) = (plan.options.optimiser.batch, plan.options.hidden);
        let (particles, n_visible) = (plan.particles, marginals.len());
        let phases = Phases::new(batch, particles, n_visible, hidden);
        Likelihood {
            kind: plan.options.optimiser.gradient,
            centering: Centering::new(marginals, hidden),
            samples: BitMatrix::zeros(particles, n_visible),
            gradient: Gradient::new(&phases),
            phases,
        }
    }
}

impl Objective for Likelihood {
    fn gradient(
        &mut self,
        model: &Rbm,
        negative: &mut dyn NegativeSampler,
        batch: &BitMatrix,
        key: Key,
        out: &mut Parameters,
    ) -> Result<()> {
        // negative phase: sweep all rungs, swap, observe the flow, sample the cold end
        negative.sample(model, batch, key, &mut self.samples)?;

        // φ(v, E[h | v]) of the data, the positive phase, and of the samples
        self.phases.fill(model, batch, &self.samples, |grouping, out| {
            negative.hidden_fields(grouping, out)
        });

        // the mean of φ over the data minus that over the samples
        let centering = (self.kind == GradientKind::Centered).then(|| {
            self.centering.follow(&self.phases);
            &self.centering
        });
        self.gradient.write(&self.phases, centering, out);
        Ok(())
    }

    fn centering(&self) -> Option<&Centering> {
        (self.kind == GradientKind::Centered).then_some(&self.centering)
    }

    fn save(&self, checkpoint: &mut Bundle) -> Result<()> {
        let hidden = self.centering.hidden.row(0);
        checkpoint.insert("centering.hidden", &[hidden.len()], hidden)
    }

    fn restore(&mut self, checkpoint: &Bundle) -> Result<()> {
        let n_hidden = self.centering.hidden.cols();
        let hidden: Vec<f32> = checkpoint.get("centering.hidden", &[n_hidden])?;
        self.centering.hidden = Matrix::from_row(&hidden);
        Ok(())
    }
}
