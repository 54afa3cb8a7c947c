//! Every rule fires on what it is about, and all are silent about a healthy run.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::fixtures::*;
use isotherm::likelihood::Verdict;
use isotherm::options::Algorithm;
use isotherm::train::follower::FollowedLogZ;
use isotherm_run::record::LadderRow;
use isotherm_run::record::doubts::predicted_flow;

fn options() -> Options {
    Options::default().updates(1000)
}

/// The warnings about rows of a finished run.
fn about(rows: &[Row]) -> Vec<String> {
    let options = options();
    let activations = vec![0.5; 10];
    warnings(&Signs {
        rows,
        options: Some(&options),
        last_step: 1000,
        finished: true,
        likelihood: None,
        averaged: None,
        units: Some((784, 10)),
        activations: Some((&activations, 500)),
        mode_distance: Some(0.05),
    })
}

/// The one warning about a healthy run whose last ladder was changed.
fn about_ladder(change: impl Fn(&mut LadderRow)) -> Vec<String> {
    let mut rows = healthy_rows();
    rows.iter_mut().for_each(|row| change(row.ladder.as_mut().unwrap()));
    about(&rows)
}

fn assert_one(found: &[String], words: &[&str]) {
    assert_eq!(found.len(), 1, "{found:?}");
    for word in words {
        assert!(found[0].contains(word), "{word} is not in {}", found[0]);
    }
}

#[test]
fn a_healthy_run_has_no_warning() {
    assert_eq!(about(&healthy_rows()), Vec::<String>::new());
}

#[test]
fn a_run_without_a_ladder_or_rows_is_not_blamed_for_it() {
    let mut rows = healthy_rows();
    rows.iter_mut().for_each(|row| row.ladder = None);
    assert_eq!(about(&rows), Vec::<String>::new());
    assert_eq!(about(&[]), Vec::<String>::new());
    assert_one(&warnings(&Signs::default()), &["not finished", "0 steps"]);
}

#[test]
fn an_unfinished_run_says_so() {
    let (rows, options) = (healthy_rows(), options());
    let signs = Signs { rows: &rows, options: Some(&options), last_step: 700, ..Signs::default() };
    assert_one(&warnings(&signs), &["not finished", "700 of 1000", "isotherm resume"]);
}

#[test]
fn a_starved_gap_is_named() {
    // The flow follows its swap rates: the gap is the only thing wrong.
    let starve = |ladder: &mut LadderRow| {
        ladder.swap_rates[3] = Some(0.04);
        ladder.f_up = predicted_flow(ladder).unwrap().into_iter().map(Some).collect();
    };
    assert_one(&about_ladder(starve), &["rungs 3 and 4", "0.500 and 0.333", "0.040", "below 0.1"]);
    let found = about_ladder(|ladder| {
        ladder.swap_rates = vec![Some(0.05); 6];
        ladder.f_up = vec![None; 7];
    });
    assert_one(&found, &["5 more pairs"]);
    assert!(about_ladder(|ladder| ladder.swap_rates[3] = None).is_empty(), "not tried is not bad");
    let dead = about_ladder(|ladder| ladder.swap_rates[3] = Some(0.0));
    assert!(
        dead[0].contains("starved"),
        "a pair that never swaps has a finite prediction: {dead:?}"
    );
}

#[test]
fn no_round_trip_is_told_apart_from_none_at_the_end() {
    let never = about_ladder(|ladder| ladder.round_trips = 0);
    assert_one(&never, &["in 1000 steps"]);
    let mut rows = healthy_rows();
    rows[9].ladder.as_mut().unwrap().round_trips = 0;
    let long = Options::default().updates(2500).sampling_steps(480);
    let end = Signs { rows: &rows, options: Some(&long), finished: true, ..Signs::default() };
    assert_one(&warnings(&end), &["the last fifth of the updates", "some did before"]);
    assert_one(&warnings(&Signs { finished: false, ..end }), &["not finished"]);
    // A round trip takes 98 steps, so that a fifth of 1000 are hardly more than two.
    assert!(about(&rows).is_empty());
    let mut last = rows.clone();
    last[9].phase = Phase::Sample;
    let sampled = |options| warnings(&Signs { rows: &last, options: Some(options), ..end });
    assert!(sampled(&long).is_empty(), "480 steps are less than five round trips");
    assert_one(&sampled(&long.clone().sampling_steps(500)), &["sampling phase"]);
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
        about(&[row])
    };
    assert!(early(8, 0.5).is_empty() && early(489, 0.5).is_empty());
    let late = early(490, 0.5);
    assert!(late.len() == 2 && late[0].contains("No replica") && late[1].contains("f_up"));
    // Pairs that never swap would take for ever, but are not waited for so long.
    assert_one(&early(1000, 0.0), &["starved"]);
    let dead = early(10_000, 0.0);
    assert!(dead.iter().any(|it| it.contains("No replica")), "{dead:?}");
    let mut cold = healthy_rows();
    cold.truncate(4);
    for row in &mut cold {
        let f_up = [1.0, 0.6, 0.2, 0.15, 0.1, 0.05, 0.0].map(Some);
        row.ladder.as_mut().unwrap().f_up = f_up.to_vec();
    }
    assert!(about(&cold).is_empty(), "400 steps are about four round trips");
}

