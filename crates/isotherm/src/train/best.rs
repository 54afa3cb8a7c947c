//! The best model so far, by the likelihood of the validation data.

use super::state::TrainState;
use crate::model::Parameters;

/// A model that is kept while learning goes on.
#[derive(Clone, Debug, PartialEq)]
pub struct Kept {
    /// Updates when it was reached.
    pub update: u64,
    /// Mean log-likelihood of the validation data then, as it was measured.
    pub log_likelihood: f64,
    /// Its parameters.
    pub model: Parameters,
    /// The average of the parameters then.
    pub averaged: Parameters,
}

/// The choice among the models of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Best {
    /// The best so far.
    pub kept: Kept,
    /// A later one, until enough looks after it tell whether it is better.
    pub candidate: Option<Kept>,
    /// All looks so far.
    pub looks: Looks,
}

/// The likelihood of the validation data, look by look. One that is followed is noisy, and the highest
/// of many noisy figures is mostly luck: what is compared is the mean of the looks around a model, as many
/// before it as after it, so that neither luck nor what comes later moves the peak.
#[derive(Clone, Debug, PartialEq)]
pub struct Looks {
    /// The last of them, at most as many as are around a model.
    pub recent: Vec<f64>,
    /// The moving mean of their standard errors.
    pub std_error: f64,
    /// Looks since the candidate.
    pub since_candidate: u64,
    /// The highest that a mean has been.
    pub highest: f64,
    /// Updates of the model that it is of.
    pub highest_at: u64,
    /// Updates of the last model that was compared.
    pub judged_at: u64,
    /// Updates at the last look.
    pub last_at: u64,
}

/// Looks on either side of a model that tell how good it is, if they are noisy. Errors of a followed log Z last
/// longer than that, so the mean is not much more certain than a look; it is steadier.
const REACH: usize = 4;

/// The share of a look in the mean of the errors.
const SHARE: f64 = 0.2;

impl Looks {
    fn none() -> Looks {
        Looks {
            recent: Vec::new(),
            std_error: 0.0,
            since_candidate: 0,
            highest: f64::NEG_INFINITY,
            highest_at: 0,
            judged_at: 0,
            last_at: 0,
        }
    }

    fn add(&mut self, log_likelihood: f64, std_error: f64, update: u64) {
        let share = if self.recent.is_empty() || std_error == 0.0 { 1.0 } else { SHARE };
        self.std_error += share * (std_error - self.std_error);
        self.recent.push(log_likelihood);
        let too_many = self.recent.len().saturating_sub(2 * self.reach() + 1);
        self.recent.drain(..too_many);
        self.last_at = update;
    }

    /// Looks on either side that count; of exact ones each speaks for itself.
    fn reach(&self) -> usize {
        if self.std_error > 0.0 { REACH } else { 0 }
    }

    /// Takes note of how good the model is that was there so many looks ago, and answers whether it is as good
    /// as any, or worse by no more than a third of the error: of models that are as good, the later one has
    /// learned more quietly.
    fn judge(&mut self, update: u64, looks_ago: usize) -> bool {
        let around = (self.reach() + 1 + looks_ago).min(self.recent.len());
        let around = &self.recent[self.recent.len() - around..];
        let mean = around.iter().sum::<f64>() / around.len() as f64;
        if mean >= self.highest {
            (self.highest, self.highest_at) = (mean, update);
        }
        self.judged_at = update;
        mean + self.std_error / 3.0 >= self.highest
    }
}

impl Best {
    fn judge(&mut self, model: Kept, looks_ago: usize) {
        if self.looks.judge(model.update, looks_ago) {
            self.kept = model;
        }
    }

    /// Takes in a look at the model of the moment; after the last there is nothing to wait for.
    fn look(&mut self, now: Kept, std_error: f64, is_last: bool) {
        self.looks.add(now.log_likelihood, std_error, now.update);
        let reach = self.looks.reach();
        let ago = self.looks.since_candidate as usize + 1;
        match self.candidate.take() {
            Some(candidate) if ago < reach && !is_last => {
                (self.candidate, self.looks.since_candidate) = (Some(candidate), ago as u64);
                return;
            }
            Some(candidate) => self.judge(candidate, ago),
            None => {}
        }
        if reach == 0 || is_last {
            self.judge(now, 0);
        } else {
            (self.candidate, self.looks.since_candidate) = (Some(now), 0);
        }
    }
}

