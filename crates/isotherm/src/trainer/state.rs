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
    pub(crate) step: u64,
    /// The model.
    pub(crate) model: Rbm,
    /// A moving average of its parameters.
    pub(crate) averaged: Parameters,
    /// The momentum of its parameters.
    pub(crate) velocity: Parameters,
    /// What is maximised.
    pub(crate) objective: Box<dyn Objective>,
    /// The sampler with its replicas and its ladder.
    pub(crate) negative: Box<dyn NegativeSampler>,
    /// The online estimate of log Z.
    pub(crate) online: Option<OnlineLogZ>,
    /// The reference that the ladder starts from; it stays as it is.
    pub(crate) reference: Reference,
    /// The best model so far, where there are validation data.
    pub(crate) best: Option<Box<Best>>,
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

    /// Steps done: updates first, then steps of the sampling phase.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// The model.
    pub fn model(&self) -> &Rbm {
        &self.model
    }

    /// A moving average of its parameters.
    pub fn averaged(&self) -> &Parameters {
        &self.averaged
    }

    /// The momentum of its parameters.
    pub fn velocity(&self) -> &Parameters {
        &self.velocity
    }

    /// What is maximised.
    pub fn objective(&self) -> &dyn Objective {
        &*self.objective
    }

    /// The sampler with its replicas and its ladder.
    pub fn negative(&self) -> &dyn NegativeSampler {
        &*self.negative
    }

    /// The sampler alone, to go on with it elsewhere.
    pub fn into_negative(self) -> Box<dyn NegativeSampler> {
        self.negative
    }

    /// The online estimate of log Z.
    pub fn online(&self) -> Option<&OnlineLogZ> {
        self.online.as_ref()
    }

    /// The reference that the ladder starts from; it stays as it is.
    pub fn reference(&self) -> &Reference {
        &self.reference
    }

    /// The best model so far, where there are validation data.
    pub fn best(&self) -> Option<&Best> {
        self.best.as_deref()
    }

    /// Goes on from another model of the same size; the replicas stay where they are.
    pub fn set_model(&mut self, model: Rbm) {
        self.averaged = model.parameters().clone();
        self.model = model;
        self.online.iter_mut().for_each(OnlineLogZ::reset);
    }

    /// Goes on by another plan, on data with other measurements: from the best model, if there was one.
    pub fn change_plan(&mut self, plan: &Plan) {
        if let Some(best) = self.best.take() {
            let chosen = best.chosen().clone();
            self.set_model(Rbm::new(chosen.model));
            self.averaged = chosen.averaged;
        }
        self.negative.change_plan(plan, self.step);
    }
}
