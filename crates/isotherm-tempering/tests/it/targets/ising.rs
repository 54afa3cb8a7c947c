//! The 4 × 4 Ising model, all 65 536 states of it.

use isotherm_tempering::targets::{Quadratic, TargetRequest, sample_target};

use super::{all_energies, enumerated, lattice};

fn magnetisation(x: &[u8]) -> f64 {
    x.iter().map(|&x| 2.0 * f64::from(x) - 1.0).sum()
}

/// From above the transition, which would be at a coupling of 0.44, to far below it.
#[test]
fn log_z_and_energy_match_enumeration() {
    for (seed, coupling) in [0.1, 0.3, 0.44, 0.7, 1.0].into_iter().enumerate() {
        let target = Quadratic::from_ising(&lattice(4, coupling), &[0.0; 16]).unwrap();
        let energies = all_energies(&target);
        let (log_z, p) = enumerated(&energies, 1.0);
        let mean: f64 = energies.iter().zip(&p).map(|(e, p)| e * p).sum();
        let request = TargetRequest::default().samples(100).seed(seed as u64 + 1);
        let found = sample_target(&target, &request, |_| true).unwrap();
        let energy = found.mean_energy.unwrap();
        for (which, got, truth) in
            [("log Z", found.log_z.unwrap().bar, log_z), ("energy", energy, mean)]
        {
            println!("{coupling}, {which}: {:.4} ± {:.4} for {truth:.4}", got.value, got.std_error);
            assert!(got.std_error < 0.2, "{coupling}, {which}: {got:?}");
            // 19 degrees of freedom: one of 1300 is further off.
            let off = (got.value - truth).abs();
            assert!(off < 4.0 * got.std_error, "{coupling}, {which}: {got:?} for {truth}");
        }
    }
}

/// At a coupling of 1 nearly all spins are one way, and sweeps hardly ever turn them all, since the
/// first costs e⁻⁸: what gets from one mode to the other are round trips on the ladder.
#[test]
fn both_modes_are_visited_alike() {
    let target = Quadratic::from_ising(&lattice(4, 1.0), &[0.0; 16]).unwrap();
    let request = TargetRequest::default().samples(4000).columns(40).thin(20);
    let found = sample_target(&target, &request, |_| true).unwrap();
    let up: Vec<f64> = found.rows().map(|x| f64::from(u8::from(magnetisation(x) > 0.0))).collect();
    let ordered = found.rows().filter(|x| magnetisation(x).abs() >= 12.0).count();
    assert!(ordered as f64 > 0.99 * 4000.0, "{ordered} of 4000 are ordered");
    // Columns are independent: the error of the share is that of their means.
    let means: Vec<f64> =
        (0..40).map(|c| up.iter().skip(c).step_by(40).sum::<f64>() / 100.0).collect();
    let mean = means.iter().sum::<f64>() / 40.0;
    let squares: f64 = means.iter().map(|x| (x - mean).powi(2)).sum();
    let error = (squares / (40.0 * 39.0)).sqrt();
    println!("share of the upper mode {mean} ± {error}, {} round trips", found.round_trips);
    assert!(error < 0.05 && (mean - 0.5).abs() < 4.0 * error, "{mean} ± {error}");
    assert!(means.iter().all(|&m| m > 0.0 && m < 1.0), "a column stayed in one mode: {means:?}");
    assert!(found.verdict().converged, "{:?}", found.verdict());
}
