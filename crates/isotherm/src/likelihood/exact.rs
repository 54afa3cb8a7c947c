//! log Z by enumeration of the smaller layer, in `f64` and in parallel.
//!
//! A state's weight is e^(bias·u) Π_j (1 + e^c_j Π_i e^(u_i w_ij)) over the other layer's units j: a
//! product of numbers that are exponentiated once, not once a state. The states are cut into chunks
//! by their highest units, always the same ones, so that the sum does not depend on the number of
//! threads; in a chunk every product of e^c with the middle units is made once and multiplied with
//! the tabulated products of the lowest. No product has more factors than there are units, so
//! nothing drifts, and nothing of size 2^n is ever built.
//!
//! Weights so large that their exponentials leave `f64` take a slower way: the states are visited
//! in Gray-code order, each a row of weights away from the one before, and weighed by their fields.

use isotherm_kernels::log_product::log_product_f64;
use isotherm_kernels::{BitMatrix, Level, softplus};
use rayon::prelude::*;

use super::free_energies::minus_free_energies;
use crate::error::{Error, Result};
use crate::model::Rbm;

/// The largest layer that is enumerated: 2^25 states.
pub const LARGEST: usize = 25;

/// Units that tell the chunks apart.
const CHUNK_UNITS: usize = 6;
/// Units whose products are tabulated.
const TABLE_UNITS: usize = 5;
/// The largest |c_j| + Σ_i |w_ij| whose exponential, and its inverse, are taken: e^±708 is the end.
const RANGE: f64 = 700.0;

/// Number of units that [`log_z`] has to enumerate.
pub fn smaller_layer(rbm: &Rbm) -> usize {
    rbm.n_visible().min(rbm.n_hidden())
}

/// log Z = log Σ_{v,h} e^−E(v,h), or a refusal beyond [`LARGEST`] units.
pub fn log_z(rbm: &Rbm) -> Result<f64> {
    log_z_telling(rbm, &mut |_| ())
}

/// The same; `progress` is told the share that is done, some times on the way.
pub fn log_z_telling(rbm: &Rbm, progress: &mut dyn FnMut(f64)) -> Result<f64> {
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
    // A NaN is not in range either.
    if layer.largest_field() <= RANGE {
        let products = Products::new(&layer);
        Ok(sum_chunks(units, |chunk, high| products.sum_chunk(chunk, high), progress))
    } else {
        Ok(sum_chunks(units, |chunk, high| layer.sum_chunk(chunk, high), progress))
    }
}

/// log of the sum over all chunks. `sum` gets a chunk and the number of units that tell it apart.
fn sum_chunks(
    units: usize,
    sum: impl Fn(usize, usize) -> LogSum + Sync,
    progress: &mut dyn FnMut(f64),
) -> f64 {
    let high = CHUNK_UNITS.min(units);
    let all: Vec<usize> = (0..1 << high).collect();
    let mut total = LogSum::EMPTY;
    for some in all.chunks(8.max(rayon::current_num_threads())) {
        let sums: Vec<LogSum> = some.par_iter().map(|&chunk| sum(chunk, high)).collect();
        total = sums.into_iter().fold(total, LogSum::merge);
        progress((some[0] + some.len()) as f64 / all.len() as f64);
    }
    total.value()
}

/// log p(v) = −F(v) − log Z of each row, given log Z.
pub fn log_probabilities(rbm: &Rbm, log_z: f64, rows: &BitMatrix) -> Vec<f64> {
    minus_free_energies(rbm, rows).into_iter().map(|minus_f| minus_f - log_z).collect()
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

    /// The largest |c_j| + Σ_i |w_ij| of the other layer, or a NaN.
    fn largest_field(&self) -> f64 {
        let mut sums: Vec<f64> = self.other_bias.iter().map(|c| c.abs()).collect();
        for row in &self.rows {
            for (sum, w) in sums.iter_mut().zip(row) {
                *sum += w.abs();
            }
        }
        // `max` would lose a NaN.
        sums.into_iter()
            .fold(0.0, |most, sum| if sum <= most || most.is_nan() { most } else { sum })
    }

    /// Σ bias of the units from `first` on that are the bits of `state`.
    fn linear(&self, first: usize, state: usize) -> f64 {
        let biases = self.bias[first..].iter().enumerate();
        biases.filter(|(i, _)| state >> i & 1 == 1).map(|(_, bias)| bias).sum()
    }

    /// Sums e^−F(u) over the states whose first `high` units are the bits of `chunk`, by their
    /// fields.
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

/// A layer with its exponentials taken.
struct Products<'a> {
    layer: &'a Layer,
    /// e^w of each unit.
    rows: Vec<Vec<f64>>,
    /// e^c of the other layer.
    other: Vec<f64>,
    /// The products of the rows of all subsets of the last units, and the sums of their biases.
    table: Vec<(Vec<f64>, f64)>,
    largest_field: f64,
}

