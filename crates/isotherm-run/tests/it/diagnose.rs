//! Every rule raises its kind of diagnostic on the facts that it is about, and all are silent about a healthy run.

use crate::healthy::*;
use isotherm::data::DataDiagnostic;
use isotherm::diagnostics::{Diagnostic, LikelihoodFailure, Stop, Stretch, WhichParameters};
use isotherm::likelihood::online::OnlineEstimate;
use isotherm::likelihood::{Basis, Reason, Verdict};
use isotherm::model::Parameters;
use isotherm::options::{Algorithm, Options};
use isotherm::sampling::{ClusterWeights, Distance};
use isotherm::trainer::Phase;
use isotherm_run::record::diagnose::{Ending, Facts, SampleFacts, predicted_flow};
use isotherm_run::record::{BadLine, LadderRow, LineProblem, Row};
use isotherm_tempering::causes::NonFinite;

fn options() -> Options {
    Options::default().updates(1000)
}

/// A run that ended with nothing to say about its likelihood.
fn ended<'a>() -> Option<Ending<'a>> {
    Some(Ending::default())
}

/// The diagnostics of a finished run with these rows.
fn about(rows: &[Row]) -> Vec<Diagnostic> {
    let (options, activations, model) = (options(), vec![0.5; 10], Parameters::zeros(784, 10));
    Facts {
        rows,
        options: Some(&options),
        last_step: 1000,
        ending: ended(),
        model: Some(&model),
        samples: Some(SampleFacts {
            count: 500,
            activations: &activations,
            mode_distance: Some(0.05),
            ..SampleFacts::default()
        }),
        ..Facts::default()
    }
    .diagnose()
}

/// Those of a healthy run whose ladders were changed.
fn about_ladder(change: impl Fn(&mut LadderRow)) -> Vec<Diagnostic> {
    let mut rows = healthy_rows();
    rows.iter_mut().for_each(|row| change(row.ladder.as_mut().unwrap()));
    about(&rows)
}

fn kinds(found: &[Diagnostic]) -> Vec<&str> {
    found.iter().map(Diagnostic::kind).collect()
}

/// The only diagnostic there is.
fn only(found: Vec<Diagnostic>) -> Diagnostic {
    assert_eq!(found.len(), 1, "{found:?}");
    found.into_iter().next().unwrap()
}

#[test]
fn a_healthy_run_has_no_diagnostic() {
    assert_eq!(about(&healthy_rows()), []);
}

#[test]
fn a_run_without_a_ladder_or_rows_is_not_blamed_for_it() {
    let mut rows = healthy_rows();
    rows.iter_mut().for_each(|row| row.ladder = None);
    assert_eq!(about(&rows), []);
    assert_eq!(about(&[]), []);
    let nothing = Facts::default().diagnose();
    assert_eq!(nothing, [Diagnostic::Unfinished { steps: 0, of: None }]);
}

#[test]
fn an_unfinished_run_is_told() {
    let (rows, options) = (healthy_rows(), options());
    let facts = Facts { rows: &rows, options: Some(&options), last_step: 700, ..Facts::default() };
    assert_eq!(facts.diagnose(), [Diagnostic::Unfinished { steps: 700, of: Some(1000) }]);
    // Learning in pieces has no summary, and is complete after every piece.
    let written = Facts { model_written: true, ..facts };
    assert_eq!(kinds(&written.diagnose()), ["unfinished"]);
    assert_eq!(Facts { last_step: 1000, ..written }.diagnose(), []);
}

#[test]
fn what_is_known_of_data_and_of_the_end_is_passed_on() {
    let source = "votes.csv".to_owned();
    let data = [DataDiagnostic::ConstantColumns { source, count: 2, columns: 9 }.into()];
    let because = Stop::Patience { best: 200 };
    let stopped = Diagnostic::StoppedEarly { updates: 400, of: 1000, because };
    let cause = NonFinite::SwapRatio { rung: 2, step: 7 };
    let ending = Ending { failed: Some(&cause), ..Ending::default() };
    let facts = Facts { at_start: &data, stopped: Some(&stopped), ..Facts::default() };
    let found = Facts { ending: Some(ending), ..facts }.diagnose();
    let failure = LikelihoodFailure::Cause(cause.clone());
    let failed = Diagnostic::LikelihoodFailed { failure };
    assert_eq!(found, [data[0].clone(), stopped.clone(), failed]);
    // A run that cannot go on is not called unfinished.
    assert_eq!(facts.diagnose(), [data[0].clone(), stopped]);
}

