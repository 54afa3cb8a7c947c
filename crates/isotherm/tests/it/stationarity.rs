//! Exact stationarity: every rung starts from exact, independent draws of its own distribution,
//! so whatever a step does, the distribution must still be there afterwards. This does not depend
//! on how well anything mixes.

use crate::common::*;
use isotherm::model::Rbm;
use isotherm::negative::gibbs_steps::GibbsSteps;
use isotherm::paths::AnyEnsemble;
use isotherm_kernels::{BitMatrix, Matrix};
use isotherm_tempering::Ensemble;
use isotherm_tempering::streams::Key;
use isotherm_tempering::{Ladder, Tempering, TemperingState};

const BETAS: [f64; 5] = [1.0, 0.7, 0.45, 0.2, 0.0];
const COLUMNS: usize = 20_000;
/// Scores are about N(0, 1), and some 200 of them are looked at here: the largest is beyond 4.5
/// with a chance of 1 in 1500.
const WORST_SCORE: f64 = 4.5;

fn model() -> Rbm {
    // Weights up to ±4: rungs differ a lot, and swaps are accepted about half of the time.
    random_rbm(4, 3, 4.0, 11)
}

fn tempering(kind: Kind, rbm: &Rbm, seed: u64) -> Tempering<AnyEnsemble> {
    with_extra_particles(kind, rbm, 0, [seed, 0])
}

/// The same with particles off the ladder; a seed for the replicas on the ladder and one for these.
fn with_extra_particles(
    kind: Kind,
    rbm: &Rbm,
    off_ladder: usize,
    seeds: [u64; 2],
) -> Tempering<AnyEnsemble> {
    let ladder = Ladder::from_betas(BETAS.to_vec()).unwrap();
    let mut h = exact_hidden(kind, rbm, &BETAS, COLUMNS, &mut rng(seeds[0]));
    h.append(&exact_hidden(kind, rbm, &[1.0], off_ladder, &mut rng(seeds[1])));
    let mut path = kind.path(rbm);
    path.set_hidden(h);
    Tempering::new(path, TemperingState::with_extra_particles(ladder, COLUMNS, off_ladder))
}

/// How often each hidden state occurs on a rung.
fn hidden_counts(h: &BitMatrix, rows: &[usize], states: usize) -> Vec<u64> {
    let mut counts = vec![0; states];
    for &row in rows {
        counts[h.row(row)[0] as usize] += 1;
    }
    counts
}

/// The replicas on each rung follow its own distribution, after this step.
fn assert_every_rung_is_right(
    kind: Kind,
    rbm: &Rbm,
    tempering: &Tempering<AnyEnsemble>,
    step: u64,
) {
    let hidden = tempering.ensemble().hidden();
    for (rung, &beta) in BETAS.iter().enumerate() {
        let rows: Vec<usize> =
            (0..COLUMNS).map(|c| tempering.state().replicas().column(c)[rung]).collect();
        let expected = kind.hidden_distribution(rbm, beta);
        let score = chi_square_score(&hidden_counts(&hidden, &rows, expected.len()), &expected);
        assert!(score < WORST_SCORE, "{kind:?}, β = {beta}, step {step}: {score}");
    }
}

#[test]
fn sweeps_leave_every_rung_of_every_path_invariant() {
    let rbm = model();
    for kind in KINDS {
        for steps in [1, 4, 16] {
            let mut path = kind.path(&rbm);
            path.set_hidden(exact_hidden(kind, &rbm, &BETAS, COLUMNS, &mut rng(7)));
            let betas = tiled(&BETAS, COLUMNS);
            let key = Key { seed: 3, step: steps as u64 };
            path.sweep(&rbm, &betas, steps, key).unwrap();
            path.resample(&rbm, &betas, key);
            for (rung, &beta) in BETAS.iter().enumerate() {
                let rows: Vec<usize> = (0..COLUMNS).map(|c| c * BETAS.len() + rung).collect();
                let expected = kind.hidden_distribution(&rbm, beta);
                let counts = hidden_counts(&path.hidden(), &rows, expected.len());
                let score = chi_square_score(&counts, &expected);
                assert!(score < WORST_SCORE, "{kind:?}, β = {beta}, {steps} steps: {score}");
            }
        }
    }
}

