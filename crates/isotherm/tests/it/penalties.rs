//! Penalties against differences of what they are the gradient of, and beside the centered gradient.

use crate::common::*;
use isotherm::data::{Dataset, ImageShape};
use isotherm::model::Parameters;
use isotherm::objective::gradient::Centering;
use isotherm::objective::penalties::Penalties;
use isotherm::options::{Algorithm, GradientKind, Options};
use isotherm::trainer::{TrainState, Trainer};
use isotherm_kernels::Matrix;

/// Not square, and with more pixels than are summed up together.
const SHAPE: ImageShape = ImageShape { width: 13, height: 7 };
const VISIBLE: usize = 13 * 7;
const HIDDEN: usize = 21;
const RATE: f64 = 0.01;

fn options() -> Options {
    Options::default()
        .hidden(HIDDEN)
        .algorithm(Algorithm::Sml)
        .lr(RATE)
        .gradient(GradientKind::Centered)
        .weight_decay(0.3)
        .l1(0.2)
        .smooth(0.7)
        .shape(Some(SHAPE))
        .batch(6)
        .updates(50)
}

fn penalties(options: &Options) -> Penalties {
    Penalties::new(&options.check(VISIBLE).unwrap(), VISIBLE)
}

/// (d/2) Σ W² + (s/2) Σ |W_j − W_k|² over pairs of pixels that share an edge.
fn quadratic_part(options: &Options, w: &Matrix) -> f64 {
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
    0.5 * (options.optimiser.weight_decay * squares + options.optimiser.smooth * edges)
}

#[test]
fn decay_and_smoothness_are_gradients_of_their_penalty() {
    let options = options();
    let w = random_rbm(VISIBLE, HIDDEN, 1.0, 3).parameters().w.clone();
    let mut gradient = Parameters::zeros(VISIBLE, HIDDEN);
    let velocity = gradient.w.clone();
    penalties(&options).subtract_from(&mut gradient, (&w, &velocity), None, RATE);
    let penalty_at = |j: usize, i: usize, by: f32| {
        let mut moved = w.clone();
        moved.row_mut(j)[i] += by;
        quadratic_part(&options, &moved)
    };
    for j in 0..VISIBLE {
        for i in [0, 7, HIDDEN - 1] {
            let expected = (penalty_at(j, i, -0.125) - penalty_at(j, i, 0.125)) / 0.25;
            let found = f64::from(gradient.w.row(j)[i]);
            // Weights and their sums of about 4 are rounded to 24 bits, and divided by 0.25.
            assert!((found - expected).abs() < 1e-4, "{j} {i}: {found} for {expected}");
        }
    }
    assert_eq!(gradient.b, Parameters::zeros(VISIBLE, HIDDEN).b, "plain gradients leave biases");
    assert_eq!(gradient.c, Parameters::zeros(VISIBLE, HIDDEN).c);
}

/// b + Wᵀμ and c + Wλ, with the offsets of the view.
fn around_the_offsets(state: &TrainState) -> Vec<f64> {
    let Parameters { w, b, c } = state.model().parameters();
    let product = |j: usize, i: usize, by: &Matrix, at: usize| {
        f64::from(w.row(j)[i]) * f64::from(by.row(0)[at])
    };
    let Centering { visible: mu, hidden: lambda } = state.objective().centering().unwrap();
    let of_b =
        |i: usize| f64::from(b.row(0)[i]) + (0..VISIBLE).map(|j| product(j, i, mu, j)).sum::<f64>();
    let of_c = |j: usize| {
        f64::from(c.row(0)[j]) + (0..HIDDEN).map(|i| product(j, i, lambda, i)).sum::<f64>()
    };
    (0..HIDDEN).map(of_b).chain((0..VISIBLE).map(of_c)).collect()
}

