//! Rules about the likelihood.

use super::Ending;
use crate::record::{BadLine, LineProblem, Row};
use isotherm::diagnostics::{Diagnostic, LikelihoodFailure, WhichParameters, limits};
use isotherm::likelihood::LogLikelihood;
use isotherm::likelihood::exact::LARGEST;
use isotherm::model::Parameters;
use isotherm_tempering::flow::too_few_round_trips;

/// The first step with a value that is not finite. A run in memory has it in a row; in a file it makes a line that is
/// not a row.
pub(super) fn non_finite(rows: &[Row], unreadable: &[BadLine]) -> Option<Diagnostic> {
    let is_bad = |row: &&Row| {
        let likelihoods =
            [&row.log_likelihood, &row.log_likelihood_averaged, &row.log_likelihood_valid];
        let ladder = row.ladder.iter().flat_map(|ladder| {
            let rates = ladder.swap_rates.iter().flatten().chain(ladder.f_up.iter().flatten());
            ladder.betas.iter().chain(rates)
        });
        likelihoods.into_iter().flatten().any(|it| !it.value.is_finite())
            || ladder.into_iter().any(|value| !value.is_finite())
    };
    let in_rows = rows.iter().find(is_bad).map(|row| row.step);
    let in_lines = unreadable.iter().find_map(|bad| match bad.problem {
        LineProblem::NotFinite { step } => step,
        _ => None,
    });
    let step = in_rows.into_iter().chain(in_lines).min()?;
    Some(Diagnostic::NonFinite { step })
}

/// A last likelihood far below the best one.
pub(super) fn falling(rows: &[Row]) -> Option<Diagnostic> {
    let measured = || {
        rows.iter().filter_map(|row| {
            let it = row.likelihood()?;
            it.value.is_finite().then_some((row.step, it.value, it.std_error))
        })
    };
    let (best_step, best, best_error) = measured().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let (last_step, last, last_error) = measured().next_back()?;
    let noise = 3.0 * (best_error * best_error + last_error * last_error).sqrt();
    (best - last > limits::LIKELIHOOD_FALL * best.abs() + noise)
        .then_some(Diagnostic::FallingLikelihood { best_step, best, last_step, last })
}

/// The sampler of the online estimate, judged by the rule by which `evaluate` finds a sampler not converged.
pub(super) fn online(rows: &[Row]) -> Option<Diagnostic> {
    let (step, it) = rows.iter().rev().find_map(|row| Some((row.step, row.log_z_averaged?)))?;
    let (columns, round_trips) = (it.columns, it.round_trips);
    too_few_round_trips(round_trips, columns).then_some(Diagnostic::OnlineLikelihood {
        step,
        round_trips,
        columns,
    })
}

/// The likelihoods of the end, or why there are none.
pub(super) fn at_the_end(ending: &Ending, model: Option<&Parameters>) -> Vec<Diagnostic> {
    let raw = match (ending.likelihood, ending.failed) {
        (Some(measured), _) => not_converged(WhichParameters::Raw, measured),
        (None, Some(cause)) => {
            Some(Diagnostic::LikelihoodFailed { failure: LikelihoodFailure::Cause(cause.clone()) })
        }
        (None, None) => model.and_then(too_large),
    };
    let averaged = ending.averaged.and_then(|it| not_converged(WhichParameters::Averaged, it));
    [raw, averaged].into_iter().flatten().collect()
}

fn too_large(model: &Parameters) -> Option<Diagnostic> {
    let units = model.n_visible().min(model.n_hidden());
    (units > LARGEST).then_some(Diagnostic::NoLikelihood { units })
}

fn not_converged(parameters: WhichParameters, measured: &LogLikelihood) -> Option<Diagnostic> {
    let verdict = measured.verdict().filter(|verdict| !verdict.converged)?.clone();
    Some(Diagnostic::NotConverged { parameters, verdict })
}
