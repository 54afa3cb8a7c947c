//! The gradient that is followed against the exact gradient of the exact log-likelihood.

use std::ops::Range;

use crate::common::*;
use isotherm::likelihood::exact;
use isotherm::model::{Parameters, Rbm};
use isotherm::objective::gradient::{Centering, Gradient};
use isotherm::objective::phases::Phases;
use isotherm::options::{Algorithm, Options, PathKind};
use isotherm::paths::SwapOn;
use isotherm_kernels::{BitMatrix, Matrix};
use isotherm_tempering::streams::Key;
use isotherm_tempering::{Ladder, Spacing, Tempering, TemperingState};

const N_VISIBLE: usize = 4;
const N_HIDDEN: usize = 3;

fn flatten(p: &Parameters) -> Vec<f64> {
    let parts = p.w.to_dense().into_iter().chain(p.b.to_dense()).chain(p.c.to_dense());
    parts.map(f64::from).collect()
}

/// The derivative of `f` along every parameter, by central differences. `f` is smooth and in f64;
/// the parameters are f32, so the steps are taken where they were rounded to.
fn differences(rbm: &Rbm, f: impl Fn(&Rbm) -> f64) -> Vec<f64> {
    let shift = |at: usize, by: f32| {
        let mut moved = rbm.clone();
        let mut actual = 0.0;
        moved.change(|p| {
            let mut index = at;
            for part in [&mut p.w, &mut p.b, &mut p.c] {
                let (rows, cols) = (part.rows(), part.cols());
                if index < rows * cols {
                    let x = &mut part.row_mut(index / cols)[index % cols];
                    let before = *x;
                    *x += by;
                    actual = f64::from(*x) - f64::from(before);
                    return;
                }
                index -= rows * cols;
            }
        });
        (f(&moved), actual)
    };
    (0..flatten(rbm.parameters()).len())
        .map(|at| {
            let ((up, d_up), (down, d_down)) = (shift(at, 2e-3), shift(at, -2e-3));
            (up - down) / (d_up - d_down)
        })
        .collect()
}

fn data() -> BitMatrix {
    BitMatrix::from_rows(N_VISIBLE, &[[1, 0, 0, 1], [1, 1, 0, 0], [0, 0, 1, 1], [1, 0, 1, 1u8]])
}

fn assert_close(got: &[f64], expected: &[f64], tolerance: f64) {
    for (i, (a, b)) in got.iter().zip(expected).enumerate() {
        assert!((a - b).abs() < tolerance, "parameter {i}: {a} against {b}");
    }
}

/// The data and these samples, with E[h | v].
fn phases(rbm: &Rbm, samples: &BitMatrix) -> Phases {
    let mut phases = Phases::new(data().rows(), samples.rows(), N_VISIBLE, N_HIDDEN);
    phases.fill(rbm, &data(), samples, |_, _| false);
    phases
}

/// Hidden fields that the sampler has already are not computed again, and nothing changes by it.
#[test]
fn what_the_sampler_knows_is_not_computed_again() {
    let (n_visible, n_hidden) = (100, 37);
    let rbm = random_rbm(n_visible, n_hidden, 0.3, 5);
    // So many replicas, rungs and rows of data: the sums are grouped alike, or not.
    for (columns, rungs, batch, alike) in
        [(200, 1, 100, true), (100, 3, 150, true), (4, 50, 3, false)]
    {
        let rows: Vec<Vec<u8>> = (0..batch)
            .map(|r| (0..n_visible).map(|j| u8::from((r * r + j) % 3 == 0)).collect())
            .collect();
        let data = BitMatrix::from_rows(n_visible, &rows);
        let ladder = Ladder::new(rungs, Spacing::Linear);
        for kind in [Kind::Joint(SwapOn::Energy), Kind::BaseRate(SwapOn::FreeEnergy)] {
            let mut path = kind.path(&rbm);
            path.set_hidden(BitMatrix::zeros(columns * rungs, n_hidden));
            let state = TemperingState::new(ladder.clone(), columns);
            let mut tempering = Tempering::new(path, state);
            let mut samples = BitMatrix::zeros(columns, n_visible);
            for step in 0..3 {
                let key = Key { seed: 12, step };
                tempering.step(&rbm, 1, key).unwrap();
                let cold = tempering.state().replicas().cold_rows();
                tempering.at_the_cold_end(|it, rows| it.visible(&rbm, rows, key, &mut samples));
                let mut computed = Phases::new(batch, columns, n_visible, n_hidden);
                let mut known = computed.clone();
                computed.fill(&rbm, &data, &samples, |_, _| false);
                known.fill(&rbm, &data, &samples, |grouping, out| {
                    let has = tempering.ensemble().hidden_fields(&cold, grouping, out);
                    assert_eq!(has, alike);
                    has
                });
                assert_eq!(computed.v, known.v);
                assert_eq!(computed.h, known.h);
            }
        }
    }
}

