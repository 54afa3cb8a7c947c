//! What became of fitting a reference to the data: part of a checkpoint, and of the summary of a run.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::tensors::{Bundle, TensorError};

/// How a reference came to fit the data.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Fitted {
    /// Independent units with the data's marginals: nothing had to be fitted.
    BaseRate,
    /// Uniform hidden states, the reference of the hidden-marginal path.
    UniformHidden,
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
            Fitted::BaseRate => f.write_str("independent units with the data's marginals"),
            Fitted::UniformHidden => {
                f.write_str("uniform hidden states, on the hidden-marginal path")
            }
            Fitted::Mixture { components_asked, components, died, log_likelihood, .. } => {
                let s = if components == 1 { "" } else { "s" };
                let all = match components_asked.saturating_sub(components) {
                    0 => String::new(),
                    lost if lost == died => format!(" ({components_asked} asked for, {died} died)"),
                    _ if died == 0 => {
                        format!(" ({components_asked} asked for, more than distinct examples)")
                    }
                    _ => format!(
                        " ({components_asked} asked for, more than distinct examples; {died} died)"
                    ),
                };
                write!(
                    f,
                    "mixture of {components} component{s}{all}, mean log-likelihood of its examples {log_likelihood:.2} nats"
                )
            }
            Fitted::Rbm { hidden, updates, log_likelihood } => write!(
                f,
                "RBM of {hidden} hidden units, {updates} updates, mean log-likelihood of its examples {log_likelihood:.2} nats"
            ),
        }
    }
}

impl Fitted {
    /// Whether anything was fitted.
    pub fn was_fitted(&self) -> bool {
        !matches!(self, Fitted::BaseRate | Fitted::UniformHidden)
    }
}

/// The names of the tensors that hold it.
const LOG_LIKELIHOOD: &str = "reference.log_likelihood";
const COUNTS: &str = "reference.counts";

impl Fitted {
    /// Adds it to a bundle that holds the reference itself.
    pub(super) fn insert_into(&self, bundle: &mut Bundle) -> Result<()> {
        let log_likelihood = match *self {
            Fitted::BaseRate | Fitted::UniformHidden => return Ok(()),
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
        if components.checked_add(died).is_none_or(|all| all > components_asked) {
            let wanted = "those of as many components as there are, or more";
            return Err(TensorError::Inconsistent { name: COUNTS.to_owned(), wanted }.into());
        }
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
