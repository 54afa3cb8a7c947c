//! log Z by enumeration of the smaller layer, in `f64` and in parallel.
//!
//! The states are visited in Gray-code order, so that each differs from the one before by one row
//! of weights, and their weights are summed up on the way: nothing of size 2^n is ever built. The
//! states are cut into chunks by their highest units, always the same ones, so that the sum does
//! not depend on the number of threads.

use isotherm_kernels::{BitMatrix, Level, softplus};
use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::model::Rbm;

/// The largest layer that is enumerated: 2^25 states.
pub const LARGEST: usize = 25;

/// Units that tell the chunks apart.
const CHUNK_UNITS: usize = 6;

/// Number of units that [`log_z`] has to enumerate.
pub fn smaller_layer(rbm: &Rbm) -> usize {
    rbm.n_visible().min(rbm.n_hidden())
}

/// log Z = log Σ_{v,h} e^−E(v,h), or a refusal beyond [`LARGEST`] units.
pub fn log_z(rbm: &Rbm) -> Result<f64> {
    let units = smaller_layer(rbm);
    if units > LARGEST {
        return Err(Error::too_large(format!(
            "an exact likelihood sums over all states of the smaller layer, and this model's has \
             {units} units ({} visible, {} hidden), more than the {LARGEST} that can be enumerated",
            rbm.n_visible(),
            rbm.n_hidden()
        )));
    }
    let layer = Layer::smaller_of(rbm);
    let high = CHUNK_UNITS.min(units);
    let chunks: Vec<LogSum> =
        (0..1usize << high).into_par_iter().map(|chunk| layer.sum_chunk(chunk, high)).collect();
    Ok(chunks.into_iter().fold(LogSum::EMPTY, LogSum::merge).value())
}

/// log p(v) = −F(v) − log Z of each row, given log Z.
pub fn log_probabilities(rbm: &Rbm, log_z: f64, rows: &BitMatrix) -> Vec<f64> {
    (0..rows.rows())
        .into_par_iter()
        .with_min_len(64)
        .map(|row| -rbm.free_energy_of_visible(rows.row(row)) - log_z)
        .collect()
}

/// The layer to be enumerated, seen from its units: u with weights to the other layer's field.
struct Layer {
    /// Bias of each unit.
    bias: Vec<f64>,
    /// What each unit adds to the other layer's field.
    rows: Vec<Vec<f64>>,
    /// Biases of the other layer.
    other_bias: Vec<f64>,
}

impl Layer {
    fn smaller_of(rbm: &Rbm) -> Layer {
        let p = rbm.parameters();
        let wide = |values: &[f32]| values.iter().map(|&x| f64::from(x)).collect::<Vec<f64>>();
        let (b, c) = (wide(p.b.row(0)), wide(p.c.row(0)));
        let by_visible: Vec<Vec<f64>> = (0..rbm.n_visible()).map(|j| wide(p.w.row(j))).collect();
        if rbm.n_visible() < rbm.n_hidden() {
            return Layer { bias: c, rows: by_visible, other_bias: b };
        }
        let by_hidden =
            (0..rbm.n_hidden()).map(|i| by_visible.iter().map(|row| row[i]).collect()).collect();
        Layer { bias: b, rows: by_hidden, other_bias: c }
    }

    /// Sums e^−F(u) over the states whose first `high` units are the bits of `chunk`.
    fn sum_chunk(&self, chunk: usize, high: usize) -> LogSum {
        let mut field = self.other_bias.clone();
        let mut linear = 0.0;
        let mut flip = |unit: usize, sign: f64, field: &mut [f64]| {
            for (x, w) in field.iter_mut().zip(&self.rows[unit]) {
                *x += sign * w;
            }
            linear += sign * self.bias[unit];
            linear
        };
        let mut value = 0.0;
        for unit in (0..high).filter(|unit| chunk >> unit & 1 == 1) {
            value = flip(unit, 1.0, &mut field);
        }
        let level = Level::detect();
        let mut sum = LogSum::EMPTY;
        sum.add(value + softplus::softplus_sum_f64(level, &field));
        let low = self.bias.len() - high;
        for count in 1..1usize << low {
            let flipped = count.trailing_zeros() as usize;
            let gray = count ^ count >> 1;
            let sign = if gray >> flipped & 1 == 1 { 1.0 } else { -1.0 };
            value = flip(high + flipped, sign, &mut field);
            sum.add(value + softplus::softplus_sum_f64(level, &field));
        }
        sum
    }
}

/// log Σ e^x, kept as the largest x and the sum relative to it.
#[derive(Clone, Copy)]
struct LogSum {
    top: f64,
    sum: f64,
}

impl LogSum {
    const EMPTY: LogSum = LogSum { top: f64::NEG_INFINITY, sum: 0.0 };

    fn add(&mut self, x: f64) {
        if x > self.top {
            self.sum = self.sum * (self.top - x).exp() + 1.0;
            self.top = x;
        } else {
            self.sum += (x - self.top).exp();
        }
    }

    fn merge(mut self, other: LogSum) -> LogSum {
        if other.top > self.top {
            return other.merge(self);
        }
        if other.top > f64::NEG_INFINITY {
            self.sum += other.sum * (other.top - self.top).exp();
        }
        self
    }

    fn value(self) -> f64 {
        self.top + self.sum.ln()
    }
}
