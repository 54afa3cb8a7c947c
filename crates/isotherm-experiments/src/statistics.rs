//! Estimates over seeds, and the intervals that decide whether a claim holds.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, FisherSnedecor, StudentsT};

/// Probability below the upper end of a two-sided 95 % interval.
const UPPER: f64 = 0.975;

/// A mean over seeds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// Its standard error; nothing from fewer than two values.
    pub std_error: Option<f64>,
    /// How many values.
    pub n: usize,
}

impl Estimate {
    /// Of these values; nothing if there are none.
    pub fn of(values: &[f64]) -> Option<Estimate> {
        let n = values.len();
        let std_error = variance(values).map(|variance| (variance / n as f64).sqrt());
        mean(values).map(|mean| Estimate { mean, std_error, n })
    }
}

/// A quantity with its 95 % interval; an end that nothing is known of is infinite, which JSON
/// writes as null.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// The estimate.
    pub estimate: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    fn around(estimate: f64, half: f64) -> Interval {
        Interval { estimate, low: estimate - half, high: estimate + half }
    }

    fn exp(self) -> Interval {
        let Interval { estimate, low, high } = self;
        Interval { estimate: libm::exp(estimate), low: libm::exp(low), high: libm::exp(high) }
    }

    fn unbounded(estimate: f64) -> Interval {
        Interval::around(estimate, f64::INFINITY)
    }
}

/// The mean, by Student's t.
pub fn mean_interval(values: &[f64]) -> Option<Interval> {
    let Estimate { mean, std_error, n } = Estimate::of(values)?;
    Some(match std_error {
        Some(error) => Interval::around(mean, quantile(n as f64 - 1.0) * error),
        None => Interval::unbounded(mean),
    })
}

/// The mean of a − b, seed by seed: a seed gives both the same data and the same initial weights, so
/// the two are not independent. Nothing unless both have the same seeds.
pub fn difference(a: &[f64], b: &[f64]) -> Option<Interval> {
    let differences: Vec<f64> = a.iter().zip(b).map(|(x, y)| x - y).collect();
    (a.len() == b.len()).then(|| mean_interval(&differences))?
}

/// The geometric mean of a / b, likewise; nothing unless all are positive.
pub fn ratio(a: &[f64], b: &[f64]) -> Option<Interval> {
    let logs = |values: &[f64]| -> Option<Vec<f64>> {
        values.iter().map(|&x| (x > 0.0).then(|| libm::log(x))).collect()
    };
    difference(&logs(a)?, &logs(b)?).map(Interval::exp)
}

/// Events and the exposure in which they were counted, for each seed.
pub type Counts = [(u64, f64)];

/// The ratio of the geometric means of two rates, by Welch's t on the logarithms. Half an event is
/// added to each count, and the error is never less than what counting itself leaves open: no event
/// at all is not certainty.
pub fn rate_ratio(a: &Counts, b: &Counts) -> Option<Interval> {
    let log_rate = |counts: &Counts| -> Option<Estimate> {
        let logs: Option<Vec<f64>> = counts
            .iter()
            .map(|&(events, exposure)| {
                (exposure > 0.0).then(|| libm::log((events as f64 + 0.5) / exposure))
            })
            .collect();
        let n = counts.len() as f64;
        let counting: f64 = counts.iter().map(|&(events, _)| 1.0 / (events as f64 + 0.5)).sum();
        let mut estimate = Estimate::of(&logs?)?;
        estimate.std_error = estimate.std_error.map(|error| error.max(counting.sqrt() / n));
        Some(estimate)
    };
    let (x, y) = (log_rate(a)?, log_rate(b)?);
    let value = with_errors(x.mean - y.mean, (x.std_error, x.n), (y.std_error, y.n));
    Some(value.exp())
}

/// Events a unit of exposure, from the events and the exposure of each seed. The error is that of
/// the spread over seeds, but never less than what counting itself leaves open: no event at all is
/// not certainty.
pub fn rate(counts: &Counts) -> Option<Estimate> {
    let events: u64 = counts.iter().map(|(events, _)| events).sum();
    let exposure: f64 = counts.iter().map(|(_, exposure)| exposure).sum();
    if exposure <= 0.0 {
        return None;
    }
    let n = counts.len();
    let mean = events as f64 / exposure;
    let counting = (events as f64 + 1.0).sqrt() / exposure;
    let rates: Vec<f64> =
        counts.iter().map(|&(events, exposure)| events as f64 / exposure.max(1e-300)).collect();
    let std_error = variance(&rates).map(|it| (it / n as f64).sqrt().max(counting));
    Some(Estimate { mean, std_error, n })
}

/// The ratio of two variances, by the F distribution.
pub fn variance_ratio(a: &[f64], b: &[f64]) -> Option<Interval> {
    let (x, y) = (variance(a)?, variance(b)?);
    if y == 0.0 {
        return None;
    }
    let estimate = x / y;
    let (n, m) = (a.len() as f64 - 1.0, b.len() as f64 - 1.0);
    let upper = |n, m| FisherSnedecor::new(n, m).ok().map(|f| f.inverse_cdf(UPPER));
    let (over, under) = (upper(n, m)?, upper(m, n)?);
    Some(Interval { estimate, low: estimate / over, high: estimate * under })
}

