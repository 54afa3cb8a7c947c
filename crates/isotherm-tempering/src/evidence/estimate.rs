//! An estimate of log Z with an interval that is meant to hold.

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, StudentsT};

/// Probability below the upper end of a two-sided 95 % interval.
pub(super) const UPPER_95: f64 = 0.975;

/// Stands for an infinite error.
const BOUNDLESS: f64 = 1e6;

/// One estimator's log Z in nats.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The estimate.
    pub value: f64,
    /// Its standard error, by the spread of the groups.
    pub std_error: f64,
    /// Lower end of the 95 % interval.
    pub lower: f64,
    /// Upper end of the 95 % interval. The interval need not be symmetric.
    pub upper: f64,
    /// The end of the interval that is a bound, if the estimator errs on one side only; the other end is
    /// then not a bound. An estimate from samples of the model is a bound only if these really are samples
    /// of the model, which is what the verdict judges.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounding_end: Option<End>,
    /// The effective sample size, where there are weights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effective_samples: Option<f64>,
}

/// An end of an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// The lower one: of an estimator that is low on average.
    Lower,
    /// The upper one: of an estimator that is high on average.
    Upper,
}

impl Estimate {
    /// The estimate of an estimator whose interval is a bound at one end only.
    pub(super) fn bounding(self, end: End) -> Estimate {
        Estimate { bounding_end: Some(end), ..self }
    }

    /// The estimate of an estimator that errs on one side. Its interval is a bound at `end`; the other end,
    /// which is not a bound, is extended to that of `fair`, an estimator that does not err on one side.
    pub(super) fn bounding_beside(self, end: End, fair: &Estimate) -> Estimate {
        let it = self.bounding(end);
        match end {
            End::Lower => Estimate { upper: it.upper.max(fair.upper), ..it },
            End::Upper => Estimate { lower: it.lower.min(fair.lower), ..it },
        }
    }

    /// An estimate whose standard error has `freedom` degrees of freedom.
    pub fn around(value: f64, std_error: f64, freedom: f64) -> Estimate {
        // Rungs that do not overlap have an infinite error, which JSON cannot hold.
        let std_error = if std_error < BOUNDLESS { std_error } else { BOUNDLESS };
        let half = student(UPPER_95, freedom) * std_error;
        let (lower, upper) = (value - half, value + half);
        Estimate { value, std_error, lower, upper, bounding_end: None, effective_samples: None }
    }

    /// The mean of independent groups, its error by their spread.
    pub fn of_groups(means: &[f64]) -> Estimate {
        let groups = means.len() as f64;
        let mean = means.iter().sum::<f64>() / groups;
        let influences: Vec<f64> = means.iter().map(|x| (x - mean) / groups).collect();
        let (std_error, freedom) = spread(&influences);
        Estimate::around(mean, std_error, freedom)
    }

    /// The estimate plus a constant that is known exactly.
    pub fn plus(self, known: f64) -> Estimate {
        let (value, lower, upper) = (self.value + known, self.lower + known, self.upper + known);
        Estimate { value, lower, upper, ..self }
    }

    /// The estimate of the negative.
    pub fn negated(self) -> Estimate {
        let (value, lower, upper) = (-self.value, -self.upper, -self.lower);
        let bounding_end = self.bounding_end.map(|end| match end {
            End::Lower => End::Upper,
            End::Upper => End::Lower,
        });
        Estimate { value, lower, upper, bounding_end, ..self }
    }
}

/// The quantile of Student's t distribution, with at least one degree of freedom: the normal quantile would
/// make intervals too short.
pub fn student(probability: f64, freedom: f64) -> f64 {
    StudentsT::new(0.0, 1.0, freedom.max(1.0))
        .map_or(f64::INFINITY, |student| student.inverse_cdf(probability))
}

/// The standard error of an estimate, from the influences of independent groups, which sum to zero, and its
/// degrees of freedom.
pub fn spread(influences: &[f64]) -> (f64, f64) {
    let groups = influences.len() as f64;
    let squares: f64 = influences.iter().map(|x| x * x).sum();
    ((squares * groups / (groups - 1.0).max(1.0)).sqrt(), groups - 1.0)
}
