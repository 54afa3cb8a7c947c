//! Online estimates of log Z of a model that changes, after Desjardins, Bengio and Courville (2011). They
//! estimate log Z of every rung and a bias of the steps; here it is log Z at β = 1 alone.
//!
//! A measurement gives two things for each column of a tempered sampler. BAR between the rungs gives log Z
//! itself, uncertain by about a nat, but with a new error each time. An importance step, the mean of
//! exp(F_before − F_now) over samples of the earlier model, gives the change of log Z since the last
//! measurement: accurate to a hundredth of a nat, but its errors accumulate. A Kalman filter combines the
//! two, weighted by their variances. Replicas move slowly, so successive measurements are correlated; the
//! gain is then not optimal, by a factor of about two, which costs some accuracy.
//!
//! The reported standard error does not rely on the variance of the filter: each column is filtered by
//! itself, and the error is their spread. It does not show errors that all columns share, as they do before
//! each has made a few round trips.

use super::estimate::Estimate;

/// The share of the measurements so far that count, at most: those of replicas that were slow to
/// equilibrate at the start of the run are forgotten.
const MEMORY: f64 = 0.2;

/// The share of the measurements so far over which variances are averaged. Weighting a measurement by its
/// own variance would prefer those that happen to have little spread.
const TYPICAL: f64 = 0.03;

/// log Z of each column. It is part of the state of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KalmanFilter {
    /// Measurements so far whose BAR estimate was usable.
    pub updates: u64,
    /// log Z at the last measurement, for each column.
    pub log_z: Vec<f64>,
    /// The filter's variances.
    pub variances: Variances,
}

/// Variances of means over all columns.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Variances {
    /// Of log Z after the last measurement.
    pub log_z: f64,
    /// Of an importance step.
    pub step: f64,
    /// Of a BAR estimate.
    pub bridges: f64,
}

impl KalmanFilter {
    /// Adds a measurement: the change of log Z since the last one and, where the rungs overlap, log Z by
    /// BAR, both for each column. A value that is not finite resets the filter.
    pub fn update(&mut self, step: &[f64], bridges: Option<&[f64]>) {
        let finite = |values: &[f64]| values.iter().all(|x| x.is_finite());
        if !(finite(step) && bridges.is_none_or(finite)) {
            *self = KalmanFilter::default();
            return;
        }
        if self.updates > 0 {
            self.move_by(step);
        }
        if let Some(bridges) = bridges {
            self.correct(bridges);
        }
    }

    fn move_by(&mut self, step: &[f64]) {
        self.log_z.iter_mut().zip(step).for_each(|(log_z, step)| *log_z += step);
        let Variances { log_z, step: typical, .. } = &mut self.variances;
        *typical += share(TYPICAL, self.updates - 1) * (variance(step) - *typical);
        *log_z += *typical;
    }

    fn correct(&mut self, bridges: &[f64]) {
        let Variances { log_z: variance_now, bridges: typical, .. } = &mut self.variances;
        *typical += share(TYPICAL, self.updates) * (variance(bridges) - *typical);
        if self.updates == 0 {
            (self.log_z, *variance_now) = (bridges.to_vec(), *typical);
        }
        let all = *variance_now + *typical;
        let best = if all > 0.0 { *variance_now / all } else { 0.0 };
        let gain = best.max(share(MEMORY, self.updates));
        for (log_z, bridge) in self.log_z.iter_mut().zip(bridges) {
            *log_z += gain * (bridge - *log_z);
        }
        *variance_now = (1.0 - gain).powi(2) * *variance_now + gain.powi(2) * *typical;
        self.updates += 1;
    }

    /// log Z of a model that is one importance step away from that of the last measurement. `None` before
    /// the second measurement, because the first replicas are still in their initial states.
    pub fn after(&self, step: &[f64]) -> Option<Estimate> {
        let moved: Vec<f64> =
            self.log_z.iter().zip(step).map(|(log_z, step)| log_z + step).collect();
        (self.updates > 1).then(|| Estimate::of_groups(&moved))
    }
}

/// The weight of the next value in an average over the last share `memory` of all values.
fn share(memory: f64, before: u64) -> f64 {
    1.0 / (1.0 + memory * before as f64)
}

