//! What is maximised. An [`Objective`] gives the gradient of an update; the likelihood is the first.
//! Another one is one more file here, or goes to [`Trainer::with_objective`](crate::Trainer::with_objective).

pub mod gradient;
pub mod likelihood;
pub mod penalties;
pub mod phases;

use isotherm_kernels::BitMatrix;
use isotherm_tempering::streams::Key;

use crate::error::Result;
use crate::model::Parameters;
use crate::trainer::TrainState;

pub use likelihood::Likelihood;

/// Something whose gradient an update follows.
pub trait Objective: Send + Sync {
    /// The gradient with respect to the parameters of `state.model`, for a minibatch. `key` is that of the
    /// random numbers of this update.
    fn gradient(
        &mut self,
        state: &mut TrainState,
        batch: &BitMatrix,
        key: Key,
    ) -> Result<&mut Parameters>;
}
