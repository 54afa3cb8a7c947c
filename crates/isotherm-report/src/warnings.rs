//! What a reader should know before trusting a run, in words, each with the threshold behind it.

use crate::figure::minus;
use isotherm::likelihood::LogLikelihood;
use isotherm::likelihood::exact::LARGEST;
use isotherm::options::Options;
use isotherm::train::Phase;
use isotherm_run::record::Row;
use isotherm_run::record::doubts::{lasted, of_a_follower, of_a_ladder};

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
    /// The options of training.
    pub(crate) options: Option<&'a Options>,
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
        self.options.map_or(steps, |options| options.ladder_steps(steps))
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
        let steps = signs.ladder_steps(signs.last_row_step());
        found.extend(no_round_trip(signs));
        found.extend(of_a_ladder(ladder, signs.options, steps).iter().map(|it| sentence(it)));
    }
    found.extend(lost_modes(signs));
    found.extend(signs.activations.and_then(|(means, samples)| idle_units(means, samples)));
    found
}

/// What a summary says in passing, as a sentence of its own. Symbols stay as they are.
pub(crate) fn sentence(said: &str) -> String {
    let mut letters = said.chars();
    match letters.next() {
        Some(first) if !said.starts_with("f_up") => {
            format!("{}{}.", first.to_uppercase(), letters.as_str().trim_end_matches('.'))
        }
        _ => format!("{said}."),
    }
}

fn unfinished(signs: &Signs) -> Option<String> {
    if signs.finished {
        return None;
    }
    let total = signs.options.map(Options::total_steps);
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

/// At the end of what is known.
fn slow_follower(rows: &[Row]) -> Option<String> {
    let (step, it) = rows.iter().rev().find_map(|row| Some((row.step, row.log_z_averaged?)))?;
    of_a_follower(it.columns, it.round_trips, step).map(|it| sentence(&it))
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
    let options = signs.options?;
    let (stretch, steps) = match last.phase {
        Phase::Train => {
            ("the last fifth of the updates", options.ladder_steps(options.optimiser.updates / 5))
        }
        Phase::Sample => ("the sampling phase", options.optimiser.sampling_steps),
    };
    // Before the end the count may have begun anew a moment ago.
    (ladder.round_trips == 0 && signs.finished && lasted(ladder, steps)).then(|| {
        format!(
            "No replica completed a round trip in {stretch}, though some did before: {consequence}."
        )
    })
}

/// Silent before the updates that were asked for are done, and about fewer than
/// [`ENOUGH_UPDATES`].
fn lost_modes(signs: &Signs) -> Option<String> {
    let distance = signs.mode_distance?;
    let updates = signs.options?.optimiser.updates;
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