/// The variance of the mean of several numbers, by their spread.
fn variance(values: &[f64]) -> f64 {
    Estimate::of_groups(values).std_error.powi(2)
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_distr::{Distribution, StandardNormal};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    const COLUMNS: usize = 16;

    /// Numbers of a column each, normal around `mean`.
    fn seen(mean: f64, error: f64, rng: &mut Xoshiro256PlusPlus) -> Vec<f64> {
        let normal = StandardNormal.sample_iter(rng);
        normal.take(COLUMNS).map(|x: f64| mean + error * x).collect()
    }

    /// Follows a log Z that falls by `drift` a look, and tells how far it is off in standard errors of
    /// its own, and that error.
    fn follow(seed: u64, drift: f64, error_of_steps: f64, error_of_bridges: f64) -> (f64, f64) {
        let (mut rng, mut filter) =
            (Xoshiro256PlusPlus::seed_from_u64(seed), KalmanFilter::default());
        let mut truth = 100.0;
        for _ in 0..1000 {
            truth += drift;
            let step = seen(drift, error_of_steps, &mut rng);
            let bridges = seen(truth, error_of_bridges, &mut rng);
            filter.update(&step, Some(&bridges));
        }
        let found = filter.after(&[0.0; COLUMNS]).expect("many updates");
        ((found.value - truth) / found.std_error, found.std_error)
    }

    /// Whichever is the more certain of the two, and however fast log Z moves.
    #[test]
    fn the_error_is_what_it_is_said_to_be() {
        for (of_steps, of_bridges) in [(0.05, 4.0), (1.0, 1.0), (0.0, 1.0), (3.0, 0.1)] {
            for drift in [0.0, -0.5] {
                let scores: Vec<f64> =
                    (0..200).map(|seed| follow(seed, drift, of_steps, of_bridges).0).collect();
                let squares = scores.iter().map(|z| z * z).sum::<f64>() / 200.0;
                // Student's t with 15 degrees of freedom has the variance 15/13.
                assert!((0.8..1.6).contains(&squares), "{of_steps}, {of_bridges}: {squares}");
            }
        }
    }

    /// With errors a of a step and b of the bridges the best that can be had is about √(a b).
    #[test]
    fn both_together_are_better_than_either() {
        let error = |steps: f64, bridges: f64| {
            (0..50).map(|seed| follow(seed, -0.1, steps, bridges).1).sum::<f64>() / 50.0
        };
        let (fused, columns) = (error(0.05, 4.0), COLUMNS as f64);
        assert!((0.8..1.2).contains(&(fused / (0.05 * 4.0 / columns).sqrt())), "{fused}");
        assert!(error(0.05, 1e3) > 2.0 * fused, "steps alone");
        assert!(error(1e3, 4.0) > 2.0 * fused, "bridges alone");
    }

    #[test]
    fn bridges_that_do_not_bear_are_done_without() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut filter = KalmanFilter::default();
        filter.update(&[], None);
        assert_eq!(filter, KalmanFilter::default(), "nothing to begin with");
        for _ in 0..2 {
            filter.update(&[0.0; COLUMNS], Some(&seen(50.0, 0.1, &mut rng)));
        }
        let before = filter.after(&[0.0; COLUMNS]).expect("two updates");
        let on = filter.after(&[0.5; COLUMNS]).expect("as before");
        assert!((on.value - before.value - 0.5).abs() < 1e-9, "{on:?}");
        for _ in 0..10 {
            filter.update(&seen(-1.0, 0.0, &mut rng), None);
        }
        let after = filter.after(&[0.0; COLUMNS]).expect("as before");
        assert!((after.value - before.value + 10.0).abs() < 1e-9, "{after:?}");
    }

    #[test]
    fn what_is_not_finite_begins_anew() {
        let mut filter = KalmanFilter::default();
        for _ in 0..3 {
            filter.update(&[0.0; 2], Some(&[1.0, 2.0]));
        }
        filter.update(&[f64::NAN, 0.0], Some(&[1.0, 2.0]));
        assert_eq!(filter, KalmanFilter::default());
        filter.update(&[], Some(&[f64::INFINITY, 2.0]));
        assert_eq!(filter, KalmanFilter::default());
    }
}
