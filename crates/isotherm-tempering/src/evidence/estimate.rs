//! An estimate of log Z with an interval that is meant to hold.

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, StudentsT};

/// Probability below the upper end of a two-sided 95 % interval.
pub(super) const UPPER_95: f64 = 0.975;

/// Stands for an error without bound.
const BOUNDLESS: f64 = 1e6;

/// One estimator's log Z in nats.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The estimate.
    pub value: f64,
    /// Its standard error, as far as it can be seen from the spread.
    pub std_error: f64,
    /// Lower end of the 95 % interval.
    pub lower: f64,
    /// Upper end of the 95 % interval. The interval need not be symmetric.
    pub upper: f64,
    /// The end that is a bound, where the estimator errs on one side only: the other end then is none.
    /// Estimates from samples of the model bound as far as the samples are the model's, which is what
    /// the verdict is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounding_end: Option<End>,
    /// Of how many equal weights the weights are worth as much, where there are weights.
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
    /// The same of an estimator whose interval is a bound at one end only.
    pub(super) fn bounding(self, end: End) -> Estimate {
        Estimate { bounding_end: Some(end), ..self }
    }

    /// The same of an estimator that errs on one side: its interval, of which the far end is no bound, reaches to
    /// that of another one that does not.
    pub(super) fn bounding_beside(self, end: End, fair: &Estimate) -> Estimate {
        let it = self.bounding(end);
        match end {
            End::Lower => Estimate { upper: it.upper.max(fair.upper), ..it },
            End::Upper => Estimate { lower: it.lower.min(fair.lower), ..it },
        }
    }

    /// With an error of that many degrees of freedom.
    pub fn around(value: f64, std_error: f64, freedom: f64) -> Estimate {
        // Rungs without any overlap have an error without bound, which JSON could not hold.
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

    /// The same with something known exactly added to it.
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

/// The quantile of Student's t; the normal one's where there are no degrees of freedom to speak of
/// would be too short, so there is at least one.
pub fn student(probability: f64, freedom: f64) -> f64 {
    StudentsT::new(0.0, 1.0, freedom.max(1.0))
        .map_or(f64::INFINITY, |student| student.inverse_cdf(probability))
}

/// The standard error of a sum of independent influences that add up to nothing, one for each
/// group, and its degrees of freedom.
pub fn spread(influences: &[f64]) -> (f64, f64) {
    let groups = influences.len() as f64;
    let squares: f64 = influences.iter().map(|x| x * x).sum();
    ((squares * groups / (groups - 1.0).max(1.0)).sqrt(), groups - 1.0)
}
