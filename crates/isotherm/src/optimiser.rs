//! Gradient ascent with momentum and the proximal step of an L1 penalty.

use isotherm_kernels::vector::{self, Ascent};
use isotherm_kernels::{Level, Matrix};
use rayon::prelude::*;

use crate::model::{Parameters, Rbm};
use crate::options::{LrDecay, OptimiserOptions};
use isotherm_tempering::threads::{readers, rows_per_thread};

/// The share of the updates for which a rate is held, if it is.
const HELD: f64 = 0.3;

/// The logarithm of the factor by which [`LrDecay::HoldExponential`] lowers the rate, 2000.
const DECAY: f64 = 7.600_902_459_542_082;

/// The learning rate of an update, counted from 0.
pub fn learning_rate(options: &OptimiserOptions, update: u64) -> f64 {
    let done = update as f64 / options.updates as f64;
    options.lr
        * match options.lr_decay {
            LrDecay::Constant => 1.0,
            LrDecay::Linear => 1.0 - done,
            LrDecay::HoldLinear => ((1.0 - done) / (1.0 - HELD)).min(1.0),
            LrDecay::HoldExponential => libm::exp(-DECAY * ((done - HELD) / (1.0 - HELD)).max(0.0)),
            LrDecay::Inverse => 0.1 / (0.1 + done),
        }
}

/// One update of the model, and of the moving average of its parameters; whether the parameters are
/// still finite. Only weights shrink, biases do not.
pub fn ascend(
    model: &mut Rbm,
    velocity: &mut Parameters,
    averaged: &mut Parameters,
    gradient: &Parameters,
    step: &Ascent,
) -> bool {
    model.change(|p| {
        let w = ascend_rows(step, &gradient.w, &mut velocity.w, &mut p.w, &mut averaged.w);
        let step = &Ascent { shrink: 0.0, ..*step };
        let b = ascend_rows(step, &gradient.b, &mut velocity.b, &mut p.b, &mut averaged.b);
        let c = ascend_rows(step, &gradient.c, &mut velocity.c, &mut p.c, &mut averaged.c);
        w && b && c
    })
}

/// The rows handed out to the threads.
fn ascend_rows(
    step: &Ascent,
    gradient: &Matrix,
    velocity: &mut Matrix,
    x: &mut Matrix,
    average: &mut Matrix,
) -> bool {
    let tiles = x.tiles_per_row();
    let chunk = tiles * rows_per_thread(x.rows(), 6.0 * tiles as f64);
    gradient
        .tiles()
        .par_chunks(chunk)
        .zip(velocity.tiles_mut().par_chunks_mut(chunk))
        .zip(x.tiles_mut().par_chunks_mut(chunk))
        .zip(average.tiles_mut().par_chunks_mut(chunk))
        .map(|(((gradient, velocity), x), average)| {
            let mut sound = true;
            let level = Level::detect();
            vector::ascend(level, step, readers(), gradient, velocity, x, average, &mut sound);
            sound
        })
        .reduce(|| true, |a, b| a && b)
}
