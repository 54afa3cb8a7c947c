//! The best model so far, by the likelihood of the validation data.

use super::state::TrainState;
use crate::model::Parameters;

/// A model that is kept while learning goes on.
#[derive(Clone, Debug, PartialEq)]
pub struct Best {
    /// Updates when it was reached.
    pub update: u64,
    /// Mean log-likelihood of the validation data.
    pub log_likelihood: f64,
    /// Its parameters.
    pub model: Parameters,
    /// The average of the parameters then.
    pub averaged: Parameters,
}

impl TrainState {
    /// Keeps the model of the moment if it is the best by this likelihood of the validation data, or
    /// worse by no more than `doubt`.
    pub fn keep_if_best(&mut self, log_likelihood: f64, doubt: f64) {
        let better = |best: &Best| log_likelihood + doubt >= best.log_likelihood;
        if log_likelihood.is_finite() && self.best.as_ref().is_none_or(better) {
            self.best = Some(Best {
                update: self.step,
                log_likelihood,
                model: self.model.parameters().clone(),
                averaged: self.averaged.clone(),
            });
        }
    }

    /// What the run has come to: the best model and its average or, without validation data, the
    /// last ones.
    pub fn result(&self) -> [&Parameters; 2] {
        match &self.best {
            Some(best) => [&best.model, &best.averaged],
            None => [self.model.parameters(), &self.averaged],
        }
    }

    /// Whether so many updates have brought nothing better.
    pub fn has_stalled(&self, patience: Option<u64>) -> bool {
        match (&self.best, patience) {
            (Some(best), Some(patience)) => self.step >= best.update.saturating_add(patience),
            _ => false,
        }
    }
}