/// A visible unit that is never on leaves p(h) as it was, but its bias is beyond what the tables of
/// products can hold: the hidden-marginal path takes its other way, and still has to be right.
#[test]
fn large_fields_are_swept_as_well() {
    let small = model();
    let mut p = small.parameters().clone();
    let widened = |x: &Matrix, rows: usize, cols: usize, rest: f32| {
        let mut values = x.to_dense();
        values.resize(rows * cols, rest);
        Matrix::from_dense(rows, cols, &values)
    };
    (p.w, p.c) = (widened(&p.w, 5, 3, 0.5), widened(&p.c, 1, 5, -200.0));
    let rbm = Rbm::new(p);
    let kind = Kind::HiddenMarginal;
    let mut path = kind.path(&rbm);
    path.set_hidden(exact_hidden(kind, &small, &BETAS, COLUMNS, &mut rng(9)));
    let betas = tiled(&BETAS, COLUMNS);
    path.sweep(&rbm, &betas, 4, Key { seed: 12, step: 0 }).unwrap();
    for (rung, &beta) in BETAS.iter().enumerate() {
        let rows: Vec<usize> = (0..COLUMNS).map(|c| c * BETAS.len() + rung).collect();
        let expected = kind.hidden_distribution(&small, beta);
        let counts = hidden_counts(&path.hidden(), &rows, expected.len());
        let score = chi_square_score(&counts, &expected);
        assert!(score < WORST_SCORE, "β = {beta}: {score}");
    }
}

#[test]
fn sweeps_and_swaps_leave_the_joint_distribution_invariant() {
    let rbm = model();
    for kind in KINDS {
        let mut tempering = tempering(kind, &rbm, 19);
        for step in 0..16u64 {
            tempering.step(&rbm, 1, Key { seed: 5, step }).unwrap();
            if ![0, 1, 3, 15].contains(&step) {
                continue;
            }
            assert_every_rung_is_right(kind, &rbm, &tempering, step);
        }
        let rates = tempering.state().rates().rates();
        assert!(
            rates.iter().flatten().all(|r| (0.2..0.95).contains(r)),
            "no real swaps: {rates:?}"
        );
    }
}

/// Particles off the ladder take turns on the ladder: on every rung and among themselves the distribution
/// stays, everybody gets a turn, and turns do not tie the replicas together.
#[test]
fn spare_replicas_leave_the_joint_distribution_invariant() {
    const EXTRA: usize = 3 * COLUMNS;
    let rbm = model();
    for kind in KINDS {
        let mut tempering = with_extra_particles(kind, &rbm, EXTRA, [31, 37]);
        let before = tempering.state().replicas().off_ladder().to_vec();
        for step in 0..8u64 {
            tempering.step(&rbm, 1, Key { seed: 14, step }).unwrap();
        }
        let replicas = tempering.state().replicas();
        assert!(replicas.is_permutation());
        let stayed = replicas.off_ladder().iter().zip(&before).filter(|(a, b)| a == b).count();
        // Each step calls on a third of the places, some of them twice: e^(−8/3) are never called.
        let share = stayed as f64 / EXTRA as f64;
        assert!((share - (-8.0f64 / 3.0).exp()).abs() < 0.01, "{share} never had a turn");
        let hidden = tempering.ensemble().hidden();
        let on_rung = |rung: usize| -> Vec<usize> {
            (0..COLUMNS).map(|c| replicas.column(c)[rung]).collect()
        };
        let mut places: Vec<(f64, Vec<usize>)> =
            BETAS.iter().enumerate().map(|(rung, &beta)| (beta, on_rung(rung))).collect();
        places.push((1.0, replicas.off_ladder().to_vec()));
        for (beta, rows) in &places {
            let expected = kind.hidden_distribution(&rbm, *beta);
            let score = chi_square_score(&hidden_counts(&hidden, rows, expected.len()), &expected);
            assert!(score < WORST_SCORE, "{kind:?}, β = {beta}, {} rows: {score}", rows.len());
        }
        let energies = |rows: &[usize]| -> Vec<f64> {
            rows.iter()
                .map(|&row| rbm.free_energy_of_hidden(&[hidden.row(row)[0] & 0b111]))
                .collect()
        };
        let (cold, off_ladder) =
            (energies(&on_rung(0)), energies(&replicas.off_ladder()[..COLUMNS]));
        let score = correlation(&cold, &off_ladder) * (COLUMNS as f64).sqrt();
        assert!(score.abs() < 4.5, "{kind:?}: {score}");
    }
}

