//! log of a mean of weights, from their logarithms: what annealed importance sampling ends with.
//!
//! The weights are averaged, not their logarithms, whose mean is lower by half their variance. With few
//! uneven weights the logarithm of the mean is too low as well (Jensen): the largest weights, which
//! dominate the mean, may be missing from the sample, and the spread of the sample does not show it. The
//! upper end of the interval therefore also uses the spread of the *log weights*. A sum of many small steps
//! is nearly normal, and the exponential of a normal variable with mean μ and variance s² has the mean
//! e^(μ + s²/2), which can be estimated without seeing a large weight. Only the upper half of the log weights
//! has to be normal: μ is their median, and s² is taken above it.

use std::f64::consts::FRAC_PI_2;

use super::estimate::{Estimate, UPPER_95, spread, student};

/// log mean e^x over all of `logs`. Number i belongs to group i mod `groups`; groups are
/// independent of each other, members of a group need not be.
pub fn log_mean(logs: &[f64], groups: usize) -> Estimate {
    let n = logs.len() as f64;
    let (value, weights) = log_mean_and_weights(logs);
    let effective = n * n / weights.iter().map(|w| w * w).sum::<f64>();
    // d log(mean w) = Σ (w_i / mean − 1) / n.
    let influences = by_group(weights.iter().map(|w| (w - 1.0) / n), groups);
    let (std_error, freedom) = spread(&influences);
    let straight = Estimate::around(value, std_error, freedom.min(effective - 1.0));
    Estimate {
        upper: straight.upper.max(normal_upper(logs, groups)),
        effective_samples: Some(effective),
        ..straight
    }
}

/// log mean e^x over one number for each column, as one value for each column: the mean of these values is
/// the logarithm, and their spread gives its standard error.
pub fn log_mean_by_column(logs: &[f64]) -> Vec<f64> {
    let (value, weights) = log_mean_and_weights(logs);
    weights.iter().map(|w| value + (w - 1.0)).collect()
}

/// log mean e^x, and each e^x as a multiple of that mean.
fn log_mean_and_weights(logs: &[f64]) -> (f64, Vec<f64>) {
    let top = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut weights: Vec<f64> = logs.iter().map(|x| libm::exp(x - top)).collect();
    let mean = weights.iter().sum::<f64>() / logs.len() as f64;
    weights.iter_mut().for_each(|w| *w /= mean);
    (top + libm::log(mean), weights)
}

/// The upper end of μ + s²/2. Of n independent normal numbers the median has the variance πs²/2n,
/// and s² from the half of them that lie above it 4s⁴/n.
fn normal_upper(logs: &[f64], groups: usize) -> f64 {
    let n = logs.len() as f64;
    let (median, variance) = upper_half(logs);
    let mean = logs.iter().sum::<f64>() / n;
    let squares = logs.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
    let (of_mean, freedom) = spread(&by_group(logs.iter().map(|x| (x - mean) / n), groups));
    // The number of independent values that would give the mean its standard error.
    let independent = if of_mean > 0.0 { squares / of_mean.powi(2) } else { n };
    let n = independent.clamp(groups as f64, n);
    let error = (FRAC_PI_2 * variance / n + variance.powi(2) / n).sqrt();
    median + variance / 2.0 + student(UPPER_95, freedom) * error
}

/// The median, and the mean square of what lies above it, measured from there.
pub(super) fn upper_half(logs: &[f64]) -> (f64, f64) {
    let mut sorted = logs.to_vec();
    sorted.sort_by(f64::total_cmp);
    let median = 0.5 * (sorted[(logs.len() - 1) / 2] + sorted[logs.len() / 2]);
    let above = &sorted[logs.len() / 2..];
    let squares: f64 = above.iter().map(|x| (x - median).powi(2)).sum();
    (median, squares / above.len() as f64)
}

/// The sums over each group.
fn by_group(values: impl Iterator<Item = f64>, groups: usize) -> Vec<f64> {
    let mut sums = vec![0.0; groups];
    for (i, value) in values.enumerate() {
        sums[i % groups] += value;
    }
    sums
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_distr::{Distribution, StandardNormal};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    #[test]
    fn equal_weights_have_no_error() {
        let estimate = log_mean(&[-1000.0; 7], 7);
        assert_eq!((estimate.value, estimate.std_error), (-1000.0, 0.0));
        assert_eq!((estimate.lower, estimate.upper), (-1000.0, -1000.0));
        assert!((estimate.effective_samples.expect("weights") - 7.0).abs() < 1e-12);
    }

    /// Two weights, 1 and 3: their mean is 2, and the mean of their logarithms is log √3.
    #[test]
    fn weights_are_averaged_and_not_their_logarithms() {
        let estimate = log_mean(&[0.0, 3f64.ln()], 2);
        assert!((estimate.value - 2f64.ln()).abs() < 1e-15);
        assert!((estimate.effective_samples.expect("weights") - 1.6).abs() < 1e-12, "16 / 10");
        // Influences ∓1/4: √(2 · 2/16).
        assert!((estimate.std_error - 0.5).abs() < 1e-12);
    }

    /// log E[e^(s·z)] = s²/2, whatever the spread: also where the mean of a sample hardly ever
    /// reaches it.
    #[test]
    fn the_interval_covers_the_mean_of_uneven_weights() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        for (s, n) in [(0.3, 20), (1.0, 100), (2.0, 100), (4.0, 100)] {
            let mut covered = 0;
            for _ in 0..500 {
                let logs: Vec<f64> = (0..n)
                    .map(|_| {
                        let z: f64 = StandardNormal.sample(&mut rng);
                        s * z
                    })
                    .collect();
                let Estimate { lower, upper, .. } = log_mean(&logs, n);
                covered += usize::from(lower <= s * s / 2.0 && s * s / 2.0 <= upper);
            }
            assert!(covered >= 450, "{covered} of 500 with a spread of {s}");
        }
    }

    /// Ten equal members a group tell no more than one.
    #[test]
    fn copies_do_not_shrink_the_error() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
        let logs: Vec<f64> = (0..40).map(|_| StandardNormal.sample(&mut rng)).collect();
        let (once, copied) = (log_mean(&logs, 40), log_mean(&logs.repeat(10), 40));
        assert!((once.std_error - copied.std_error).abs() < 1e-12);
        assert!((once.value - copied.value).abs() < 1e-12);
        let width = |it: Estimate| it.upper - it.lower;
        assert!(width(copied) > 0.9 * width(once), "{once:?} {copied:?}");
    }

    #[test]
    fn columns_see_the_logarithm_of_the_mean() {
        let logs = [700.0, 700.5, 698.0, 701.0];
        let columns = log_mean_by_column(&logs);
        let want = (logs.iter().map(|x| (x - 700.0).exp()).sum::<f64>() / 4.0).ln() + 700.0;
        assert!((columns.iter().sum::<f64>() / 4.0 - want).abs() < 1e-9);
        assert!(columns[3] > columns[1] && columns[1] > columns[2]);
    }
}
