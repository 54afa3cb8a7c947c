//! log Z by enumeration of the smaller layer, in `f64` and in parallel.
//!
//! A state's weight is e^(bias·u) Π_j (1 + e^c_j Π_i e^(u_i w_ij)) over the other layer's units j: a
//! product of numbers that are exponentiated once, not once a state. The states are cut into chunks
//! by their first units, always in the same way, so that the sum does not depend on the number of
//! threads. In a chunk, every product of e^c with the middle units is computed once and multiplied
//! by the tabulated products of the last units. No product has more factors than there are units, so
//! rounding errors do not accumulate, and nothing of size 2^n is ever stored.
//!
//! If the weights are so large that their exponentials overflow `f64`, a slower method is used: the
//! states are visited in Gray-code order, so that the fields change by one row of weights from one
//! state to the next, and each state is weighed by its fields.
//!
//! The sum advances in rounds of a bounded amount of work. After each round the caller is told how
//! far the sum is, and may abandon it by unwinding. A round sums several small chunks, or a part of a
//! large chunk on each thread; a chunk's walk (`Walk`) can therefore stop after any state. Where the
//! rounds begin and end has no effect on the result: each chunk adds its states in a fixed order, and
//! the chunks are added in a fixed order.

use isotherm_kernels::log_product::log_product_f64;
use isotherm_kernels::{BitMatrix, Level, softplus};
use isotherm_tempering::causes::unless_interrupted;
use rayon::prelude::*;

use super::free_energies::minus_free_energies;
use crate::error::{Cause, Dialect, Kind, Result};
use crate::model::Rbm;

/// The largest layer that is enumerated: 2^25 states.
pub const LARGEST: usize = 25;

/// Units that tell the chunks apart.
const CHUNK_UNITS: usize = 6;
/// Units whose products are tabulated.
const TABLE_UNITS: usize = 5;
/// The largest |c_j| + Σ_i |w_ij| whose exponential, and its inverse, are taken: e^±708 is the end.
const RANGE: f64 = 700.0;
/// The most work that a thread does between two calls of `progress`, in terms. A term is one state and
/// one unit of the other layer; a slow core computes 10^8 terms in a second.
const WORK: usize = 1 << 24;
/// The least cost of a state in terms, however small the other layer is.
const LEAST_TERMS: usize = 64;

/// Number of units that [`log_z`] has to enumerate.
pub fn smaller_layer(rbm: &Rbm) -> usize {
    rbm.n_visible().min(rbm.n_hidden())
}

/// The work of [`log_z`] in terms: a term is one state and one unit of the larger layer.
pub fn terms(rbm: &Rbm) -> f64 {
    let larger = rbm.n_visible().max(rbm.n_hidden());
    libm::exp2(smaller_layer(rbm) as f64) * larger as f64
}

/// log Z = log Σ_{v,h} e^−E(v,h), or a refusal beyond [`LARGEST`] units.
pub fn log_z(rbm: &Rbm) -> Result<f64> {
    log_z_with_progress(rbm, &mut |_| true)
}

/// A model with too many states to enumerate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyStates {
    /// Visible units.
    pub visible: usize,
    /// Hidden units.
    pub hidden: usize,
    /// The most units that the smaller layer may have.
    pub most: usize,
}

impl Cause for TooManyStates {
    fn kind(&self) -> Kind {
        Kind::TooLarge
    }

    fn words(&self, _: &dyn Dialect) -> String {
        let TooManyStates { visible, hidden, most } = *self;
        let units = visible.min(hidden);
        format!(
            "an exact likelihood sums over all states of the smaller layer, and this model's has {units} \
             units ({visible} visible, {hidden} hidden), more than the {most} that can be enumerated"
        )
    }
}

/// [`log_z`] with progress. `progress` is called with the share of the states that are summed, at the end
/// and each time that a thread has done a bounded amount of work: about 2^24 terms, a term being one state
/// and one unit of the larger layer. It returns whether to go on; if not, the sum is abandoned with an error of
/// the kind [`Kind::Interrupted`].
pub fn log_z_with_progress(rbm: &Rbm, progress: &mut dyn FnMut(f64) -> bool) -> Result<f64> {
    let units = smaller_layer(rbm);
    if units > LARGEST {
        let (visible, hidden) = (rbm.n_visible(), rbm.n_hidden());
        return Err(TooManyStates { visible, hidden, most: LARGEST }.into());
    }
    let layer = Layer::smaller_of(rbm);
    // A NaN is not in range either.
    if layer.largest_field() <= RANGE {
        let products = Products::new(&layer);
        let walk = |chunk, high| ProductWalk::new(&products, chunk, high);
        sum_chunks(&layer, walk, WORK, progress)
    } else {
        let walk = |chunk, high| FieldWalk::new(&layer, chunk, high);
        sum_chunks(&layer, walk, WORK, progress)
    }
}

