//! One row of `metrics.jsonl`. Rows hold nothing that could differ between two runs with the same
//! seed: times go into `timing.jsonl`.

use serde::{Deserialize, Serialize};

use isotherm::likelihood::LogLikelihood;
use isotherm::likelihood::online::OnlineEstimate;
use isotherm::trainer::Phase;
use isotherm_tempering::TemperingState;
use isotherm_tempering::engine::Change;
use isotherm_tempering::flow::ReturnTime;

/// The run after `step` steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Steps done: updates, then steps of the sampling phase.
    pub step: u64,
    /// What the last of them did.
    pub phase: Phase,
    /// The learning rate it used.
    pub learning_rate: f64,
    /// What happened to the ladder in it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub event: Option<Change>,
    /// Mean log-likelihood, where it was measured.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub log_likelihood: Option<LogLikelihood>,
    /// The same of the averaged parameters.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub log_likelihood_averaged: Option<LogLikelihood>,
    /// That of the averaged parameters on the validation data.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub log_likelihood_valid: Option<LogLikelihood>,
    /// The online estimate of log Z of the averaged parameters, if it is not enumerated.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub log_z_averaged: Option<OnlineEstimate>,
    /// The ladder, where there is one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ladder: Option<LadderRow>,
}

impl Row {
    /// The likelihood of the model or, if only that is measured, of its averaged parameters.
    pub fn likelihood(&self) -> Option<&LogLikelihood> {
        self.log_likelihood.as_ref().or(self.log_likelihood_averaged.as_ref())
    }
}

/// The ladder at a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LadderRow {
    /// Inverse temperatures, cold end first.
    pub betas: Vec<f64>,
    /// Swap rate of each pair of neighbours; nothing where none was tried yet.
    pub swap_rates: Vec<Option<f64>>,
    /// Mean swap rate of those that were tried.
    pub swap_rate: f64,
    /// f_up of each rung as it was counted; nothing where no labelled replica has been.
    pub f_up: Vec<Option<f64>>,
    /// Mean of the return-time counters.
    pub return_time_mean: f64,
    /// Their sum over a column.
    pub return_time_sum: f64,
    /// Round trips completed since the count last restarted: at the start, for the last fifth of the
    /// updates, and for the sampling phase.
    pub round_trips: u64,
    /// Replicas times steps since then.
    pub replica_steps: u64,
}

impl LadderRow {
    /// The ladder as it is; nothing if it has a single rung.
    pub fn of(state: &TemperingState) -> Option<LadderRow> {
        let ReturnTime { mean, sum } = state.return_time();
        (state.ladder().rungs() > 1).then(|| LadderRow {
            betas: state.ladder().betas().to_vec(),
            swap_rates: state.rates().rates(),
            swap_rate: state.rates().mean(),
            f_up: state.flow().seen().f_up(),
            return_time_mean: mean,
            return_time_sum: sum,
            round_trips: state.flow().round_trips(),
            replica_steps: state.flow().replica_steps(),
        })
    }

    /// Steps a replica takes for one round trip, where there was one: replica-steps over trips,
    /// which unlike the mean of the completed ones is not biased towards the quick.
    pub fn steps_per_round_trip(&self) -> Option<f64> {
        (self.round_trips > 0).then(|| self.replica_steps as f64 / self.round_trips as f64)
    }
}

/// One row of `timing.jsonl`: the clock at a row of the metrics.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// The row's step.
    pub step: u64,
    /// Seconds spent so far.
    #[serde(flatten)]
    pub seconds: super::Seconds,
}
