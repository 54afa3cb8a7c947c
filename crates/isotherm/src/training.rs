//! Training in a few lines: data in memory, a model at the end.

use isotherm_tempering::threads::keep_awake;

use crate::data::Dataset;
use crate::error::Result;
use crate::model::Rbm;
use crate::options::{Chosen, Options};
use crate::trainer::{StepInfo, TrainState, Trainer};

/// Training of a model on data in memory.
///
/// It takes the options as they are; [`Training::suited`] also adapts what was not chosen to the data.
pub struct Training {
    trainer: Trainer,
    state: TrainState,
}

impl Training {
    /// Training with these options, as they are.
    pub fn new(data: &Dataset, options: &Options) -> Result<Training> {
        let plan = options.check(data.n_visible())?;
        let state = TrainState::new(&plan, &data.marginals());
        Ok(Training { trainer: Trainer::new(plan, data.clone()), state })
    }

    /// Training with the defaults for examples, of which the pace and the penalties follow from the data:
    /// what the command line does with a file.
    pub fn suited(data: &Dataset, hidden: usize, seed: u64) -> Result<Training> {
        let mut options = Options::for_examples().hidden(hidden).seed(seed);
        options.adapt_to(data, &Chosen::default());
        Training::new(data, &options)
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

    /// The model: the moving average of the parameters, which is what to use.
    pub fn model(&self) -> Rbm {
        Rbm::new(self.state.averaged.clone())
    }

    /// The state, with the model as it is and its ladder.
    pub fn state(&self) -> &TrainState {
        &self.state
    }

    /// The trainer, with the plan and the data.
    pub fn trainer(&self) -> &Trainer {
        &self.trainer
    }
}
