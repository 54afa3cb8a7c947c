//! What a run came to, from its final state.

use isotherm_kernels::matrix::flat;

use crate::record::{
    BestModel, LadderRow, ReturnTimes, RoundTrips, Seconds, Summary, SwapRate, doubts,
};
use isotherm::data::Dataset;
use isotherm::likelihood::{LogLikelihood, exact};
use isotherm::model::Parameters;
use isotherm::options::Plan;
use isotherm::train::follower::COLUMNS;
use isotherm::train::{Phase, TrainState};

/// The likelihood of the model and that of its averaged parameters, where they can be had.
pub(super) type Likelihoods = (Option<LogLikelihood>, Option<LogLikelihood>);

/// The likelihoods of each part of the data.
#[derive(Default)]
pub(super) struct FinalLikelihoods {
    pub(super) train: Likelihoods,
    pub(super) valid: Likelihoods,
    pub(super) test: Likelihoods,
    /// Why there is none, where that is not for want of trying.
    pub(super) failed: Option<String>,
}

/// The summary of a run that is done.
pub(super) fn summarise(
    plan: &Plan,
    data: &Dataset,
    state: &TrainState,
    likelihoods: FinalLikelihoods,
    seconds: Seconds,
) -> Summary {
    let options = &plan.options;
    let FinalLikelihoods { train, valid, test, failed } = likelihoods;
    let ladder = state.negative.tempering().and_then(|tempering| LadderRow::of(&tempering.state));
    let ladder = ladder.as_ref();
    let phase = if state.step > options.optimiser.updates { Phase::Sample } else { Phase::Train };
    let mut warnings = data.warnings();
    warnings.extend(large_parameters(state.result()[0]));
    if let Some(ladder) = ladder {
        warnings.extend(doubts::of_a_ladder(
            ladder,
            Some(options),
            options.ladder_steps(state.step),
        ));
        warnings.extend(no_round_trip(ladder));
    }
    if let Some(follower) = state.follower.as_ref().filter(|it| it.tracked.looks > 1) {
        let round_trips = follower.sampler.tempering.state.flow.round_trips;
        let updates = state.step.min(options.optimiser.updates);
        warnings.extend(doubts::of_a_follower(COLUMNS, round_trips, updates));
    }
    if state.step < options.optimiser.updates {
        let why = match state.has_stalled(options.optimiser.patience) {
            true => ", because nothing was better on the validation data any more",
            false => "",
        };
        warnings.push(format!(
            "stopped after {} of {} updates{why}",
            state.step, options.optimiser.updates
        ));
    }
    match &train.0 {
        None => warnings
            .push(failed.unwrap_or_else(|| no_likelihood(exact::smaller_layer(&state.model)))),
        Some(measured) => warnings.extend(not_converged("log-likelihood", measured)),
    }
    let averaged = train.1.as_ref();
    warnings.extend(averaged.and_then(|it| not_converged("averaged log-likelihood", it)));
    Summary {
        log_likelihood: train.0,
        log_likelihood_averaged: train.1,
        log_likelihood_valid: valid.0,
        log_likelihood_valid_averaged: valid.1,
        log_likelihood_test: test.0,
        log_likelihood_test_averaged: test.1,
        entropy_limit: data.limit(),
        best: state.best.as_ref().map(|best| best.chosen()).map(|chosen| BestModel {
            update: chosen.update,
            log_likelihood_valid: chosen.log_likelihood,
        }),
        updates: state.step.min(options.optimiser.updates),
        sampling_steps: state.step.saturating_sub(options.optimiser.updates),
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
            phase,
        }),
        seconds,
        seed: options.seed,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        warnings,
    }
}

/// Beyond this no parameter makes a unit any surer: what is larger has diverged.
const LARGE: f32 = 1000.0;

fn large_parameters(model: &Parameters) -> Option<String> {
    let all = [&model.w, &model.b, &model.c].into_iter().flat_map(|it| flat(it.tiles()));
    let largest = all.fold(0f32, |largest, x| largest.max(x.abs()));
    (largest > LARGE).then(|| {
        format!(
            "weights or biases as large as {largest:.0e}, beyond {LARGE}: learning has diverged; a \
             lower --lr should help"
        )
    })
}

fn no_round_trip(ladder: &LadderRow) -> Option<String> {
    (ladder.round_trips == 0).then(|| {
        "no replica completed a round trip between the ends of the ladder: the samples may come \
         from a part of the model only"
            .to_owned()
    })
}

fn no_likelihood(units: usize) -> String {
    let largest = exact::LARGEST;
    format!(
        "no likelihood: the smaller layer has {units} units, more than the {largest} that can be \
         enumerated; `isotherm evaluate` estimates it"
    )
}

fn not_converged(which: &str, measured: &LogLikelihood) -> Option<String> {
    let verdict = measured.verdict().filter(|verdict| !verdict.converged)?;
    Some(format!("{which} {} (`isotherm evaluate` takes more time over it)", verdict.sentence))
}
