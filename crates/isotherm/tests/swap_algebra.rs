//! The swap ratio of every path against its definition, on states that enumeration can weigh.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use common::*;
use isotherm::path::{Gibbs, Path, RbmPath, SwapOn, base_rate::base_rate, joint::joint};
use isotherm::streams::Clock;
use isotherm::tempering::swap::acceptance;

const ROWS: usize = 40;

/// log π_β(v, h), or with h summed out.
fn log_weight(
    kind: Kind,
    swap: SwapOn,
    rbm: &isotherm::model::Rbm,
    beta: f64,
    v: u64,
    h: u64,
) -> f64 {
    match swap {
        SwapOn::Energy => kind.log_weight(rbm, beta, v, h),
        SwapOn::FreeEnergy => {
            log_sum_exp((0..1 << rbm.n_hidden()).map(|h| kind.log_weight(rbm, beta, v, h)))
        }
    }
}

#[test]
fn gibbs_ratios_match_enumeration() {
    let rbm = random_rbm(5, 4, 1.5, 3);
    let n_visible = rbm.n_visible();
    for swap in [SwapOn::Energy, SwapOn::FreeEnergy] {
        let cases: [(Kind, Gibbs); 2] = [
            (Kind::Joint(swap), joint(n_visible, 4, swap)),
            (Kind::BaseRate(swap), base_rate(&marginals(n_visible), 4, swap)),
        ];
        for (kind, mut path) in cases {
            path.set_hidden(exact_hidden(kind, &rbm, &[0.5], ROWS, &mut rng(1)));
            path.sweep(&rbm, &[0.5; ROWS], 2, Clock { seed: 2, step: 0 });
            let state = |row: usize| (path.visible_states().row(row)[0], path.hidden().row(row)[0]);
            for (beta_x, beta_y) in [(1.0, 0.0), (0.9, 0.3), (0.25, 0.0), (0.6, 0.55)] {
                for (x, y) in (0..ROWS).zip((0..ROWS).rev()).filter(|(x, y)| x != y) {
                    let weigh = |beta, row| {
                        let (v, h) = state(row);
                        log_weight(kind, swap, &rbm, beta, v, h)
                    };
                    let expected =
                        weigh(beta_x, y) + weigh(beta_y, x) - weigh(beta_x, x) - weigh(beta_y, y);
                    let got = path.log_ratio((x, beta_x), (y, beta_y));
                    // Fields are sums of about ten f32 terms of size 1.
                    assert!((got - expected).abs() < 2e-5, "{kind:?}: {got} against {expected}");
                }
            }
        }
    }
}

#[test]
fn hidden_marginal_ratios_match_enumeration() {
    let rbm = random_rbm(5, 4, 1.5, 3);
    let kind = Kind::HiddenMarginal;
    let mut path = kind.path(&rbm);
    path.set_hidden(exact_hidden(kind, &rbm, &[0.5], ROWS, &mut rng(1)));
    path.sweep(&rbm, &[0.5; ROWS], 2, Clock { seed: 2, step: 0 });
    for (x, y) in (0..ROWS).zip((0..ROWS).rev()).filter(|(x, y)| x != y) {
        let free = |row: usize| rbm.free_energy_of_hidden(path.hidden().row(row));
        let expected = (1.0 - 0.3) * (free(x) - free(y));
        let got = path.log_ratio((x, 1.0), (y, 0.3));
        assert!((got - expected).abs() < 2e-5, "{got} against {expected}");
    }
}

/// The paper's expression: log r = (β_i − β_j)(E(x_i) − E(x_j)), accepted with min(1, r).
#[test]
fn acceptance_is_the_papers_with_its_erratum() {
    let rbm = random_rbm(5, 4, 1.5, 9);
    let mut path = joint(5, 4, SwapOn::Energy);
    path.set_hidden(exact_hidden(Kind::Joint(SwapOn::Energy), &rbm, &[0.5], 2, &mut rng(5)));
    path.sweep(&rbm, &[0.5; 2], 1, Clock { seed: 2, step: 0 });
    let e = |row: usize| rbm.energy(path.visible_states().row(row), path.hidden().row(row));
    let log_ratio = path.log_ratio((0, 1.0), (1, 0.4));
    assert!((log_ratio - 0.6 * (e(0) - e(1))).abs() < 1e-5);
    assert_eq!(acceptance(700.0), 1.0);
    assert_eq!(acceptance(0.0), 1.0);
    assert!((acceptance(-1.0) - (-1f64).exp()).abs() < 1e-15);
    assert_eq!(acceptance(f64::NEG_INFINITY), 0.0);
}
