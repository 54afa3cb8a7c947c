//! What the next step needs, and nothing else: exactly what a checkpoint holds.

use super::best::Best;
use crate::likelihood::online::OnlineLogZ;
use crate::model::{Initial, Parameters, Rbm};
use crate::negative::Negative;
use crate::objective::gradient::Centering;
use crate::options::Plan;

/// The state of a run between two steps.
pub struct TrainState {
    /// Steps done: updates first, then steps of the sampling phase.
    pub step: u64,
    /// The model.
    pub model: Rbm,
    /// A moving average of its parameters.
    pub averaged: Parameters,
    /// The momentum of its parameters.
    pub velocity: Parameters,
    /// The offsets of the centered gradient.
    pub centering: Centering,
    /// The sampler with its replicas and its ladder.
    pub negative: Box<dyn Negative>,
    /// Who follows the likelihood along the run.
    pub online: Option<OnlineLogZ>,
    /// The best model so far, where there are validation data.
    pub best: Option<Box<Best>>,
}

impl TrainState {
    /// The state before the first update.
    pub fn new(plan: &Plan, marginals: &[f64]) -> TrainState {
        let learner = plan.options.sampler.algorithm.learner();
        TrainState::with_negative(plan, marginals, (learner.begin)(plan, marginals))
    }

    /// The same with a sampler of one's own, which gives as many samples as the plan has particles.
    pub fn with_negative(
        plan: &Plan,
        marginals: &[f64],
        negative: Box<dyn Negative>,
    ) -> TrainState {
        let n_hidden = plan.options.hidden;
        let initial = Initial { n_hidden, std: plan.init_std, seed: plan.options.seed };
        let model = initial.model(marginals);
        TrainState {
            step: 0,
            averaged: model.parameters().clone(),
            velocity: Parameters::zeros(marginals.len(), n_hidden),
            centering: Centering::new(marginals, n_hidden),
            negative,
            online: OnlineLogZ::new(plan, marginals),
            best: None,
            model,
        }
    }
}
