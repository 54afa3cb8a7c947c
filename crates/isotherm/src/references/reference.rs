//! The reference of a run: what its ladder starts from at β = 0.

use std::sync::Arc;

use isotherm_kernels::Matrix;
use isotherm_tempering::streams::Key;
use serde::{Deserialize, Serialize};

use super::{Mixture, em};
use crate::data::Dataset;
use crate::error::Result;
use crate::options::Plan;
use crate::tensors::Bundle;

/// The distribution that the ladder starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ReferenceKind {
    /// Chosen from the data and the numbers of units.
    Auto,
    /// Independent units with the data's marginals.
    BaseRate,
    /// A mixture of products of Bernoulli distributions, fitted to the data.
    Mixture,
}

/// Components of a mixture by default, where the number of examples is unknown.
pub(crate) const COMPONENTS: usize = 32;

/// Components of a mixture by default: one for each hundred examples, from 2 to 64.
pub(crate) fn components_for(examples: usize) -> usize {
    (examples / 100).clamp(2, 64)
}

/// Rows that a mixture is fitted to if the data are a stream.
const ROWS_OF_STREAM: usize = 10_000;

/// The names of the tensors that hold a mixture.
const WEIGHTS: &str = "reference.weights";
const LOG_ODDS: &str = "reference.log_odds";

/// The reference of a run: the visible marginals of its data and, if the ladder starts from one, a mixture.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    marginals: Vec<f64>,
    mixture: Option<Arc<Mixture>>,
}

impl From<&[f64]> for Reference {
    fn from(marginals: &[f64]) -> Reference {
        Reference { marginals: marginals.to_vec(), mixture: None }
    }
}

impl<const N: usize> From<&[f64; N]> for Reference {
    fn from(marginals: &[f64; N]) -> Reference {
        marginals.as_slice().into()
    }
}

impl From<&Vec<f64>> for Reference {
    fn from(marginals: &Vec<f64>) -> Reference {
        marginals.as_slice().into()
    }
}

impl From<&Reference> for Reference {
    fn from(reference: &Reference) -> Reference {
        reference.clone()
    }
}

impl Reference {
    /// The reference that a plan asks for, fitted to the data.
    pub fn of(plan: &Plan, data: &Dataset) -> Reference {
        let mixture = plan.components.map(|components| {
            let key = Key { seed: plan.options.seed, step: 0 };
            let fit = match data.bits() {
                Some(rows) => em::fit(rows, components, key),
                None => em::fit(&data.draw(ROWS_OF_STREAM, key), components, key),
            };
            Arc::new(fit.mixture)
        });
        Reference { marginals: data.marginals(), mixture }
    }

    /// With a mixture as the start of the ladder.
    #[must_use]
    pub fn with_mixture(mut self, mixture: impl Into<Arc<Mixture>>) -> Reference {
        self.mixture = Some(mixture.into());
        self
    }

    /// The visible marginals of the data.
    pub fn marginals(&self) -> &[f64] {
        &self.marginals
    }

    /// The mixture, if the ladder starts from one.
    pub fn mixture(&self) -> Option<&Arc<Mixture>> {
        self.mixture.as_ref()
    }

    /// Adds it to a checkpoint.
    pub fn insert_into(&self, bundle: &mut Bundle) -> Result<()> {
        bundle.insert("marginals", &[self.marginals.len()], &self.marginals)?;
        self.insert_mixture(bundle)
    }

    /// Adds the mixture to the file of a model.
    pub fn insert_mixture(&self, bundle: &mut Bundle) -> Result<()> {
        let Some(mixture) = &self.mixture else { return Ok(()) };
        let (components, n_visible) = (mixture.components(), mixture.n_visible());
        bundle.insert(WEIGHTS, &[components], mixture.weights())?;
        bundle.insert(LOG_ODDS, &[components, n_visible], &mixture.log_odds().to_dense())
    }

    /// The reference in a checkpoint.
    pub fn take_from(bundle: &Bundle) -> Result<Reference> {
        let n_visible = bundle.tensor("marginals")?.shape().first().copied().unwrap_or(0);
        let marginals = bundle.get("marginals", &[n_visible])?;
        let mixture = Reference::mixture_in(bundle, n_visible)?.map(Arc::new);
        Ok(Reference { marginals, mixture })
    }

    /// The mixture in a checkpoint or in the file of a model, if it holds one.
    pub fn mixture_in(bundle: &Bundle, n_visible: usize) -> Result<Option<Mixture>> {
        if !bundle.tensors.contains_key(WEIGHTS) {
            return Ok(None);
        }
        let components = bundle.tensor(WEIGHTS)?.shape().first().copied().unwrap_or(0);
        let weights: Vec<f64> = bundle.get(WEIGHTS, &[components])?;
        let log_odds: Vec<f32> = bundle.get(LOG_ODDS, &[components, n_visible])?;
        let log_odds = Matrix::from_dense(components, n_visible, &log_odds);
        Ok(Some(Mixture::with_weights(weights, log_odds)))
    }
}