impl Products<'_> {
    fn new(layer: &Layer) -> Products<'_> {
        let exp = |row: &Vec<f64>| row.iter().map(|&x| libm::exp(x)).collect::<Vec<f64>>();
        let rows: Vec<Vec<f64>> = layer.rows.iter().map(exp).collect();
        let first = rows.len() - Products::table_units(rows.len());
        let mut table = vec![(vec![1.0; layer.other_bias.len()], 0.0)];
        for row in &rows[first..] {
            for subset in 0..table.len() {
                let mut with = table[subset].0.clone();
                multiply(&mut with, row);
                table.push((with, layer.linear(first, table.len())));
            }
        }
        let (other, largest_field) = (exp(&layer.other_bias), layer.largest_field());
        Products { layer, rows, other, table, largest_field }
    }

    /// How many units are left for the table once the chunks are told apart.
    fn table_units(units: usize) -> usize {
        units.saturating_sub(CHUNK_UNITS).min(TABLE_UNITS)
    }

    /// Sums e^−F(u) over the states whose first `high` units are the bits of `chunk`.
    fn sum_chunk(&self, chunk: usize, high: usize) -> LogSum {
        let units = self.rows.len();
        let middle = &self.rows[high..units - Products::table_units(units)];
        // products[k]: e^c with the chunk's units and the middle ones from k on.
        let mut products = vec![self.other.clone(); middle.len() + 1];
        for unit in (0..high).filter(|unit| chunk >> unit & 1 == 1) {
            multiply(&mut products[middle.len()], &self.rows[unit]);
        }
        let level = Level::detect();
        let mut sum = LogSum::EMPTY;
        for state in 0..1usize << middle.len() {
            // Counting up sets one unit and clears those below it; the others stay as they were.
            let changed =
                if state == 0 { middle.len() } else { state.trailing_zeros() as usize + 1 };
            for k in (0..changed).rev() {
                let (product, above) = products.split_at_mut(k + 1);
                product[k].copy_from_slice(&above[0]);
                if state >> k & 1 == 1 {
                    multiply(&mut product[k], &middle[k]);
                }
            }
            let linear = self.layer.linear(0, chunk) + self.layer.linear(high, state);
            for (row, bias) in &self.table {
                let log = log_product_f64(level, &products[0], row, self.largest_field);
                sum.add(linear + bias + log);
            }
        }
        sum
    }
}

fn multiply(x: &mut [f64], y: &[f64]) {
    for (x, y) in x.iter_mut().zip(y) {
        *x *= y;
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
            self.sum = self.sum * libm::exp(self.top - x) + 1.0;
            self.top = x;
        } else {
            self.sum += libm::exp(x - self.top);
        }
    }

    fn merge(mut self, other: LogSum) -> LogSum {
        if other.top > self.top {
            return other.merge(self);
        }
        // Nothing was added to an empty sum; a NaN was added to one that is not a number.
        if other.top > f64::NEG_INFINITY || other.sum.is_nan() {
            self.sum += other.sum * libm::exp(other.top - self.top);
        }
        self
    }

    fn value(self) -> f64 {
        self.top + libm::log(self.sum)
    }
}

#[cfg(test)]
mod tests {
    use isotherm_kernels::Matrix;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use crate::model::Parameters;

    fn model(n_visible: usize, n_hidden: usize, scale: f32, seed: u64) -> Rbm {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut values = |n: usize| -> Vec<f32> {
            (0..n).map(|_| scale * (2.0 * rng.random::<f32>() - 1.0)).collect()
        };
        Rbm::new(Parameters {
            w: Matrix::from_dense(n_visible, n_hidden, &values(n_visible * n_hidden)),
            b: Matrix::from_row(&values(n_hidden)),
            c: Matrix::from_row(&values(n_visible)),
        })
    }

    /// Every state from its definition.
    fn plain(rbm: &Rbm) -> f64 {
        let mut sum = LogSum::EMPTY;
        for h in 0..1u64 << rbm.n_hidden() {
            sum.add(-rbm.free_energy_of_hidden(&[h]));
        }
        sum.value()
    }

    /// No chunk, no middle and no table; a chunk alone; a table in part; a middle.
    #[test]
    fn both_ways_sum_every_state() {
        for (seed, units) in [1, 2, 5, 6, 7, 9, 11, 12, 13].into_iter().enumerate() {
            for (n_visible, scale) in [(units, 1.0), (31, 0.2), (33, 3.0), (300, 0.5)] {
                let rbm = model(n_visible.max(units), units, scale, seed as u64);
                let (layer, want) = (Layer::smaller_of(&rbm), plain(&rbm));
                let products = Products::new(&layer);
                let fast =
                    sum_chunks(units, |chunk, high| products.sum_chunk(chunk, high), &mut |_| ());
                let slow =
                    sum_chunks(units, |chunk, high| layer.sum_chunk(chunk, high), &mut |_| ());
                for got in [fast, slow] {
                    assert!((got - want).abs() < 1e-12 * want.abs().max(10.0), "{got} for {want}");
                }
            }
        }
    }

    #[test]
    fn exponentials_that_leave_the_range_are_not_taken() {
        for scale in [60.0, 150.0, 1e4] {
            let rbm = model(40, 9, scale, 3);
            let largest = Layer::smaller_of(&rbm).largest_field();
            assert_eq!(largest > RANGE, scale > 100.0, "{largest}");
            let (got, want) = (log_z(&rbm).expect("nine units"), plain(&rbm));
            assert!((got - want).abs() < 1e-12 * want, "{got} for {want}");
        }
        let mut rbm = model(40, 9, 1.0, 3);
        rbm.change(|p| p.w.row_mut(1)[2] = f32::NAN);
        assert!(Layer::smaller_of(&rbm).largest_field().is_nan());
        assert!(log_z(&rbm).expect("nine units").is_nan());
    }
}
