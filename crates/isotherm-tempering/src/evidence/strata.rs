//! log of a sum of means, Z = Σ_k Z_k with Z_k = E_k[weight], from weights that were drawn stratum by stratum: what
//! annealing component by component ends with.
//!
//! The mean of each stratum is unbiased for a fixed number of weights, and so is the sum of the means. Choosing that
//! number from the first weights lowers the value slightly. The variance of the sum is Σ_k s_k² / n_k, with the
//! variance s_k² within stratum k alone. The logarithm is low on average (Jensen).

use super::estimate::{End, Estimate};

/// The logarithms of weights, stratum by stratum.
#[derive(Clone, Debug, PartialEq)]
pub struct Strata(Vec<Vec<f64>>);

/// The mean and the variance of the weights of a stratum, as multiples of a common scale.
struct Moments {
    mean: f64,
    variance: f64,
    squares: f64,
    count: f64,
}

impl Strata {
    /// As many strata without weights.
    pub fn new(count: usize) -> Strata {
        Strata(vec![Vec::new(); count])
    }

    /// Adds weights to a stratum.
    pub fn extend(&mut self, stratum: usize, logs: &[f64]) {
        self.0[stratum].extend(logs);
    }

    /// Drops the weights of a stratum.
    pub fn clear(&mut self, stratum: usize) {
        self.0[stratum].clear();
    }

    /// The number of weights.
    pub fn particles(&self) -> usize {
        self.0.iter().map(Vec::len).sum()
    }

    /// log Σ_k mean_k, of strata with at least two weights each. The effective sample size is that of all weights,
    /// each divided by the number in its stratum.
    pub fn log_sum(&self) -> Estimate {
        let (top, moments) = self.moments();
        let total: f64 = moments.iter().map(|it| it.mean).sum();
        let variance: f64 = moments.iter().map(|it| it.variance / it.count).sum();
        let squares: f64 = moments.iter().map(|it| it.squares / it.count.powi(2)).sum();
        let effective = total * total / squares;
        let value = top + libm::log(total);
        // The degrees of freedom of a sum of variances that are estimated from few weights each (Satterthwaite).
        let fourth = moments.iter().map(|it| (it.variance / it.count).powi(2) / (it.count - 1.0));
        let fourth = fourth.sum::<f64>().max(f64::MIN_POSITIVE);
        let freedom = (variance * variance / fourth).min(effective - 1.0);
        let around = Estimate::around(value, variance.sqrt() / total, freedom);
        Estimate { effective_samples: Some(effective), ..around }.bounding(End::Lower)
    }

    /// The share of each stratum in the sum.
    pub fn shares(&self) -> Vec<f64> {
        let (_, moments) = self.moments();
        let total: f64 = moments.iter().map(|it| it.mean).sum();
        moments.iter().map(|it| it.mean / total).collect()
    }

    /// How many of `count` more weights each stratum should get, so that the error falls fastest: as many as its
    /// weights spread (Neyman), by the mean where few weights show no spread.
    pub fn allocate(&self, count: usize) -> Vec<usize> {
        let (_, moments) = self.moments();
        let spreads: Vec<f64> = moments.iter().map(|it| it.mean.max(it.variance.sqrt())).collect();
        let total: f64 = spreads.iter().sum();
        // Rounded so that the numbers add up: a running sum is rounded, and differences taken.
        let mut sum = 0.0;
        let mut before = 0;
        let take = |spread: &f64| {
            sum += spread / total * count as f64;
            let now = sum.round() as usize;
            now.saturating_sub(std::mem::replace(&mut before, now))
        };
        spreads.iter().map(take).collect()
    }

    /// The largest logarithm, and the moments of the weights as multiples of its exponential.
    fn moments(&self) -> (f64, Vec<Moments>) {
        let top = self.0.iter().flatten().copied().fold(f64::NEG_INFINITY, f64::max);
        let of = |logs: &Vec<f64>| {
            let count = logs.len() as f64;
            let weights = || logs.iter().map(|log| libm::exp(log - top));
            let mean = weights().sum::<f64>() / count;
            let around: f64 = weights().map(|w| (w - mean).powi(2)).sum();
            let variance = around / (count - 1.0).max(1.0);
            Moments { mean, variance, squares: weights().map(|w| w * w).sum(), count }
        };
        (top, self.0.iter().map(of).collect())
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_distr::{Distribution, StandardNormal};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    #[test]
    fn means_of_strata_are_added() {
        let mut strata = Strata::new(2);
        strata.extend(0, &[1f64.ln(), 3f64.ln()]);
        strata.extend(1, &[2f64.ln(); 4]);
        let sum = strata.log_sum();
        assert!((sum.value - 4f64.ln()).abs() < 1e-12, "{sum:?}");
        // Only the first varies: its variance is 2, of a mean of two weights 1; relative to the sum, 1/4.
        assert!((sum.std_error - 0.25).abs() < 1e-12, "{sum:?}");
        // (1 + 3) / 2 + 4 · 2/4 = 4; 1/4 + 9/4 + 4 · 1/4 = 3.5.
        assert!((sum.effective_samples.expect("weights") - 16.0 / 3.5).abs() < 1e-12);
        assert_eq!(sum.bounding_end, Some(End::Lower));
        assert!(strata.shares().iter().all(|share| (share - 0.5).abs() < 1e-12));
        assert_eq!(strata.allocate(9).iter().sum::<usize>(), 9);
        strata.clear(0);
        assert_eq!(strata.particles(), 4);
    }

    /// Normal log weights in strata of very different size and spread: the interval covers the sum.
    #[test]
    fn the_interval_covers_the_sum() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
        let of: [(f64, f64, usize); 3] = [(0.0, 0.5, 60), (-3.0, 1.0, 10), (1.0, 0.2, 30)];
        let truth = of.iter().map(|(m, s, _)| (m + s * s / 2.0).exp()).sum::<f64>().ln();
        let mut covered = 0;
        for _ in 0..500 {
            let mut strata = Strata::new(3);
            for (k, (m, s, n)) in of.into_iter().enumerate() {
                let draw = |_| {
                    let z: f64 = StandardNormal.sample(&mut rng);
                    m + s * z
                };
                strata.extend(k, &(0..n).map(draw).collect::<Vec<_>>());
            }
            let Estimate { lower, upper, .. } = strata.log_sum();
            covered += usize::from(lower <= truth && truth <= upper);
        }
        // 475 of 500 expected, with a standard deviation of 5.
        assert!(covered >= 455, "{covered} of 500");
    }
}