#[test]
fn a_starved_gap_is_named() {
    // The flow follows its swap rates: the gap is the only thing wrong.
    let starve = |ladder: &mut LadderRow| {
        ladder.swap_rates[3] = Some(0.04);
        ladder.f_up = predicted_flow(ladder).unwrap().into_iter().map(Some).collect();
    };
    let Diagnostic::StarvedGap { rung, betas, swap_rate, others } = only(about_ladder(starve))
    else {
        panic!("another kind")
    };
    assert_eq!((rung, swap_rate, others), (3, 0.04, 0));
    assert!((betas[0] - 0.5).abs() < 1e-12 && (betas[1] - 1.0 / 3.0).abs() < 1e-12);
    let all = only(about_ladder(|ladder| {
        ladder.swap_rates = vec![Some(0.05); 6];
        ladder.f_up = vec![None; 7];
    }));
    assert!(matches!(all, Diagnostic::StarvedGap { others: 5, .. }), "{all:?}");
    assert_eq!(about_ladder(|ladder| ladder.swap_rates[3] = None), [], "not tried is not bad");
    let dead = about_ladder(|ladder| ladder.swap_rates[3] = Some(0.0));
    assert_eq!(dead[0].kind(), "starved-gap", "a pair that never swaps has a finite prediction");
}

#[test]
fn no_round_trip_is_told_apart_from_none_at_the_end() {
    let never = only(about_ladder(|ladder| ladder.round_trips = 0));
    let Diagnostic::NoRoundTrip { stretch, steps, predicted } = never else { panic!("{never:?}") };
    assert_eq!((stretch, steps), (Stretch::WholeRun, 1000));
    assert!((predicted.unwrap() - 98.0).abs() < 1e-9, "{predicted:?}");
    let mut rows = healthy_rows();
    rows[9].ladder.as_mut().unwrap().round_trips = 0;
    let long = Options::default().updates(2500).sampling_steps(480);
    let end = Facts { rows: &rows, options: Some(&long), ending: ended(), ..Facts::default() };
    let stretch_of = |found: Vec<Diagnostic>| match only(found) {
        Diagnostic::NoRoundTrip { stretch, steps, .. } => (stretch, steps),
        other => panic!("{other:?}"),
    };
    assert_eq!(stretch_of(end.diagnose()), (Stretch::LastUpdates, 500));
    assert_eq!(kinds(&Facts { ending: None, ..end }.diagnose()), ["unfinished"]);
    // However short the stretch: what the swap rates predict stands beside it.
    assert_eq!(stretch_of(about(&rows)), (Stretch::LastUpdates, 200));
    let mut last = rows.clone();
    last[9].phase = Phase::Sample;
    let sampled = Facts { rows: &last, ..end };
    assert_eq!(stretch_of(sampled.diagnose()), (Stretch::SamplingPhase, 480));
    assert_eq!(kinds(&Facts { ending: None, ..sampled }.diagnose()), ["unfinished"]);
}

