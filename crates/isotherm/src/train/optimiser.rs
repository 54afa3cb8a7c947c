//! Gradient ascent with momentum and weight decay.

use isotherm_kernels::{Level, vector};

use super::config::{Config, LrDecay};
use crate::model::{Parameters, Rbm};

/// The learning rate of an update, counted from 0.
pub fn learning_rate(config: &Config, update: u64) -> f64 {
    let done = update as f64 / config.updates as f64;
    config.lr
        * match config.lr_decay {
            LrDecay::Constant => 1.0,
            LrDecay::Linear => 1.0 - done,
            LrDecay::Inverse => 0.1 / (0.1 + done),
        }
}

/// One update of the model; whether its parameters are still finite. Only weights decay, biases
/// do not.
pub fn ascend(
    model: &mut Rbm,
    velocity: &mut Parameters,
    gradient: &Parameters,
    rate: f64,
    config: &Config,
) -> bool {
    let (level, rate, momentum) = (Level::detect(), rate as f32, config.momentum as f32);
    let decay = config.weight_decay as f32;
    model.change(|p| {
        let w = vector::ascend(
            level,
            rate,
            momentum,
            decay,
            gradient.w.tiles(),
            velocity.w.tiles_mut(),
            p.w.tiles_mut(),
        );
        let biases =
            [(&gradient.b, &mut velocity.b, &mut p.b), (&gradient.c, &mut velocity.c, &mut p.c)];
        biases.into_iter().fold(w, |finite, (gradient, velocity, x)| {
            let (gradient, velocity, x) = (gradient.tiles(), velocity.tiles_mut(), x.tiles_mut());
            vector::ascend(level, rate, momentum, 0.0, gradient, velocity, x) && finite
        })
    })
}