/// The states of one chunk, visited in a fixed order. A walk can stop after any state.
trait Walk: Send {
    /// Adds the next `states` states to the sum.
    fn advance(&mut self, states: usize);

    /// The sum of the states visited so far.
    fn sum(&self) -> LogSum;
}

/// log of the sum over all chunks. `walk` is given a chunk and the number of units that identify it;
/// `work` is the most that a thread does between two calls of `progress`, in terms.
fn sum_chunks<W: Walk>(
    layer: &Layer,
    walk: impl Fn(usize, usize) -> W + Sync,
    work: usize,
    progress: &mut dyn FnMut(f64) -> bool,
) -> Result<f64> {
    let units = layer.bias.len();
    let high = CHUNK_UNITS.min(units);
    let (chunks, states) = (1usize << high, 1usize << (units - high));
    let threads = rayon::current_num_threads();
    // The number of states that a thread may sum in a round.
    let affordable = (work / layer.other_bias.len().max(LEAST_TERMS)).max(1);
    let at_once = threads * (affordable / states).max(1);
    let mut done = 0;
    let mut tell = |more: usize| {
        done += more;
        unless_interrupted(progress(done as f64 / (chunks * states) as f64))
    };
    let mut total = LogSum::EMPTY;
    for first in (0..chunks).step_by(at_once) {
        let some = first..chunks.min(first + at_once);
        let count = some.len();
        let sums: Vec<LogSum> = if states <= affordable {
            let whole = |chunk| {
                let mut walk = walk(chunk, high);
                walk.advance(states);
                walk.sum()
            };
            let sums = some.into_par_iter().map(whole).collect();
            tell(count * states)?;
            sums
        } else {
            let mut walks: Vec<W> = some.map(|chunk| walk(chunk, high)).collect();
            for begin in (0..states).step_by(affordable) {
                let next = affordable.min(states - begin);
                walks.par_iter_mut().for_each(|walk| walk.advance(next));
                tell(count * next)?;
            }
            walks.iter().map(W::sum).collect()
        };
        total = sums.into_iter().fold(total, LogSum::merge);
    }
    Ok(total.value())
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
}

/// Sums e^−F(u) over the states whose first `high` units are the bits of `chunk`, by their fields.
struct FieldWalk<'a> {
    layer: &'a Layer,
    high: usize,
    /// The other layer's field at the current state.
    field: Vec<f64>,
    /// The current state's sum of biases.
    linear: f64,
    visited: usize,
    sum: LogSum,
}

impl FieldWalk<'_> {
    fn new(layer: &Layer, chunk: usize, high: usize) -> FieldWalk<'_> {
        let field = layer.other_bias.clone();
        let mut walk =
            FieldWalk { layer, high, field, linear: 0.0, visited: 0, sum: LogSum::EMPTY };
        for unit in (0..high).filter(|unit| chunk >> unit & 1 == 1) {
            walk.flip(unit, 1.0);
        }
        walk
    }

    fn flip(&mut self, unit: usize, sign: f64) {
        for (x, w) in self.field.iter_mut().zip(&self.layer.rows[unit]) {
            *x += sign * w;
        }
        self.linear += sign * self.layer.bias[unit];
    }
}

impl Walk for FieldWalk<'_> {
    fn advance(&mut self, states: usize) {
        let level = Level::detect();
        for count in self.visited..self.visited + states {
            // The first state has all units off. Each further one is the next Gray code.
            if count > 0 {
                let flipped = count.trailing_zeros() as usize;
                let gray = count ^ count >> 1;
                let sign = if gray >> flipped & 1 == 1 { 1.0 } else { -1.0 };
                self.flip(self.high + flipped, sign);
            }
            self.sum.add(self.linear + softplus::softplus_sum_f64(level, &self.field));
        }
        self.visited += states;
    }

    fn sum(&self) -> LogSum {
        self.sum
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
}

/// Sums e^−F(u) over the states whose first `high` units are the bits of `chunk`, by products.
struct ProductWalk<'a> {
    of: &'a Products<'a>,
    chunk: usize,
    high: usize,
    /// e^w of the units between those of the chunk and those of the table.
    middle: &'a [Vec<f64>],
    /// `products[k]`: e^c with the chunk's units and the middle ones from k on.
    products: Vec<Vec<f64>>,
    visited: usize,
    sum: LogSum,
}

