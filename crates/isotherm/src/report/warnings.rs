//! What a reader should know before trusting a run, in words, each with the threshold behind it.

use crate::figure::minus;
use crate::likelihood::LogLikelihood;
use crate::likelihood::exact::LARGEST;
use crate::likelihood::verdict::trips_in_words;
use crate::record::{LadderRow, Row, STARVED};
use crate::tempering::theory;
use crate::train::{Algorithm, Config, Phase};

/// A distance of f_up from what the swap rates predict that is more than noise.
pub(crate) const FAR_FROM_PREDICTED: f64 = 0.2;
/// A fall of f_up over the coldest third of the gaps that leaves too little for the others.
pub(crate) const COLD_FALL: f64 = 0.5;
/// Predicted round trips of one replica from which on the flow of all of them tells anything.
pub(crate) const ENOUGH_TRIPS: f64 = 5.0;
/// A fall of the likelihood below its best, as a share of the best, that is no fluctuation.
pub(crate) const LIKELIHOOD_FALL: f64 = 0.05;
/// A unit that is on with a mean probability below this, or above 1 minus this, does no work.
pub(crate) const IDLE: f64 = 0.002;
/// Samples from which on a mean probability tells anything about idle units.
pub(crate) const ENOUGH_SAMPLES: usize = 200;

/// A total variation distance of the mixture's mode masses from the data's that is no accident.
pub(crate) const LOST_MODES: f64 = 0.2;
/// Updates before which no model can be expected to have the masses of the modes.
pub(crate) const ENOUGH_UPDATES: u64 = 1000;

/// What the rules look at. Whatever is not known is `None`, and rules about it are silent.
#[derive(Clone, Copy, Default)]
pub(crate) struct Signs<'a> {
    /// The rows of metrics.
    pub(crate) rows: &'a [Row],
    /// The configuration.
    pub(crate) config: Option<&'a Config>,
    /// The last step that is known of.
    pub(crate) last_step: u64,
    /// Whether the run wrote its summary.
    pub(crate) finished: bool,
    /// The likelihood at the end.
    pub(crate) likelihood: Option<&'a LogLikelihood>,
    /// That of the averaged parameters.
    pub(crate) averaged: Option<&'a LogLikelihood>,
    /// Visible and hidden units.
    pub(crate) units: Option<(usize, usize)>,
    /// Mean activation of each hidden unit over samples of the model, and the number of samples.
    pub(crate) activations: Option<(&'a [f64], usize)>,
    /// For the built-in mixture: how far the mode masses of those samples are from the data's.
    pub(crate) mode_distance: Option<f64>,
}

impl Signs<'_> {
    /// The step of the last ladder that was recorded.
    fn last_row_step(&self) -> u64 {
        self.rows.iter().rev().find(|row| row.ladder.is_some()).map_or(0, |row| row.step)
    }

    /// Steps of the whole ladder in the first so many steps of the run.
    fn ladder_steps(&self, steps: u64) -> u64 {
        self.config.map_or(steps, |config| config.ladder_steps(steps))
    }
}

/// All that is worth a warning.
pub(crate) fn warnings(signs: &Signs) -> Vec<String> {
    let mut found = Vec::new();
    found.extend(unfinished(signs));
    found.extend(non_finite(signs.rows));
    found.extend(falling_likelihood(signs.rows));
    found.extend(slow_follower(signs.rows));
    match signs.likelihood {
        Some(measured) => found.extend(not_converged("The log-likelihood", measured)),
        None => found.extend(signs.units.filter(|_| signs.finished).and_then(no_likelihood)),
    }
    let averaged = "The log-likelihood of the averaged parameters";
    found.extend(signs.averaged.and_then(|measured| not_converged(averaged, measured)));
    if let Some(ladder) = signs.rows.iter().rev().find_map(|row| row.ladder.as_ref()) {
        found.extend(ladder.starved_gap().map(|why| format!("A{}.", why.trim_start_matches('a'))));
        found.extend(no_round_trip(signs));
        if lasted(ladder, signs.ladder_steps(signs.last_row_step())) {
            found.extend(cold_bottleneck(ladder).or_else(|| slow_mixing(ladder)));
        }
        found.extend(signs.config.and_then(|config| full_ladder(ladder, config)));
    }
    found.extend(lost_modes(signs));
    found.extend(signs.activations.and_then(|(means, samples)| idle_units(means, samples)));
    found
}

