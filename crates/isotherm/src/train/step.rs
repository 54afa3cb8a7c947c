//! SML-APT: the paper's algorithm, one step of it.

use isotherm_kernels::BitMatrix;
use isotherm_kernels::vector::Ascent;
use serde::{Deserialize, Serialize};

use super::gradient::Gradient;
use super::optimiser::{ascend, learning_rate};
use super::penalties::Penalties;
use super::phases::Phases;
use super::state::TrainState;
use crate::options::Plan;
use crate::options::{Algorithm, GradientKind};

use crate::data::{Dataset, Minibatches};
use crate::error::{Error, Result};
use isotherm_tempering::engine::Change;
use isotherm_tempering::streams::Clock;

/// What a step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// It learns.
    Train,
    /// It samples from a model that no longer changes; the ladder still adapts.
    Sample,
}

/// What happened in a step, for whoever watches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepInfo {
    /// What the step did.
    pub phase: Phase,
    /// The learning rate it used; 0 while sampling.
    pub learning_rate: f64,
    /// Whether a rung came or went.
    pub change: Option<Change>,
}

/// A plan, its data, and the buffers that a step reuses.
pub struct Trainer {
    plan: Plan,
    data: Dataset,
    minibatches: Minibatches,
    batch: BitMatrix,
    samples: BitMatrix,
    phases: Phases,
    gradient: Gradient,
    penalties: Penalties,
}

impl Trainer {
    /// A trainer for this plan and these data.
    pub fn new(plan: Plan, data: Dataset) -> Trainer {
        let minibatches = Minibatches::new(plan.options.optimiser.batch, plan.options.seed);
        let (batch, hidden) = (plan.options.optimiser.batch, plan.options.hidden);
        let algorithm = plan.options.sampler.algorithm;
        let negative = if algorithm == Algorithm::Cd { batch } else { plan.particles };
        let samples = BitMatrix::zeros(negative, data.n_visible());
        let rows = BitMatrix::zeros(batch, data.n_visible());
        let phases = Phases::new(batch, negative, data.n_visible(), hidden);
        let gradient = Gradient::new(&phases);
        let penalties = Penalties::new(&plan, data.n_visible());
        Trainer { plan, data, minibatches, batch: rows, samples, phases, gradient, penalties }
    }

    /// The plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The data.
    pub fn data(&self) -> &Dataset {
        &self.data
    }

    /// One step: an update while learning lasts, a step of the sampler alone after that.
    pub fn step(&mut self, state: &mut TrainState) -> Result<StepInfo> {
        let phase = if state.step < self.plan.options.optimiser.updates {
            Phase::Train
        } else {
            Phase::Sample
        };
        if self.plan.counts_anew(state.step)
            && let Some(tempering) = state.negative.tempering_mut()
        {
            tempering.state.flow.restart_count();
        }
        let learning_rate = match phase {
            Phase::Train => self.update(state)?,
            Phase::Sample => self.sample(state)?,
        };
        let change = self.adapt(state);
        state.step += 1;
        Ok(StepInfo { phase, learning_rate, change })
    }

    /// Lets the next update begin a pass over the data.
    pub fn begin_a_pass(&mut self, state: &TrainState) {
        let (batch, seed) = (self.plan.options.optimiser.batch, self.plan.options.seed);
        self.minibatches = Minibatches::from_update(batch, seed, state.step);
    }

    /// The adaptation that an earlier plan left out after its last step of the ladder, now that others
    /// follow.
    pub fn catch_up(&self, state: &mut TrainState) {
        if let (Some(adaptation), Some(tempering)) =
            (self.plan.adaptation(), state.negative.tempering_mut())
        {
            tempering.adapt(&adaptation);
        }
    }

    fn update(&mut self, state: &mut TrainState) -> Result<f64> {
        let options = &self.plan.options;
        let clock = Clock { seed: options.seed, step: state.step };

        // positive phase: a minibatch of the data
        self.minibatches.fill(state.step, &self.data, &mut self.batch);

        // negative phase: sweep all rungs, swap, observe the flow, sample the cold end; or, between two
        // steps of the ladder, sweep and sample the cold end alone
        let (data, samples) = (&self.batch, &mut self.samples);
        let tempers = self.plan.tempers(state.step);
        state.negative.samples(&state.model, data, (options.sampler.k, tempers), clock, samples)?;

        // gradient: the mean of φ(v, E[h | v]) over the data minus that over the samples
        let negative = &mut state.negative;
        self.phases.fill(&state.model, data, samples, |grouping, out| {
            negative.hidden_fields(tempers, grouping, out)
        });
        let centering = (options.optimiser.gradient == GradientKind::Centered).then(|| {
            state.centering.follow(&self.phases);
            &state.centering
        });
        let gradient = self.gradient.of(&self.phases, centering);

        // update
        let rate = learning_rate(&options.optimiser, state.step);
        let step = Ascent {
            rate: rate as f32,
            momentum: options.optimiser.momentum as f32,
            shrink: self.penalties.shrink(rate) as f32,
            share: (1.0 / (state.step + 1).min(self.plan.average) as f64) as f32,
        };
        let weights = (&state.model.parameters().w, &state.velocity.w);
        self.penalties.subtract_from(gradient, weights, centering, rate);
        let (velocity, averaged) = (&mut state.velocity, &mut state.averaged);
        if !ascend(&mut state.model, velocity, averaged, gradient, &step) {
            return Err(Error::non_finite(format!(
                "the weights stopped being finite at update {}; a lower --lr than {:?} should help",
                state.step + 1,
                options.optimiser.lr
            )));
        }

        // the likelihood is followed beside
        if let Some(follower) = &mut state.follower {
            follower.follow(&state.averaged, options.seed, state.step + 1)?;
        }
        Ok(rate)
    }

    /// A step of the sampling phase: the model stays, the replicas and the ladder move on.
    fn sample(&mut self, state: &mut TrainState) -> Result<f64> {
        let clock = Clock { seed: self.plan.options.seed, step: state.step };
        if let Some(tempering) = state.negative.tempering_mut() {
            tempering.step(&state.model, self.plan.options.sampler.k, clock)?;
        }
        Ok(0.0)
    }

    /// Respace the rungs; spawn one or retire one. Not after the ladder's last step, which none follows:
    /// the ladder that is reported is the one that was measured.
    fn adapt(&self, state: &mut TrainState) -> Option<Change> {
        let adapts = self.plan.tempers(state.step) && self.plan.tempers_again(state.step + 1);
        let adaptation = self.plan.adaptation().filter(|_| adapts);
        match (adaptation, state.negative.tempering_mut()) {
            (Some(adaptation), Some(tempering)) => tempering.adapt(&adaptation),
            _ => None,
        }
    }
}
