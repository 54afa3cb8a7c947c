//! What the next step needs, and nothing else: exactly what a checkpoint holds.

use super::best::Best;
use crate::likelihood::online::OnlineLogZ;
use crate::model::{Initial, Parameters, Rbm};
use crate::negative::NegativeSampler;
use crate::objective::Objective;
use crate::options::Plan;
use crate::references::Reference;

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
    /// What is maximised.
    pub objective: Box<dyn Objective>,
    /// The sampler with its replicas and its ladder.
    pub negative: Box<dyn NegativeSampler>,
    /// The online estimate of log Z.
    pub online: Option<OnlineLogZ>,
    /// The reference that the ladder starts from; it stays as it is.
    pub reference: Reference,
    /// The best model so far, where there are validation data.
    pub best: Option<Box<Best>>,
}

impl TrainState {
    /// The state before the first update, with the sampler and the objective of the plan.
    pub fn new(plan: &Plan, reference: impl Into<Reference>) -> TrainState {
        let reference = reference.into();
        let negative = plan.options.sampler.algorithm.entry().begin;
        let objective = plan.options.optimiser.objective.entry().begin;
        let (negative, objective) =
            (negative(plan, &reference), objective(plan, reference.marginals()));
        TrainState::with(plan, reference, negative, objective)
    }

    /// The same with a sampler and an objective that may come from outside. The sampler gives as many samples as
    /// it is asked for, with the likelihood as many as the plan has particles.
    pub fn with(
        plan: &Plan,
        reference: impl Into<Reference>,
        negative: Box<dyn NegativeSampler>,
        objective: Box<dyn Objective>,
    ) -> TrainState {
        let (reference, n_hidden) = (reference.into(), plan.options.hidden);
        let initial = Initial { n_hidden, std: plan.init_std, seed: plan.options.seed };
        let model = initial.model(reference.marginals());
        TrainState {
            step: 0,
            averaged: model.parameters().clone(),
            velocity: Parameters::zeros(reference.marginals().len(), n_hidden),
            objective,
            negative,
            online: OnlineLogZ::new(plan, &reference),
            best: None,
            model,
            reference,
        }
    }
}
