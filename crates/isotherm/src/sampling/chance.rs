//! How far weights of clusters are apart, and what chance explains of that.

use isotherm_tempering::streams::{Key, Purpose};
use rand::RngExt;
use serde::{Deserialize, Serialize};

use super::SampledLadder;

/// A distance of cluster weights.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Distance {
    /// The total variation distance: half the sum of all differences.
    pub total_variation: f64,
    /// What chance makes of it on average if there is no difference.
    pub by_chance: f64,
    /// How often chance makes weights differ as much as these, by the chi-square statistic.
    pub chance: f64,
}

/// Counted weights, and the number of independent draws that they are worth.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counted<'a> {
    pub(super) weights: &'a [f64],
    pub(super) draws: f64,
}

/// Chance that is as rare as this hardly explains a difference.
const RARE: f64 = 1e-3;

impl Distance {
    /// The distance of two lists of weights.
    ///
    /// If both were counted in draws with the same weights r, a difference d_k has the variance
    /// r_k (1 − r_k) (1/m + 1/n), and the mean of |d_k| is √(2/π) of its standard deviation. How often chance makes as
    /// much is found by drawing both lists again.
    pub(super) fn between(a: Counted<'_>, b: Counted<'_>) -> Distance {
        let noise = 1.0 / a.draws.max(1.0) + 1.0 / b.draws.max(1.0);
        let pooled = |(p, q): (&f64, &f64)| {
            let share = a.draws / (a.draws + b.draws);
            if share.is_nan() { *p } else { share * p + (1.0 - share) * q }
        };
        let both = || a.weights.iter().zip(b.weights);
        let by_chance: f64 = both()
            .map(pooled)
            .map(|r| (std::f64::consts::FRAC_2_PI * (r * (1.0 - r)).max(0.0) * noise).sqrt() / 2.0)
            .sum();
        let pooled: Vec<f64> = both().map(pooled).collect();
        let differences: Vec<f64> = both().map(|(p, q)| p - q).collect();
        Distance {
            total_variation: differences.iter().map(|d| d.abs()).sum::<f64>() / 2.0,
            by_chance,
            chance: chance_of(&differences, &pooled, [a.draws, b.draws]),
        }
    }

    /// Whether chance hardly explains it.
    pub fn is_beyond_chance(&self) -> bool {
        self.chance < RARE
    }
}

/// Draws at most in a repetition: with more, the statistic hardly changes.
const MOST_DRAWS: f64 = 400.0;

/// Repetitions.
const REPETITIONS: usize = 4000;

/// The chi-square statistic of differences from `weights` in so many draws. Half a draw is added to each weight: one
/// draw of what should not occur at all is not infinitely strange.
fn chi_square(differences: impl Iterator<Item = f64>, weights: &[f64], draws: f64) -> f64 {
    let of = |(d, weight): (f64, &f64)| d * d / (weight + 0.5 / draws);
    draws * differences.zip(weights).map(of).sum::<f64>()
}

/// The share of repetitions, each two lists counted in so many draws with these weights, that differ as much as these
/// differences. Unlike the total variation distance the statistic sees a cluster that is nearly gone among many. Both
/// lists are drawn, because a single draw is far from any weights.
fn chance_of(differences: &[f64], weights: &[f64], draws: [f64; 2]) -> f64 {
    let together = |[a, b]: [f64; 2]| 1.0 / (1.0 / a + 1.0 / b);
    let draws = draws.map(|draws| draws.max(1.0));
    let observed = chi_square(differences.iter().copied(), weights, together(draws));
    let most = draws.into_iter().filter(|draws| draws.is_finite()).fold(MOST_DRAWS, f64::max);
    let repeated = draws.map(|draws| (draws * MOST_DRAWS / most).round().max(1.0));
    let edges: Vec<f64> = weights
        .iter()
        .scan(0.0, |sum, weight| {
            *sum += weight;
            Some(*sum)
        })
        .collect();
    let mut rng = Key { seed: 0, step: 0 }.sequence(Purpose::Chance, 0);
    let mut shares = [weights.to_vec(), weights.to_vec()];
    let mut as_far = || {
        for (shares, &draws) in shares.iter_mut().zip(&repeated) {
            // What is known leaves nothing to chance.
            if draws.is_finite() {
                shares.fill(0.0);
                for _ in 0..draws as usize {
                    let u: f64 = rng.random();
                    let k = edges.partition_point(|&edge| edge <= u).min(weights.len() - 1);
                    shares[k] += 1.0 / draws;
                }
            }
        }
        let differences = shares[0].iter().zip(&shares[1]).map(|(a, b)| a - b);
        chi_square(differences, weights, together(repeated)) >= observed
    };
    (0..REPETITIONS).filter(|_| as_far()).count() as f64 / REPETITIONS as f64
}

