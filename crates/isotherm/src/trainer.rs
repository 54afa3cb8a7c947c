//! SML-APT: the paper's algorithm, one step of it.

mod best;
mod checkpoint;
mod diverged;
mod state;

pub use best::{Best, Candidate, Reach};
pub use diverged::Diverged;
pub use state::TrainState;

use isotherm_kernels::BitMatrix;
use isotherm_kernels::vector::Ascent;
use isotherm_tempering::causes::NonFinite;
use isotherm_tempering::engine::Change;
use isotherm_tempering::streams::Key;
use serde::{Deserialize, Serialize};

use crate::data::{Dataset, Minibatches};
use crate::error::{Error, Result};
use crate::model::Parameters;
use crate::negative::AfterStep;
use crate::objective::penalties::Penalties;
use crate::optimiser::{ascend, learning_rate};
use crate::options::Plan;

/// The phase of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// An update of the model.
    Train,
    /// A step of the sampler alone: the model no longer changes, the ladder still adapts.
    Sample,
}

/// What happened in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepInfo {
    /// What the step did.
    pub phase: Phase,
    /// The learning rate it used; 0 while sampling.
    pub learning_rate: f64,
    /// The rung that was spawned or retired, if one was.
    pub change: Option<Change>,
}

/// A plan, its data, and the buffers that a step reuses.
pub struct Trainer {
    plan: Plan,
    data: Dataset,
    minibatches: Minibatches,
    batch: BitMatrix,
    gradient: Parameters,
    penalties: Penalties,
}

impl Trainer {
    /// A trainer on these data. What is maximised is part of the [`TrainState`].
    pub fn new(plan: Plan, data: Dataset) -> Trainer {
        let (batch, n_visible) = (plan.options.optimiser.batch, data.n_visible());
        let minibatches = Minibatches::new(batch, plan.options.seed);
        let gradient = Parameters::zeros(n_visible, plan.options.hidden);
        let penalties = Penalties::new(&plan, n_visible);
        let batch = BitMatrix::zeros(batch, n_visible);
        Trainer { plan, data, minibatches, batch, gradient, penalties }
    }

    /// The plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The data.
    pub fn data(&self) -> &Dataset {
        &self.data
    }

    /// Makes the next update begin a new pass over the data.
    pub fn begin_a_pass(&mut self, state: &TrainState) {
        let (batch, seed) = (self.plan.options.optimiser.batch, self.plan.options.seed);
        self.minibatches = Minibatches::from_update(batch, seed, state.step);
    }

    /// One step: an update while learning lasts, a step of the sampler alone after that.
    pub fn step(&mut self, state: &mut TrainState) -> Result<StepInfo> {
        if self.plan.restarts_count(state.step) {
            state.negative.restart_count();
        }
        let key = Key { seed: self.plan.options.seed, step: state.step };
        let (phase, rate) = match state.step < self.plan.options.optimiser.updates {
            true => (Phase::Train, self.update(state, key)?),
            false => {
                state.negative.step(&state.model, key)?;
                (Phase::Sample, 0.0)
            }
        };
        // adapt: respace the rungs; spawn one or retire one
        let gradient = (phase == Phase::Train).then_some(&self.gradient);
        let done = AfterStep { step: state.step, model: &state.model, gradient, rate };
        let change = state.negative.after_step(&done);
        state.step += 1;
        Ok(StepInfo { phase, learning_rate: rate, change })
    }

    fn update(&mut self, state: &mut TrainState, key: Key) -> Result<f64> {
        let (options, gradient) = (&self.plan.options.optimiser, &mut self.gradient);

        // a minibatch of the data
        self.minibatches.fill(state.step, &self.data, &mut self.batch);

        // gradient: positive phase minus negative phase (objective/likelihood.rs)
        let TrainState { model, negative, objective, .. } = state;
        let written = objective.gradient(model, &mut **negative, &self.batch, key, gradient);
        written.map_err(|error| diverged(error, state.step, options.lr))?;

        // penalties
        let rate = learning_rate(options, state.step);
        let weights = (&state.model.parameters().w, &state.velocity.w);
        self.penalties.subtract_from(gradient, weights, state.objective.centering(), rate);

        // update of the parameters, their velocity and their average
        let step = Ascent {
            rate: rate as f32,
            momentum: options.momentum as f32,
            shrink: self.penalties.shrink(rate) as f32,
            share: (1.0 / (state.step + 1).min(self.plan.average) as f64) as f32,
        };
        let (velocity, averaged) = (&mut state.velocity, &mut state.averaged);
        if !ascend(&mut state.model, velocity, averaged, gradient, &step) {
            return Err(Diverged { update: state.step + 1, lr: options.lr }.into());
        }

        // the online estimate of log Z follows the averaged parameters
        if let Some(online) = &mut state.online {
            let updated = online.update(&state.averaged, key.seed, state.step + 1);
            updated.map_err(|error| diverged(error, state.step, options.lr))?;
        }
        Ok(rate)
    }
}

/// Energies that are not finite while learning mean that it has diverged.
fn diverged(error: Error, step: u64, lr: f64) -> Error {
    match error.cause::<NonFinite>() {
        Some(_) => Diverged { update: step + 1, lr }.into(),
        None => error,
    }
}