/// f_up as the swap rates predict it if the states inside each rung were drawn afresh at every
/// step; nothing before every pair has been tried.
pub(crate) fn predicted_flow(ladder: &LadderRow) -> Option<Vec<f64>> {
    rejections(ladder).map(|rejections| theory::flow(&rejections))
}

/// The steps of one replica's round trip that the swap rates predict.
pub(crate) fn predicted_round_trip(ladder: &LadderRow) -> Option<f64> {
    let rate = theory::round_trip_rate(&rejections(ladder)?);
    Some(ladder.betas.len() as f64 / rate)
}

/// Whether so many steps are enough for replicas to have crossed the ladder [`ENOUGH_TRIPS`] times.
fn lasted(ladder: &LadderRow, steps: u64) -> bool {
    // A gap that starves must not hide that nothing crosses it, however long it is watched.
    let fed = |rate: &Option<f64>| Some(rate.unwrap_or(0.0).max(STARVED));
    let fed =
        LadderRow { swap_rates: ladder.swap_rates.iter().map(fed).collect(), ..ladder.clone() };
    predicted_round_trip(&fed).is_some_and(|trip| steps as f64 >= ENOUGH_TRIPS * trip)
}

fn rejections(ladder: &LadderRow) -> Option<Vec<f64>> {
    // A pair that never swaps would have an infinite resistance, and its flow no value.
    let rejection = |rate: &Option<f64>| rate.map(|rate| (1.0 - rate).clamp(0.0, 1.0 - 1e-9));
    ladder.swap_rates.iter().map(rejection).collect()
}

fn unfinished(signs: &Signs) -> Option<String> {
    if signs.finished {
        return None;
    }
    let total = signs.config.map(|config| config.updates + config.sampling_steps);
    let of = total.map_or(String::new(), |total| format!(" of {total}"));
    Some(format!(
        "This run is not finished: {}{of} steps are known of. It is still going on, or it was \
         stopped and `isotherm resume` goes on with it.",
        signs.last_step
    ))
}

fn non_finite(rows: &[Row]) -> Option<String> {
    let bad = |row: &&Row| {
        let likelihoods =
            [&row.log_likelihood, &row.log_likelihood_averaged, &row.log_likelihood_valid];
        let ladder = row.ladder.iter().flat_map(|ladder| {
            let rates = ladder.swap_rates.iter().flatten().chain(ladder.f_up.iter().flatten());
            ladder.betas.iter().chain(rates)
        });
        likelihoods.into_iter().flatten().any(|it| !it.value.is_finite())
            || ladder.into_iter().any(|value| !value.is_finite())
    };
    let step = rows.iter().find(bad)?.step;
    Some(format!(
        "Values that are not finite appear from step {step} on: learning diverged, and a lower \
         --lr should help."
    ))
}

fn falling_likelihood(rows: &[Row]) -> Option<String> {
    let measured = || {
        rows.iter().filter_map(|row| {
            let it = row.likelihood()?;
            it.value.is_finite().then_some((row.step, it.value, it.std_error))
        })
    };
    let best = measured().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let last = measured().next_back()?;
    let noise = 3.0 * (best.2 * best.2 + last.2 * last.2).sqrt();
    let fall = best.1 - last.1;
    (fall > LIKELIHOOD_FALL * best.1.abs() + noise).then(|| {
        format!(
            "The log-likelihood fell from {} at step {} to {} at step {}, by more than {:.0} % \
             of its best: learning is diverging or its samples are poor; a lower --lr, or a ladder \
             that mixes, should help.",
            minus(format!("{:.2}", best.1)),
            best.0,
            minus(format!("{:.2}", last.1)),
            last.0,
            100.0 * LIKELIHOOD_FALL
        )
    })
}

