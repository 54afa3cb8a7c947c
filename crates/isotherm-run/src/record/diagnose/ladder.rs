//! Rules about the ladder.

use super::Facts;
use crate::record::{LadderRow, Row};
use isotherm::diagnostics::{Diagnostic, Stretch, limits};
use isotherm::options::Options;
use isotherm::trainer::Phase;
use isotherm_tempering::theory;

/// What there is to say about the last ladder that was recorded.
pub(super) fn diagnose(facts: &Facts) -> Vec<Diagnostic> {
    let Some((row, ladder)) = last_ladder(facts.rows) else { return Vec::new() };
    let steps = ladder_steps(facts.options, row.step);
    let mixing = || cold_bottleneck(ladder).or_else(|| slow_mixing(ladder));
    let mixing = has_lasted(ladder, steps).then(mixing).flatten();
    let full = facts.options.and_then(|options| full_ladder(ladder, options));
    let found = [no_round_trip(facts), starved_gap(ladder), mixing, full];
    found.into_iter().flatten().collect()
}

fn last_ladder(rows: &[Row]) -> Option<(&Row, &LadderRow)> {
    rows.iter().rev().find_map(|row| Some((row, row.ladder.as_ref()?)))
}

/// Steps of the whole ladder in the first `steps` steps of a run.
fn ladder_steps(options: Option<&Options>, steps: u64) -> u64 {
    options.map_or(steps, |options| options.ladder_steps(steps))
}

/// No round trip in the whole run, or none since the count restarted. At the end of a run this is reported
/// however short it was; before, only if replicas had time for some.
fn no_round_trip(facts: &Facts) -> Option<Diagnostic> {
    let (last, ladder) = last_ladder(facts.rows).filter(|(_, it)| it.round_trips == 0)?;
    let ladders = || facts.rows.iter().filter_map(|row| row.ladder.as_ref());
    let (stretch, steps) = match facts.options {
        _ if ladders().all(|ladder| ladder.round_trips == 0) => {
            (Stretch::WholeRun, ladder_steps(facts.options, last.step))
        }
        Some(options) if last.phase == Phase::Train => {
            (Stretch::LastUpdates, options.ladder_steps(options.optimiser.updates / 5))
        }
        Some(options) => (Stretch::SamplingPhase, options.optimiser.sampling_steps),
        None => return None,
    };
    let is_over = facts.ending.is_some();
    // Before the end, the count may just have restarted.
    let is_late = stretch == Stretch::WholeRun && has_lasted(ladder, steps);
    (is_over || is_late).then(|| {
        let predicted = predicted_round_trip(ladder);
        Diagnostic::NoRoundTrip { stretch, steps, predicted }
    })
}

/// The gap with the lowest swap rate, if that is too low.
fn starved_gap(ladder: &LadderRow) -> Option<Diagnostic> {
    let rates = ladder.swap_rates.iter().enumerate();
    let starved = rates.filter_map(|(pair, rate)| Some((pair, (*rate)?)));
    let starved = starved.filter(|&(_, rate)| rate < limits::STARVED_SWAP_RATE);
    let starved: Vec<(usize, f64)> = starved.collect();
    let &(rung, swap_rate) = starved.iter().min_by(|a, b| a.1.total_cmp(&b.1))?;
    let beta = |rung: usize| ladder.betas.get(rung).copied().unwrap_or(0.0);
    let betas = [beta(rung), beta(rung + 1)];
    Some(Diagnostic::StarvedGap { rung, betas, swap_rate, others: starved.len() - 1 })
}

fn cold_bottleneck(ladder: &LadderRow) -> Option<Diagnostic> {
    let gaps = ladder.swap_rates.len();
    let rung = gaps.div_ceil(3);
    let flows = flows(ladder);
    let at_third = flows.iter().find(|flow| flow.rung == rung).filter(|_| rung < gaps)?;
    let (fall, predicted) = (1.0 - at_third.measured, 1.0 - at_third.predicted);
    let is_more = fall > limits::COLD_FALL && fall - predicted > limits::FLOW_DISTANCE;
    let beta = ladder.betas[rung];
    is_more.then_some(Diagnostic::ColdBottleneck { rung, beta, fall, predicted })
}