#[test]
fn the_flow_is_not_judged_before_replicas_can_have_crossed() {
    let early = |step: u64, rate: f64| {
        let mut row = healthy_rows().remove(0);
        let ladder = row.ladder.as_mut().unwrap();
        // After a few steps the labels are still where they were given.
        ladder.f_up = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0].map(Some).to_vec();
        ladder.swap_rates = vec![Some(rate); 6];
        ladder.round_trips = 0;
        row.step = step;
        let options = options();
        let facts = Facts { options: Some(&options), ..Facts::default() };
        let live = Facts { rows: &[row.clone()], ..facts }.diagnose();
        let live = kinds(&live).into_iter().filter(|&kind| kind != "unfinished");
        let live: Vec<String> = live.map(str::to_owned).collect();
        let over = Facts { rows: &[row], ending: ended(), ..facts }.diagnose();
        let over: Vec<String> = kinds(&over).into_iter().map(str::to_owned).collect();
        (live, over)
    };
    for step in [8, 489] {
        let (live, over) = early(step, 0.5);
        assert!(live.is_empty(), "{step}: {live:?}");
        assert_eq!(over, ["no-round-trip"], "a run that is over will have none");
    }
    let both = ["no-round-trip", "slow-mixing"];
    let (live, over) = early(490, 0.5);
    assert!(live == both && over == both, "{live:?} {over:?}");
    // Pairs that never swap would take for ever, but are not waited for so long.
    assert_eq!(early(1000, 0.0).0, ["starved-gap"]);
    let (live, _) = early(10_000, 0.0);
    assert!(live.contains(&"no-round-trip".to_owned()), "{live:?}");
    let mut cold = healthy_rows();
    cold.truncate(4);
    for row in &mut cold {
        let f_up = [1.0, 0.6, 0.2, 0.15, 0.1, 0.05, 0.0].map(Some);
        row.ladder.as_mut().unwrap().f_up = f_up.to_vec();
    }
    assert_eq!(about(&cold), [], "400 steps are about four round trips");
}

#[test]
fn a_cold_bottleneck_is_told_from_slow_mixing_elsewhere() {
    let cold = only(about_ladder(|ladder| {
        ladder.f_up = [1.0, 0.6, 0.2, 0.15, 0.1, 0.05, 0.0].map(Some).to_vec();
    }));
    let Diagnostic::ColdBottleneck { rung, beta, fall, predicted } = cold else {
        panic!("{cold:?}")
    };
    assert_eq!(rung, 2);
    assert!((beta - 2.0 / 3.0).abs() < 1e-12 && (fall - 0.8).abs() < 1e-12);
    assert!((predicted - 1.0 / 3.0).abs() < 0.05, "{predicted}");
    let hot = only(about_ladder(|ladder| {
        ladder.f_up = [1.0, 0.95, 0.93, 0.9, 0.88, 0.85, 0.0].map(Some).to_vec();
    }));
    let Diagnostic::SlowMixing { rung, measured, steepest, steepest_betas, .. } = hot else {
        panic!("{hot:?}")
    };
    assert_eq!((rung, measured, steepest), (5, 0.85, [5, 6]));
    assert!((steepest_betas[0] - 1.0 / 6.0).abs() < 1e-12 && steepest_betas[1].abs() < 1e-12);
}

#[test]
fn a_full_ladder_that_wants_to_grow_is_told() {
    let rows = healthy_rows();
    let small = options().max_rungs(7).min_swap(0.6);
    let facts = Facts { rows: &rows, options: Some(&small), ending: ended(), ..Facts::default() };
    let full = Diagnostic::FullLadder { max_rungs: 7, swap_rate: 0.5, min_swap: 0.6 };
    assert_eq!(facts.diagnose(), [full]);
    let fixed = small.clone().algorithm(Algorithm::Pt);
    assert_eq!(Facts { options: Some(&fixed), ..facts }.diagnose(), []);
}

#[test]
fn a_falling_likelihood_is_told_and_noise_is_not() {
    let mut rows = healthy_rows();
    rows[9].log_likelihood = Some(likelihood(-125.0));
    assert_eq!(about(&rows), [], "within 5 % of -120");
    rows[9].log_likelihood = Some(likelihood(-150.0));
    let (best_step, best, last_step, last) = (900, -120.0, 1000, -150.0);
    let falling = Diagnostic::FallingLikelihood { best_step, best, last_step, last };
    assert_eq!(about(&rows), [falling]);
}

