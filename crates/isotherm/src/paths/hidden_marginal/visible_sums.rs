//! S(h) = Σ_j softplus(c_j + (Wh)_j), the part of −F(h) that the visible units make, and how it
//! changes when one hidden unit flips. Two ways that differ in rounding alone.

use isotherm_kernels::bits::{bit, ones};
use isotherm_kernels::{Level, Products, Tile, softplus, vector};

use crate::model::Rbm;

/// The most sums that are kept, as a power of two.
const MEMO_BITS: usize = 12;
/// 2^64 over the golden ratio.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// S of one replica's state, while its units are visited one after the other.
pub trait VisibleSums {
    /// S(h) of the state that the next questions start from.
    fn begin(&mut self, h: &[u64]) -> f64;

    /// S of `h` with unit `i` flipped.
    fn flipped(&mut self, h: &[u64], i: usize) -> f64;

    /// Unit `i` is about to be flipped in `h`.
    fn flip(&mut self, h: &[u64], i: usize);
}

/// What one thread needs beside the model, kept to save its allocation.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    memo: Memo,
    field: Vec<Tile>,
}

/// Sums by state, for as long as the model stays. A state has one slot, which it may have to leave
/// to another; layers of up to [`MEMO_BITS`] units have a slot for each state.
#[derive(Clone, Debug, Default)]
struct Memo {
    states: Vec<u64>,
    sums: Vec<f64>,
    /// A state's slot is the top `bits` bits of its product with `factor`.
    factor: u64,
    bits: usize,
}

impl Memo {
    /// No state: the tables end long before 64 units.
    const NONE: u64 = u64::MAX;

    fn forget(&mut self, n_hidden: usize) {
        self.bits = n_hidden.clamp(1, MEMO_BITS);
        // The state itself, or where there are too many a hash of it (Fibonacci hashing): states a
        // flip or two apart must not meet.
        self.factor = if n_hidden <= MEMO_BITS { 1 << (64 - self.bits) } else { GOLDEN };
        self.states.clear();
        self.states.resize(1 << self.bits, Memo::NONE);
        self.sums.resize(1 << self.bits, 0.0);
    }

    fn get_or(&mut self, state: u64, sum: impl FnOnce() -> f64) -> f64 {
        let slot = (state.wrapping_mul(self.factor) >> (64 - self.bits)) as usize;
        if self.states[slot] != state {
            self.states[slot] = state;
            self.sums[slot] = sum();
        }
        self.sums[slot]
    }
}

/// S from tables of products. A sum depends only on the model and the state, so caching it saves time and
/// changes nothing.
pub struct Tabulated<'a> {
    products: &'a Products,
    memo: &'a mut Memo,
}

impl<'a> Tabulated<'a> {
    /// Sums of a layer of `n_hidden` units, nothing known yet.
    pub fn new(products: &'a Products, n_hidden: usize, scratch: &'a mut Scratch) -> Tabulated<'a> {
        scratch.memo.forget(n_hidden);
        Tabulated { products, memo: &mut scratch.memo }
    }

    fn sum(&mut self, state: u64) -> f64 {
        self.memo.get_or(state, || self.products.softplus_sum(Level::detect(), state))
    }
}

impl VisibleSums for Tabulated<'_> {
    fn begin(&mut self, h: &[u64]) -> f64 {
        self.sum(h[0])
    }

    fn flipped(&mut self, h: &[u64], i: usize) -> f64 {
        self.sum(h[0] ^ 1 << i)
    }

    fn flip(&mut self, _h: &[u64], _i: usize) {}
}

/// S from the field c + Wh, which follows the state: for layers and weights of any size.
pub struct Carried<'a> {
    model: &'a Rbm,
    field: &'a mut Vec<Tile>,
}

impl<'a> Carried<'a> {
    /// Sums under this model.
    pub fn new(model: &'a Rbm, scratch: &'a mut Scratch) -> Carried<'a> {
        Carried { model, field: &mut scratch.field }
    }
}

/// What flipping unit `i` multiplies its weights by before they are added to the field.
fn sign(h: &[u64], i: usize) -> f32 {
    if bit(h, i) { -1.0 } else { 1.0 }
}