fn slow_mixing(ladder: &LadderRow) -> Option<Diagnostic> {
    let flows = flows(ladder);
    let worst = flows.iter().max_by(|a, b| a.distance().total_cmp(&b.distance()))?;
    if worst.distance() <= limits::FLOW_DISTANCE {
        return None;
    }
    // Beyond the predicted fall.
    let fall = |pair: &&[FlowAt]| {
        (pair[0].measured - pair[1].measured) - (pair[0].predicted - pair[1].predicted)
    };
    let steepest = flows.windows(2).max_by(|a, b| fall(a).total_cmp(&fall(b)))?;
    let steepest = [steepest[0].rung, steepest[1].rung];
    let FlowAt { rung, measured, predicted } = *worst;
    Some(Diagnostic::SlowMixing {
        rung,
        beta: ladder.betas[rung],
        measured,
        predicted,
        steepest,
        steepest_betas: steepest.map(|rung| ladder.betas[rung]),
    })
}

fn full_ladder(ladder: &LadderRow, options: &Options) -> Option<Diagnostic> {
    let (max_rungs, min_swap) = (options.ladder.max_rungs, options.ladder.min_swap);
    let algorithm = options.sampler.algorithm;
    let swap_rate = ladder.swap_rate;
    let is_full = algorithm.is_adaptive() && ladder.betas.len() >= max_rungs;
    (is_full && swap_rate < min_swap).then_some(Diagnostic::FullLadder {
        max_rungs,
        swap_rate,
        min_swap,
    })
}

/// f_up on a rung.
struct FlowAt {
    rung: usize,
    measured: f64,
    predicted: f64,
}

impl FlowAt {
    fn distance(&self) -> f64 {
        (self.measured - self.predicted).abs()
    }
}

/// f_up of the rungs where it is measured and predicted.
fn flows(ladder: &LadderRow) -> Vec<FlowAt> {
    let predicted = predicted_flow(ladder).unwrap_or_default();
    let both = ladder.f_up.iter().zip(predicted).enumerate();
    let flow = |(rung, (f_up, predicted)): (usize, (&Option<f64>, f64))| {
        Some(FlowAt { rung, measured: (*f_up)?, predicted })
    };
    both.filter_map(flow).collect()
}

/// f_up as the swap rates predict it if the states inside each rung were drawn afresh at every
/// step; nothing before every pair has been tried.
pub fn predicted_flow(ladder: &LadderRow) -> Option<Vec<f64>> {
    rejections(ladder).map(|rejections| theory::flow(&rejections))
}

/// The steps of one replica's round trip that the swap rates predict.
pub fn predicted_round_trip(ladder: &LadderRow) -> Option<f64> {
    let rate = theory::round_trip_rate(&rejections(ladder)?);
    Some(ladder.betas.len() as f64 / rate)
}

/// Whether replicas had the time for [`limits::ENOUGH_ROUND_TRIPS`] each.
fn has_lasted(ladder: &LadderRow, steps: u64) -> bool {
    // A starved gap must not hide that nothing crosses it, however long the run.
    let fed = |rate: &Option<f64>| Some(rate.unwrap_or(0.0).max(limits::STARVED_SWAP_RATE));
    let swap_rates = ladder.swap_rates.iter().map(fed).collect();
    let fed = LadderRow { swap_rates, ..ladder.clone() };
    let enough = |trip| steps as f64 >= limits::ENOUGH_ROUND_TRIPS * trip;
    predicted_round_trip(&fed).is_some_and(enough)
}

fn rejections(ladder: &LadderRow) -> Option<Vec<f64>> {
    // A pair that never swaps would have an infinite resistance, and its flow no value.
    let rejection = |rate: &Option<f64>| rate.map(|rate| (1.0 - rate).clamp(0.0, 1.0 - 1e-9));
    ladder.swap_rates.iter().map(rejection).collect()
}
