//! Training in a few lines: data in memory, a model at the end.

use isotherm_tempering::threads::keep_awake;

use crate::data::Dataset;
use crate::error::Result;
use crate::model::Rbm;
use crate::negative::NegativeSampler;
use crate::objective::Objective;
use crate::options::{Chosen, Options, Plan};
use crate::references::Reference;
use crate::trainer::{StepInfo, TrainState, Trainer};

/// Makes a part of the training, given the plan and the visible marginals of the data.
type Make<'a, T> = Box<dyn FnOnce(&Plan, &[f64]) -> Box<T> + 'a>;

/// Options for training on some data: [`Training::on`].
///
/// Every option has a method of its name. What is not chosen follows from the data, as it does for a file on the
/// command line: the number of updates and their rate, the particles, and the penalties.
#[must_use = "nothing is trained before `run` or `begin`"]
pub struct TrainingBuilder<'a> {
    data: &'a Dataset,
    pub(crate) options: Options,
    pub(crate) chosen: Chosen,
    negative: Option<Make<'a, dyn NegativeSampler>>,
    objective: Option<Make<'a, dyn Objective>>,
}

impl<'a> TrainingBuilder<'a> {
    /// Takes the negative samples from a sampler of one's own, made for a plan and the data's marginals.
    pub fn with_negative<N: NegativeSampler + 'static>(
        mut self,
        make: impl FnOnce(&Plan, &[f64]) -> N + 'a,
    ) -> TrainingBuilder<'a> {
        self.negative = Some(Box::new(|plan, marginals| Box::new(make(plan, marginals))));
        self
    }

    /// Maximises an objective of one's own, made for a plan and the data's marginals.
    pub fn with_objective<O: Objective + 'static>(
        mut self,
        make: impl FnOnce(&Plan, &[f64]) -> O + 'a,
    ) -> TrainingBuilder<'a> {
        self.objective = Some(Box::new(|plan, marginals| Box::new(make(plan, marginals))));
        self
    }

    /// Training before its first update.
    ///
    /// # Errors
    ///
    /// If the options do not go together, or not with the data.
    pub fn begin(self) -> Result<Training> {
        let TrainingBuilder { data, mut options, chosen, negative, objective } = self;
        options.adapt_to(data, &chosen);
        let mut training = Training::new(data, options.check(data.n_visible())?)?;
        let (plan, marginals) = (training.trainer.plan(), data.marginals());
        if let Some(make) = negative {
            training.state.negative = make(plan, &marginals);
        }
        if let Some(make) = objective {
            training.state.objective = make(plan, &marginals);
        }
        Ok(training)
    }

    /// Trains to the end; returns the model.
    pub fn run(self) -> Result<Rbm> {
        let mut training = self.begin()?;
        training.run(|_, _| true)?;
        Ok(training.model())
    }
}

/// Training of a model on data in memory, which can be watched and stopped.
pub struct Training {
    trainer: Trainer,
    state: TrainState,
}

impl Training {
    /// Training on these data, with options yet to be chosen.
    pub fn on(data: &Dataset) -> TrainingBuilder<'_> {
        let options = match data.examples() {
            Some(_) => Options::for_examples(),
            None => Options::default(),
        };
        let chosen = Chosen::default();
        TrainingBuilder { data, options, chosen, negative: None, objective: None }
    }

    /// Training by a plan as it is: nothing adapts to the data, but the reference is fitted to them.
    pub fn new(data: &Dataset, plan: Plan) -> Result<Training> {
        let reference = Reference::of(&plan, data, &mut |_, _| true)?;
        let state = TrainState::new(&plan, reference);
        Ok(Training { trainer: Trainer::new(plan, data.clone()), state })
    }

    /// Trains to the end, or until `watch` answers `false`. It is called after every step.
    pub fn run(&mut self, mut watch: impl FnMut(&StepInfo, &TrainState) -> bool) -> Result<()> {
        keep_awake(|| {
            while self.state.step < self.trainer.plan().total_steps() {
                let info = self.trainer.step(&mut self.state)?;
                if !watch(&info, &self.state) {
                    break;
                }
            }
            Ok(())
        })
    }

    /// The model with the moving average of the parameters, which is the one to use.
    pub fn model(&self) -> Rbm {
        Rbm::new(self.state.averaged.clone())
    }

    /// The state, with the last parameters and the ladder.
    pub fn state(&self) -> &TrainState {
        &self.state
    }

    /// The trainer, with the plan and the data.
    pub fn trainer(&self) -> &Trainer {
        &self.trainer
    }
}
