//! The rules that raise diagnostics: pure functions of what is known about a run. The summary of a run, its report
//! and the comparison of several all use these.

mod ladder;
mod likelihood;
mod model;

use super::Row;
use isotherm::diagnostics::Diagnostic;
use isotherm::likelihood::LogLikelihood;
use isotherm::model::Parameters;
use isotherm::options::Options;

pub use ladder::{predicted_flow, predicted_round_trip};

/// What is known about a run. Rules are silent about what is not known.
#[derive(Clone, Copy, Default)]
pub struct Facts<'a> {
    /// The rows of metrics.
    pub rows: &'a [Row],
    /// The options of the run.
    pub options: Option<&'a Options>,
    /// The last step that is known of.
    pub last_step: u64,
    /// How the run ended; nothing while it has not.
    pub ending: Option<Ending<'a>>,
    /// The parameters of the model.
    pub model: Option<&'a Parameters>,
    /// What samples of the model show.
    pub samples: Option<SampleFacts<'a>>,
    /// What is known about the data.
    pub data: &'a [Diagnostic],
}

/// What the end of a run found.
#[derive(Clone, Copy, Default)]
pub struct Ending<'a> {
    /// The likelihood.
    pub likelihood: Option<&'a LogLikelihood>,
    /// That of the averaged parameters.
    pub averaged: Option<&'a LogLikelihood>,
    /// Why there is no likelihood, if finding it failed.
    pub failed: Option<&'a str>,
    /// That it ended before its last update, if it did.
    pub stopped: Option<&'a Diagnostic>,
}

/// What samples of a model show.
#[derive(Clone, Copy)]
pub struct SampleFacts<'a> {
    /// How many there are.
    pub count: usize,
    /// The mean activation of each hidden unit over them.
    pub activations: &'a [f64],
    /// The total variation distance of their mode masses from the data's, where the modes are known.
    pub mode_distance: Option<f64>,
}

impl Facts<'_> {
    /// Everything that a reader should know before trusting the run.
    pub fn diagnose(&self) -> Vec<Diagnostic> {
        let mut found = self.data.to_vec();
        found.extend(self.unfinished());
        found.extend(self.ending.and_then(|ending| ending.stopped.cloned()));
        found.extend(likelihood::non_finite(self.rows));
        found.extend(self.model.and_then(model::large_parameters));
        found.extend(likelihood::falling(self.rows));
        found.extend(likelihood::online(self.rows));
        found.extend(
            self.ending.iter().flat_map(|ending| likelihood::at_the_end(ending, self.model)),
        );
        found.extend(ladder::diagnose(self));
        found.extend(model::lost_modes(self));
        found.extend(self.samples.and_then(model::idle_units));
        found
    }

    fn unfinished(&self) -> Option<Diagnostic> {
        let of = self.options.map(Options::total_steps);
        self.ending.is_none().then_some(Diagnostic::Unfinished { steps: self.last_step, of })
    }
}
