//! What is maximised.
//!
//! Each objective is one file that implements [`Objective`] and describes itself as an [`ObjectiveEntry`], and one
//! line in the registry below; the likelihood is the first. An objective from outside goes to
//! [`TrainState::with`](crate::trainer::TrainState::with) or to
//! [`TrainingBuilder::with_objective`](crate::training::TrainingBuilder::with_objective).

pub mod gradient;
pub mod likelihood;
pub mod penalties;
pub mod phases;

use isotherm_kernels::BitMatrix;
use isotherm_tempering::streams::Key;

use crate::error::Result;
use crate::model::{Parameters, Rbm};
use crate::negative::NegativeSampler;
use crate::options::{Options, Plan};
use crate::registry::registry;
use crate::tensors::Bundle;

pub use gradient::Centering;
pub use likelihood::Likelihood;

registry! {
    /// What is maximised.
    pub enum ObjectiveKind, entry() -> ObjectiveEntry {
        /// The mean log-likelihood of the examples.
        Likelihood => &likelihood::ENTRY,
    }
}

/// An objective as the registry knows it.
#[derive(Clone, Copy, Debug)]
pub struct ObjectiveEntry {
    /// Refuses options that do not go with it.
    pub check: fn(&Options) -> Result<()>,
    /// The objective before the first update, given the visible marginals of the data.
    pub begin: fn(&Plan, &[f64]) -> Box<dyn Objective>,
}

/// Something whose gradient an update follows.
pub trait Objective: Send + Sync {
    /// The gradient with respect to the parameters of the model, for a minibatch, into all of `out`, which holds
    /// what the last update left there. `negative` gives samples of the model, and `key` is that of the random
    /// numbers of this update.
    fn gradient(
        &mut self,
        model: &Rbm,
        negative: &mut dyn NegativeSampler,
        batch: &BitMatrix,
        key: Key,
        out: &mut Parameters,
    ) -> Result<()>;

    /// The offsets around which the gradient is taken, if it is centered: penalties follow them.
    fn centering(&self) -> Option<&Centering> {
        None
    }

    /// Adds to a checkpoint whatever the next update needs.
    fn save(&self, checkpoint: &mut Bundle) -> Result<()> {
        let _ = checkpoint;
        Ok(())
    }

    /// Takes it back from a checkpoint.
    fn restore(&mut self, checkpoint: &Bundle) -> Result<()> {
        let _ = checkpoint;
        Ok(())
    }
}