impl ProductWalk<'_> {
    fn new<'a>(of: &'a Products<'a>, chunk: usize, high: usize) -> ProductWalk<'a> {
        let units = of.rows.len();
        let middle = &of.rows[high..units - Products::table_units(units)];
        let mut products = vec![of.other.clone(); middle.len() + 1];
        for unit in (0..high).filter(|unit| chunk >> unit & 1 == 1) {
            multiply(&mut products[middle.len()], &of.rows[unit]);
        }
        ProductWalk { of, chunk, high, middle, products, visited: 0, sum: LogSum::EMPTY }
    }

    /// Sets the middle units to the bits of `state`, given the products of the state before it.
    fn set_middle(&mut self, state: usize) {
        // Counting up sets one unit and clears those below it; the others stay as they were.
        let changed =
            if state == 0 { self.middle.len() } else { state.trailing_zeros() as usize + 1 };
        for k in (0..changed).rev() {
            let (product, above) = self.products.split_at_mut(k + 1);
            product[k].copy_from_slice(&above[0]);
            if state >> k & 1 == 1 {
                multiply(&mut product[k], &self.middle[k]);
            }
        }
    }
}

impl Walk for ProductWalk<'_> {
    fn advance(&mut self, states: usize) {
        let (level, table) = (Level::detect(), &self.of.table);
        let end = self.visited + states;
        while self.visited < end {
            let (state, first) = (self.visited / table.len(), self.visited % table.len());
            if first == 0 {
                self.set_middle(state);
            }
            let last = table.len().min(first + end - self.visited);
            let layer = self.of.layer;
            let linear = layer.linear(0, self.chunk) + layer.linear(self.high, state);
            let (product, mut sum) = (&self.products[0], self.sum);
            for (row, bias) in &table[first..last] {
                let log = log_product_f64(level, product, row, self.of.largest_field);
                sum.add(linear + bias + log);
            }
            self.sum = sum;
            self.visited += last - first;
        }
    }

    fn sum(&self) -> LogSum {
        self.sum
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

    /// The sum, never interrupted.
    fn sum<W: Walk>(
        layer: &Layer,
        walk: impl Fn(usize, usize) -> W + Sync,
        work: usize,
        mut progress: impl FnMut(f64),
    ) -> f64 {
        let mut told = |share| {
            progress(share);
            true
        };
        sum_chunks(layer, walk, work, &mut told).expect("an uninterrupted sum")
    }

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
                let fast = |chunk, high| ProductWalk::new(&products, chunk, high);
                let slow = |chunk, high| FieldWalk::new(&layer, chunk, high);
                for got in [sum(&layer, fast, WORK, |_| ()), sum(&layer, slow, WORK, |_| ())] {
                    assert!((got - want).abs() < 1e-12 * want.abs().max(10.0), "{got} for {want}");
                }
            }
        }
    }

    /// Rounds of 1, 7, 31, 32 and 33 states, which end within a table and between two, and rounds of
    /// whole chunks, for any number of threads. No call covers more states than it may.
    #[test]
    fn rounds_change_no_bit_and_are_bounded() {
        for units in [1, 3, 6, 9, 11, 13] {
            let rbm = model(LEAST_TERMS, units, 1.0, units as u64);
            let layer = Layer::smaller_of(&rbm);
            let products = Products::new(&layer);
            let fast = |chunk, high| ProductWalk::new(&products, chunk, high);
            let slow = |chunk, high| FieldWalk::new(&layer, chunk, high);
            let [want_fast, want_slow] =
                [sum(&layer, fast, WORK, |_| ()), sum(&layer, slow, WORK, |_| ())];
            for (step, threads) in [(1, 1), (7, 1), (31, 2), (32, 3), (33, 1), (100, 5), (500, 70)]
            {
                let mut shares = Vec::new();
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
                let (got_fast, got_slow) = pool.expect("some threads").install(|| {
                    let work = step * LEAST_TERMS;
                    let got = sum(&layer, fast, work, |share| shares.push(share));
                    (got, sum(&layer, slow, work, |_| ()))
                });
                assert_eq!(got_fast.to_bits(), want_fast.to_bits(), "{units}, {step}, {threads}");
                assert_eq!(got_slow.to_bits(), want_slow.to_bits(), "{units}, {step}, {threads}");
                let most = (step * threads) as f64 / (1u64 << units) as f64;
                let steps = shares.iter().zip([0.0].iter().chain(&shares)).map(|(a, b)| a - b);
                assert!(steps.into_iter().all(|it| it > 0.0 && it <= most), "{shares:?}");
                assert_eq!(shares.last(), Some(&1.0));
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
