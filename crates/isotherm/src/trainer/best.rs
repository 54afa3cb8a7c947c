//! The best model so far, by the likelihood of the validation data.

use super::state::TrainState;
use crate::model::Parameters;

/// A model that may be the best.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// Updates when it was reached.
    pub update: u64,
    /// Mean log-likelihood of the validation data then, as it was measured.
    pub log_likelihood: f64,
    /// Its parameters.
    pub model: Parameters,
    /// The average of the parameters then.
    pub averaged: Parameters,
}

/// The selection of the best model of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Best {
    /// The best so far.
    pub(super) kept: Candidate,
    /// A later one, until enough measurements after it show whether it is better.
    pub(super) candidate: Option<Candidate>,
    /// The measurements so far.
    pub(super) measurements: Measurements,
}

/// Measurements of the likelihood of the validation data. Online estimates are noisy, and the highest of
/// many noisy values is mostly luck. So models are compared by the mean of the measurements around them, as
/// many before as after, which neither luck nor later updates bias. Candidates are half a window apart.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Measurements {
    /// The most recent ones, at most one window.
    pub(super) recent: Vec<f64>,
    /// The moving mean of their standard errors.
    pub(super) std_error: f64,
    /// Measurements since the candidate.
    pub(super) since_candidate: u64,
    /// The highest mean so far.
    pub(super) highest: f64,
    /// Updates of the model with that mean.
    pub(super) highest_at: u64,
    /// Updates of the last model that was compared.
    pub(super) judged_at: u64,
    /// Updates at the last measurement.
    pub(super) last_at: u64,
}

/// The weight of a measurement in the moving mean of the errors.
const SHARE: f64 = 0.2;

impl Measurements {
    fn none() -> Measurements {
        Measurements {
            recent: Vec::new(),
            std_error: 0.0,
            since_candidate: 0,
            highest: f64::NEG_INFINITY,
            highest_at: 0,
            judged_at: 0,
            last_at: 0,
        }
    }

    fn add(&mut self, log_likelihood: f64, std_error: f64, update: u64, reach: usize) {
        let share = if self.recent.is_empty() { 1.0 } else { SHARE };
        self.std_error += share * (std_error - self.std_error);
        self.recent.push(log_likelihood);
        let too_many = self.recent.len().saturating_sub(2 * reach + 1);
        self.recent.drain(..too_many);
        self.last_at = update;
    }

    /// Judges the model of `ago` measurements ago by as many measurements before it as after it.
    /// Returns whether it is as good as the best so far, or worse by at most a third of the standard error:
    /// of equally good models the later one is preferred.
    fn judge(&mut self, update: u64, ago: usize) -> bool {
        let Some(at) = self.recent.len().checked_sub(ago + 1) else { return false };
        let reach = at.min(ago);
        let around = &self.recent[at - reach..=at + reach];
        let mean = around.iter().sum::<f64>() / around.len() as f64;
        if mean >= self.highest {
            (self.highest, self.highest_at) = (mean, update);
        }
        self.judged_at = update;
        mean + self.std_error / 3.0 >= self.highest
    }
}

impl Best {
    fn judge(&mut self, model: Candidate, ago: usize) {
        if self.measurements.judge(model.update, ago) {
            self.kept = model;
        }
    }

    /// Adds a measurement of the current model.
    fn add(&mut self, now: Candidate, std_error: f64, Reach { measurements, is_last }: Reach) {
        self.measurements.add(now.log_likelihood, std_error, now.update, measurements);
        let ago = self.measurements.since_candidate as usize + 1;
        match self.candidate.take() {
            Some(candidate) if ago < measurements && !is_last => {
                (self.candidate, self.measurements.since_candidate) = (Some(candidate), ago as u64);
                return;
            }
            Some(candidate) => self.judge(candidate, ago),
            None => {}
        }
        if measurements == 0 || is_last {
            self.judge(now, 0);
        } else {
            (self.candidate, self.measurements.since_candidate) = (Some(now), 0);
        }
    }

    /// Updates of the model around which the measurements were highest.
    pub fn highest_at(&self) -> u64 {
        self.measurements.highest_at
    }

    /// The best model if no more measurements follow: the candidate is judged by those that exist.
    pub fn chosen(&self) -> &Candidate {
        let ago = self.measurements.since_candidate as usize;
        let mut measurements = self.measurements.clone();
        let candidate = self.candidate.as_ref();
        candidate.filter(|it| measurements.judge(it.update, ago)).unwrap_or(&self.kept)
    }
}

/// The window of measurements by which a model is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    /// Measurements on either side; 0: a model is judged by its own alone.
    pub measurements: usize,
    /// Whether this measurement is the last, so that there is nothing to wait for.
    pub is_last: bool,
}

