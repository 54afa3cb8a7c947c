//! What a reader should know before trusting a run.
//!
//! A [`Diagnostic`] is a kind with fields. Programs match on the kind; people read its one sentence
//! ([`Diagnostic::words`]), which names options and commands in the [`Dialect`](crate::Dialect) of their
//! front end. The rules that raise diagnostics are in `isotherm-run`, beside the record of a run; the
//! thresholds that rules and sentences share are in [`limits`].

mod fields;
pub mod limits;
mod words;

use serde::{Deserialize, Serialize};

use crate::data::DataDiagnostic;
use crate::likelihood::Verdict;
use crate::sampling::Origin;

pub use fields::{CheckpointProblem, LikelihoodFailure, Stop, Stretch, WhichParameters};

/// What a reader should know before trusting a run, or samples.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Diagnostic {
    /// An observation about the data.
    Data {
        /// The observation.
        about: DataDiagnostic,
    },
    /// Options that were chosen and have no effect beside the others.
    UnusedOptions {
        /// Their names.
        names: Vec<String>,
    },
    /// The last checkpoint of a run cannot be used, and the one before it was used instead.
    PreviousCheckpoint {
        /// What is wrong with the last one.
        problem: CheckpointProblem,
    },
    /// A run that has not written its summary.
    Unfinished {
        /// Steps that are known of.
        steps: u64,
        /// Steps that it should take, where that is known.
        of: Option<u64>,
    },
    /// A run with fewer updates than were asked for.
    StoppedEarly {
        /// Updates done.
        updates: u64,
        /// Updates that were asked for.
        of: u64,
        /// Why it stopped.
        because: Stop,
    },
    /// Values in the metrics that are not finite.
    NonFinite {
        /// The first step with such a value.
        step: u64,
    },
    /// Parameters beyond [`limits::LARGE_PARAMETER`]: learning has diverged.
    LargeParameters {
        /// The largest magnitude.
        largest: f64,
    },
    /// A likelihood that fell by more than [`limits::LIKELIHOOD_FALL`] of its best value.
    FallingLikelihood {
        /// The step of the best value.
        best_step: u64,
        /// The best value.
        best: f64,
        /// The step of the last value.
        last_step: u64,
        /// The last value.
        last: f64,
    },
    /// An online estimate of the likelihood by a sampler with fewer round trips than columns.
    OnlineLikelihood {
        /// The step.
        step: u64,
        /// Round trips by then.
        round_trips: u64,
        /// Columns of the sampler.
        columns: usize,
    },
    /// No likelihood, because the model is too large to enumerate and no estimate was wanted.
    NoLikelihood {
        /// Units of the smaller layer.
        units: usize,
    },
    /// No likelihood, because finding it failed.
    LikelihoodFailed {
        /// Why it failed.
        #[serde(flatten)]
        failure: LikelihoodFailure,
    },
    /// An estimate of the likelihood that has not converged.
    NotConverged {
        /// Which parameters it is of.
        parameters: WhichParameters,
        /// The verdict, with typed reasons.
        verdict: Verdict,
    },
    /// No replica completed a round trip between the ends of the ladder.
    NoRoundTrip {
        /// In which part of the run.
        stretch: Stretch,
        /// Steps of the ladder in it.
        steps: u64,
        /// Steps that the swap rates predict for one, where they do.
        predicted: Option<f64>,
    },
    /// Neighbouring rungs that swap at a rate below [`limits::STARVED_SWAP_RATE`].
    StarvedGap {
        /// The colder rung of the pair that swaps least often.
        rung: usize,
        /// The inverse temperatures of the pair.
        betas: [f64; 2],
        /// Its swap rate.
        swap_rate: f64,
        /// How many more pairs are starved.
        others: usize,
    },
    /// A fall of f_up over the coldest third of the ladder that the swap rates do not predict.
    ColdBottleneck {
        /// The rung at the end of that third.
        rung: usize,
        /// Its inverse temperature.
        beta: f64,
        /// The fall of f_up down to it.
        fall: f64,
        /// The predicted fall.
        predicted: f64,
    },
    /// A distance of f_up from its prediction above [`limits::FLOW_DISTANCE`].
    SlowMixing {
        /// The rung where the distance is largest.
        rung: usize,
        /// Its inverse temperature.
        beta: f64,
        /// f_up there.
        measured: f64,
        /// What the swap rates predict.
        predicted: f64,
        /// The two rungs between which f_up falls furthest beyond the prediction.
        steepest: [usize; 2],
        /// Their inverse temperatures.
        steepest_betas: [f64; 2],
    },
    /// An adaptive ladder that has all the rungs it may have, and still swaps too rarely.
    FullLadder {
        /// The rungs.
        max_rungs: usize,
        /// The mean swap rate.
        swap_rate: f64,
        /// The swap rate that was wanted.
        min_swap: f64,
    },
    /// Samples after fewer round trips than columns.
    FewRoundTrips {
        /// Round trips since the ladder was set up.
        round_trips: u64,
        /// Columns of the ladder.
        columns: usize,
    },
    /// Two samplers of one model that give clusters different weights, by more than chance explains and more than
    /// [`limits::DISAGREEMENT`].
    SamplersDisagree {
        /// Where the samples of each come from.
        origins: [Origin; 2],
        /// The number of the cluster that they disagree about most, counted from 1; nothing for what is outside all.
        #[serde(default)]
        cluster: Option<usize>,
        /// The weights that each gives to it.
        shares: [f64; 2],
        /// The total variation distance of the weights.
        distance: f64,
        /// What chance makes of it on average.
        by_chance: f64,
    },
    /// Samples that give the clusters of the data other weights than the data, by more than chance explains and more
    /// than [`limits::CLUSTER_WEIGHTS`].
    ClusterWeights {
        /// The number of clusters.
        clusters: usize,
        /// The number of the cluster whose weights differ most, counted from 1; nothing for what is outside all.
        #[serde(default)]
        cluster: Option<usize>,
        /// Its weight in the data.
        data: f64,
        /// Its weight in the samples.
        samples: f64,
        /// The total variation distance of the weights.
        distance: f64,
        /// What chance makes of it on average.
        by_chance: f64,
    },
    /// A fitted reference that describes the examples no better than independent units.
    WeakReference {
        /// The mean log-likelihood of the examples by the reference.
        reference: f64,
        /// The same by independent units with the marginals.
        base_rates: f64,
    },
    /// A model that gives the known modes of its data other masses than the data.
    LostModes {
        /// Updates done.
        updates: u64,
        /// The total variation distance of the masses.
        distance: f64,
    },
    /// Hidden units that are always off or always on.
    IdleUnits {
        /// Samples that were looked at.
        samples: usize,
        /// Units that are always off.
        off: Vec<usize>,
        /// Units that are always on.
        on: Vec<usize>,
    },
}

