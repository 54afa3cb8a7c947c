//! Annealing batch by batch, until the error is small enough.
//!
//! Weights are uneven for two reasons. If steps are too long, particles lag behind the distribution; more
//! steps cure that. And particles end up in one region of the model or another; only more particles average
//! that out. So the first batch decides the number of steps, and further batches with that number are
//! pooled with it.

use super::estimate::Estimate;
use super::log_mean::upper_half;
use crate::error::Result;

/// A batch has too few steps if the variance of its log weights, taken above their median, exceeds this.
/// (The effective sample size is not used: a single particle in a rare region determines it.)
const TOO_UNEVEN: f64 = 4.0;
/// The factor by which the number of steps grows.
pub const MORE: usize = 4;

/// How much annealing may be done in one direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AnnealingEffort {
    /// Particles of a batch.
    pub particles: usize,
    /// Batches at the most.
    pub most_batches: usize,
    /// Steps at first.
    pub steps: usize,
    /// Steps at the most.
    pub most_steps: usize,
    /// The standard error to reach, in nats.
    pub error: f64,
}

/// The pooled result of all batches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pooled {
    /// Their estimate.
    pub estimate: Estimate,
    /// Steps of each.
    pub steps: usize,
    /// Particles of all together.
    pub particles: usize,
}

/// Whether weights with these logarithms are so uneven that annealing took too few steps.
pub fn are_too_uneven(logs: &[f64]) -> bool {
    upper_half(logs).1 > TOO_UNEVEN
}

/// Runs batches of annealing. `batch(which, steps)` returns the log weights of its particles; `which`
/// counts up from 0, for new random numbers. `pool` makes an estimate from them.
pub fn anneal_in_batches(
    effort: &AnnealingEffort,
    mut batch: impl FnMut(usize, usize) -> Result<Vec<f64>>,
    pool: impl Fn(&[f64]) -> Estimate,
) -> Result<Pooled> {
    let (mut steps, mut which) = (effort.steps, 0);
    let mut logs = batch(which, steps)?;
    while are_too_uneven(&logs) && steps.saturating_mul(MORE) <= effort.most_steps {
        (steps, which) = (steps * MORE, which + 1);
        logs = batch(which, steps)?;
    }
    for _ in 1..effort.most_batches {
        if pool(&logs).std_error <= effort.error {
            break;
        }
        which += 1;
        logs.extend(batch(which, steps)?);
    }
    Ok(Pooled { estimate: pool(&logs), steps, particles: logs.len() })
}

#[cfg(test)]
mod tests {
    use super::super::log_mean::log_mean;
    use super::*;

    const EFFORT: AnnealingEffort =
        AnnealingEffort { particles: 4, most_batches: 3, steps: 10, most_steps: 160, error: 0.1 };

    fn run(mut weights: impl FnMut(usize, usize) -> Vec<f64>) -> (Pooled, Vec<(usize, usize)>) {
        let mut asked = Vec::new();
        let batch = |which, steps| {
            asked.push((which, steps));
            Ok(weights(which, steps))
        };
        let pool = |logs: &[f64]| log_mean(logs, logs.len());
        (anneal_in_batches(&EFFORT, batch, pool).expect("no failure"), asked)
    }

    #[test]
    fn even_weights_are_enough_at_once() {
        let (pooled, asked) = run(|_, _| vec![1.0; 4]);
        assert_eq!((pooled.steps, pooled.particles, asked), (10, 4, vec![(0, 10)]));
    }

    #[test]
    fn uneven_weights_get_more_particles() {
        let (pooled, asked) = run(|_, _| vec![0.0, 0.0, 1.0, 1.0]);
        assert_eq!((pooled.steps, pooled.particles), (10, 12));
        assert_eq!(asked, [(0, 10), (1, 10), (2, 10)], "new random numbers each time");
    }

    /// A spread that falls with the steps: more of them first, and what was too uneven is dropped.
    #[test]
    fn very_uneven_weights_get_more_steps() {
        let (pooled, asked) = run(|_, steps| vec![0.0, 0.0, 0.0, 100.0 / steps as f64]);
        assert_eq!(asked, [(0, 10), (1, 40), (2, 40), (3, 40)]);
        assert_eq!((pooled.steps, pooled.particles), (40, 12));
        let (pooled, asked) = run(|_, _| vec![0.0, 0.0, 0.0, 50.0]);
        assert_eq!((asked.len(), pooled.steps), (5, 160), "no more than is allowed");
    }
}
