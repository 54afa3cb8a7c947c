//! The mean log-likelihood of a data set, with its error, as `summary.json` reports it.

use isotherm_kernels::BitMatrix;
use libm::hypot;
use serde::{Deserialize, Serialize};

use super::Verdict;
use super::bracket::LogZ;
use super::exact;
use super::free_energies::{minus_free_energies, quick_minus_free_energies};
use super::known::floor_of;
use crate::data::{Data, Dataset, KnownDensity, Stratum, some_rows};
use crate::error::Result;
use crate::model::Rbm;
use isotherm_tempering::evidence::Estimate;

/// Half the width of a 95 % interval, in standard errors.
const Z95: f64 = 1.96;

/// How much a measurement may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Effort {
    /// For following a run: 400 examples of each stratum of a known density, or at most 2000 rows.
    Quick,
    /// For a result: 4000 examples of each stratum, or all rows.
    Full,
}

/// How the log Z of a likelihood was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Method {
    /// All states were enumerated.
    Exact,
    /// A small sampler estimates it along a run.
    #[serde(rename = "followed")]
    Online,
    /// A bracket of annealing up and down around Bennett's acceptance ratio on a ladder.
    #[serde(rename = "ais-bar-bracket")]
    Bracket,
}

/// A mean log-likelihood in nats per example.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LogLikelihood {
    /// The estimate.
    pub value: f64,
    /// Its standard error; 0 for an exact value on a fixed set.
    pub std_error: f64,
    /// How log Z was found.
    pub method: Method,
    /// Lower end of the 95 % interval, or of the bracket where log Z was estimated.
    pub lower: f64,
    /// Upper end of it.
    pub upper: f64,
    /// What it was measured on.
    pub on: String,
    /// The standard error of the mean over all rows of a file, as a sample of other examples like these. It
    /// is not part of `std_error`, `lower` and `upper`, which are about exactly these rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub examples_std_error: Option<f64>,
    /// What log Z rests on, where it was estimated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_z: Option<Box<LogZ>>,
}

impl LogLikelihood {
    /// Whether to rely on it, if log Z was estimated.
    pub fn verdict(&self) -> Option<&Verdict> {
        self.log_z.as_ref().map(|log_z| &log_z.verdict)
    }
}

impl std::fmt::Display for LogLikelihood {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let LogLikelihood { value, std_error, lower, upper, .. } = self;
        match &self.log_z {
            None => write!(f, "{value:.4} nats"),
            Some(log_z) => write!(
                f,
                "{value:.2} ± {std_error:.2} nats, between {lower:.2} and {upper:.2}; {}",
                log_z.verdict.sentence
            ),
        }
    }
}

/// The mean log-likelihood of `data`, log Z enumerated.
pub fn measure(rbm: &Rbm, data: &Dataset, effort: Effort) -> Result<LogLikelihood> {
    Ok(measure_given(rbm, exact::log_z(rbm)?, data, effort))
}

/// The same, given log Z: several data sets share the enumeration.
pub fn measure_given(rbm: &Rbm, log_z: f64, data: &Dataset, effort: Effort) -> LogLikelihood {
    let Mean { value, std_error, of_examples } =
        mean_log_probability(minus_f(rbm), |_| log_z, data, effort);
    LogLikelihood {
        value,
        std_error,
        method: Method::Exact,
        lower: value - Z95 * std_error,
        upper: value + Z95 * std_error,
        on: data.measured_on(),
        examples_std_error: of_examples,
        log_z: None,
    }
}

/// The mean log-likelihood of `data`, given an online estimate of log Z. The estimate is raised where the measured rows
/// alone hold more.
pub fn online_log_likelihood(rbm: &Rbm, log_z: &Estimate, data: &Dataset) -> LogLikelihood {
    let minus_f = |rows: &BitMatrix| quick_minus_free_energies(rbm, rows);
    let mut raised = *log_z;
    let raise = |floor: f64| {
        let Estimate { value, lower, .. } = *log_z;
        let value = value.max(floor);
        raised =
            Estimate { value, lower: lower.max(floor), upper: log_z.upper.max(value), ..raised };
        value
    };
    let Mean { value, std_error: sampling_error, of_examples } =
        mean_log_probability(minus_f, raise, data, Effort::Quick);
    LogLikelihood {
        value,
        std_error: hypot(sampling_error, raised.std_error),
        method: Method::Online,
        lower: value - hypot(raised.upper - raised.value, Z95 * sampling_error),
        upper: value + hypot(raised.value - raised.lower, Z95 * sampling_error),
        on: data.measured_on(),
        examples_std_error: of_examples,
        log_z: None,
    }
}

