//! Random numbers and statistics for tests.
#![allow(dead_code, unused_imports)]

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

pub type Rng = Xoshiro256PlusPlus;

pub fn rng(seed: u64) -> Rng {
    Rng::seed_from_u64(seed)
}

pub fn log_sum_exp(values: impl IntoIterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.into_iter().collect();
    let top = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    top + values.iter().map(|x| (x - top).exp()).sum::<f64>().ln()
}

/// An index drawn from a distribution.
pub fn draw(distribution: &[f64], rng: &mut Rng) -> u64 {
    let mut rest: f64 = rng.random();
    for (i, p) in distribution.iter().enumerate() {
        rest -= p;
        if rest < 0.0 {
            return i as u64;
        }
    }
    distribution.len() as u64 - 1
}

/// The standard score of a chi-square statistic of observed counts against probabilities, by the
/// Wilson–Hilferty cube root: N(0, 1) to a few per cent far into the tail if they fit. Cells that
/// expect fewer than 5 are pooled.
pub fn chi_square_score(counts: &[u64], probabilities: &[f64]) -> f64 {
    let n: u64 = counts.iter().sum();
    let (mut statistic, mut cells) = (0.0, 0.0);
    let (mut pooled_count, mut pooled_expected) = (0.0, 0.0);
    let mut add = |count: f64, expected: f64| {
        statistic += (count - expected).powi(2) / expected;
        cells += 1.0;
    };
    for (&count, &p) in counts.iter().zip(probabilities) {
        let expected = p * n as f64;
        if expected < 5.0 {
            pooled_count += count as f64;
            pooled_expected += expected;
        } else {
            add(count as f64, expected);
        }
    }
    if pooled_expected > 0.0 {
        add(pooled_count, pooled_expected.max(1e-9));
    }
    let freedom: f64 = cells - 1.0;
    let variance = 2.0 / (9.0 * freedom);
    ((statistic / freedom).cbrt() - (1.0 - variance)) / variance.sqrt()
}

/// Correlation of two samples.
pub fn correlation(x: &[f64], y: &[f64]) -> f64 {
    let n = x.len() as f64;
    let (mx, my) = (x.iter().sum::<f64>() / n, y.iter().sum::<f64>() / n);
    let (mut xy, mut xx, mut yy) = (0.0, 0.0, 0.0);
    for (a, b) in x.iter().zip(y) {
        xy += (a - mx) * (b - my);
        xx += (a - mx).powi(2);
        yy += (b - my).powi(2);
    }
    xy / (xx * yy).sqrt()
}

/// The β of each row when row `column · rungs + rung` sits on `rung`.
pub fn tiled(betas: &[f64], columns: usize) -> Vec<f64> {
    betas.iter().copied().cycle().take(betas.len() * columns).collect()
}