/// The same through the sampler of a run, with particles off the ladder and with updates between two steps of the
/// ladder, each after the other.
#[test]
fn what_the_sampler_of_a_run_knows_is_of_its_last_samples() {
    let n_visible = 100;
    let rows: Vec<Vec<u8>> = (0..150)
        .map(|r| (0..n_visible).map(|j| u8::from((r * r + j) % 9 == 0)).collect())
        .collect();
    let batch = BitMatrix::from_rows(n_visible, &rows);
    let marginals = vec![0.11; n_visible];
    for (hidden, algorithm, temper_every) in
        [(37, Algorithm::Sml, 1), (32, Algorithm::Apt, 1), (160, Algorithm::Apt, 3)]
    {
        let options = Options::default()
            .algorithm(algorithm)
            .hidden(hidden)
            .temper_every(temper_every)
            .batch(150)
            .particles(Some(170))
            .columns(Some(if algorithm == Algorithm::Sml { 170 } else { 40 }))
            .path(PathKind::BaseRate);
        let plan = options.check(n_visible).unwrap();
        let rbm = random_rbm(n_visible, hidden, 0.3, 5);
        let mut negative = (algorithm.entry().begin)(&plan, &(&marginals).into());
        let mut samples = BitMatrix::zeros(170, n_visible);
        for step in 0..7 {
            negative.sample(&rbm, &batch, Key { seed: 1, step }, &mut samples).unwrap();
            let mut computed = Phases::new(150, 170, n_visible, hidden);
            let mut known = computed.clone();
            computed.fill(&rbm, &batch, &samples, |_, _| false);
            known.fill(&rbm, &batch, &samples, |grouping, out| {
                assert!(negative.hidden_fields(grouping, out), "step {step}");
                true
            });
            assert_eq!(computed.h, known.h, "{algorithm:?}, {hidden} hidden units, step {step}");
        }
    }
}

fn gradient(phases: &Phases, centering: Option<&Centering>) -> Parameters {
    let mut out = Parameters::zeros(N_VISIBLE, N_HIDDEN);
    Gradient::new(phases).write(phases, centering, &mut out);
    out
}

/// Each side of Eq. 2 is the derivative of −F(v) averaged over its rows.
#[test]
fn both_sides_are_derivatives_of_free_energies() {
    let rbm = random_rbm(N_VISIBLE, N_HIDDEN, 1.0, 4);
    let negative = BitMatrix::from_rows(N_VISIBLE, &[[0, 1, 1, 0], [1, 1, 1, 1], [0, 0, 0, 1u8]]);
    let mean = |rbm: &Rbm, rows: &BitMatrix| {
        let n = rows.rows();
        (0..n).map(|r| -rbm.free_energy_of_visible(rows.row(r))).sum::<f64>() / n as f64
    };
    let expected = differences(&rbm, |rbm| mean(rbm, &data()) - mean(rbm, &negative));
    let phases = phases(&rbm, &negative);
    // Central differences with a step of 2e-3 are good to about its square.
    assert_close(&flatten(&gradient(&phases, None)), &expected, 1e-5);
}

