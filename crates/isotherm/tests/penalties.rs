//! Penalties against differences of what they are the gradient of, and beside the centered gradient.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use common::*;
use isotherm::data::ImageShape;
use isotherm::model::Parameters;
use isotherm::train::Config;
use isotherm::train::gradient::{Centering, Gradient};
use isotherm::train::optimiser::ascend;
use isotherm::train::penalties::Penalties;
use isotherm::train::phases::Phases;
use isotherm_kernels::{BitMatrix, Matrix};

/// Not square, and with more pixels than are summed up together.
const SHAPE: ImageShape = ImageShape { width: 13, height: 7 };
const VISIBLE: usize = 13 * 7;
const HIDDEN: usize = 21;
const RATE: f64 = 0.01;

fn config() -> Config {
    let (shape, smooth) = (Some(SHAPE), 0.7);
    Config {
        hidden: HIDDEN,
        lr: RATE,
        weight_decay: 0.3,
        l1: 0.2,
        shape,
        smooth,
        ..Config::default()
    }
}

fn penalties(config: &Config) -> Penalties {
    Penalties::new(&config.check(VISIBLE).unwrap(), VISIBLE)
}

/// (d/2) Σ W² + (s/2) Σ |W_j − W_k|² over pairs of pixels that share an edge.
fn smooth_part(config: &Config, w: &Matrix) -> f64 {
    let row = |j: usize| w.row(j).iter().map(|&x| f64::from(x));
    let apart = |j: usize, k: usize| row(j).zip(row(k)).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
    let mut edges = 0.0;
    for y in 0..SHAPE.height {
        for x in 0..SHAPE.width {
            let j = y * SHAPE.width + x;
            edges += if x + 1 < SHAPE.width { apart(j, j + 1) } else { 0.0 };
            edges += if y + 1 < SHAPE.height { apart(j, j + SHAPE.width) } else { 0.0 };
        }
    }
    let squares: f64 = (0..VISIBLE).flat_map(row).map(|x| x * x).sum();
    0.5 * (config.weight_decay * squares + config.smooth * edges)
}

#[test]
fn decay_and_smoothness_are_gradients_of_their_penalty() {
    let config = config();
    let w = random_rbm(VISIBLE, HIDDEN, 1.0, 3).parameters().w.clone();
    let mut gradient = Parameters::zeros(VISIBLE, HIDDEN);
    penalties(&config).take_from(&mut gradient, &w, None, RATE);
    let penalty_at = |j: usize, i: usize, by: f32| {
        let mut moved = w.clone();
        moved.row_mut(j)[i] += by;
        smooth_part(&config, &moved)
    };
    for j in 0..VISIBLE {
        for i in [0, 7, HIDDEN - 1] {
            let expected = (penalty_at(j, i, -0.125) - penalty_at(j, i, 0.125)) / 0.25;
            let found = f64::from(gradient.w.row(j)[i]);
            assert!((found - expected).abs() < 1e-4, "{j} {i}: {found} for {expected}");
        }
    }
    assert_eq!(gradient.b, Parameters::zeros(VISIBLE, HIDDEN).b, "plain gradients leave biases");
    assert_eq!(gradient.c, Parameters::zeros(VISIBLE, HIDDEN).c);
}