#[test]
fn a_cold_bottleneck_is_told_from_slow_mixing_elsewhere() {
    let cold = about_ladder(|ladder| {
        ladder.f_up = [1.0, 0.6, 0.2, 0.15, 0.1, 0.05, 0.0].map(Some).to_vec();
    });
    assert_one(&cold, &["cold end", "falls by 0.80", "β = 0.667", "more than 0.5"]);
    let hot = about_ladder(|ladder| {
        ladder.f_up = [1.0, 0.95, 0.93, 0.9, 0.88, 0.85, 0.0].map(Some).to_vec();
    });
    assert_one(&hot, &["rung 5", "0.85", "further off than 0.2", "between rungs 5 and 6"]);
}

#[test]
fn a_full_ladder_that_wants_to_grow_is_told() {
    let rows = healthy_rows();
    let small = options().max_rungs(7).min_swap(0.6);
    let signs = Signs { rows: &rows, options: Some(&small), finished: true, ..Signs::default() };
    assert_one(&warnings(&signs), &["--max-rungs 7", "0.50", "--min-swap 0.6"]);
    let fixed = small.clone().algorithm(Algorithm::Pt);
    assert!(warnings(&Signs { options: Some(&fixed), ..signs }).is_empty());
}

#[test]
fn a_falling_likelihood_is_told_and_noise_is_not() {
    let mut rows = healthy_rows();
    rows[9].log_likelihood = Some(likelihood(-125.0));
    assert!(about(&rows).is_empty(), "within 5 % of -120");
    rows[9].log_likelihood = Some(likelihood(-150.0));
    assert_one(&about(&rows), &["−120.00 at step 900", "−150.00 at step 1000", "5 %"]);
}

#[test]
fn values_that_are_not_finite_are_told() {
    let mut rows = healthy_rows();
    rows[4].log_likelihood = Some(likelihood(f64::NAN));
    assert_one(&about(&rows), &["not finite", "step 500"]);
}

#[test]
fn a_model_too_large_for_a_likelihood_is_told() {
    let rows = healthy_rows();
    let signs = Signs { rows: &rows, finished: true, units: Some((784, 26)), ..Signs::default() };
    assert_one(&warnings(&signs), &["26 units", "25"]);
    assert!(warnings(&Signs { units: Some((784, 25)), ..signs }).is_empty());
    let measured = likelihood(-90.0);
    assert!(warnings(&Signs { likelihood: Some(&measured), ..signs }).is_empty());
}

#[test]
fn an_estimate_that_did_not_converge_is_told_in_its_own_words() {
    let rows = healthy_rows();
    let with = |converged: bool| {
        let sentence = if converged { "converged: well" } else { "not converged: no round trips" };
        estimated(-90.0, Verdict { converged, sentence: sentence.to_owned() })
    };
    let (bad, good) = (with(false), with(true));
    let signs = Signs { rows: &rows, finished: true, units: Some((784, 500)), ..Signs::default() };
    let signs = Signs { likelihood: Some(&bad), ..signs };
    assert_one(&warnings(&signs), &["has not converged", "no round trips"]);
    let signs = Signs { likelihood: Some(&good), ..signs };
    assert!(warnings(&signs).is_empty());
    let averaged = Signs { averaged: Some(&bad), ..signs };
    assert_one(&warnings(&averaged), &["averaged parameters has not converged"]);
}

#[test]
fn idle_units_are_named_given_enough_samples() {
    let rows = healthy_rows();
    let means = [0.5, 0.0, 0.3, 1.0, 0.9995];
    let signs = |samples| Signs {
        rows: &rows,
        finished: true,
        activations: Some((&means, samples)),
        ..Signs::default()
    };
    assert_one(&warnings(&signs(500)), &["unit 1 is always off", "units 3, 4 are always on"]);
    assert!(warnings(&signs(50)).is_empty());
}

#[test]
fn lost_modes_are_told_once_the_updates_are_done() {
    let told = |updates: u64, last_step: u64| {
        let options = Options::default().updates(updates).sampling_steps(10);
        let signs =
            Signs { options: Some(&options), last_step, finished: true, ..Signs::default() };
        warnings(&Signs { mode_distance: Some(0.6), ..signs })
    };
    assert_one(&told(1000, 1000), &["After 1000 updates", "0.60", "more than 0.2."]);
    assert_one(&told(5000, 5010), &["After 5000 updates"]);
    assert!(!told(5000, 5010)[0].contains("negative samples"), "what was measured, not why");
    assert!(told(5000, 4999).is_empty(), "learning goes on");
    assert!(told(72, 82).is_empty(), "too short to tell anything");
}

#[test]
fn a_follower_that_hardly_travels_is_doubted() {
    let with = |round_trips| {
        let mut rows = healthy_rows();
        let estimate = isotherm::likelihood::Estimate::of_groups(&[1.0, 2.0, 3.0]);
        let followed = FollowedLogZ { estimate, columns: 16, round_trips };
        rows[8].log_z_averaged = Some(followed);
        about(&rows)
    };
    assert_one(&with(15), &["15 round trips at step 900", "each of its 16 columns", "evaluate"]);
    assert_one(&with(0), &["no round trips"]);
    assert!(with(16).is_empty());
}
