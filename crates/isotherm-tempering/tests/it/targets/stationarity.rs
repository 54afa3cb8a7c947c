//! Sweeps and swaps from exact draws: whatever they do, every rung's distribution must stay.

use isotherm_tempering::streams::Key;
use isotherm_tempering::targets::{Target, TargetEnsemble};
use isotherm_tempering::{Densities, Ensemble};
use isotherm_tempering::{Ladder, Tempering, TemperingState};

use super::{EnergiesOnly, FlipsOnly, all_energies, enumerated, number, random_qubo};
use crate::statistics::{chi_square_score, draw, rng, tiled};

const N: usize = 5;
const BETAS: [f64; 5] = [1.0, 0.7, 0.45, 0.2, 0.0];
const COLUMNS: usize = 20_000;
/// Scores are about N(0, 1), and some hundred are looked at: the largest is beyond 4.5 with a chance
/// of 1 in 3000.
const WORST_SCORE: f64 = 4.5;

/// Row `column · rungs + rung` from π at that rung's β.
fn exact<T: Target>(energies: &[f64], seed: u64) -> TargetEnsemble<T> {
    let mut rng = rng(seed);
    let per_rung = BETAS.map(|beta| enumerated(energies, beta).1);
    let numbers = (0..COLUMNS).flat_map(|_| &per_rung).map(|p| draw(p, &mut rng));
    TargetEnsemble::of_states(
        N,
        numbers.flat_map(|x| (0..N).map(move |i| (x >> i & 1) as u8)).collect(),
    )
}

fn assert_stationary<T: Target>(target: &T, name: &str) {
    let energies = all_energies(target);
    let score = |path: &TargetEnsemble<T>, rows: &[usize], beta: f64| {
        let mut counts = vec![0; 1 << N];
        rows.iter().for_each(|&row| counts[number(path.states.state(row))] += 1);
        chi_square_score(&counts, &enumerated(&energies, beta).1)
    };
    for steps in [1, 4] {
        let mut path = exact::<T>(&energies, 7);
        path.sweep(target, &tiled(&BETAS, COLUMNS), steps, Key { seed: 3, step: 5 }).unwrap();
        for (rung, &beta) in BETAS.iter().enumerate() {
            let rows: Vec<usize> = (0..COLUMNS).map(|c| c * BETAS.len() + rung).collect();
            let score = score(&path, &rows, beta);
            assert!(score < WORST_SCORE, "{name}, β = {beta}, {steps} steps: {score}");
        }
        for row in 0..200 {
            let wanted = energies[number(path.states.state(row))];
            assert!((path.states.energy(row) - wanted).abs() < 1e-12, "{name}: carried energies");
        }
    }
    let ladder = Ladder::from_betas(BETAS.to_vec()).unwrap();
    let mut tempering =
        Tempering::new(exact::<T>(&energies, 19), TemperingState::new(ladder, COLUMNS));
    for step in 0..8u64 {
        tempering.step(target, 1, Key { seed: 5, step }).unwrap();
    }
    for (rung, &beta) in BETAS.iter().enumerate() {
        let rows: Vec<usize> =
            (0..COLUMNS).map(|c| tempering.state().replicas().column(c)[rung]).collect();
        let score = score(tempering.ensemble(), &rows, beta);
        assert!(score < WORST_SCORE, "{name}, β = {beta} with swaps: {score}");
    }
    let rates = tempering.state().rates().rates();
    assert!(rates.iter().flatten().all(|r| (0.2..0.95).contains(r)), "no real swaps: {rates:?}");
}

#[test]
fn sweeps_and_swaps_leave_every_rung_invariant() {
    let target = random_qubo(N, 4.0, 11);
    assert_stationary(&target, "fields");
    assert_stationary(&FlipsOnly(target.clone()), "flips");
    assert_stationary(&EnergiesOnly(target), "energies");
}

/// A row at β = 0 does not depend on what it was.
#[test]
fn the_hot_end_is_drawn_afresh() {
    let target = random_qubo(N, 4.0, 1);
    let swept = |state: u8| {
        let mut path = TargetEnsemble::of_states(N, vec![state; 100 * N]);
        path.sweep(&target, &[0.0; 100], 1, Key { seed: 2, step: 0 }).unwrap();
        (0..100).map(|row| number(path.states.state(row))).collect::<Vec<usize>>()
    };
    assert_eq!(swept(0), swept(1));
}

/// The swap ratio and the weights by the trait's definition, from π_β(x) = exp(−β E(x)).
#[test]
fn ratios_and_weights_follow_the_definition() {
    let target = random_qubo(N, 3.0, 2);
    let mut path = TargetEnsemble::random(N, 40, Key { seed: 4, step: 0 });
    path.sweep(&target, &[0.5; 40], 2, Key { seed: 4, step: 1 }).unwrap();
    let log = |beta: f64, row: usize| -beta * target.energy(path.states.state(row));
    for (beta_x, beta_y) in [(1.0, 0.0), (0.9, 0.3), (0.6, 0.55)] {
        for (x, y) in (0..40).zip((0..40).rev()) {
            let wanted = log(beta_x, y) + log(beta_y, x) - log(beta_x, x) - log(beta_y, y);
            let got = path.log_ratio((x, beta_x), (y, beta_y));
            assert!((got - wanted).abs() < 1e-12, "{got} for {wanted}");
            let mut logs = [0.0; 2];
            path.log_densities(x, &[beta_x, beta_y], &mut logs);
            assert!((logs[0] - log(beta_x, x)).abs() < 1e-12);
            assert!((logs[1] - log(beta_y, x)).abs() < 1e-12);
        }
    }
    assert_eq!(path.log_z_of_reference(), N as f64 * std::f64::consts::LN_2);
}
