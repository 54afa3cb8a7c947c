//! The summary of a run, from its final state.

use std::borrow::Cow;

use super::model_samples::ModelSamples;
use super::training_run::TrainingRun;
use crate::record::diagnose::{Ending, Facts};
use crate::record::{
    BadLine, BestModel, LadderRow, ReturnTimes, RoundTrips, Row, Seconds, Summary, SwapRate,
};
use isotherm::data::Dataset;
use isotherm::diagnostics::Diagnostic;
use isotherm::likelihood::LogLikelihood;
use isotherm::model::Rbm;
use isotherm::options::Plan;
use isotherm::tempering::causes::unless_interrupted;
use isotherm::trainer::{Phase, TrainState};
use isotherm::{Dialect, Result};
use isotherm_tempering::causes::NonFinite;

/// The likelihood of the model and that of its averaged parameters, where they can be had.
pub(super) type Likelihoods = (Option<LogLikelihood>, Option<LogLikelihood>);

/// The likelihoods of each part of the data.
#[derive(Default)]
pub(super) struct FinalLikelihoods {
    pub(super) train: Likelihoods,
    pub(super) valid: Likelihoods,
    pub(super) test: Likelihoods,
    /// Why there is none, if finding it failed.
    pub(super) failed: Option<NonFinite>,
}

impl TrainingRun {
    /// The summary of the run as it is now, with its diagnostics in the words of a front end. `rows` are its rows of
    /// metrics, and `unreadable` the lines of their file that are not rows. The likelihoods are found here, which may
    /// take a while: `progress` gets the current stage and the share of it that is done, and returns whether to go
    /// on.
    pub fn summarise(
        &mut self,
        rows: &[Row],
        unreadable: &[BadLine],
        dialect: &dyn Dialect,
        progress: &mut dyn FnMut(&str, f64) -> bool,
    ) -> Result<Summary> {
        let likelihoods = self.final_likelihoods(progress)?;
        let mut goes_on = true;
        let samples = self.model_samples(&mut |share| {
            goes_on = goes_on && progress("sampling", share);
            goes_on
        });
        unless_interrupted(goes_on)?;
        let diagnostics = self.diagnose((rows, unreadable), &likelihoods, samples.as_ref());
        let summary =
            summarise(self.plan(), self.data(), self.state(), likelihoods, self.seconds());
        let warnings = diagnostics.iter().map(|it| it.words(dialect)).collect();
        let clusters = samples.and_then(|samples| samples.clusters).filter(|it| it.count() > 1);
        Ok(Summary { warnings, diagnostics: Some(diagnostics), clusters, ..summary })
    }

    /// What a reader should know before trusting the run.
    fn diagnose(
        &self,
        (rows, unreadable): (&[Row], &[BadLine]),
        likelihoods: &FinalLikelihoods,
        samples: Option<&ModelSamples>,
    ) -> Vec<Diagnostic> {
        let (state, at_start) = (self.state(), self.diagnostics_at_start());
        let stopped = self.stopped_early();
        Facts {
            rows: &with_the_last(rows, state, self.plan()),
            unreadable,
            options: Some(self.plan().options()),
            last_step: state.step(),
            stopped: stopped.as_ref(),
            model_written: true,
            ending: Some(Ending {
                likelihood: likelihoods.train.0.as_ref(),
                averaged: likelihoods.train.1.as_ref(),
                failed: likelihoods.failed.as_ref(),
            }),
            model: Some(state.result()[0]),
            samples: samples.map(|samples| samples.facts(self.data().modes())),
            at_start: &at_start,
        }
        .diagnose()
    }

    /// Samples of the model, if they are not too much work beside learning. The run is complete without them.
    fn model_samples(&self, progress: &mut dyn FnMut(f64) -> bool) -> Option<ModelSamples> {
        let model = Rbm::new(self.state().result()[0].clone());
        let (options, data) = (self.plan().options(), self.data());
        let exact =
            ModelSamples::exact_after_learning(&model, options, data, self.state().reference());
        exact.or_else(|| {
            let checkpoint = self.to_bundle().ok()?;
            let ladder = ladder_of(self.state());
            let known = (ladder.as_ref(), data);
            let drawn = ModelSamples::after_learning(options, &checkpoint, &model, known, progress);
            drawn.ok().flatten()
        })
    }
}

/// The rows of a run up to its last step, for which there is no row if it was stopped between two.
fn with_the_last<'a>(rows: &'a [Row], state: &TrainState, plan: &Plan) -> Cow<'a, [Row]> {
    if rows.last().is_some_and(|row| row.step == state.step()) {
        return Cow::Borrowed(rows);
    }
    let last = Row {
        step: state.step(),
        phase: phase_of(state, plan),
        learning_rate: 0.0,
        event: None,
        log_likelihood: None,
        log_likelihood_averaged: None,
        log_likelihood_valid: None,
        log_z_averaged: None,
        ladder: ladder_of(state),
    };
    Cow::Owned(rows.iter().cloned().chain([last]).collect())
}

fn ladder_of(state: &TrainState) -> Option<LadderRow> {
    state.negative().ladder().and_then(LadderRow::of)
}

fn phase_of(state: &TrainState, plan: &Plan) -> Phase {
    if state.step() > plan.options().optimiser.updates { Phase::Sample } else { Phase::Train }
}

/// The figures of a run that is done.
fn summarise(
    plan: &Plan,
    data: &Dataset,
    state: &TrainState,
    likelihoods: FinalLikelihoods,
    seconds: Seconds,
) -> Summary {
    let options = plan.options();
    let FinalLikelihoods { train, valid, test, .. } = likelihoods;
    let ladder = ladder_of(state);
    let ladder = ladder.as_ref();
    Summary {
        log_likelihood: train.0,
        log_likelihood_averaged: train.1,
        log_likelihood_valid: valid.0,
        log_likelihood_valid_averaged: valid.1,
        log_likelihood_test: test.0,
        log_likelihood_test_averaged: test.1,
        entropy_limit: data.limit(),
        best: state.best().map(|best| best.chosen()).map(|chosen| BestModel {
            update: chosen.update,
            log_likelihood_valid: chosen.log_likelihood,
        }),
        updates: state.step().min(options.optimiser.updates),
        sampling_steps: state.step().saturating_sub(options.optimiser.updates),
        reference: state.reference().record(plan),
        rungs: ladder.map_or(1, |ladder| ladder.betas.len()),
        betas: ladder.map_or(vec![1.0], |ladder| ladder.betas.clone()),
        swap_rate: ladder.map(|ladder| SwapRate {
            mean: ladder.swap_rate,
            min: ladder.swap_rates.iter().flatten().copied().fold(1.0, f64::min),
            pairs: ladder.swap_rates.clone(),
        }),
        f_up: ladder.map(|ladder| ladder.f_up.clone()),
        return_time: ladder.map(|ladder| ReturnTimes {
            mean: ladder.return_time_mean,
            sum: ladder.return_time_sum,
        }),
        round_trips: ladder.map(|ladder| RoundTrips {
            count: ladder.round_trips,
            mean_steps: ladder.steps_per_round_trip(),
            phase: phase_of(state, plan),
        }),
        seconds,
        seed: options.seed,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        clusters: None,
        warnings: Vec::new(),
        diagnostics: None,
    }
}
