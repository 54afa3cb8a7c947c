//! The best model so far, by the likelihood of the validation data.

use super::state::TrainState;
use crate::model::Parameters;

/// A model that is kept while learning goes on.
#[derive(Clone, Debug, PartialEq)]
pub struct Best {
    /// Updates when it was reached.
    pub update: u64,
    /// Mean log-likelihood of the validation data then, as it was measured.
    pub log_likelihood: f64,
    /// Its parameters.
    pub model: Parameters,
    /// The average of the parameters then.
    pub averaged: Parameters,
    /// All looks so far.
    pub looks: Looks,
}

/// The likelihood of the validation data, look by look. One that is followed is noisy, and the highest
/// of many noisy figures is mostly luck: what is compared is a moving mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Looks {
    /// The moving mean.
    pub mean: f64,
    /// What its weights add up to.
    pub weight: f64,
    /// The moving mean of the looks' standard errors.
    pub std_error: f64,
    /// The highest that the mean has been.
    pub highest: f64,
    /// Updates when it was.
    pub highest_at: u64,
    /// Updates at the last look.
    pub last_at: u64,
}

/// The share of a noisy look in the mean: about nine count. Errors of a followed log Z last longer
/// than that, so the mean is not much more certain than a look; it is steadier.
const SHARE: f64 = 0.2;

impl Looks {
    fn none() -> Looks {
        let highest = f64::NEG_INFINITY;
        Looks { mean: 0.0, weight: 0.0, std_error: 0.0, highest, highest_at: 0, last_at: 0 }
    }

    /// With one more, after so many updates.
    fn and(self, log_likelihood: f64, std_error: f64, update: u64) -> Looks {
        let share = if std_error > 0.0 { SHARE } else { 1.0 };
        let weight = self.weight + share * (1.0 - self.weight);
        let mean = self.mean + share / weight * (log_likelihood - self.mean);
        let std_error = self.std_error + share / weight * (std_error - self.std_error);
        let looks = Looks { mean, weight, std_error, last_at: update, ..self };
        match mean >= self.highest {
            true => Looks { highest: mean, highest_at: update, ..looks },
            false => looks,
        }
    }

    /// Whether the mean is as high as it has been, or lower by no more than a third of its error.
    fn are_high(&self) -> bool {
        self.mean + self.std_error / 3.0 >= self.highest
    }
}

impl TrainState {
    /// Takes note of a likelihood of the validation data, and keeps the model of the moment if the mean of
    /// the last looks is the highest, or hardly lower. Of models that are as good, the
    /// later one has learned more quietly. (The mean lags behind: once a model overfits, what is kept lies
    /// a few looks past the peak.)
    pub fn keep_if_best(&mut self, log_likelihood: f64, std_error: f64) {
        if !log_likelihood.is_finite() {
            return;
        }
        let before = self.best.as_ref().map_or(Looks::none(), |best| best.looks);
        let looks = before.and(log_likelihood, std_error, self.step);
        match &mut self.best {
            Some(best) if !looks.are_high() => best.looks = looks,
            best => {
                *best = Some(Best {
                    update: self.step,
                    log_likelihood,
                    model: self.model.parameters().clone(),
                    averaged: self.averaged.clone(),
                    looks,
                });
            }
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

    /// Whether so many updates have brought nothing better, by a look at the model of the moment.
    pub fn has_stalled(&self, patience: Option<u64>) -> bool {
        match (&self.best, patience) {
            (Some(best), Some(patience)) => {
                let Looks { highest_at, last_at, .. } = best.looks;
                last_at == self.step && last_at >= highest_at.saturating_add(patience)
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::Config;

    /// Noise about a level that rises and then stays: the highest mean is luck, and what is kept is late.
    #[test]
    fn noise_does_not_choose() {
        let mut looks = Looks::none();
        let (mut kept, mut highest) = (0, f64::NEG_INFINITY);
        for update in 1..=200 {
            let level = -100.0 + 10.0 * (update as f64 / 100.0).min(1.0);
            // noise of standard deviation 0.7 that repeats after eleven looks, one of them lucky
            let noise = [0.3, -1.0, 0.5, -0.4, 0.9, 0.1, -0.9, 0.6, -0.2, 1.1, -1.0];
            let luck = if update == 120 { 1.0 } else { 0.0 };
            looks = looks.and(level + noise[update % 11] + luck, 0.7, update as u64);
            highest = looks.highest.max(highest);
            if looks.are_high() {
                kept = update;
            }
        }
        assert!(kept > 190, "{kept}");
        assert!((highest + 90.0).abs() < 0.6, "{highest}");
    }

    /// The mean of exact figures is the last of them.
    #[test]
    fn exact_figures_are_compared_as_they_are() {
        let looks = Looks::none().and(-3.0, 0.0, 1).and(-2.0, 0.0, 2).and(-2.5, 0.0, 3);
        assert_eq!((looks.mean, looks.highest, looks.highest_at), (-2.5, -2.0, 2));
    }

    #[test]
    fn patience_counts_from_look_to_look() {
        let config = Config { hidden: 3, likelihood_every: Some(20), ..Config::default() };
        let (plan, marginals) = (config.check(4).expect("a plan"), [0.5; 4]);
        let mut state = TrainState::new(&plan, &marginals);
        state.step = 20;
        state.keep_if_best(-2.0, 0.0);
        state.step = 60;
        assert!(!state.has_stalled(Some(40)), "nobody has looked");
        state.keep_if_best(-3.0, 0.0);
        assert!(state.has_stalled(Some(40)) && !state.has_stalled(Some(41)));
    }
}
