//! The key numbers of a run, as a page shows them and as runs are compared by them.

use super::reading::RunRecord;
use crate::figure::minus;
use isotherm::likelihood::LogLikelihood;
use isotherm_run::record::{Seconds, Summary};

/// A number of a run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Number {
    /// What it is.
    pub(crate) name: &'static str,
    /// As people read it; nothing where there is none.
    pub(crate) text: Option<String>,
    /// The number itself, where runs on the same data can be ranked by it, larger being better.
    /// Likelihoods are the only such: what a ladder does hangs on its path and model.
    pub(crate) rank: Option<f64>,
}

/// The key numbers: all runs have the same ones, in the same order.
pub(crate) fn key_numbers(record: &RunRecord) -> Vec<Number> {
    let number = |name, text: Option<String>| Number { name, text, rank: None };
    let likelihood = |of: Option<LogLikelihood>, name| {
        let rank = of.as_ref().map(|it| it.value);
        Number { name, text: of.map(|it| nats(&it)), rank }
    };
    let ladder = record.ladder();
    let lowest =
        ladder.map(|it| it.swap_rates.iter().flatten().copied().fold(f64::INFINITY, f64::min));
    let trip = ladder.and_then(|it| it.steps_per_round_trip());
    let seconds = seconds(record);
    let steps = record.last_step();
    let done = match record.total_steps() {
        Some(total) if total != steps => format!("{} of {}", grouped(steps), grouped(total)),
        _ => grouped(steps),
    };
    let fitted = record.summary.as_ref().and_then(|summary| summary.reference);
    vec![
        likelihood(final_likelihood(record), "log-likelihood (nats)"),
        likelihood(final_averaged(record), "of the averaged parameters"),
        likelihood(final_valid(record), "these on the validation data"),
        likelihood(final_test(record), "these on the test data"),
        number("limit of the data", record.limit().map(|limit| minus(format!("{limit:.2}")))),
        number("steps", Some(done)),
        number("seconds of training", seconds.map(|it| format!("{:.1}", it.train))),
        number("µs a step", seconds.filter(|it| it.train > 0.0).map(|it| each(it, steps, record))),
        number("reference", fitted.map(|fitted| minus(fitted.to_string()))),
        number("rungs", ladder.map(|it| it.betas.len().to_string())),
        number("mean swap rate", ladder.map(|it| format!("{:.2}", it.swap_rate))),
        number("lowest swap rate", lowest.map(|it| format!("{it:.2}"))),
        number("round trips, last stretch", ladder.map(|it| grouped(it.round_trips))),
        number("ladder steps a round trip", trip.map(|it| grouped(it.round() as u64))),
    ]
}

/// The likelihood of the end, or else the last that was measured.
pub(crate) fn final_likelihood(record: &RunRecord) -> Option<LogLikelihood> {
    let measured = || record.rows.iter().rev().find_map(|row| row.log_likelihood.clone());
    record.summary.as_ref().map_or_else(measured, |summary| summary.log_likelihood.clone())
}

fn final_averaged(record: &RunRecord) -> Option<LogLikelihood> {
    let measured = || record.rows.iter().rev().find_map(|row| row.log_likelihood_averaged.clone());
    record.summary.as_ref().map_or_else(measured, |summary| summary.log_likelihood_averaged.clone())
}

fn final_valid(record: &RunRecord) -> Option<LogLikelihood> {
    let measured = || record.rows.iter().rev().find_map(|row| row.log_likelihood_valid.clone());
    let kept = |summary: &Summary| summary.log_likelihood_valid_averaged.clone();
    record.summary.as_ref().map_or_else(measured, kept)
}

fn final_test(record: &RunRecord) -> Option<LogLikelihood> {
    record.summary.as_ref().and_then(|summary| summary.log_likelihood_test_averaged.clone())
}

fn seconds(record: &RunRecord) -> Option<Seconds> {
    let clock = || record.timings.last().map(|timing| timing.seconds);
    record.summary.as_ref().map(|summary| summary.seconds).or_else(clock)
}

fn each(seconds: Seconds, steps: u64, record: &RunRecord) -> String {
    // The clock stands at the last row; the steps of an unfinished run may be further.
    let timed = record.timings.last().map_or(steps, |timing| timing.step);
    let updates =
        record.config.as_ref().map_or(timed, |config| config.options.optimiser.updates.min(timed));
    format!("{:.0}", 1e6 * seconds.train / updates.max(1) as f64)
}

/// A log-likelihood with its error, if it has one.
pub(crate) fn nats(measured: &LogLikelihood) -> String {
    let LogLikelihood { lower, upper, .. } = measured;
    minus(match measured.std_error {
        error if measured.log_z.is_some() => {
            let caveat = match measured.verdict().is_some_and(|it| it.converged) {
                true => "",
                false => ", not converged",
            };
            format!("{:.2} ± {error:.2} [{lower:.2}, {upper:.2}]{caveat}", measured.value)
        }
        0.0 => format!("{:.2}", measured.value),
        error => format!("{:.2} ± {error:.2}", measured.value),
    })
}

/// A whole number with thin gaps between its thousands.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    if digits.len() < 5 {
        return digits;
    }
    let head = digits.len() % 3;
    let (first, rest) = digits.split_at(head);
    let groups = rest.as_bytes().chunks(3).map(|group| String::from_utf8_lossy(group).into_owned());
    let head = (!first.is_empty()).then(|| first.to_owned());
    head.into_iter().chain(groups).collect::<Vec<_>>().join("\u{202f}")
}