impl TrainState {
    /// Takes note of a likelihood of the validation data, and keeps the model if it proves to be the best.
    pub fn keep_if_best(&mut self, log_likelihood: f64, std_error: f64, is_last: bool) {
        if !log_likelihood.is_finite() {
            return;
        }
        let now = Kept {
            update: self.step,
            log_likelihood,
            model: self.model.parameters().clone(),
            averaged: self.averaged.clone(),
        };
        let best = self.best.get_or_insert_with(|| {
            Box::new(Best { kept: now.clone(), candidate: None, looks: Looks::none() })
        });
        best.look(now, std_error, is_last);
    }

    /// What the run has come to: the best model and its average or, without validation data, the
    /// last ones.
    pub fn result(&self) -> [&Parameters; 2] {
        match &self.best {
            Some(best) => [&best.kept.model, &best.kept.averaged],
            None => [self.model.parameters(), &self.averaged],
        }
    }

    /// Whether so many updates have brought nothing better, by a look at the model of the moment.
    pub fn has_stalled(&self, patience: Option<u64>) -> bool {
        match (&self.best, patience) {
            (Some(best), Some(patience)) => {
                let Looks { highest_at, judged_at, last_at, .. } = best.looks;
                last_at == self.step && judged_at >= highest_at.saturating_add(patience)
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::Config;

    /// Noise of standard deviation 0.7 that repeats after eleven looks.
    const NOISE: [f64; 11] = [0.3, -1.0, 0.5, -0.4, 0.9, 0.1, -0.9, 0.6, -0.2, 1.1, -1.0];

    fn state() -> TrainState {
        let config = Config { hidden: 3, likelihood_every: Some(20), ..Config::default() };
        let plan = config.check(4).expect("a plan");
        TrainState::new(&plan, &[0.5; 4])
    }

    /// The update whose model is kept of 200, given the likelihood after each.
    fn kept(std_error: f64, log_likelihood: impl Fn(f64) -> f64) -> u64 {
        let mut state = state();
        for update in 1..=200usize {
            state.step = update as u64;
            let noise = std_error / 0.7 * NOISE[update % 11];
            state.keep_if_best(log_likelihood(update as f64) + noise, std_error, update == 200);
        }
        state.best.expect("looks").kept.update
    }

    /// Noise about a level that rises and then stays: the highest figure is luck, and what is kept is late.
    #[test]
    fn noise_does_not_choose() {
        let level = |update: f64| -100.0 + 10.0 * (update / 100.0).min(1.0);
        let luck = |update: f64| level(update) + if update == 120.0 { 1.0 } else { 0.0 };
        let kept = kept(0.7, luck);
        assert!(kept > 190, "{kept}");
    }

    /// Past the peak of a model that overfits nothing is kept, whether it falls slowly or at once.
    #[test]
    fn a_peak_is_where_it_is() {
        for (fall, near) in [(0.05, 8.0), (0.3, 4.0), (3.0, 4.0)] {
            let roof = |update: f64| -100.0 - fall * (update - 90.0f64).abs();
            let kept = kept(0.3, roof) as f64;
            assert!((kept - 90.0).abs() <= near, "{kept}, falling by {fall} a look");
        }
        assert_eq!(kept(0.0, |update| -(update - 77.0f64).abs()), 77, "exact figures");
        assert_eq!(kept(0.3, |update| update), 200, "the last is the best of those that rise");
        assert_eq!(kept(0.3, |update| -update), 1);
    }

    #[test]
    fn patience_counts_from_look_to_look() {
        let mut state = state();
        state.step = 20;
        state.keep_if_best(-2.0, 0.0, false);
        state.step = 60;
        assert!(!state.has_stalled(Some(40)), "nobody has looked");
        state.keep_if_best(-3.0, 0.0, false);
        assert!(state.has_stalled(Some(40)) && !state.has_stalled(Some(41)));
    }

    /// However short the patience: noisy looks are waited for.
    #[test]
    fn what_rises_has_not_stalled() {
        let mut state = state();
        for look in 1..=60 {
            state.step = 20 * look;
            state.keep_if_best(-(look as f64 - 30.0).abs(), 0.1, false);
            assert!(look > 30 || !state.has_stalled(Some(1)), "{look}");
        }
        assert!(state.has_stalled(Some(100)));
    }
}
