//! The reference of a run: what its ladder starts from at β = 0.

use std::borrow::Cow;
use std::sync::Arc;

use isotherm_kernels::{BitMatrix, Matrix, scalar};
use isotherm_tempering::streams::Key;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    Fitted, HeldOut, MOST_COMPONENTS, Mixture, ReferenceRecord, SmallRbm, em, train_small, work,
};
use crate::data::Dataset;
use crate::diagnostics::Diagnostic;
use crate::error::Result;
use crate::model::{Parameters, log_odds};
use crate::options::Plan;
use crate::paths::PathKind;
use crate::tensors::{Bundle, TensorError};

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
    /// A small RBM that is trained on the data first.
    Rbm,
}

/// What a ladder starts from.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Distribution {
    /// Independent units with the data's marginals.
    #[default]
    BaseRates,
    /// A mixture of products of Bernoulli distributions.
    Mixture(Arc<Mixture>),
    /// A small RBM.
    Rbm(Arc<SmallRbm>),
}

impl Distribution {
    /// Draws of what was fitted to the data; nothing of base rates, which say little of them.
    pub fn draw(&self, count: usize, key: Key) -> Option<BitMatrix> {
        match self {
            Distribution::BaseRates => None,
            Distribution::Mixture(mixture) => Some(mixture.draw(count, key).0),
            Distribution::Rbm(small) => Some(small.draw(count, key)),
        }
    }
}

/// Components of a mixture by default, where the number of examples is unknown.
pub(crate) const COMPONENTS: usize = 32;

/// Components of a mixture by default: one for each hundred examples, from 2 to 64.
pub(crate) fn components_for(examples: usize) -> usize {
    (examples / 100).clamp(2, 64)
}

/// Hidden units of a small RBM by default, if the model has that many.
pub(crate) const SMALL_HIDDEN: usize = SmallRbm::LARGEST;

/// Rows that a reference is fitted to, or measured on, if the data are a stream.
const ROWS_OF_STREAM: usize = 10_000;

/// The names of the tensors that hold a mixture.
const WEIGHTS: &str = "reference.weights";
const LOG_ODDS: &str = "reference.log_odds";

/// The metadata that hold what held-out examples have under a mixture and under independent units.
const HELD_OUT: &str = "reference_held_out";

/// What precedes the names of the tensors that hold a small RBM, as those of a model.
const OF_RBM: &str = "reference.";

/// The reference of a run: the visible marginals of its data, what its ladder starts from, and how that came to fit
/// the data.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    marginals: Vec<f64>,
    distribution: Distribution,
    fitted: Option<Fitted>,
    held_out: Option<HeldOut>,
}