/// The whole negative phase: averaged over many steps of a sampler that started in equilibrium,
/// the gradient is that of the exact mean log-likelihood.
#[test]
fn the_tempered_gradient_is_that_of_the_exact_log_likelihood() {
    let rbm = random_rbm(N_VISIBLE, N_HIDDEN, 1.5, 6);
    let log_likelihood = |rbm: &Rbm| {
        let log_p = exact::log_probabilities(rbm, exact::log_z(rbm).unwrap(), &data());
        log_p.iter().sum::<f64>() / log_p.len() as f64
    };
    let expected = differences(&rbm, log_likelihood);
    let (columns, steps) = (500, 60u64);
    for kind in KINDS {
        let ladder = Ladder::new(4, Spacing::Linear);
        let mut path = kind.path(&rbm);
        path.set_hidden(exact_hidden(kind, &rbm, ladder.betas(), columns, &mut rng(31)));
        let mut tempering = Tempering::new(path, TemperingState::new(ladder, columns));
        let mut samples: Vec<Vec<f64>> = Vec::new();
        for step in 0..steps {
            let key = Key { seed: 12, step };
            tempering.step(&rbm, 1, key).unwrap();
            let mut negative = BitMatrix::zeros(columns, N_VISIBLE);
            tempering.at_the_cold_end(|it, rows| it.visible(&rbm, rows, key, &mut negative));
            let phases = phases(&rbm, &negative);
            samples.push(flatten(&gradient(&phases, None)));
        }
        for (i, wanted) in expected.iter().enumerate() {
            let values: Vec<f64> = samples.iter().map(|sample| sample[i]).collect();
            let (mean, error) = mean_and_error(&values, 10);
            let score = (mean - wanted) / error;
            // 19 parameters, 5 paths, errors from 10 batches: Student's t with 9 degrees.
            assert!(score.abs() < 6.5, "{kind:?}, parameter {i}: {mean} ± {error}, exact {wanted}");
            assert!(error < 0.01, "the error is too large to mean anything: {error}");
        }
    }
}

/// Mean, and its standard error from the spread of the means of `batches` stretches.
fn mean_and_error(values: &[f64], batches: usize) -> (f64, f64) {
    let size = values.len() / batches;
    let means: Vec<f64> =
        values.chunks(size).map(|chunk| chunk.iter().sum::<f64>() / chunk.len() as f64).collect();
    let n = means.len() as f64;
    let mean = means.iter().sum::<f64>() / n;
    let variance = means.iter().map(|m| (m - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (mean, (variance / n).sqrt())
}

/// ∇W is the difference of the covariances around the offsets, and the biases follow.
#[test]
fn the_centered_gradient_matches_its_definition() {
    let rbm = random_rbm(N_VISIBLE, N_HIDDEN, 1.0, 8);
    let negative = BitMatrix::from_rows(N_VISIBLE, &[[0, 1, 1, 0], [1, 1, 1, 1u8]]);
    let phases = phases(&rbm, &negative);
    let offsets = Centering {
        visible: Matrix::from_row(&[0.3, 0.6, 0.45, 0.8]),
        hidden: Matrix::from_row(&[0.2, 0.7, 0.5]),
    };
    let g = gradient(&phases, Some(&offsets));
    let bit = |r: usize, j: usize| f64::from(u8::from(phases.v.get(r, j)));
    let h = |r: usize, i: usize| f64::from(phases.h.row(r)[i]);
    let mu = |j: usize| f64::from(offsets.visible.row(0)[j]);
    let lambda = |i: usize| f64::from(offsets.hidden.row(0)[i]);
    let difference = |f: &dyn Fn(usize) -> f64| {
        let (positive, rows) = (phases.positive, phases.v.rows());
        let mean = |rows: Range<usize>| rows.clone().map(f).sum::<f64>() / rows.len() as f64;
        mean(0..positive) - mean(positive..rows)
    };
    let w: Vec<Vec<f64>> = (0..N_VISIBLE)
        .map(|j| {
            (0..N_HIDDEN)
                .map(|i| difference(&|r| (bit(r, j) - mu(j)) * (h(r, i) - lambda(i))))
                .collect()
        })
        .collect();
    let b: Vec<f64> = (0..N_HIDDEN)
        .map(|i| difference(&|r| h(r, i)) - (0..N_VISIBLE).map(|j| mu(j) * w[j][i]).sum::<f64>())
        .collect();
    let c: Vec<f64> = (0..N_VISIBLE)
        .map(|j| {
            difference(&|r| bit(r, j)) - (0..N_HIDDEN).map(|i| lambda(i) * w[j][i]).sum::<f64>()
        })
        .collect();
    let expected: Vec<f64> = w.into_iter().flatten().chain(b).chain(c).collect();
    assert_close(&flatten(&g), &expected, 1e-6);
}