#[test]
fn values_that_are_not_finite_are_told() {
    let mut rows = healthy_rows();
    rows[4].log_likelihood = Some(likelihood(f64::NAN));
    assert_eq!(about(&rows), [Diagnostic::NonFinite { step: 500 }]);
    // In a file such a row is a line that is not one.
    let bad = |line, step| BadLine { line, problem: LineProblem::NotFinite { step } };
    let reason = "expected value".to_owned();
    let torn = BadLine { line: 1, problem: LineProblem::NotARow { reason } };
    let unreadable = [torn.clone(), bad(3, Some(300)), bad(4, Some(400))];
    let facts = Facts { unreadable: &unreadable, ending: ended(), ..Facts::default() };
    assert_eq!(facts.diagnose(), [Diagnostic::NonFinite { step: 300 }]);
    assert_eq!(Facts { unreadable: &[torn], ..facts }.diagnose(), []);
}

#[test]
fn samples_after_too_few_round_trips_are_doubted() {
    let few = Diagnostic::FewRoundTrips { round_trips: 3, columns: 16 };
    let samples = SampleFacts { few_round_trips: Some(&few), ..SampleFacts::default() };
    let facts = Facts { ending: ended(), samples: Some(samples), ..Facts::default() };
    assert_eq!(facts.diagnose(), [few]);
}

#[test]
fn large_parameters_are_told() {
    let with = |largest: f32| {
        let mut model = Parameters::zeros(6, 3);
        model.w.row_mut(2)[1] = largest;
        Facts { model: Some(&model), ending: ended(), ..Facts::default() }.diagnose()
    };
    assert_eq!(with(-3e4), [Diagnostic::LargeParameters { largest: 3e4 }]);
    assert_eq!(with(1000.0), []);
}

#[test]
fn a_model_too_large_for_a_likelihood_is_told() {
    let rows = healthy_rows();
    let with = |hidden, likelihood| {
        let model = Parameters::zeros(784, hidden);
        let ending = Some(Ending { likelihood, ..Ending::default() });
        Facts { rows: &rows, model: Some(&model), ending, ..Facts::default() }.diagnose()
    };
    assert_eq!(with(26, None), [Diagnostic::NoLikelihood { units: 26 }]);
    assert_eq!(with(25, None), []);
    assert_eq!(with(26, Some(&likelihood(-90.0))), []);
}

#[test]
fn an_estimate_that_did_not_converge_is_told_with_its_reasons() {
    let rows = healthy_rows();
    let basis =
        Basis::TwoSamplers { nats_apart: 0.1, round_trips: 80, replicas: 384, quick: false };
    let reason = Reason::FewRoundTrips { start: None, round_trips: 0, steps: 600, columns: 16 };
    let verdict = Verdict::new(basis, vec![reason]);
    let bad = estimated(-90.0, verdict.clone());
    let good = estimated(-90.0, Verdict::new(basis, Vec::new()));
    let with = |likelihood, averaged| {
        let ending = Ending { likelihood: Some(likelihood), averaged, ..Ending::default() };
        Facts { rows: &rows, ending: Some(ending), ..Facts::default() }.diagnose()
    };
    let not_converged = |parameters| {
        let verdict = verdict.clone();
        Diagnostic::NotConverged { parameters, verdict }
    };
    assert_eq!(with(&bad, None), [not_converged(WhichParameters::Raw)]);
    assert_eq!(with(&good, None), []);
    assert_eq!(with(&good, Some(&bad)), [not_converged(WhichParameters::Averaged)]);
}

#[test]
fn idle_units_are_named_given_enough_samples() {
    let rows = healthy_rows();
    let activations = [0.5, 0.0, 0.3, 1.0, 0.9995];
    let with = |count| {
        let samples = SampleFacts {
            count,
            activations: &activations,
            mode_distance: None,
            ..SampleFacts::default()
        };
        Facts { rows: &rows, ending: ended(), samples: Some(samples), ..Facts::default() }
            .diagnose()
    };
    assert_eq!(with(500), [Diagnostic::IdleUnits { samples: 500, off: vec![1], on: vec![3, 4] }]);
    assert_eq!(with(50), []);
}

