//! The rules that raise diagnostics: pure functions of what is known about a run. The summary of a run, its report
//! and the comparison of several all use these.

mod ladder;
mod likelihood;
mod model;

use super::{BadLine, Row};
use isotherm::diagnostics::Diagnostic;
use isotherm::likelihood::LogLikelihood;
use isotherm::model::Parameters;
use isotherm::options::Options;
use isotherm::sampling::ClusterWeights;
use isotherm_tempering::causes::NonFinite;

pub use ladder::{predicted_flow, predicted_round_trip};

/// What is known about a run. Rules are silent about what is not known.
#[derive(Clone, Copy, Default)]
pub struct Facts<'a> {
    /// The rows of metrics.
    pub rows: &'a [Row],
    /// The lines of the metrics that are not rows.
    pub unreadable: &'a [BadLine],
    /// The options of the run.
    pub options: Option<&'a Options>,
    /// The last step that is known of.
    pub last_step: u64,
    /// That it stopped before its last update, if it did and the reason is known.
    pub stopped: Option<&'a Diagnostic>,
    /// Whether the model of its end is written, as training in memory that goes on in pieces writes it without a summary.
    pub model_written: bool,
    /// How the run ended; nothing while it has not.
    pub ending: Option<Ending<'a>>,
    /// The parameters of the model.
    pub model: Option<&'a Parameters>,
    /// What samples of the model show.
    pub samples: Option<SampleFacts<'a>>,
    /// What was raised when it began: about its data, and options without effect.
    pub at_start: &'a [Diagnostic],
}

/// What the end of a run found.
#[derive(Clone, Copy, Default)]
pub struct Ending<'a> {
    /// The likelihood.
    pub likelihood: Option<&'a LogLikelihood>,
    /// That of the averaged parameters.
    pub averaged: Option<&'a LogLikelihood>,
    /// Why there is no likelihood, if finding it failed.
    pub failed: Option<&'a NonFinite>,
}

/// What samples of a model show.
#[derive(Clone, Copy, Default)]
pub struct SampleFacts<'a> {
    /// How many there are.
    pub count: usize,
    /// The mean activation of each hidden unit over them.
    pub activations: &'a [f64],
    /// The total variation distance of their mode masses from the data's, where the modes are known.
    pub mode_distance: Option<f64>,
    /// That the sampler completed too few round trips, if it did.
    pub few_round_trips: Option<&'a Diagnostic>,
    /// The weights of clusters in them and in the data, if they were compared.
    pub clusters: Option<&'a ClusterWeights>,
}

impl Facts<'_> {
    /// Everything that a reader should know before trusting the run.
    pub fn diagnose(&self) -> Vec<Diagnostic> {
        let mut found = self.at_start.to_vec();
        found.extend(self.stopped_or_unfinished());
        found.extend(likelihood::non_finite(self.rows, self.unreadable));
        found.extend(self.model.and_then(model::large_parameters));
        found.extend(likelihood::falling(self.rows));
        found.extend(likelihood::online(self.rows));
        found.extend(
            self.ending.iter().flat_map(|ending| likelihood::at_the_end(ending, self.model)),
        );
        found.extend(ladder::diagnose(self));
        found.extend(self.samples.and_then(|samples| samples.few_round_trips.cloned()));
        found.extend(model::lost_modes(self));
        found.extend(model::cluster_weights(self));
        found.extend(self.samples.and_then(model::idle_units));
        found
    }

    /// A run without an end stopped for a reason that is known, or is going on, or was killed.
    pub(crate) fn stopped_or_unfinished(&self) -> Option<Diagnostic> {
        let (steps, of) = (self.last_step, self.options.map(Options::total_steps));
        let is_complete = self.model_written && of.is_some_and(|of| steps >= of);
        let is_unfinished = self.ending.is_none() && !is_complete;
        let unfinished = is_unfinished.then_some(Diagnostic::Unfinished { steps, of });
        self.stopped.cloned().or(unfinished)
    }
}