/// The same rule by which `evaluate` finds a sampler not converged, at the end of what is known.
fn slow_follower(rows: &[Row]) -> Option<String> {
    let (step, it) = rows.iter().rev().find_map(|row| Some((row.step, row.log_z_averaged?)))?;
    let trips = trips_in_words(it.round_trips);
    (it.round_trips < it.columns as u64).then(|| {
        format!(
            "The likelihood along the run may be further off than its band: the sampler that follows \
             it had completed {trips} at step {step}, fewer than one for each of its {} columns, \
             and hardly forgets where it began. `isotherm evaluate` does not rest on it.",
            it.columns
        )
    })
}

fn no_likelihood((visible, hidden): (usize, usize)) -> Option<String> {
    let units = visible.min(hidden);
    (units > LARGEST).then(|| {
        format!(
            "No likelihood: the smaller layer has {units} units, more than the {LARGEST} that can \
             be enumerated; `isotherm evaluate` estimates it."
        )
    })
}

fn not_converged(which: &str, measured: &LogLikelihood) -> Option<String> {
    let verdict = measured.verdict().filter(|verdict| !verdict.converged)?;
    Some(format!("{which} has {}.", verdict.sentence))
}

fn no_round_trip(signs: &Signs) -> Option<String> {
    let counts = || signs.rows.iter().filter_map(|row| Some((row, row.ladder.as_ref()?)));
    let (last, ladder) = counts().next_back()?;
    let consequence = "the samples may come from a part of the model only";
    if counts().all(|(_, ladder)| ladder.round_trips == 0) {
        let steps = signs.ladder_steps(last.step);
        return lasted(ladder, steps).then(|| {
            format!(
                "No replica has completed a round trip between the ends of the ladder in {steps} \
                 steps: {consequence}."
            )
        });
    }
    let config = signs.config?;
    let (stretch, steps) = match last.phase {
        Phase::Train => ("the last fifth of the updates", config.ladder_steps(config.updates / 5)),
        Phase::Sample => ("the sampling phase", config.sampling_steps),
    };
    // Before the end the count may have begun anew a moment ago.
    (ladder.round_trips == 0 && signs.finished && lasted(ladder, steps)).then(|| {
        format!(
            "No replica completed a round trip in {stretch}, though some did before: {consequence}."
        )
    })
}

/// Where f_up is measured and predicted: rung, measured, predicted.
fn flows(ladder: &LadderRow) -> Vec<(usize, f64, f64)> {
    let predicted = predicted_flow(ladder).unwrap_or_default();
    let both = ladder.f_up.iter().zip(predicted).enumerate();
    both.filter_map(|(rung, (f_up, predicted))| Some((rung, (*f_up)?, predicted))).collect()
}

fn cold_bottleneck(ladder: &LadderRow) -> Option<String> {
    let third = ladder.swap_rates.len().div_ceil(3);
    let flows = flows(ladder);
    let &(_, measured, predicted) = flows.iter().find(|&&(rung, ..)| rung == third)?;
    let (fall, expected) = (1.0 - measured, 1.0 - predicted);
    (third < ladder.swap_rates.len()
        && fall > COLD_FALL
        && fall - expected > FAR_FROM_PREDICTED)
        .then(|| {
            format!(
                "A bottleneck at the cold end: f_up falls by {fall:.2} from β = 1 to β = {:.3} (rung \
                 {third}), more than {COLD_FALL}, where the swap rates predict {expected:.2}. Swaps \
                 are accepted there, but replicas turn back: they mix slowly inside the rungs.",
                ladder.betas[third]
            )
        })
}