impl VisibleSums for Carried<'_> {
    fn begin(&mut self, h: &[u64]) -> f64 {
        let level = Level::detect();
        self.field.clear();
        self.field.extend_from_slice(self.model.parameters().c.tiles());
        for i in ones(h) {
            vector::add_scaled(level, 1.0, self.model.filter(i), self.field);
        }
        softplus::softplus_sum(level, self.field, 1.0, self.model.n_visible())
    }

    fn flipped(&mut self, h: &[u64], i: usize) -> f64 {
        let (filter, n_visible) = (self.model.filter(i), self.model.n_visible());
        let (level, sign) = (Level::detect(), sign(h, i));
        softplus::softplus_sum_shifted(level, self.field, filter, sign, n_visible)
    }

    fn flip(&mut self, h: &[u64], i: usize) {
        vector::add_scaled(Level::detect(), sign(h, i), self.model.filter(i), self.field);
    }
}

#[cfg(test)]
mod tests {
    use isotherm_kernels::Matrix;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use crate::model::Parameters;

    /// Hidden biases zero, so that −F(h) is S(h).
    fn model(n_visible: usize, n_hidden: usize, rng: &mut Xoshiro256PlusPlus) -> Rbm {
        let mut values =
            |n: usize| -> Vec<f32> { (0..n).map(|_| 2.0 * rng.random::<f32>() - 1.0).collect() };
        Rbm::new(Parameters {
            w: Matrix::from_dense(n_visible, n_hidden, &values(n_visible * n_hidden)),
            b: Matrix::zeros(1, n_hidden),
            c: Matrix::from_row(&values(n_visible)),
        })
    }

    /// A walk of flips: S of every state on it and beside it, against the definition.
    fn walk(sums: &mut impl VisibleSums, model: &Rbm, rng: &mut Xoshiro256PlusPlus) {
        let units = model.n_hidden();
        let mut h = vec![rng.random::<u64>() >> (64 - units)];
        // Some 10 roundings of numbers of size 10 a unit, and 100 flips that are carried along.
        let tolerance = 1e-5 * model.n_visible() as f64;
        let near = |sum: f64, h: u64| {
            let want = -model.free_energy_of_hidden(&[h]);
            assert!((sum - want).abs() < tolerance, "{sum} for {want}");
        };
        near(sums.begin(&h), h[0]);
        for _ in 0..100 {
            let i = rng.random_range(0..units);
            near(sums.flipped(&h, i), h[0] ^ 1 << i);
            if rng.random() {
                sums.flip(&h, i);
                h[0] ^= 1 << i;
            }
        }
    }

    #[test]
    fn both_ways_follow_the_definition() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        for (n_visible, n_hidden) in [(1, 1), (7, 3), (33, 10), (785, 12), (31, 20), (50, 35)] {
            let model = model(n_visible, n_hidden, &mut rng);
            let (mut scratch, mut products) = (Scratch::default(), Products::default());
            let c = model.parameters().c.tiles();
            assert!(products.tabulate(Level::detect(), model.filters(), c));
            walk(&mut Tabulated::new(&products, n_hidden, &mut scratch), &model, &mut rng);
            walk(&mut Carried::new(&model, &mut scratch), &model, &mut rng);
        }
    }

    /// Whatever was asked before, and also where states share their slots.
    #[test]
    fn what_is_kept_is_what_would_be_computed() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
        let mut scratch = Scratch::default();
        for n_hidden in [1, MEMO_BITS, MEMO_BITS + 2, 35] {
            let model = model(20, n_hidden, &mut rng);
            let mut products = Products::default();
            let c = model.parameters().c.tiles();
            assert!(products.tabulate(Level::detect(), model.filters(), c));
            let mut sums = Tabulated::new(&products, n_hidden, &mut scratch);
            for _ in 0..30_000 {
                let state = rng.random::<u64>() >> (64 - n_hidden);
                let fresh = products.softplus_sum(Level::detect(), state);
                assert_eq!(sums.begin(&[state]).to_bits(), fresh.to_bits());
            }
        }
    }
}
