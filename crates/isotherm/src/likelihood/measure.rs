//! The mean log-likelihood of a data set, with its error, as `summary.json` reports it.

use serde::{Deserialize, Serialize};

use super::exact;
use crate::data::{Dataset, Mixture};
use crate::error::Result;
use crate::model::Rbm;

/// Half the width of a 95 % interval, in standard errors.
const Z95: f64 = 1.96;

/// A mean log-likelihood in nats an example.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LogLikelihood {
    /// The estimate.
    pub value: f64,
    /// Its standard error; 0 for an exact value on a fixed set.
    pub std_error: f64,
    /// How log Z was found.
    pub method: String,
    /// Lower end of the 95 % interval.
    pub lower: f64,
    /// Upper end of the 95 % interval.
    pub upper: f64,
    /// What it was measured on.
    pub on: String,
}

/// The mean log-likelihood of `data`, log Z enumerated. Of the mixture, `per_mode` fresh examples
/// of each component are used; of a table, all rows.
pub fn measure(rbm: &Rbm, data: &Dataset, per_mode: usize) -> Result<LogLikelihood> {
    let log_z = exact::log_z(rbm)?;
    let (value, std_error) = match data {
        Dataset::Mixture(mixture) => of_mixture(rbm, log_z, mixture, per_mode),
        Dataset::Table(table) => (exact::mean_log_likelihood(rbm, log_z, &table.examples), 0.0),
    };
    Ok(LogLikelihood {
        value,
        std_error,
        method: "exact".to_owned(),
        lower: value - Z95 * std_error,
        upper: value + Z95 * std_error,
        on: data.name().to_owned(),
    })
}

/// E_f[log p] = −H − E_f[log f − log p], the second mean estimated component by component: the
/// true density is the control variate, and a model close to it leaves almost no variance.
fn of_mixture(rbm: &Rbm, log_z: f64, mixture: &Mixture, per_mode: usize) -> (f64, f64) {
    let (mut divergence, mut variance) = (0.0, 0.0);
    for (stratum, weight) in mixture.strata(per_mode).iter().zip(mixture.weights()) {
        let log_p = exact::log_probabilities(rbm, log_z, stratum);
        let gaps: Vec<f64> = log_p
            .iter()
            .enumerate()
            .map(|(i, log_p)| mixture.log_density(stratum.row(i)) - log_p)
            .collect();
        let n = gaps.len() as f64;
        let mean = gaps.iter().sum::<f64>() / n;
        let spread = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / (n - 1.0);
        divergence += weight * mean;
        variance += weight * weight * spread / n;
    }
    (-mixture.entropy() - divergence, variance.sqrt())
}
