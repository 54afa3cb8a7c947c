//! `[optimiser]`: how the parameters are learned.

use serde::{Deserialize, Serialize};

use super::Options;
use crate::objective::ObjectiveKind;
use crate::section;
use crate::training::TrainingBuilder;

/// How the learning rate falls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum LrDecay {
    /// It does not.
    Constant,
    /// Linearly to zero at the last update.
    Linear,
    /// Held for 30 % of the updates, then linearly to zero.
    HoldLinear,
    /// Held for 30 % of the updates, then exponentially to 1/2000.
    HoldExponential,
    /// As 1/t, halved after a tenth of the updates.
    Inverse,
}

/// Which gradient is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum GradientKind {
    /// The paper's Eq. 2 as it stands.
    Plain,
    /// The gradient in the parametrisation with centered units: better conditioned.
    Centered,
}

section! {
    /// How the parameters are learned.
    pub struct OptimiserOptions in "optimiser" titled "Optimiser", set by Options.optimiser and TrainingBuilder {
        /// What is maximised, less the penalties: the mean log-likelihood of the examples.
        objective: ObjectiveKind = ObjectiveKind::Likelihood;
        /// Examples in a minibatch.
        batch: usize = 5, in 1..=u64::MAX, examples 100;
        /// Updates of the model.
        updates: u64 = 100_000, in 1..=u64::MAX,
            default "200 passes over the data, 500 over pictures, at least 40000 and at most 100000";
        /// Sampling steps after the last update, in which the ladder still adapts.
        sampling_steps: u64 = 0;
        /// Learning rate.
        lr: f64 = 0.01, in 0.0..=1e38,
            examples 0.05,
            also " times the updates in 200 passes over the data (500 over pictures; at least 5000 and at most 100000), divided by `updates`; from 0.01 to 0.1";
        /// How the learning rate falls: constant (not at all), linear (to 0) or inverse (as 1/t). The others hold it
        /// for 30 % of the updates; then it falls linearly to 0 (hold-linear) or exponentially to 1/2000
        /// (hold-exponential).
        lr_decay: LrDecay = LrDecay::Linear, examples LrDecay::HoldLinear;
        /// Momentum.
        momentum: f64 = 0.0, in 0.0..=0.999_999;
        /// L2 penalty on the weights: half of this times the sum of their squares.
        weight_decay: f64 = 0.0, in 0.0..=1.0;
        /// L1 penalty on the weights: each update moves every weight towards zero by the learning rate times
        /// this, divided by 1 − momentum.
        l1: f64 = 0.0, in 0.0..=1.0,
            examples 1e-4,
            also " for pictures, half as much with the default of `smooth`; for tables 0.22 √(columns) / examples, at most 0.01";
        /// Penalty on differences between the weights of neighbouring pixels, if the examples are images: half of
        /// this times the sum of the squared differences.
        smooth: f64 = 0.0, in 0.0..=1.0, value "STRENGTH",
            default "15 divided by the number of examples, at most 0.05, for pictures (a `shape` is given, or squares of at least 8x8 whose mean image is smooth); otherwise 0";
        /// The gradient: plain, or with centered units.
        gradient: GradientKind = GradientKind::Centered;
        /// Window of the moving average of the parameters, in updates.
        average: Option<u64> = None, in 1..=u64::MAX, default "a twentieth of the updates";
        /// Stop after this many updates without a better likelihood of the validation data; if likelihoods are
        /// estimates, after up to eight more measurements. The best model is kept in any case.
        patience: Option<u64> = None, in 1..=u64::MAX, default "no early stopping";
        /// Standard deviation of the initial weights.
        init_std: Option<f64> = None, in 0.0..=100.0,
            default "0.2 on the hidden-marginal path, else √(0.1 / hidden)";
    }
}