/// A whole update, from the same model, samples and batch: with penalties W moves otherwise than without, but
/// b + Wᵀμ and c + Wλ, in which the centered gradient ascends, move alike. So all is at rest only where the mean
/// activities are the data's. Weights at zero and near it are among them: there L1 takes less than its strength.
#[test]
fn penalties_leave_the_biases_around_the_offsets() {
    let bit = |r: usize, j: usize| u8::from((r * 31 + j * 17) * 7919 % 23 < 9);
    let rows: Vec<Vec<u8>> = (0..40).map(|r| (0..VISIBLE).map(|j| bit(r, j)).collect()).collect();
    let data = Dataset::from_rows(&rows).unwrap();
    let after_an_update = |options: Options| {
        let plan = options.check(VISIBLE).unwrap();
        let mut state = TrainState::new(&plan, &data.marginals());
        let mut model = state.model().clone();
        model.change(|p| {
            p.w = random_rbm(VISIBLE, HIDDEN, 1.0, 5).parameters().w.clone();
            for j in 0..VISIBLE {
                p.w.row_mut(j)[j % HIDDEN] = 0.0;
                p.w.row_mut(j)[(j + 1) % HIDDEN] *= 1e-3;
            }
        });
        state.set_model(model);
        Trainer::new(plan, data.clone()).step(&mut state).unwrap();
        state
    };
    let free = after_an_update(options().l1(0.0).smooth(0.0).weight_decay(0.0));
    let apart =
        |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    let mut held_at_zero = 0;
    for options in [
        options(),
        options().smooth(0.0).weight_decay(0.0),
        options().l1(0.0).weight_decay(0.0),
        options().l1(0.0).smooth(0.0),
    ] {
        let held = after_an_update(options);
        let weights = |state: &TrainState| -> Vec<f64> {
            state.model().parameters().w.to_dense().into_iter().map(f64::from).collect()
        };
        assert!(apart(&weights(&held), &weights(&free)) > 1e-3, "the penalties do something");
        let difference = apart(&around_the_offsets(&held), &around_the_offsets(&free));
        // Sums of up to 91 products in f32. L1 alone, left out, would make 0.01 · 0.2 · 0.4 of each.
        assert!(difference < 2e-5, "biases around the offsets differ by {difference}");
        let at_zero =
            (0..VISIBLE).filter(|&j| held.model().parameters().w.row(j)[j % HIDDEN] == 0.0);
        held_at_zero += at_zero.count();
    }
    // Of those at zero with L1, in two of the cases.
    assert!((10..2 * VISIBLE - 10).contains(&held_at_zero), "{held_at_zero} stayed at zero");
}

/// Nothing moves, and padding stays zero.
#[test]
fn a_rate_of_zero_is_a_rate() {
    let w = Matrix::zeros(VISIBLE, HIDDEN);
    let mut gradient = Parameters::zeros(VISIBLE, HIDDEN);
    let offsets = Centering::new(&[0.3; VISIBLE], HIDDEN);
    penalties(&options()).subtract_from(&mut gradient, (&w, &w), Some(&offsets), 0.0);
    assert_eq!(gradient, Parameters::zeros(VISIBLE, HIDDEN));
}

/// With the weights in several parts as in one.
#[test]
fn threads_change_nothing() {
    let (visible, hidden) = (784, 4000);
    let rbm = random_rbm(visible, hidden, 1.0, 7);
    let (shape, smooth) = (ImageShape::guess(visible), 0.7);
    let options = Options::default().hidden(hidden).lr(RATE).l1(0.2).shape(shape).smooth(smooth);
    let marginals: Vec<f64> = (0..visible).map(|j| j as f64 / 800.0).collect();
    let offsets = Centering::new(&marginals, hidden);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut gradient = Parameters::zeros(visible, hidden);
        let mut penalties = Penalties::new(&options.check(visible).unwrap(), visible);
        let w = &rbm.parameters().w;
        pool.install(|| penalties.subtract_from(&mut gradient, (w, w), Some(&offsets), RATE));
        gradient
    };
    let one = run(1);
    for threads in [2, 3, 7] {
        assert_eq!(run(threads), one, "{threads} threads");
    }
}