impl Diagnostic {
    /// The name of its kind, as it is in `summary.json`.
    pub fn kind(&self) -> &'static str {
        match self {
            Diagnostic::Data { .. } => "data",
            Diagnostic::UnusedOptions { .. } => "unused-options",
            Diagnostic::PreviousCheckpoint { .. } => "previous-checkpoint",
            Diagnostic::Unfinished { .. } => "unfinished",
            Diagnostic::StoppedEarly { .. } => "stopped-early",
            Diagnostic::NonFinite { .. } => "non-finite",
            Diagnostic::LargeParameters { .. } => "large-parameters",
            Diagnostic::FallingLikelihood { .. } => "falling-likelihood",
            Diagnostic::OnlineLikelihood { .. } => "online-likelihood",
            Diagnostic::NoLikelihood { .. } => "no-likelihood",
            Diagnostic::LikelihoodFailed { .. } => "likelihood-failed",
            Diagnostic::NotConverged { .. } => "not-converged",
            Diagnostic::NoRoundTrip { .. } => "no-round-trip",
            Diagnostic::StarvedGap { .. } => "starved-gap",
            Diagnostic::ColdBottleneck { .. } => "cold-bottleneck",
            Diagnostic::SlowMixing { .. } => "slow-mixing",
            Diagnostic::FullLadder { .. } => "full-ladder",
            Diagnostic::FewRoundTrips { .. } => "few-round-trips",
            Diagnostic::SamplersDisagree { .. } => "samplers-disagree",
            Diagnostic::ClusterWeights { .. } => "cluster-weights",
            Diagnostic::WeakReference { .. } => "weak-reference",
            Diagnostic::LostModes { .. } => "lost-modes",
            Diagnostic::IdleUnits { .. } => "idle-units",
        }
    }
}

impl From<DataDiagnostic> for Diagnostic {
    fn from(about: DataDiagnostic) -> Diagnostic {
        Diagnostic::Data { about }
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