/// An estimate with two independent errors, degrees of freedom after Welch and Satterthwaite.
fn with_errors(
    estimate: f64,
    (e, n): (Option<f64>, usize),
    (f, m): (Option<f64>, usize),
) -> Interval {
    let (Some(e), Some(f)) = (e, f) else { return Interval::unbounded(estimate) };
    let (e2, f2) = (e * e, f * f);
    if e2 + f2 == 0.0 {
        return Interval::around(estimate, 0.0);
    }
    let freedom = (e2 + f2).powi(2) / (e2 * e2 / (n as f64 - 1.0) + f2 * f2 / (m as f64 - 1.0));
    Interval::around(estimate, quantile(freedom) * (e2 + f2).sqrt())
}

/// The upper quantile of Student's t.
fn quantile(freedom: f64) -> f64 {
    StudentsT::new(0.0, 1.0, freedom).map_or(f64::INFINITY, |t| t.inverse_cdf(UPPER))
}

/// The mean; nothing of nothing.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The variance of the values that these are a sample of; nothing from fewer than two.
pub fn variance(values: &[f64]) -> Option<f64> {
    let center = mean(values)?;
    let squares: f64 = values.iter().map(|x| (x - center).powi(2)).sum();
    (values.len() > 1).then(|| squares / (values.len() - 1) as f64)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn close(value: f64, expected: f64) {
        assert!((value - expected).abs() < 1e-4 * expected.abs().max(1.0), "{value} {expected}");
    }

    /// Means of 2 and 5 values with known t quantiles (12.7062 and 2.7764 at 1 and 4 degrees).
    #[test]
    fn means_have_student_intervals() {
        let two = mean_interval(&[1.0, 3.0]).unwrap();
        close(two.high - two.estimate, 12.7062);
        let five = mean_interval(&[1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
        close(five.estimate - five.low, 2.776_445 * (2.5f64 / 5.0).sqrt());
        let one = mean_interval(&[2.0]).unwrap();
        assert_eq!((one.low, one.high), (f64::NEG_INFINITY, f64::INFINITY));
        assert_eq!(mean_interval(&[]), None);
    }

    /// What both share at a seed drops out; the differences here have a spread of their own of 1.
    #[test]
    fn differences_are_taken_seed_by_seed() {
        let a = [10.0, 200.0, 3000.0];
        let b = [11.0, 202.0, 3003.0];
        let d = difference(&a, &b).unwrap();
        close(d.estimate, -2.0);
        // t(2) = 4.302653
        close(d.high - d.estimate, 4.302_653 / 3f64.sqrt());
        assert_eq!(difference(&a, &b[..2]), None);
        assert_eq!(difference(&[1.0, 1.0], &[0.0, 0.0]).unwrap().low, 1.0);
    }

    /// The same differences of logarithms, so the same half-width, as a factor.
    #[test]
    fn ratios_are_taken_seed_by_seed() {
        let (a, b) = ([1.0f64, 5.0, 2.0].map(f64::exp), [2.0f64, 7.0, 5.0].map(f64::exp));
        let r = ratio(&a, &b).unwrap();
        let half = 4.302_653 / 3f64.sqrt();
        close(r.estimate, (-2f64).exp());
        close(r.high / r.estimate, half.exp());
        close(r.estimate / r.low, half.exp());
        assert_eq!(ratio(&[1.0, 2.0], &[0.0, 1.0]), None);
        let one = ratio(&[1.0], &[2.0]).unwrap();
        assert_eq!((one.low, one.high), (0.0, f64::INFINITY));
    }

    /// With many events that do not spread, counting alone decides; with none, a factor is left open.
    #[test]
    fn ratios_of_rates_know_how_little_was_counted() {
        let same = |events| [(events, 1.0); 5];
        let r = rate_ratio(&same(100), &same(100)).unwrap();
        close(r.estimate, 1.0);
        // se of each log-mean: √(5/100.5)/5; 8 degrees of freedom
        close(r.high, (2.306_004 * (2.0f64 / (5.0 * 100.5)).sqrt()).exp());
        let r = rate_ratio(&same(0), &same(100)).unwrap();
        close(r.estimate, 0.5 / 100.5);
        assert!(r.high / r.estimate > 5.0, "{r:?}");
    }

    #[test]
    fn no_event_is_not_certainty() {
        let none = rate(&[(0, 100.0), (0, 100.0), (0, 100.0), (0, 100.0), (0, 100.0)]).unwrap();
        assert_eq!((none.mean, none.std_error), (0.0, Some(1.0 / 500.0)));
        let many = rate(&[(90, 100.0), (110, 100.0)]).unwrap();
        close(many.mean, 1.0);
        close(many.std_error.unwrap(), 0.1);
        assert_eq!(rate(&[(1, 0.0)]), None);
    }

    /// F(0.975; 4, 4) = 9.60453, and swapping the samples inverts the interval.
    #[test]
    fn variances_have_f_intervals() {
        let a = [1.0, 2.0, 3.0, 4.0, 5.0];
        let b = [2.0, 4.0, 6.0, 8.0, 10.0];
        let r = variance_ratio(&a, &b).unwrap();
        close(r.estimate, 0.25);
        close(r.low, 0.25 / 9.604_53);
        close(r.high, 0.25 * 9.604_53);
        let back = variance_ratio(&b, &a).unwrap();
        close(back.low * r.high, 1.0);
        assert_eq!(variance_ratio(&a, &[1.0, 1.0]), None);
    }
}