#[test]
fn lost_modes_are_told_once_the_updates_are_done() {
    let told = |updates: u64, last_step: u64| {
        let options = Options::default().updates(updates).sampling_steps(10);
        let samples =
            SampleFacts { count: 500, mode_distance: Some(0.6), ..SampleFacts::default() };
        let facts =
            Facts { options: Some(&options), last_step, ending: ended(), ..Facts::default() };
        Facts { samples: Some(samples), ..facts }.diagnose()
    };
    assert_eq!(told(1000, 1000), [Diagnostic::LostModes { updates: 1000, distance: 0.6 }]);
    assert_eq!(told(5000, 5010), [Diagnostic::LostModes { updates: 5000, distance: 0.6 }]);
    assert_eq!(told(5000, 4999), [], "learning goes on");
    assert_eq!(told(72, 82), [], "too short to tell anything");
}

/// The rule is that of `sample`, but a model that is still learning need not have the weights of its data.
#[test]
fn weights_of_clusters_are_told_once_the_updates_are_done() {
    let weights: ClusterWeights = serde_json::from_value(serde_json::json!({
        "of": "data",
        "data": [0.5, 0.5, 0.0],
        "samples": [0.7, 0.3, 0.0],
        "parts": [
            part("run", "replicas", [0.9, 0.1, 0.0]),
            part("mixture", "data", [0.5, 0.5, 0.0]),
        ],
        "from_data": { "total_variation": 0.2, "by_chance": 0.02, "chance": 0.0 },
        "between_parts": { "total_variation": 0.4, "by_chance": 0.03, "chance": 0.0 },
    }))
    .unwrap();
    let told = |updates: u64, last_step: u64, weights: &ClusterWeights| {
        let options = Options::default().updates(updates);
        let samples = SampleFacts { clusters: Some(weights), ..SampleFacts::default() };
        let facts =
            Facts { options: Some(&options), last_step, ending: ended(), ..Facts::default() };
        Facts { samples: Some(samples), ..facts }.diagnose()
    };
    let both = ["samplers-disagree", "cluster-weights"];
    assert_eq!(kinds(&told(5000, 5000, &weights)), both);
    assert_eq!(kinds(&told(5000, 4999, &weights)), both[..1]);
    assert_eq!(kinds(&told(72, 72, &weights)), both[..1]);
    // Distances, and how often chance makes as much.
    let with = |between: (f64, f64), from_data: (f64, f64)| {
        let mut weights = weights.clone();
        let set = |it: &mut Option<Distance>, (distance, chance)| {
            let it = it.as_mut().unwrap();
            (it.total_variation, it.chance) = (distance, chance);
        };
        set(&mut weights.between_parts, between);
        set(&mut weights.from_data, from_data);
        told(5000, 5000, &weights)
    };
    assert_eq!(with((0.4, 0.0011), (0.3, 0.0011)), [], "chance explains both");
    assert_eq!(with((0.049, 0.0), (0.099, 0.0)), [], "both are small");
    assert_eq!(kinds(&with((0.051, 0.0009), (0.101, 0.0009))), both);
}

fn part(reference: &str, start: &str, weights: [f64; 3]) -> serde_json::Value {
    serde_json::json!({
        "origin": { "reference": reference, "start": start },
        "samples": 250,
        "effective_samples": 120.5,
        "round_trips": 300,
        "weights": weights,
    })
}

#[test]
fn an_online_estimate_whose_replicas_hardly_travel_is_doubted() {
    let with = |round_trips| {
        let mut rows = healthy_rows();
        let estimate = isotherm::likelihood::Estimate::of_groups(&[1.0, 2.0, 3.0]);
        let followed = OnlineEstimate { estimate, columns: 16, round_trips };
        rows[8].log_z_averaged = Some(followed);
        about(&rows)
    };
    for round_trips in [15, 0] {
        let (step, columns) = (900, 16);
        let doubted = Diagnostic::OnlineLikelihood { step, round_trips, columns };
        assert_eq!(with(round_trips), [doubted]);
    }
    assert_eq!(with(16), []);
}