impl TrainState {
    /// Adds a likelihood of the validation data, and keeps the model if it proves to be the best.
    pub fn keep_if_best(&mut self, log_likelihood: f64, std_error: f64, reach: Reach) {
        if !(log_likelihood.is_finite() && std_error.is_finite()) {
            return;
        }
        let now = Candidate {
            update: self.step,
            log_likelihood,
            model: self.model.parameters().clone(),
            averaged: self.averaged.clone(),
        };
        let best = self.best.get_or_insert_with(|| {
            Box::new(Best {
                kept: now.clone(),
                candidate: None,
                measurements: Measurements::none(),
            })
        });
        best.add(now, std_error, reach);
    }

    /// The result of the run: the best model and its average or, without validation data, the last ones.
    pub fn result(&self) -> [&Parameters; 2] {
        match self.best.as_ref().map(|best| best.chosen()) {
            Some(chosen) => [&chosen.model, &chosen.averaged],
            None => [self.model.parameters(), &self.averaged],
        }
    }

    /// Whether `patience` updates have passed without a better model. If measurements are noisy, a model
    /// counts only once the measurements around it are known.
    pub fn has_stalled(&self, patience: Option<u64>) -> bool {
        match (&self.best, patience) {
            (Some(best), Some(patience)) => {
                let Measurements { highest_at, judged_at, last_at, .. } = best.measurements;
                last_at == self.step && judged_at >= highest_at.saturating_add(patience)
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;

    const EXACT: Reach = Reach { measurements: 0, is_last: false };

    /// Noise of standard deviation 0.7 that repeats after eleven measurements.
    const NOISE: [f64; 11] = [0.3, -1.0, 0.5, -0.4, 0.9, 0.1, -0.9, 0.6, -0.2, 1.1, -1.0];

    fn state() -> TrainState {
        let options = Options::default().hidden(3).likelihood_every(Some(20));
        let plan = options.check(4).expect("a plan");
        TrainState::new(&plan, &[0.5; 4])
    }

    /// The update whose model is kept of 200, given the likelihood after each.
    fn kept(std_error: f64, log_likelihood: impl Fn(f64) -> f64) -> u64 {
        let mut state = state();
        for update in 1..=200usize {
            state.step = update as u64;
            let noise = std_error / 0.7 * NOISE[update % 11];
            let measurements = if std_error > 0.0 { 4 } else { 0 };
            let reach = Reach { measurements, is_last: update == 200 };
            state.keep_if_best(log_likelihood(update as f64) + noise, std_error, reach);
        }
        state.best.expect("measurements").kept.update
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

    /// However few they are: one that falls is not the best because it is the last.
    #[test]
    fn few_looks_that_fall_keep_the_first() {
        for measurements in 1..=10 {
            for reach in [0, 1, 4] {
                let mut state = state();
                for look in 1..=measurements {
                    state.step = look;
                    let reach = Reach { measurements: reach, is_last: look == measurements };
                    state.keep_if_best(-(look as f64), 0.01, reach);
                    assert_eq!(state.best.as_ref().expect("a look").chosen().update, 1);
                }
                assert_eq!(
                    state.best.expect("measurements").kept.update,
                    1,
                    "{measurements} measurements, {reach}"
                );
            }
        }
    }

    /// A run that somebody stops has come to what the measurements so far tell, not to the first of them.
    #[test]
    fn what_waits_is_judged_when_it_is_asked_for() {
        let mut state = state();
        for look in 1..=7 {
            state.step = look;
            state.keep_if_best(look as f64, 0.01, Reach { measurements: 4, is_last: false });
        }
        let best = state.best.expect("measurements");
        assert_eq!((best.kept.update, best.chosen().update), (1, 5));
    }

    /// A figure that is none leaves all as it is.
    #[test]
    fn what_is_not_finite_is_no_look() {
        let (mut state, reach) = (state(), Reach { measurements: 4, is_last: false });
        state.keep_if_best(-2.0, f64::NAN, reach);
        state.keep_if_best(f64::NEG_INFINITY, 0.1, reach);
        assert!(state.best.is_none());
    }

    #[test]
    fn patience_counts_from_look_to_look() {
        let mut state = state();
        state.step = 20;
        state.keep_if_best(-2.0, 0.0, EXACT);
        state.step = 60;
        assert!(!state.has_stalled(Some(40)), "nobody has looked");
        state.keep_if_best(-3.0, 0.0, EXACT);
        assert!(state.has_stalled(Some(40)) && !state.has_stalled(Some(41)));
    }

    /// However short the patience: noisy measurements are waited for.
    #[test]
    fn what_rises_has_not_stalled() {
        let mut state = state();
        for look in 1..=60 {
            state.step = 20 * look;
            state.keep_if_best(
                -(look as f64 - 30.0).abs(),
                0.1,
                Reach { measurements: 4, is_last: false },
            );
            assert!(look > 30 || !state.has_stalled(Some(1)), "{look}");
        }
        assert!(state.has_stalled(Some(100)));
    }
}
