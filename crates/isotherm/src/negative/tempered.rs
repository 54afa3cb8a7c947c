//! Persistent particles on a ladder (PT and APT): sweep all rungs, swap, observe the flow, sample the cold
//! end, and let the ladder adapt.
//!
//! The ladder need not step at every update (`temper-every`): between two of its steps the particles at β = 1
//! take plain Gibbs steps ([`GibbsSteps`]).

use isotherm_kernels::affine::Grouping;
use isotherm_kernels::{BitMatrix, Tile};
use isotherm_tempering::engine::Change;
use isotherm_tempering::streams::Key;
use isotherm_tempering::{Adaptation, Ladder, Tempering, TemperingState};

use super::gibbs_steps::GibbsSteps;
use super::{AfterStep, AlgorithmEntry, NegativeSampler, Persistence, anything};
use crate::error::Result;
use crate::model::Rbm;
use crate::options::Plan;
use crate::paths::{AnyEnsemble, PathContext, random_hidden, temper};
use crate::references::Reference;
use crate::tensors::{Bundle, insert_tempering, take_tempering};

/// A fixed ladder, in the registry.
pub const PT: AlgorithmEntry = tempered(false);

/// An adaptive ladder, in the registry.
pub const APT: AlgorithmEntry = tempered(true);

const fn tempered(adapts: bool) -> AlgorithmEntry {
    AlgorithmEntry {
        persistence: Persistence::Ladder { adapts },
        check: anything,
        begin: |plan, reference| Box::new(Tempered::new(plan, reference)),
    }
}

/// Persistent particles on a ladder.
pub struct Tempered {
    tempering: Tempering<AnyEnsemble>,
    between: Option<GibbsSteps>,
    ladder_plan: LadderPlan,
    /// Whether the last samples came from a step between two steps of the ladder.
    was_between: bool,
}

/// When the ladder steps, and how it adapts.
struct LadderPlan {
    k: usize,
    adaptation: Option<Adaptation>,
    plan: Plan,
}

impl LadderPlan {
    fn of(plan: &Plan) -> LadderPlan {
        LadderPlan { k: plan.options.sampler.k, adaptation: plan.adaptation(), plan: plan.clone() }
    }
}

impl Tempered {
    /// The sampler that a plan asks for, its replicas in random states.
    pub fn new(plan: &Plan, reference: &Reference) -> Tempered {
        let mut context = PathContext::of(reference, plan.options.hidden);
        context.swap = Some(plan.swap);
        Tempered::with_ensemble(plan, context.n_visible(), plan.path.ensemble(&context))
    }

    /// The same on another path: `ensemble` may come from outside, and needs no replicas yet.
    pub fn with_ensemble(plan: &Plan, n_visible: usize, ensemble: AnyEnsemble) -> Tempered {
        let n_hidden = plan.options.hidden;
        let ladder = Ladder::new(plan.rungs, plan.options.ladder.spacing);
        let extra = plan.extra_particles();
        let state = TemperingState::with_extra_particles(ladder, plan.columns, extra);
        let key = Key { seed: plan.options.seed, step: 0 };
        let particles = state.replicas().particles();
        let between = (plan.options.sampler.temper_every > 1)
            .then(|| GibbsSteps::new(particles, n_visible, n_hidden));
        let units = ensemble.units();
        let tempering = temper(ensemble, state, |rows| random_hidden(rows, units, key));
        Tempered { tempering, between, ladder_plan: LadderPlan::of(plan), was_between: false }
    }

    /// What a fixed ladder learns too, such as the weights of a mixture's components along the path, and how the
    /// rungs of an adaptive one move.
    fn adapt(&mut self) -> Option<Change> {
        match &self.ladder_plan.adaptation {
            Some(adaptation) => self.tempering.adapt(adaptation),
            None => {
                self.tempering.learn();
                None
            }
        }
    }
}

impl NegativeSampler for Tempered {
    fn sample(&mut self, model: &Rbm, _: &BitMatrix, key: Key, out: &mut BitMatrix) -> Result<()> {
        let (tempering, k) = (&mut self.tempering, self.ladder_plan.k);
        let tempers = self.ladder_plan.plan.tempers(key.step);
        self.was_between = !tempers;
        match &mut self.between {
            Some(between) if !tempers => between.step(tempering, model, k, key, out),
            _ => {
                tempering.step(model, k, key)?;
                tempering.at_the_cold_end(|ensemble, rows| ensemble.visible(model, rows, key, out));
                Ok(())
            }
        }
    }

    fn hidden_fields(&mut self, grouping: Grouping, out: &mut [Tile]) -> bool {
        match &self.between {
            Some(between) if self.was_between => between.hidden_fields(grouping, out),
            _ => self
                .tempering
                .at_the_cold_end(|ensemble, rows| ensemble.hidden_fields(rows, grouping, out)),
        }
    }

    fn step(&mut self, model: &Rbm, key: Key) -> Result<()> {
        self.tempering.step(model, self.ladder_plan.k, key)
    }

    /// Respaces the rungs, spawns one or retires one. After its last step the ladder is not changed, so
    /// that the ladder that is reported is the one that was measured.
    fn after_step(&mut self, done: &AfterStep<'_>) -> Option<Change> {
        let plan = &self.ladder_plan.plan;
        let goes_on = plan.tempers(done.step) && plan.tempers_again(done.step + 1);
        goes_on.then(|| self.adapt()).flatten()
    }

    /// The earlier plan left out the adaptation after its last step of the ladder. It is done now, if more
    /// steps follow.
    fn change_plan(&mut self, plan: &Plan, step: u64) {
        let left_out = !self.ladder_plan.plan.tempers_again(step);
        self.ladder_plan = LadderPlan::of(plan);
        if left_out && plan.tempers_again(step) {
            self.adapt();
        }
    }

    fn ladder(&self) -> Option<&TemperingState> {
        Some(self.tempering.state())
    }

    fn restart_count(&mut self) {
        self.tempering.restart_count();
    }

    fn save(&self, checkpoint: &mut Bundle) -> Result<()> {
        insert_tempering(&self.tempering, "", checkpoint)
    }

    fn restore(&mut self, checkpoint: &Bundle) -> Result<()> {
        take_tempering(checkpoint, "", &mut self.tempering)
    }

    fn into_tempering(self: Box<Self>) -> Option<Tempering<AnyEnsemble>> {
        Some(self.tempering)
    }
}