fn slow_mixing(ladder: &LadderRow) -> Option<String> {
    let distance = |&(_, measured, predicted): &(usize, f64, f64)| (measured - predicted).abs();
    let flows = flows(ladder);
    let worst = flows.iter().max_by(|a, b| distance(a).total_cmp(&distance(b)))?;
    let &(rung, measured, predicted) = worst;
    if distance(worst) <= FAR_FROM_PREDICTED {
        return None;
    }
    let fall = |pair: &&[(usize, f64, f64)]| {
        (pair[0].1 - pair[1].1) - (pair[0].2 - pair[1].2) // beyond the predicted one
    };
    let steepest = flows.windows(2).max_by(|a, b| fall(a).total_cmp(&fall(b)))?;
    let (cold, hot) = (steepest[0].0, steepest[1].0);
    Some(format!(
        "f_up is {measured:.2} on rung {rung} (β = {:.3}) where the swap rates predict \
         {predicted:.2}, further off than {FAR_FROM_PREDICTED}: replicas mix slowly inside the \
         rungs, most of all between rungs {cold} and {hot} (β = {:.3} and {:.3}), and round trips \
         take longer than the swap rates promise.",
        ladder.betas[rung], ladder.betas[cold], ladder.betas[hot]
    ))
}

fn full_ladder(ladder: &LadderRow, config: &Config) -> Option<String> {
    let adaptive = config.algorithm == Algorithm::Apt && ladder.betas.len() >= config.max_rungs;
    (adaptive && ladder.swap_rate < config.min_swap).then(|| {
        format!(
            "The ladder could not grow: it has its --max-rungs {} and a mean swap rate of {:.2}, \
             below its --min-swap {}.",
            config.max_rungs, ladder.swap_rate, config.min_swap
        )
    })
}

/// Silent before the updates that were asked for are done, and about fewer than
/// [`ENOUGH_UPDATES`].
fn lost_modes(signs: &Signs) -> Option<String> {
    let distance = signs.mode_distance?;
    let updates = signs.config?.updates;
    let trained = updates >= ENOUGH_UPDATES && signs.last_step >= updates;
    (trained && distance > LOST_MODES).then(|| {
        format!(
            "After {updates} updates the model gives the modes of the mixture other masses than \
             the data: the total variation distance is {distance:.2}, more than {LOST_MODES}."
        )
    })
}

fn idle_units(means: &[f64], samples: usize) -> Option<String> {
    if samples < ENOUGH_SAMPLES {
        return None;
    }
    let of = |idle: fn(f64) -> bool| -> Vec<usize> {
        means.iter().enumerate().filter(|&(_, &mean)| idle(mean)).map(|(unit, _)| unit).collect()
    };
    let (off, on) = (of(|mean| mean < IDLE), of(|mean| mean > 1.0 - IDLE));
    if off.is_empty() && on.is_empty() {
        return None;
    }
    let mut parts = Vec::new();
    for (units, how, bound) in [(off, "off", "below"), (on, "on", "above")] {
        if !units.is_empty() {
            let limit = if how == "off" { IDLE } else { 1.0 - IDLE };
            parts.push(format!("{} always {how} (mean {bound} {limit})", list(&units)));
        }
    }
    Some(format!("Idle hidden units over {samples} samples: {}.", parts.join("; ")))
}

/// The first few of a list, and how many there are.
fn list(units: &[usize]) -> String {
    const SHOWN: usize = 8;
    let named: Vec<String> = units.iter().take(SHOWN).map(usize::to_string).collect();
    match units.len() {
        1 => format!("unit {} is", named[0]),
        n if n <= SHOWN => format!("units {} are", named.join(", ")),
        n => format!("{n} units ({}, …) are", named.join(", ")),
    }
}

#[cfg(test)]
#[path = "warnings_tests.rs"]
mod tests;