/// The centered gradient ascends in b + Wᵀμ and c + Wλ. However the penalties move W, these move by what the data
/// ask for, the rate times Δh and Δv, so that all is at rest where the mean activities are the data's. Weights at zero
/// and near it are among them: there L1 takes less than its strength.
#[test]
fn biases_around_the_offsets_move_as_the_data_ask() {
    let config = config();
    let mut rbm = random_rbm(VISIBLE, HIDDEN, 1.0, 5);
    rbm.change(|p| {
        for j in 0..VISIBLE {
            p.w.row_mut(j)[j % HIDDEN] = 0.0;
            p.w.row_mut(j)[(j + 1) % HIDDEN] *= 1e-3;
        }
    });
    let bits = |seed: usize| {
        let bit = |r: usize, j: usize| u8::from((r * 31 + j * 17 + seed) * 7919 % 23 < 9);
        let rows: Vec<Vec<u8>> =
            (0..6).map(|r| (0..VISIBLE).map(|j| bit(r, j)).collect()).collect();
        BitMatrix::from_rows(VISIBLE, &rows)
    };
    let mut phases = Phases::new(6, 6, VISIBLE, HIDDEN);
    phases.fill(&rbm, &bits(1), &bits(2), |_, _| false);
    let offsets = Centering {
        visible: Matrix::from_row(&(0..VISIBLE).map(|j| j as f32 / 100.0).collect::<Vec<_>>()),
        hidden: Matrix::from_row(&(0..HIDDEN).map(|i| 0.9 - i as f32 / 30.0).collect::<Vec<_>>()),
    };
    let delta = Gradient::new(&phases).of(&phases, None).clone();

    let around = |p: &Parameters| -> (Vec<f64>, Vec<f64>) {
        let w = |j: usize, i: usize| f64::from(p.w.row(j)[i]);
        let mu = |j: usize| f64::from(offsets.visible.row(0)[j]);
        let lambda = |i: usize| f64::from(offsets.hidden.row(0)[i]);
        let b = |i: usize| {
            f64::from(p.b.row(0)[i]) + (0..VISIBLE).map(|j| w(j, i) * mu(j)).sum::<f64>()
        };
        let c = |j: usize| {
            f64::from(p.c.row(0)[j]) + (0..HIDDEN).map(|i| w(j, i) * lambda(i)).sum::<f64>()
        };
        ((0..HIDDEN).map(b).collect(), (0..VISIBLE).map(c).collect())
    };
    let (b, c) = around(rbm.parameters());
    let mut gradient = Gradient::new(&phases);
    let gradient = gradient.of(&phases, Some(&offsets));
    penalties(&config).take_from(gradient, &rbm.parameters().w, Some(&offsets), RATE);
    let (mut velocity, mut averaged) =
        (Parameters::zeros(VISIBLE, HIDDEN), Parameters::zeros(VISIBLE, HIDDEN));
    assert!(ascend(&mut rbm, &mut velocity, &mut averaged, gradient, RATE, 1.0, &config));
    let (b_after, c_after) = around(rbm.parameters());

    let moved = b_after.iter().zip(&b).chain(c_after.iter().zip(&c)).map(|(to, from)| to - from);
    let asked = delta.b.row(0).iter().chain(delta.c.row(0)).map(|&d| RATE * f64::from(d));
    for (at, (moved, asked)) in moved.zip(asked).enumerate() {
        assert!((moved - asked).abs() < 2e-5, "bias {at} moved by {moved} instead of {asked}");
    }
    let at_zero = (0..VISIBLE).filter(|&j| rbm.parameters().w.row(j)[j % HIDDEN] == 0.0).count();
    assert!(at_zero > 10 && at_zero < VISIBLE, "{at_zero} weights stayed at zero");
}

/// With a thread for every part of the weights as with one.
#[test]
fn threads_change_nothing() {
    let (visible, hidden) = (784, 1500);
    let rbm = random_rbm(visible, hidden, 1.0, 7);
    let (shape, smooth) = (ImageShape::guess(visible), 0.7);
    let config = Config { hidden, lr: RATE, l1: 0.2, shape, smooth, ..Config::default() };
    let marginals: Vec<f64> = (0..visible).map(|j| j as f64 / 800.0).collect();
    let offsets = Centering::new(&marginals, hidden);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut gradient = Parameters::zeros(visible, hidden);
        let mut penalties = Penalties::new(&config.check(visible).unwrap(), visible);
        let w = &rbm.parameters().w;
        pool.install(|| penalties.take_from(&mut gradient, w, Some(&offsets), RATE));
        gradient
    };
    let one = run(1);
    for threads in [2, 3] {
        assert_eq!(run(threads), one, "{threads} threads");
    }
}
