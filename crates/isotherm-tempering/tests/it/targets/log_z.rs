//! log Z, mean energies and samples against enumeration.

use isotherm_tempering::targets::{PerState, Target, TargetRequest, TargetSamples, sample_target};
use rand::RngExt;

use super::{EnergiesOnly, all_energies, enumerated, random_qubo};
use crate::statistics::rng;

/// Everything that can be compared, inside four standard errors. By columns the errors have 19
/// degrees of freedom: one comparison in 1300 would fail, and there are some thirty in this file.
fn assert_right(found: &TargetSamples, target: &impl Target, name: &str) {
    let energies = all_energies(target);
    let (log_z, p) = enumerated(&energies, 1.0);
    let mean: f64 = energies.iter().zip(&p).map(|(e, p)| e * p).sum();
    let got = found.log_z.unwrap();
    let energy = found.mean_energy.unwrap();
    for (which, estimate, truth) in [("BAR", got.bar, log_z), ("energy", energy, mean)] {
        let (value, error) = (estimate.value, estimate.std_error);
        println!("{name}, {which}: {value:.4} ± {error:.4} for {truth:.4}");
        assert!(error < 0.1, "{name}, {which}: {estimate:?}");
        assert!((value - truth).abs() < 4.0 * error, "{name}, {which}: {estimate:?} for {truth}");
    }
    // Stepping stones bound log Z: between rungs that swap every other time, what one of them hardly
    // ever visits may carry much of the sum, and up is low, down is high.
    let (up, down) = (got.up, got.down);
    println!("{name}: stones from {:.4} to {:.4} for {log_z:.4}", up.value, down.value);
    assert!(up.value < log_z + 4.0 * up.std_error, "{name}: {up:?} for {log_z}");
    assert!(down.value > log_z - 4.0 * down.std_error, "{name}: {down:?} for {log_z}");
    assert!(up.value > log_z - 1.0 && down.value < log_z + 1.0, "{name}: {got:?} for {log_z}");
    let sample_mean = found.energies.iter().sum::<f64>() / found.energies.len() as f64;
    let variance: f64 = energies.iter().zip(&p).map(|(e, p)| (e - mean).powi(2) * p).sum();
    // Samples 10 steps apart are worth at least half as many independent ones.
    let error = (2.0 * variance / found.energies.len() as f64).sqrt();
    assert!((sample_mean - mean).abs() < 4.0 * error, "{name}: {sample_mean} ± {error} for {mean}");
    assert!(found.complete && found.verdict().converged, "{name}: {:?}", found.verdict());
}

#[test]
fn random_qubos_match_enumeration() {
    for seed in 1..=4 {
        let target = random_qubo(12, 3.0, seed);
        let request = TargetRequest::default().seed(seed);
        let found = sample_target(&target, &request, |_| true).unwrap();
        assert_right(&found, &target, &format!("QUBO {seed}"));
        for (x, &e) in found.rows().zip(&found.energies) {
            assert_eq!(target.energy(x), e);
        }
    }
}

/// An energy of triples, which has no fields and is given by nothing but a function.
#[test]
fn a_function_of_one_state_matches_enumeration() {
    let mut rng = rng(8);
    let triples: Vec<([usize; 3], u8)> = (0..30)
        .map(|_| ([0; 3].map(|_| rng.random_range(0..10)), rng.random_range(0..2)))
        .collect();
    let target = PerState::new(10, |x: &[u8]| {
        triples.iter().map(|&([i, j, k], odd)| f64::from(x[i] ^ x[j] ^ x[k] ^ odd)).sum()
    });
    let found = sample_target(&target, &TargetRequest::default(), |_| true).unwrap();
    assert_right(&found, &target, "parities");
}

/// Intervals of 95 % hold as often as they say: in 40 runs at least 33, which fewer would be by
/// chance once in 500.
#[test]
fn intervals_hold() {
    let target = EnergiesOnly(random_qubo(8, 4.0, 21));
    let (truth, _) = enumerated(&all_energies(&target), 1.0);
    let held = (1..=40)
        .filter(|&seed| {
            let request = TargetRequest::default()
                .samples(0)
                .columns(8)
                .warm_up(200)
                .log_z_steps(200)
                .seed(seed);
            let bar = sample_target(&target, &request, |_| true).unwrap().log_z.unwrap().bar;
            bar.lower <= truth && truth <= bar.upper
        })
        .count();
    println!("{held} of 40");
    assert!(held >= 33, "{held} of 40");
}
