//! The schedule of inverse temperatures for annealing: close together where the distribution
//! changes fast.
//!
//! A step from β to β + δ multiplies the weights by factors whose logarithms have the standard deviation δ
//! · sd(d log π_β / dβ). A pilot run takes, at each β, the step for which that is a fixed value, and so
//! keeps the conditional effective sample size of the weights constant. The main run divides each step of
//! the pilot into as many as it can afford, with new random numbers.

use super::annealing::changes;
use crate::causes::NonFinite;
use crate::error::Result;

use crate::ensemble::Densities;
use crate::streams::Key;

/// Standard deviation of the logarithm of the factors in one step of the pilot. A step keeps
/// 1 / (1 + 0.03²), or 99.9 %, of the effective sample size.
const SPREAD: f64 = 0.03;
/// The shortest and the longest step.
const SHORTEST: f64 = 5e-5;
const LONGEST: f64 = 0.02;
/// The step of the difference quotient: small, but large against rounding in `f64`.
const REACH: f64 = 1e-4;

/// Inverse temperatures from 0 to 1, equally spaced for annealing.
#[derive(Clone, Debug, PartialEq)]
pub struct AnnealingSchedule {
    betas: Vec<f64>,
    /// log Z(β) − log Z(0) at each of them, as far as the pilot tells; all zero without one.
    log_z: Vec<f64>,
}

impl AnnealingSchedule {
    /// The schedule that a pilot run with the rows of the ensemble as particles finds.
    pub fn pilot<E: Densities + Sync + ?Sized>(
        ensemble: &mut E,
        model: &E::Model,
        key: Key,
    ) -> Result<AnnealingSchedule> {
        let (mut betas, mut beta) = (Vec::new(), 0.0);
        let (mut along, mut log_z) = (Vec::new(), 0.0);
        while beta < 1.0 {
            betas.push(beta);
            along.push(log_z);
            let key = Key { step: betas.len() as u64, ..key };
            ensemble.sweep(model, &vec![beta; ensemble.rows()], 1, key)?;
            let (mean, deviation) = mean_and_deviation(&changes(ensemble, &[beta, beta + REACH]));
            let (slope, spread) = (mean / REACH, deviation / REACH);
            if !spread.is_finite() {
                return Err(NonFinite::Energies.into());
            }
            let next = (beta + (SPREAD / spread).clamp(SHORTEST, LONGEST)).min(1.0);
            // d log Z / dβ is the mean slope, and the slope's variance is its derivative.
            let step = next - beta;
            log_z += step * slope + 0.5 * (step * spread).powi(2);
            beta = next;
            ensemble.resample(model, &vec![beta; ensemble.rows()], key);
        }
        betas.push(1.0);
        along.push(log_z);
        Ok(AnnealingSchedule { betas, log_z: along })
    }

    /// Equal differences.
    pub fn linear(steps: usize) -> AnnealingSchedule {
        let betas = (0..=steps).map(|i| i as f64 / steps as f64).collect();
        AnnealingSchedule { betas, log_z: vec![0.0; steps + 1] }
    }

    /// The inverse temperatures of the pilot, 0 first.
    pub fn betas(&self) -> &[f64] {
        &self.betas
    }

    /// log Z(β) − log Z(0) by the pilot, whose particles stay in the mode that they began in as long as there is one:
    /// a few tenths of a nat from the truth of that mode.
    pub fn log_z(&self, beta: f64) -> f64 {
        let left = self.betas.partition_point(|&node| node <= beta).clamp(1, self.gaps()) - 1;
        let pair = |values: &[f64]| (values[left], values[left + 1]);
        let ((from, to), (low, high)) = (pair(&self.betas), pair(&self.log_z));
        low + (high - low) * (beta - from) / (to - from)
    }

    /// The same schedule in `steps` steps, rounded to `f32`, in which the paths take β.
    pub fn in_steps(&self, steps: usize) -> Vec<f64> {
        let gaps = self.betas.len() - 1;
        let mut betas: Vec<f64> = (0..=steps)
            .map(|step| {
                let place = step as f64 * gaps as f64 / steps as f64;
                let left = (place as usize).min(gaps - 1);
                let share = place - left as f64;
                let beta = self.betas[left] + share * (self.betas[left + 1] - self.betas[left]);
                f64::from(beta as f32)
            })
            .collect();
        betas[steps] = 1.0;
        betas
    }

    /// Steps of the pilot.
    pub fn gaps(&self) -> usize {
        self.betas.len() - 1
    }
}

fn mean_and_deviation(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
    (mean, (squares / (n - 1.0)).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schedule_keeps_its_shape_at_any_length() {
        let (betas, log_z) = (vec![0.0, 0.5, 0.75, 1.0], vec![0.0, 2.0, 2.5, 5.0]);
        let pilot = AnnealingSchedule { betas, log_z };
        assert_eq!(pilot.in_steps(3), [0.0, 0.5, 0.75, 1.0]);
        assert_eq!(pilot.in_steps(6), [0.0, 0.25, 0.5, 0.625, 0.75, 0.875, 1.0]);
        assert_eq!(pilot.in_steps(1), [0.0, 1.0]);
        let long = pilot.in_steps(100_000);
        assert!(long.windows(2).all(|pair| pair[0] < pair[1]), "rising");
        assert_eq!(AnnealingSchedule::linear(4).in_steps(2), [0.0, 0.5, 1.0]);
        assert_eq!([0.0, 0.25, 0.7, 1.0].map(|beta| pilot.log_z(beta)), [0.0, 1.0, 2.4, 5.0]);
    }
}