/// The number of independent samples that would tell the weights as well as these: samples of a particle resemble
/// each other, those of different particles do not. With s_k the mean share of cluster k and var_k the variance of that
/// mean, estimated from the differences between particles, it is Σ s_k (1 − s_k) / Σ var_k (Rao and Scott 1981).
///
/// Particles of few columns that take turns on the ladder are not independent either. So it is never more than the
/// number of columns and round trips: what a column begins with, and what replicas bring from the reference.
///
/// `assigned` has the cluster of each sample, all particles side by side, and `count` is the number of clusters.
pub(super) fn effective_samples(assigned: &[usize], ladder: &SampledLadder, count: usize) -> f64 {
    let &SampledLadder { particles, columns, round_trips, warm_up_trips, .. } = ladder;
    let at_first = (columns as u64 + warm_up_trips).min(particles as u64);
    from_differences(assigned, particles, count).min((at_first + round_trips) as f64)
}

fn from_differences(assigned: &[usize], particles: usize, count: usize) -> f64 {
    let samples = assigned.len() as f64;
    let particles = particles.min(assigned.len());
    if particles < 2 {
        return samples.min(1.0);
    }
    let (mut spread, mut variance) = (0.0, 0.0);
    for cluster in 0..=count {
        let mean = assigned.iter().filter(|&&it| it == cluster).count() as f64 / samples;
        spread += mean * (1.0 - mean);
        let share_above = |particle: usize| -> f64 {
            let of_particle = assigned.iter().skip(particle).step_by(particles);
            of_particle.map(|&it| f64::from(u8::from(it == cluster)) - mean).sum::<f64>() / samples
        };
        variance += (0..particles).map(|particle| share_above(particle).powi(2)).sum::<f64>();
    }
    variance *= particles as f64 / (particles - 1) as f64;
    match variance > 0.0 {
        true => (spread / variance).min(samples),
        // All in one cluster, say: a particle shows no more than where it is.
        false => particles as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cluster of four, of weights 0.5, 0.3, 0.15 and 0.05.
    fn draw(rng: &mut impl RngExt) -> usize {
        let u: f64 = rng.random();
        [0.5, 0.8, 0.95].iter().filter(|&&edge| u >= edge).count()
    }

    fn shares(assigned: &[usize]) -> Vec<f64> {
        let count = |k| assigned.iter().filter(|&&it| it == k).count();
        (0..5).map(|k| count(k) as f64 / assigned.len() as f64).collect()
    }

    /// Weights that are the same, counted in 200 and 500 draws, a thousand times: the mean distance is what is
    /// said, within 15 % for the normal approximation of rare clusters, and hardly one is beyond the limit.
    #[test]
    fn chance_is_what_equal_weights_show() {
        let mut rng = Key { seed: 3, step: 0 }.sequence(Purpose::Target, 0);
        let (mut sum, mut expected, mut beyond) = (0.0, 0.0, 0);
        for _ in 0..1000 {
            let mut count = |draws| shares(&(0..draws).map(|_| draw(&mut rng)).collect::<Vec<_>>());
            let (a, b) = (count(200), count(500));
            let of = |weights, draws| Counted { weights, draws };
            let found = Distance::between(of(&a, 200.0), of(&b, 500.0));
            sum += found.total_variation;
            expected += found.by_chance;
            beyond += usize::from(found.is_beyond_chance());
        }
        assert!((sum / expected - 1.0).abs() < 0.15, "{} {}", sum / 1000.0, expected / 1000.0);
        // Four standard deviations above one.
        assert!(beyond <= 5, "{beyond}");
    }

    /// Five equal clusters, one of which is nearly gone in 130 draws.
    #[test]
    fn a_starved_cluster_among_several_is_beyond_chance() {
        let known = Counted { weights: &[0.2, 0.2, 0.2, 0.2, 0.2, 0.0], draws: f64::INFINITY };
        let drawn = Counted { weights: &[0.24, 0.24, 0.24, 0.24, 0.04, 0.0], draws: 130.0 };
        let found = Distance::between(known, drawn);
        assert!(found.is_beyond_chance(), "{found:?}");
        let slightly = Counted { weights: &[0.22, 0.22, 0.22, 0.22, 0.12, 0.0], draws: 130.0 };
        assert!(!Distance::between(known, slightly).is_beyond_chance());
    }

    /// A sample of what none of sixty rows shows: one of 61 is as strange. Of ten samples, six are not.
    #[test]
    fn a_single_sample_tells_nothing() {
        let rows = Counted { weights: &[0.5, 0.5, 0.0], draws: 60.0 };
        let with = |weights: &[f64], draws| Distance::between(rows, Counted { weights, draws });
        assert!(!with(&[0.0, 0.0, 1.0], 1.0).is_beyond_chance());
        assert!(with(&[0.2, 0.2, 0.6], 10.0).is_beyond_chance());
    }

    #[test]
    fn known_weights_add_no_chance() {
        let known = Counted { weights: &[0.5, 0.5, 0.0], draws: f64::INFINITY };
        let found = Distance::between(known, Counted { weights: &[0.9, 0.1, 0.0], draws: 100.0 });
        assert!((found.total_variation - 0.4).abs() < 1e-12);
        let by_chance = (2.0 / std::f64::consts::PI * 0.25 / 100.0).sqrt();
        assert!((found.by_chance - by_chance).abs() < 1e-12, "{found:?}");
        assert!(found.is_beyond_chance());
        let few = Distance::between(known, Counted { weights: &[0.9, 0.1, 0.0], draws: 4.0 });
        assert!(!few.is_beyond_chance(), "{few:?}");
    }

    /// Particles that take a new cluster at a step with probability 1/τ are worth samples / (2τ − 1), as the sum of the
    /// geometric autocorrelation (1 − 1/τ)^t says. With 100 particles the variance between them is known to 14 % for
    /// each of about three degrees of freedom.
    #[test]
    fn samples_that_resemble_each_other_count_less() {
        let (particles, steps) = (100, 400);
        for tau in [1.0, 10.0, 1e9] {
            let mut rng = Key { seed: 5, step: 0 }.sequence(Purpose::Target, 1);
            let mut now: Vec<usize> = (0..particles).map(|_| draw(&mut rng)).collect();
            let mut assigned = Vec::new();
            for _ in 0..steps {
                for it in &mut now {
                    let u: f64 = rng.random();
                    *it = if u < 1.0 / tau { draw(&mut rng) } else { *it };
                }
                assigned.extend(&now);
            }
            let samples = (particles * steps) as f64;
            let expected = (samples / (2.0 * tau - 1.0)).max(particles as f64);
            let found = from_differences(&assigned, particles, 4);
            assert!((found / expected - 1.0).abs() < 0.4, "{tau}: {found} {expected}");
        }
        assert_eq!(from_differences(&[2; 600], 20, 4), 20.0, "all where they began");
    }

    #[test]
    fn particles_beside_the_ladder_are_worth_what_the_ladder_brings() {
        let mut rng = Key { seed: 6, step: 0 }.sequence(Purpose::Target, 2);
        let assigned: Vec<usize> = (0..500).map(|_| draw(&mut rng)).collect();
        let worth = |warm_up_trips, round_trips| {
            let (rungs, betas, columns, particles) = (Vec::new(), vec![1.0, 0.0], 10, 500);
            let ladder =
                SampledLadder { rungs, betas, columns, particles, warm_up_trips, round_trips };
            effective_samples(&assigned, &ladder, 4)
        };
        assert_eq!((worth(0, 3), worth(25, 3)), (13.0, 38.0));
        assert!(worth(10_000, 0) > 400.0, "as many as there are");
    }
}