/// Between two steps of the ladder the replicas at β = 1, particles off the ladder included, keep to the model jointly
/// with their visible states; the others do not move; and a step of the ladder follows as if nothing had
/// happened.
#[test]
fn steps_between_those_of_the_ladder_leave_the_joint_distribution_invariant() {
    const EXTRA: usize = COLUMNS;
    let rbm = model();
    for kind in KINDS {
        let mut tempering = with_extra_particles(kind, &rbm, EXTRA, [41, 43]);
        let (n_visible, n_hidden) = (rbm.n_visible(), rbm.n_hidden());
        let mut between = GibbsSteps::new(COLUMNS + EXTRA, n_visible, n_hidden);
        let mut v = BitMatrix::zeros(COLUMNS + EXTRA, n_visible);
        for step in 0..6u64 {
            let key = Key { seed: 15, step };
            if step % 3 == 0 {
                tempering.step(&rbm, 1, key).unwrap();
                continue;
            }
            let before = tempering.ensemble().hidden();
            between.step(&mut tempering, &rbm, 2, key, &mut v).unwrap();
            let (hidden, cold) =
                (tempering.ensemble().hidden(), tempering.state().replicas().cold_rows());
            let expected = kind.distribution(&rbm, 1.0);
            let mut counts = vec![0; expected.len()];
            for (i, &row) in cold.iter().enumerate() {
                counts[(hidden.row(row)[0] << n_visible | v.row(i)[0]) as usize] += 1;
            }
            let score = chi_square_score(&counts, &expected);
            assert!(score < WORST_SCORE, "{kind:?}, step {step}: {score}");
            let mut is_cold = vec![false; before.rows()];
            cold.iter().for_each(|&row| is_cold[row] = true);
            let stayed = |row: &usize| before.row(*row) == hidden.row(*row);
            assert!((0..before.rows()).filter(|&row| !is_cold[row]).all(|row| stayed(&row)));
            assert!(!cold.iter().all(stayed), "{kind:?}: nothing was sampled");
        }
        assert_every_rung_is_right(kind, &rbm, &tempering, 5);
    }
}

#[test]
fn cold_samples_follow_the_model_jointly_with_their_hidden_states() {
    let rbm = model();
    for kind in KINDS {
        let mut tempering = tempering(kind, &rbm, 23);
        let key = Key { seed: 6, step: 0 };
        tempering.step(&rbm, 2, key).unwrap();
        let cold = tempering.state().replicas().cold_rows();
        let mut v = BitMatrix::zeros(cold.len(), rbm.n_visible());
        tempering.at_the_cold_end(|it, rows| it.visible(&rbm, rows, key, &mut v));
        let hidden = tempering.ensemble().hidden();
        let expected = kind.distribution(&rbm, 1.0);
        let mut counts = vec![0; expected.len()];
        for (i, &row) in cold.iter().enumerate() {
            let h = hidden.row(row)[0];
            counts[(h << rbm.n_visible() | v.row(i)[0]) as usize] += 1;
        }
        let score = chi_square_score(&counts, &expected);
        assert!(score < WORST_SCORE, "{kind:?}: {score}");
    }
}

/// Marginals barely notice a swap pass that shares its uniforms between pairs; the energies of
/// different rungs do, they become correlated.
#[test]
fn rungs_stay_independent_of_each_other() {
    let rbm = model();
    for kind in KINDS {
        let mut tempering = tempering(kind, &rbm, 29);
        for step in 0..8u64 {
            tempering.step(&rbm, 1, Key { seed: 8, step }).unwrap();
        }
        let hidden = tempering.ensemble().hidden();
        let energies: Vec<Vec<f64>> = (0..BETAS.len())
            .map(|rung| {
                (0..COLUMNS)
                    .map(|c| {
                        let row = tempering.state().replicas().column(c)[rung];
                        rbm.free_energy_of_hidden(&[hidden.row(row)[0] & 0b111])
                    })
                    .collect()
            })
            .collect();
        for i in 0..BETAS.len() {
            for j in 0..i {
                // The correlation of independent samples is about N(0, 1/n).
                let score = correlation(&energies[i], &energies[j]) * (COLUMNS as f64).sqrt();
                assert!(score.abs() < 4.5, "{kind:?}, rungs {j} and {i}: {score}");
            }
        }
    }
}

/// At β = 0 a sweep forgets everything: from one and the same state, a single step gives
/// independent draws of the reference.
#[test]
fn the_hot_end_is_redrawn_exactly() {
    let rbm = model();
    for kind in KINDS {
        let mut path = kind.path(&rbm);
        let same = BitMatrix::from_words(COLUMNS, kind.units(&rbm), vec![0b101; COLUMNS]).unwrap();
        path.set_hidden(same);
        let (betas, key) = (vec![0.0; COLUMNS], Key { seed: 4, step: 1 });
        path.sweep(&rbm, &betas, 1, key).unwrap();
        path.resample(&rbm, &betas, key);
        let rows: Vec<usize> = (0..COLUMNS).collect();
        let expected = kind.distribution(&rbm, 0.0);
        let mut counts = vec![0; expected.len()];
        // On the hidden-marginal path v is drawn from p(v | h), as `distribution` has it.
        let mut v = BitMatrix::zeros(rows.len(), rbm.n_visible());
        path.visible(&rbm, &rows, key, &mut v);
        let h = path.hidden();
        for row in rows {
            counts[(h.row(row)[0] << rbm.n_visible() | v.row(row)[0]) as usize] += 1;
        }
        let score = chi_square_score(&counts, &expected);
        assert!(score < WORST_SCORE, "{kind:?}: {score}");
    }
}
