//! The perfect sampler against the enumerated distribution of its model.

use crate::common::*;
use isotherm::model::PerfectSampler;
use isotherm::options::{Algorithm, OptionError, Options, name};
use isotherm_kernels::BitMatrix;
use isotherm_tempering::streams::Key;

/// Scores are about N(0, 1); eight are looked at.
const WORST_SCORE: f64 = 4.5;

#[test]
fn samples_follow_the_enumerated_distribution() {
    // One hidden unit, a block of states not filled, and several blocks.
    for (n_visible, n_hidden, large) in [(5, 1, false), (5, 3, false), (4, 9, false), (5, 9, true)]
    {
        let mut rbm = random_rbm(n_visible, n_hidden, 2.0, 17);
        if large {
            // A unit that is never on, with a bias beyond what the tables of products can hold.
            rbm.change(|p| p.c.row_mut(0)[2] = -100.0);
        }
        let log_z = brute_force_log_z(&rbm);
        let expected: Vec<f64> = (0..1u64 << n_visible)
            .map(|v| (-rbm.free_energy_of_visible(&[v]) - log_z).exp())
            .collect();
        let mut sampler = PerfectSampler::new(n_visible, n_hidden);
        for step in [0, 1] {
            let mut v = BitMatrix::zeros(40_000, n_visible);
            sampler.visible(&rbm, Key { seed: 2, step }, &mut v);
            let mut counts = vec![0; expected.len()];
            for row in 0..v.rows() {
                counts[v.row(row)[0] as usize] += 1;
            }
            let score = chi_square_score(&counts, &expected);
            assert!(score < WORST_SCORE, "{n_visible} x {n_hidden}, step {step}: {score}");
        }
    }
}

#[test]
fn too_many_hidden_units_are_refused() {
    let options = Options::default().algorithm(Algorithm::Exact).hidden(17);
    let refusal =
        |options: &Options| -> OptionError { options.check(20).unwrap_err().into_cause().unwrap() };
    assert!(matches!(
        refusal(&options),
        OptionError::Beyond { by: Algorithm::Exact, name: name::hidden, value: 17, most: 16, .. }
    ));
    let fits = options.hidden(16);
    assert!(fits.check(20).is_ok());
    assert!(matches!(
        refusal(&fits.k(5)),
        OptionError::Refused { by: Algorithm::Exact, name: name::k, .. }
    ));
}