/// The mean log-likelihood of `data`, given an estimate of log Z. The estimate is raised where the measured rows alone
/// hold more.
pub fn log_likelihood(rbm: &Rbm, data: &Dataset, log_z: &LogZ) -> LogLikelihood {
    let mut log_z = log_z.clone();
    let raise = |floor| {
        log_z = log_z.raised_to(floor);
        log_z.value
    };
    let Mean { value, std_error: sampling_error, of_examples } =
        mean_log_probability(minus_f(rbm), raise, data, Effort::Full);
    LogLikelihood {
        value,
        std_error: hypot(sampling_error, log_z.std_error),
        method: Method::Bracket,
        lower: value - (log_z.upper - log_z.value) - Z95 * sampling_error,
        upper: value + (log_z.value - log_z.lower) + Z95 * sampling_error,
        on: data.measured_on(),
        examples_std_error: of_examples,
        log_z: Some(Box::new(log_z)),
    }
}

/// −F(v) of rows under a model.
fn minus_f(rbm: &Rbm) -> impl Fn(&BitMatrix) -> Vec<f64> + '_ {
    |rows| minus_free_energies(rbm, rows)
}

/// A mean of log p over examples.
struct Mean {
    value: f64,
    /// The standard error with which it is known for the data that were to be measured.
    std_error: f64,
    /// The standard error of the mean over examples like these, if all of a file were measured.
    of_examples: Option<f64>,
}

/// The mean of log p = −F − log Z. `log_z` is given the log Z of the measured rows alone, which no log Z is below.
fn mean_log_probability(
    minus_f: impl Fn(&BitMatrix) -> Vec<f64>,
    log_z: impl FnOnce(f64) -> f64,
    data: &Dataset,
    effort: Effort,
) -> Mean {
    match &data.0 {
        Data::Examples(table) => of_rows(minus_f, log_z, table.examples(), effort),
        Data::Stream(density) => under_density(minus_f, log_z, density.as_ref(), effort),
    }
}

/// All rows, or a random choice of some with the error that comes of leaving out the others.
fn of_rows(
    minus_f: impl Fn(&BitMatrix) -> Vec<f64>,
    log_z: impl FnOnce(f64) -> f64,
    rows: &BitMatrix,
    effort: Effort,
) -> Mean {
    const SOME: usize = 2000;
    let log_p = |rows: &BitMatrix| -> Vec<f64> {
        let minus_f = minus_f(rows);
        let log_z = log_z(floor_of([(rows, minus_f.as_slice())]));
        minus_f.iter().map(|minus_f| minus_f - log_z).collect()
    };
    if effort == Effort::Full || rows.rows() <= SOME {
        let log_p = log_p(rows);
        // Only results have it: it hardly changes from one row of metrics to the next.
        let several = effort == Effort::Full && log_p.len() > 1;
        let of_examples = several.then(|| (variance(&log_p) / log_p.len() as f64).sqrt());
        return Mean { value: mean(&log_p), std_error: 0.0, of_examples };
    }
    let log_p = log_p(&some_rows(rows, SOME));
    // Of a finite number of rows: none left out, no error.
    let left_out = 1.0 - SOME as f64 / rows.rows() as f64;
    let std_error = (left_out * variance(&log_p) / SOME as f64).sqrt();
    Mean { value: mean(&log_p), std_error, of_examples: None }
}

/// E_f[log p] = −H − E_f[log f − log p], the second mean estimated stratum by stratum: the
/// true density is the control variate, and a model close to it leaves almost no variance.
fn under_density(
    minus_f: impl Fn(&BitMatrix) -> Vec<f64>,
    log_z: impl FnOnce(f64) -> f64,
    density: &dyn KnownDensity,
    effort: Effort,
) -> Mean {
    let per_stratum = match effort {
        Effort::Quick => 400,
        Effort::Full => 4000,
    };
    let strata = density.strata(per_stratum);
    let of_strata: Vec<Vec<f64>> = strata.iter().map(|it| minus_f(&it.examples)).collect();
    let known = strata.iter().zip(&of_strata);
    let log_z = log_z(floor_of(known.map(|(it, minus_f)| (&it.examples, minus_f.as_slice()))));
    let (mut divergence, mut error) = (0.0, 0.0);
    for (Stratum { weight, examples }, minus_f) in strata.iter().zip(&of_strata) {
        let gaps: Vec<f64> = minus_f
            .iter()
            .enumerate()
            .map(|(i, minus_f)| density.log_density(examples.row(i)) - (minus_f - log_z))
            .collect();
        divergence += weight * mean(&gaps);
        error += weight * weight * variance(&gaps) / gaps.len() as f64;
    }
    let value = -density.entropy() - divergence;
    Mean { value, std_error: error.sqrt(), of_examples: None }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn variance(values: &[f64]) -> f64 {
    let center = mean(values);
    values.iter().map(|x| (x - center).powi(2)).sum::<f64>() / (values.len() - 1) as f64
}
