//! log Z by the method that the size of the model allows, for any number of data sets.

use serde::{Deserialize, Serialize};

use super::bracket::{self, LogZ};
use super::budget::Budget;
use super::exact;
use super::known::KnownData;
use super::measure::{Effort, LogLikelihood, log_likelihood, measure_given};
use crate::data::Dataset;
use crate::error::Result;
use crate::model::Rbm;
use isotherm_tempering::evidence::Origin;

/// The method for log Z.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum LogZMethod {
    /// Enumerated where it can be, otherwise estimated.
    Auto,
    /// Enumerated, or refused.
    Exact,
    /// Estimated, also where it could be enumerated.
    Estimate,
}

/// log Z of a model.
#[derive(Clone, Debug, PartialEq)]
pub enum LogZResult {
    /// Enumerated.
    Exact(f64),
    /// Estimated, as a bracket with a verdict.
    Estimated(Box<LogZ>),
}

impl LogZResult {
    /// Finds log Z; see [`bracket::log_z`] for what an estimate needs. `progress` gets the current stage and the share of
    /// it that is done, and returns whether to go on.
    pub fn find<'a>(
        model: &Rbm,
        data: impl Into<KnownData<'a>>,
        way: LogZMethod,
        budget: &Budget,
        progress: &mut dyn FnMut(&str, f64) -> bool,
    ) -> Result<LogZResult> {
        let small = exact::smaller_layer(model) <= exact::LARGEST;
        if way == LogZMethod::Exact || (way == LogZMethod::Auto && small) {
            let mut told = false;
            let mut tell = |share| {
                // A sum that is complete at the first call took no time and is not reported.
                if !told && share >= 1.0 {
                    return true;
                }
                told = true;
                progress("enumerating", share)
            };
            return exact::log_z_with_progress(model, &mut tell).map(LogZResult::Exact);
        }
        let log_z = bracket::log_z(model, data, budget, progress)?;
        Ok(LogZResult::Estimated(Box::new(log_z)))
    }

    /// The mean log-likelihood of all of `data`.
    pub fn likelihood(&self, model: &Rbm, data: &Dataset) -> LogLikelihood {
        match self {
            LogZResult::Exact(log_z) => measure_given(model, *log_z, data, Effort::Full),
            LogZResult::Estimated(log_z) => log_likelihood(model, data, log_z),
        }
    }
}

impl Rbm {
    /// The mean log-likelihood of `data`: exact up to 25 units in the smaller layer, otherwise a bracket with a
    /// verdict, by a full budget. `data` also gives the estimate its references and starts; [`LogZResult::find`] takes
    /// other data for them, such as the training data.
    pub fn log_likelihood(&self, data: &Dataset) -> Result<LogLikelihood> {
        let known = KnownData { origin: Origin::Measured, sets: vec![data] };
        let found =
            LogZResult::find(self, known, LogZMethod::Auto, &Budget::full(), &mut |_, _| true)?;
        Ok(found.likelihood(self, data))
    }
}