impl From<&[f64]> for Reference {
    fn from(marginals: &[f64]) -> Reference {
        let marginals = marginals.to_vec();
        let distribution = Distribution::BaseRates;
        Reference { marginals, distribution, fitted: None, held_out: None }
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
    /// The reference that a plan asks for, fitted to the data. `progress` gets what is being fitted and the share
    /// that is done, and returns whether to go on.
    pub fn of(
        plan: &Plan,
        data: &Dataset,
        progress: &mut dyn FnMut(&str, f64) -> bool,
    ) -> Result<Reference> {
        let held_out = if plan.takes_references() { HeldOut::of(data) } else { None };
        let of_data = Reference { held_out, ..Reference::from(&data.marginals()) };
        if let Some(components) = plan.components {
            let key = Key { seed: plan.options.seed, step: 0 };
            let tell = &mut |share| progress("fitting a mixture as reference", share);
            let work = work::of_reference(plan, data.n_visible());
            let effort = em::Effort::within(work, components, data.n_visible());
            let fit = em::fit_with(effort, &rows_of(data, key), components, key, tell)?;
            let fitted = Fitted::Mixture {
                components_asked: components,
                components: fit.mixture.components(),
                died: fit.died,
                iterations: fit.iterations,
                log_likelihood: fit.log_likelihood,
            };
            let distribution = Distribution::Mixture(Arc::new(fit.mixture));
            return Ok(Reference { distribution, fitted: Some(fitted), ..of_data });
        }
        if let Some(hidden) = plan.reference_hidden {
            let key = Key { seed: plan.options.seed, step: 0 };
            let tell = &mut |share| progress("training a small RBM as reference", share);
            let (small, updates) = train_small::train(plan, hidden, data, tell)?;
            let logs = small.log_densities(&rows_of(data, key));
            let log_likelihood = logs.iter().sum::<f64>() / logs.len() as f64;
            let fitted = Fitted::Rbm { hidden, updates, log_likelihood };
            let distribution = Distribution::Rbm(Arc::new(small));
            return Ok(Reference { distribution, fitted: Some(fitted), ..of_data });
        }
        Ok(of_data)
    }

    /// With another start of the ladder.
    #[must_use]
    pub fn with(self, distribution: Distribution) -> Reference {
        Reference { distribution, fitted: None, held_out: None, ..self }
    }

    /// With a mixture as the start of the ladder.
    #[must_use]
    pub fn with_mixture(self, mixture: impl Into<Arc<Mixture>>) -> Reference {
        self.with(Distribution::Mixture(mixture.into()))
    }

    /// The mixture that the ladder starts from, if it does.
    pub fn mixture(&self) -> Option<&Arc<Mixture>> {
        match &self.distribution {
            Distribution::Mixture(mixture) => Some(mixture),
            _ => None,
        }
    }

    /// The visible marginals of the data.
    pub fn marginals(&self) -> &[f64] {
        &self.marginals
    }

    /// What the ladder starts from.
    pub fn distribution(&self) -> &Distribution {
        &self.distribution
    }

    /// How it came to fit the data, if it was fitted.
    pub fn fitted(&self) -> Option<&Fitted> {
        self.fitted.as_ref()
    }

    /// That it was fitted and describes the examples no better than independent units, whose mean log-likelihood
    /// follows from the marginals.
    pub fn diagnose(&self) -> Option<Diagnostic> {
        let reference = match self.fitted? {
            Fitted::Mixture { log_likelihood, .. } | Fitted::Rbm { log_likelihood, .. } => {
                log_likelihood
            }
            _ => return None,
        };
        // Independent units that are clipped as those of a component are: otherwise they tell more about columns that
        // are hardly ever one than any mixture can.
        let unit = |&p: &f64| {
            let odds = log_odds(p);
            p * odds - scalar::softplus(odds)
        };
        let base_rates = self.marginals.iter().map(unit).sum();
        // A mixture of equal components has the same, but for rounding and what is added to each component.
        (reference < base_rates - 0.01 * f64::abs(base_rates))
            .then_some(Diagnostic::WeakReference { reference, base_rates })
    }

    /// What a summary shows of it; nothing without a ladder, and on the joint path.
    pub fn record(&self, plan: &Plan) -> Option<ReferenceRecord> {
        let plain = match plan.path {
            PathKind::BaseRate => Some(Fitted::BaseRate),
            PathKind::HiddenMarginal => Some(Fitted::UniformHidden),
            _ => None,
        };
        let fitted = self.fitted.or(plain).filter(|_| plan.options.sampler.algorithm.is_tempered());
        fitted.map(|fitted| ReferenceRecord { fitted, held_out: self.held_out })
    }

    /// Adds it to a checkpoint.
    pub fn insert_into(&self, bundle: &mut Bundle) -> Result<()> {
        bundle.insert("marginals", &[self.marginals.len()], &self.marginals)?;
        if let Some(held_out) = self.held_out {
            bundle.meta[HELD_OUT] = json!(held_out);
        }
        self.insert_distribution(bundle)
    }

    /// Adds what the ladder starts from, and how it was fitted, to the file of a model.
    pub fn insert_distribution(&self, bundle: &mut Bundle) -> Result<()> {
        match &self.distribution {
            Distribution::BaseRates => {}
            Distribution::Mixture(mixture) => {
                let (components, n_visible) = (mixture.components(), mixture.n_visible());
                bundle.insert(WEIGHTS, &[components], mixture.weights())?;
                let log_odds = mixture.log_odds().to_dense();
                bundle.insert(LOG_ODDS, &[components, n_visible], &log_odds)?;
            }
            Distribution::Rbm(small) => small.model().parameters().insert_into(bundle, OF_RBM)?,
        }
        self.fitted.map_or(Ok(()), |fitted| fitted.insert_into(bundle))
    }

    /// The reference in a checkpoint.
    pub fn take_from(bundle: &Bundle) -> Result<Reference> {
        let n_visible = bundle.tensor("marginals")?.shape().first().copied().unwrap_or(0);
        let marginals = bundle.get("marginals", &[n_visible])?;
        let (distribution, fitted) = Reference::distribution_in(bundle, n_visible)?;
        // Earlier versions wrote none.
        let held_out = bundle.meta.get(HELD_OUT).and_then(|it| HeldOut::deserialize(it).ok());
        Ok(Reference { marginals, distribution, fitted, held_out })
    }

    /// What the ladder starts from, in a checkpoint or in the file of a model, and how it was fitted.
    pub fn distribution_in(
        bundle: &Bundle,
        n_visible: usize,
    ) -> Result<(Distribution, Option<Fitted>)> {
        if bundle.tensors.contains_key(WEIGHTS) {
            let components = bundle.tensor(WEIGHTS)?.shape().first().copied().unwrap_or(0);
            let weights: Vec<f64> = bundle.get(WEIGHTS, &[components])?;
            let log_odds: Vec<f32> = bundle.get(LOG_ODDS, &[components, n_visible])?;
            let sum: f64 = weights.iter().sum();
            let positive = weights.iter().all(|&weight| weight > 0.0);
            if !(1..=MOST_COMPONENTS).contains(&components) || !positive || (sum - 1.0).abs() > 1e-6
            {
                let wanted = "those of 1 to 256 components, above 0, which add up to 1";
                return Err(TensorError::Inconsistent { name: WEIGHTS.to_owned(), wanted }.into());
            }
            if !log_odds.iter().all(|odds| odds.is_finite()) {
                let wanted = "finite numbers";
                return Err(TensorError::Inconsistent { name: LOG_ODDS.to_owned(), wanted }.into());
            }
            let log_odds = Matrix::from_dense(components, n_visible, &log_odds);
            let mixture = Mixture::with_weights(weights, log_odds);
            let fitted = Fitted::of_mixture(bundle, components)?;
            return Ok((Distribution::Mixture(Arc::new(mixture)), fitted));
        }
        let biases = format!("{OF_RBM}b");
        if bundle.tensors.contains_key(&biases) {
            let hidden = bundle.tensor(&biases)?.shape().first().copied().unwrap_or(0);
            if !(1..=SmallRbm::LARGEST).contains(&hidden) {
                let wanted = "those of 1 to 16 hidden units";
                return Err(TensorError::Inconsistent { name: biases, wanted }.into());
            }
            let parameters = Parameters::take_from(bundle, OF_RBM, n_visible, hidden)?;
            let small = SmallRbm::new(parameters)?;
            let fitted = Fitted::of_rbm(bundle, hidden)?;
            return Ok((Distribution::Rbm(Arc::new(small)), fitted));
        }
        Ok((Distribution::BaseRates, None))
    }
}

/// The rows that a reference is fitted to, or measured on.
fn rows_of(data: &Dataset, key: Key) -> Cow<'_, BitMatrix> {
    match data.bits() {
        Some(rows) => Cow::Borrowed(rows),
        None => Cow::Owned(data.draw(ROWS_OF_STREAM, key)),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Rows of independent units, and the reference that a mixture of two components makes of them.
    fn fitted(rows: &BitMatrix) -> Reference {
        let fit = em::fit(rows, 2, Key { seed: 1, step: 0 }, &mut |_| true).unwrap();
        let marginals = Dataset::from_bits(rows.clone()).unwrap().marginals();
        let log_likelihood = fit.log_likelihood;
        let fitted = Some(Fitted::Mixture {
            components_asked: 2,
            components: fit.mixture.components(),
            died: fit.died,
            iterations: fit.iterations,
            log_likelihood,
        });
        Reference { fitted, ..Reference::from(&marginals).with_mixture(fit.mixture) }
    }

    fn with_log_likelihood(mut reference: Reference, value: f64) -> Reference {
        if let Some(Fitted::Mixture { log_likelihood, .. }) = &mut reference.fitted {
            *log_likelihood = value;
        }
        reference
    }

    /// 500 columns that are one in a row of 3000, and 20 fair coins. Probabilities of a mixture are
    /// never below 0.01, which costs it 0.007 nats a column.
    #[test]
    fn a_mixture_of_sparse_columns_is_not_weak() {
        let odds = [[-8.0; 500].as_slice(), &[0.0; 20]].concat();
        let truth = Mixture::new(&[1.0], Matrix::from_row(&odds));
        let (rows, _) = truth.draw(3000, Key { seed: 3, step: 0 });
        assert_eq!(fitted(&rows).diagnose(), None);
    }

    /// Fair coins have −log 2 each; a reference is weak if it has a hundredth less.
    #[test]
    fn a_reference_that_tells_less_than_marginals_is_weak() {
        let coins = Mixture::new(&[1.0], Matrix::zeros(1, 40)).draw(2000, Key { seed: 2, step: 0 });
        let found = Reference { marginals: vec![0.5; 40], ..fitted(&coins.0) };
        assert_eq!(found.diagnose(), None);
        let entropy = 40.0 * std::f64::consts::LN_2;
        assert_eq!(with_log_likelihood(found.clone(), -1.009 * entropy).diagnose(), None);
        let weak = with_log_likelihood(found, -1.011 * entropy).diagnose();
        let Some(Diagnostic::WeakReference { reference, base_rates }) = weak else {
            panic!("{weak:?}")
        };
        assert!((reference + 1.011 * entropy).abs() < 1e-9 && (base_rates + entropy).abs() < 1e-5);
        assert_eq!(Reference::from(&[0.5; 40]).diagnose(), None, "nothing was fitted");
    }
}
