//! The engine's flow against closed forms: swappers whose acceptance does not depend on any state.

use isotherm_tempering::streams::Key;
use isotherm_tempering::toy::FixedAcceptance;
use isotherm_tempering::{Label, Ladder, Spacing, Tempering, TemperingState, theory};

fn ladder_of(acceptance: &[f64], columns: usize) -> Tempering<FixedAcceptance> {
    let rungs = acceptance.len() + 1;
    let state = TemperingState::new(Ladder::new(rungs, Spacing::Linear), columns);
    Tempering::new(FixedAcceptance::new(acceptance.to_vec(), rungs * columns), state)
}

fn run(tempering: &mut Tempering<FixedAcceptance>, from: u64, steps: u64) {
    for step in from..from + steps {
        tempering.step(&(), 1, Key { seed: 4, step }).unwrap();
    }
}

/// If every swap is accepted, replicas march: a round trip takes 2M steps, to the step.
#[test]
fn always_accepting_swaps_march_replicas_round() {
    for rungs in [2usize, 3, 4, 7, 10] {
        let mut tempering = ladder_of(&vec![1.0; rungs - 1], 3);
        // Every replica has left the cold end after one round.
        run(&mut tempering, 0, 4 * rungs as u64);
        tempering.restart_count();
        let rounds = 25;
        run(&mut tempering, 4 * rungs as u64, rounds * 2 * rungs as u64);
        let flow = tempering.state().flow();
        assert_eq!(flow.round_trips(), rounds * rungs as u64 * 3, "{rungs} rungs");
        assert_eq!(flow.replica_steps(), 2 * rungs as u64 * flow.round_trips(), "2M steps a trip");
        assert!(tempering.state().replicas().ages().iter().all(|&age| age < 2 * rungs as u64));
    }
}

#[test]
fn fixed_acceptance_gives_the_round_trips_and_the_flow_of_the_theory() {
    for acceptance in [vec![0.5; 4], vec![0.9, 0.3, 0.6, 0.8, 0.45], vec![0.7], vec![0.25, 0.95]] {
        let rejections: Vec<f64> = acceptance.iter().map(|a| 1.0 - a).collect();
        let (columns, steps) = (100, 20_000);
        let mut tempering = ladder_of(&acceptance, columns);
        run(&mut tempering, 0, 1000);
        tempering.restart_count();
        let rungs = acceptance.len() + 1;
        let mut up = vec![0u64; rungs];
        for step in 1000..1000 + steps {
            run(&mut tempering, step, 1);
            let replicas = tempering.state().replicas();
            for column in 0..columns {
                for (rung, &row) in replicas.column(column).iter().enumerate() {
                    assert_ne!(replicas.labels()[row], Label::None);
                    up[rung] += u64::from(replicas.labels()[row] == Label::Up);
                }
            }
        }
        let scans = (columns as u64 * steps) as f64;
        let expected = scans * theory::round_trip_rate(&rejections);
        let counted = tempering.state().flow().round_trips() as f64;
        // Trips of different replicas are nearly independent and vary by about their mean: the
        // count has a standard deviation of about its root.
        let score = (counted - expected) / expected.sqrt();
        assert!(score.abs() < 4.0, "{acceptance:?}: {counted} trips, expected {expected}");
        for (rung, predicted) in theory::flow(&rejections).into_iter().enumerate() {
            let measured = up[rung] as f64 / scans;
            // A label lives for about a trip, so there are about as many independent ones as trips.
            let error = (0.25 / expected).sqrt();
            assert!(
                (measured - predicted).abs() < 4.0 * error + 1e-12,
                "{acceptance:?}, rung {rung}: f_up {measured}, expected {predicted} ± {error}"
            );
        }
        for (rate, wanted) in tempering.state().rates().rates().iter().zip(&acceptance) {
            assert!((rate.unwrap() - wanted).abs() < 1e-12, "averages min(1, r), not counts");
        }
    }
}

/// The decaying histograms estimate the same f_up, with the noise of their memory.
#[test]
fn histograms_follow_the_labels() {
    let acceptance = [0.9, 0.4, 0.6, 0.8];
    let rejections: Vec<f64> = acceptance.iter().map(|a| 1.0 - a).collect();
    let mut tempering = ladder_of(&acceptance, 2000);
    run(&mut tempering, 0, 1500);
    for (f, predicted) in
        tempering.state().flow().seen().f_up_fitted().iter().zip(theory::flow(&rejections))
    {
        // 2000 columns and a memory of 100 steps, several trips long: at least 2000 labels.
        assert!((f - predicted).abs() < 4.0 * (0.25f64 / 2000.0).sqrt(), "{f} against {predicted}");
    }
}

#[test]
fn parity_alternates_and_ends_are_labelled_at_once() {
    let mut tempering = ladder_of(&[1.0, 1.0, 1.0], 1);
    run(&mut tempering, 0, 1);
    // Even pairs (0,1) and (2,3) first.
    assert_eq!(tempering.state().replicas().column(0), [1, 0, 3, 2]);
    let labels = &tempering.state().replicas().labels();
    assert_eq!(labels[..], [Label::None, Label::Up, Label::Down, Label::None]);
    run(&mut tempering, 1, 1);
    assert_eq!(tempering.state().replicas().column(0), [1, 3, 0, 2]);
    run(&mut tempering, 2, 1);
    assert_eq!(tempering.state().replicas().column(0), [3, 1, 2, 0]);
}
