//! Nothing but the target and the seed decides what is drawn.

use isotherm_tempering::targets::{Quadratic, Target, TargetRequest, TargetSamples, sample_target};
use rand::RngExt;

use super::{EnergiesOnly, FlipsOnly, random_qubo};
use crate::statistics::rng;

fn assert_same(a: &TargetSamples, b: &TargetSamples) {
    assert_eq!(a.states, b.states);
    assert_eq!(a.energies, b.energies);
    assert_eq!(a.betas, b.betas);
    assert_eq!(a.log_z, b.log_z);
    assert_eq!(a.mean_energy, b.mean_energy);
    assert_eq!((&a.swap_rates, &a.f_up, a.round_trips), (&b.swap_rates, &b.f_up, b.round_trips));
}

fn short() -> TargetRequest {
    TargetRequest::default().samples(100).warm_up(100).log_z_steps(50)
}

fn sampled(target: &impl Target) -> TargetSamples {
    sample_target(target, &short(), |_| true).unwrap()
}

/// 150 variables on 200 rows: enough work to be cut for two threads.
#[test]
fn the_number_of_threads_changes_nothing() {
    let target = random_qubo(150, 0.3, 3);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| sampled(&target))
    };
    assert_same(&with(1), &with(2));
}

/// With coefficients that are whole numbers all sums are exact, in whatever order: energies alone,
/// flips, and fields carried along give the same samples bit for bit. (Otherwise they differ in the
/// last bits of their energies, and sooner or later in a draw.)
#[test]
fn every_way_to_give_an_energy_draws_the_same() {
    let mut rng = rng(5);
    let n = 11;
    let q: Vec<f64> = (0..n * n).map(|_| f64::from(rng.random_range(-2..=2i8))).collect();
    let target = Quadratic::from_qubo(n, &q).unwrap();
    let carried = sampled(&target);
    assert_same(&carried, &sampled(&FlipsOnly(target.clone())));
    assert_same(&carried, &sampled(&EnergiesOnly(target)));
}

#[test]
fn another_seed_draws_others() {
    let target = random_qubo(12, 1.0, 1);
    let other = sample_target(&target, &short().seed(2), |_| true).unwrap();
    assert_ne!(sampled(&target).states, other.states);
}

/// Fields are computed again every thousand steps; energies that were carried in between are those that
/// the target gives, or the means of both would differ.
#[test]
fn carried_energies_do_not_drift() {
    let target = random_qubo(30, 1.0, 9);
    let request = TargetRequest::default().samples(20 * 900).thin(1).warm_up(1100).log_z_steps(0);
    let found = sample_target(&target, &request, |_| true).unwrap();
    let mean = found.energies.iter().sum::<f64>() / found.energies.len() as f64;
    let carried = found.mean_energy.unwrap().value;
    assert!((carried - mean).abs() < 1e-10 * mean.abs(), "{carried} for {mean}");
    assert!(found.log_z.is_none());
}
