//! The swap ratio of every path against its definition, on states that enumeration can weigh.

use std::sync::Arc;

use crate::common::*;
use isotherm::paths::mixture::from_mixture;
use isotherm::paths::small_rbm::from_rbm;
use isotherm::paths::{Gibbs, RbmEnsemble, SwapOn, base_rate::base_rate, joint::joint};
use isotherm_kernels::BitMatrix;
use isotherm_tempering::Ensemble;
use isotherm_tempering::streams::Key;
use isotherm_tempering::swap::{acceptance, swap_pass};
use isotherm_tempering::{Ladder, Replicas, SwapRates};

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
            log_sum_exp((0..1 << kind.units(rbm)).map(|h| kind.log_weight(rbm, beta, v, h)))
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn gibbs_ratios_match_enumeration() {
    let rbm = random_rbm(5, 4, 1.5, 3);
    let n_visible = rbm.n_visible();
    let (mixture, small) = (Arc::new(mixture(n_visible)), Arc::new(small_rbm(n_visible)));
    for swap in [SwapOn::Energy, SwapOn::FreeEnergy] {
        let mut cases: Vec<(Kind, Gibbs)> = vec![
            (Kind::Joint(swap), joint(n_visible, 4, swap)),
            (Kind::BaseRate(swap), base_rate(&marginals(n_visible), 4, swap)),
        ];
        if swap == SwapOn::FreeEnergy {
            cases.push((Kind::Mixture, from_mixture(mixture.clone(), 4)));
            cases.push((Kind::Rbm, from_rbm(small.clone(), 4)));
        }
        for (kind, mut path) in cases {
            path.set_hidden(exact_hidden(kind, &rbm, &[0.5], ROWS, &mut rng(1)));
            path.sweep(&rbm, &[0.5; ROWS], 2, Key { seed: 2, step: 0 }).unwrap();
            let (v, h) = (path.states.visible_states(), path.hidden());
            let state = |row: usize| (v.row(row)[0], h.row(row)[0]);
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
    path.sweep(&rbm, &[0.5; ROWS], 2, Key { seed: 2, step: 0 }).unwrap();
    let h = path.hidden();
    for (x, y) in (0..ROWS).zip((0..ROWS).rev()).filter(|(x, y)| x != y) {
        let free = |row: usize| rbm.free_energy_of_hidden(h.row(row));
        let expected = (1.0 - 0.3) * (free(x) - free(y));
        let got = path.log_ratio((x, 1.0), (y, 0.3));
        assert!((got - expected).abs() < 2e-5, "{got} against {expected}");
    }
}

/// Two rungs, every pair of states: the flow of probability from (x, y) to (y, x) is the flow back.
#[test]
fn swaps_are_in_detailed_balance_on_two_rungs() {
    let rbm = random_rbm(3, 3, 2.0, 13);
    let (cold, hot) = (1.0, 0.35);
    for kind in KINDS {
        // Enough rows that every state (v, h) occurs.
        let rows = 6000;
        let mut path = kind.path(&rbm);
        path.set_hidden(exact_hidden(kind, &rbm, &[0.1], rows, &mut rng(21)));
        let key = Key { seed: 22, step: 0 };
        path.sweep(&rbm, &vec![0.1; rows], 1, key).unwrap();
        let all: Vec<usize> = (0..rows).collect();
        let mut v = BitMatrix::zeros(all.len(), rbm.n_visible());
        path.visible(&rbm, &all, key, &mut v);
        let h = path.hidden();
        let (p_cold, p_hot) = (weights_of(kind, &rbm, cold), weights_of(kind, &rbm, hot));
        let mut seen = std::collections::BTreeMap::new();
        for row in 0..rows {
            seen.entry(state_of(kind, v.row(row)[0], h.row(row)[0])).or_insert(row);
        }
        assert_eq!(seen.len(), p_cold.len(), "{kind:?}: every state occurs");
        for (&x, &row_x) in &seen {
            for (&y, &row_y) in &seen {
                let there =
                    p_cold[x] * p_hot[y] * acceptance(path.log_ratio((row_x, cold), (row_y, hot)));
                let back =
                    p_cold[y] * p_hot[x] * acceptance(path.log_ratio((row_y, cold), (row_x, hot)));
                // Fields are f32 sums of size 10: log-ratios to 1e-5, relative to the flow.
                assert!((there - back).abs() <= 1e-4 * there.max(back), "{kind:?}: {there} {back}");
            }
        }
    }
}

/// What a path's swap ratio is about: (v, h), v alone, or h alone.
fn state_of(kind: Kind, v: u64, h: u64) -> usize {
    (match kind {
        Kind::Joint(SwapOn::Energy) | Kind::BaseRate(SwapOn::Energy) => h << 3 | v,
        Kind::Joint(SwapOn::FreeEnergy)
        | Kind::BaseRate(SwapOn::FreeEnergy)
        | Kind::Mixture
        | Kind::Balanced
        | Kind::Rbm => v,
        Kind::HiddenMarginal => h,
        other => panic!("{other:?}"),
    }) as usize
}

/// π_β over those states.
fn weights_of(kind: Kind, rbm: &isotherm::model::Rbm, beta: f64) -> Vec<f64> {
    let mut weights = Vec::new();
    for (i, p) in kind.distribution(rbm, beta).into_iter().enumerate() {
        let state = state_of(kind, i as u64 & 7, i as u64 >> 3);
        weights.resize(weights.len().max(state + 1), 0.0);
        weights[state] += p;
    }
    weights
}

/// A pass moves whole replicas: everything a row carries stays with the row, rows change rungs in
/// the proposed pairs only, and as often as their probabilities say.
#[test]
fn a_pass_exchanges_whole_replicas_of_its_parity() {
    let rbm = random_rbm(4, 3, 3.0, 17);
    let betas = [1.0, 0.6, 0.3, 0.0];
    let columns = 4000;
    for kind in KINDS {
        for parity in [0, 1] {
            let mut path = kind.path(&rbm);
            path.set_hidden(exact_hidden(kind, &rbm, &betas, columns, &mut rng(2)));
            path.sweep(&rbm, &tiled(&betas, columns), 1, Key { seed: 3, step: 0 }).unwrap();
            let before = path.hidden();
            let ladder = Ladder::from_betas(betas.to_vec()).unwrap();
            let fresh = Replicas::new(columns, 4);
            let carried = (
                fresh.labels().to_vec(),
                (0..4 * columns as u64).collect::<Vec<_>>(),
                fresh.departed().to_vec(),
            );
            let (rows, (labels, ages, departed)) = (fresh.row_at().to_vec(), carried.clone());
            let mut replicas =
                Replicas::from_parts(columns, rows, Vec::new(), labels, ages, departed).unwrap();
            let (mut expected, mut variance) = (0.0, 0.0);
            for column in 0..columns {
                for gap in (parity..3).step_by(2) {
                    let (x, y) =
                        ((4 * column + gap, betas[gap]), (4 * column + gap + 1, betas[gap + 1]));
                    let p = acceptance(path.log_ratio(x, y));
                    expected += p;
                    variance += p * (1.0 - p);
                }
            }
            let mut rates = SwapRates::new(3);
            let key = Key { seed: 5, step: 9 };
            swap_pass(&path, &ladder, &mut replicas, &mut rates, parity, key, &mut Vec::new())
                .unwrap();
            assert!(replicas.is_permutation());
            assert_eq!(
                (replicas.labels(), replicas.ages(), replicas.departed()),
                (&carried.0[..], &carried.1[..], &carried.2[..])
            );
            assert_eq!(path.hidden(), before, "states stay in their rows");
            let mut swapped = 0.0;
            for column in 0..columns {
                for (rung, &row) in replicas.column(column).iter().enumerate() {
                    let home = row - 4 * column;
                    let partner = if rung % 2 == parity { rung + 1 } else { rung.wrapping_sub(1) };
                    assert!(home == rung || home == partner, "{rung} holds {home}");
                    swapped += if home == rung { 0.0 } else { 0.5 };
                }
            }
            let score = (swapped - expected) / f64::sqrt(variance);
            assert!(score.abs() < 4.0, "{kind:?}: {swapped} swaps, expected {expected}");
            let mean = rates.rates().iter().flatten().sum::<f64>() * columns as f64;
            assert!((mean - expected).abs() < 1e-6 * expected, "rates are mean probabilities");
        }
    }
}

/// The paper's expression: log r = (β_i − β_j)(E(x_i) − E(x_j)), accepted with min(1, r).
#[test]
fn acceptance_is_the_papers_with_its_erratum() {
    let rbm = random_rbm(5, 4, 1.5, 9);
    let mut path = joint(5, 4, SwapOn::Energy);
    path.set_hidden(exact_hidden(Kind::Joint(SwapOn::Energy), &rbm, &[0.5], 2, &mut rng(5)));
    path.sweep(&rbm, &[0.5; 2], 1, Key { seed: 2, step: 0 }).unwrap();
    let (v, h) = (path.states.visible_states(), path.hidden());
    let e = |row: usize| rbm.energy(v.row(row), h.row(row));
    let log_ratio = path.log_ratio((0, 1.0), (1, 0.4));
    assert!((log_ratio - 0.6 * (e(0) - e(1))).abs() < 1e-5);
    assert_eq!(acceptance(700.0), 1.0);
    assert_eq!(acceptance(0.0), 1.0);
    assert!((acceptance(-1.0) - (-1f64).exp()).abs() < 1e-15);
    assert_eq!(acceptance(f64::NEG_INFINITY), 0.0);
}
