//! What became of fitting a reference to the data: part of a checkpoint, and of the summary of a run.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::HeldOut;
use crate::error::Result;
use crate::tensors::Bundle;

/// The reference of a ladder, as a summary shows it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ReferenceRecord {
    /// How it came to fit the data.
    #[serde(flatten)]
    pub fitted: Fitted,
    /// How well a mixture and base rates describe held-out examples, which is what `auto` decides by. Absent for a
    /// stream, and in files of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_out: Option<HeldOut>,
}

impl fmt::Display for ReferenceRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fitted.fmt(f)?;
        match &self.held_out {
            Some(held_out) => write!(f, "; {held_out}"),
            None => Ok(()),
        }
    }
}

/// How a reference came to fit the data.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Fitted {
    /// Independent units with the data's marginals: nothing had to be fitted.
    BaseRate,
    /// A mixture, by expectation maximisation.
    Mixture {
        /// Components that were asked for.
        components_asked: usize,
        /// Components that are left.
        components: usize,
        /// Components that died on the way. Those that are neither left nor died had no rows of their own to begin
        /// with.
        died: usize,
        /// Iterations.
        iterations: usize,
        /// Mean log-likelihood of the rows that it was fitted to.
        log_likelihood: f64,
    },
    /// A small RBM, by tempered learning.
    Rbm {
        /// Its hidden units.
        hidden: usize,
        /// Updates.
        updates: u64,
        /// Mean log-likelihood of the rows, exact.
        log_likelihood: f64,
    },
}

impl fmt::Display for Fitted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Fitted::BaseRate => f.write_str("base rates"),
            Fitted::Mixture { components_asked, components, died, iterations, log_likelihood } => {
                let all = if components < components_asked {
                    format!(" ({components_asked} asked for, {died} died)")
                } else {
                    String::new()
                };
                write!(
                    f,
                    "mixture of {components} components{all}, {iterations} iterations, {log_likelihood:.2} nats"
                )
            }
            Fitted::Rbm { hidden, updates, log_likelihood } => write!(
                f,
                "RBM of {hidden} hidden units, {updates} updates, {log_likelihood:.2} nats"
            ),
        }
    }
}

/// The names of the tensors that hold it.
const LOG_LIKELIHOOD: &str = "reference.log_likelihood";
const COUNTS: &str = "reference.counts";

impl Fitted {
    /// Adds it to a bundle that holds the reference itself.
    pub(super) fn insert_into(&self, bundle: &mut Bundle) -> Result<()> {
        let log_likelihood = match *self {
            Fitted::BaseRate => return Ok(()),
            Fitted::Mixture { components_asked, died, iterations, log_likelihood, .. } => {
                let counts = [components_asked, died, iterations].map(|count| count as u64);
                bundle.insert(COUNTS, &[3], &counts)?;
                log_likelihood
            }
            Fitted::Rbm { updates, log_likelihood, .. } => {
                bundle.insert(COUNTS, &[1], &[updates])?;
                log_likelihood
            }
        };
        bundle.insert(LOG_LIKELIHOOD, &[1], &[log_likelihood])
    }

    /// That of a mixture in a bundle; earlier versions wrote none.
    pub(super) fn of_mixture(bundle: &Bundle, components: usize) -> Result<Option<Fitted>> {
        if !bundle.tensors.contains_key(COUNTS) {
            return Ok(None);
        }
        let counts: Vec<u64> = bundle.get(COUNTS, &[3])?;
        let [components_asked, died, iterations] = [0, 1, 2].map(|i| counts[i] as usize);
        let log_likelihood = bundle.get(LOG_LIKELIHOOD, &[1])?[0];
        Ok(Some(Fitted::Mixture { components_asked, components, died, iterations, log_likelihood }))
    }

    /// That of a small RBM in a bundle.
    pub(super) fn of_rbm(bundle: &Bundle, hidden: usize) -> Result<Option<Fitted>> {
        if !bundle.tensors.contains_key(COUNTS) {
            return Ok(None);
        }
        let updates: Vec<u64> = bundle.get(COUNTS, &[1])?;
        let log_likelihood = bundle.get(LOG_LIKELIHOOD, &[1])?[0];
        Ok(Some(Fitted::Rbm { hidden, updates: updates[0], log_likelihood }))
    }
}
