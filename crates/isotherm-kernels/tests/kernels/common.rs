//! What the kernel tests share: sizes, random inputs, error units, comparisons.

use isotherm_kernels::matrix::flat;
use isotherm_kernels::{BitMatrix, LANES, Level, Matrix, Tile};
use proptest::prelude::*;
use proptest::sample::select;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro128PlusPlus;

/// Sizes on both sides of every boundary: group, tile, word, and an image with a bias unit.
pub(crate) const SIZES: [usize; 11] = [1, 7, 15, 16, 17, 31, 33, 63, 64, 65, 785];

/// Half an ulp of 1: the largest relative error of one `f32` operation.
pub(crate) const ROUNDING: f64 = f32::EPSILON as f64 / 2.0;
/// Likewise for `f64`.
pub(crate) const ROUNDING_F64: f64 = f64::EPSILON / 2.0;
/// The largest relative error of `exp_f32` and of `exp_f64`; `exp.rs` holds them to it.
pub(crate) const EXP_ERROR: f64 = 3e-7;
pub(crate) const EXP_ERROR_F64: f64 = 2.0 * f64::EPSILON;
/// The bounds below add up errors to first order; this covers the products of errors.
pub(crate) const SECOND_ORDER: f64 = 1.001;

pub(crate) fn size() -> impl Strategy<Value = usize> {
    prop_oneof![4 => select(SIZES.to_vec()), 1 => 1..200usize]
}

pub(crate) fn row_count() -> impl Strategy<Value = usize> {
    select(vec![1, 2, 5, 17])
}

/// A failing case is its sizes and its seed: there is nothing worth keeping in a file.
pub(crate) fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// Random inputs that belong to a seed: cheaper than a strategy for each entry.
pub(crate) struct Inputs(Xoshiro128PlusPlus);

impl Inputs {
    pub(crate) fn new(seed: u64) -> Inputs {
        Inputs(Xoshiro128PlusPlus::seed_from_u64(seed))
    }

    /// A value in ±`scale`, small ones more often than large ones.
    pub(crate) fn real(&mut self, scale: f32) -> f32 {
        let x = self.0.next_u32() as i32 as f32 / 2_147_483_648.0;
        scale * x * x * x
    }

    pub(crate) fn reals(&mut self, n: usize, scale: f32) -> Vec<f32> {
        (0..n).map(|_| self.real(scale)).collect()
    }

    pub(crate) fn matrix(&mut self, rows: usize, cols: usize, scale: f32) -> Matrix {
        Matrix::from_dense(rows, cols, &self.reals(rows * cols, scale))
    }

    pub(crate) fn bytes(&mut self, n: usize) -> Vec<u8> {
        (0..n).map(|_| (self.0.next_u32() >> 31) as u8).collect()
    }

    pub(crate) fn bits(&mut self, rows: usize, cols: usize) -> BitMatrix {
        let rows: Vec<Vec<u8>> = (0..rows).map(|_| self.bytes(cols)).collect();
        BitMatrix::from_rows(cols, &rows)
    }

    /// Bits of which one in 2^`rarity` is set.
    pub(crate) fn rare_bits(&mut self, rows: usize, cols: usize, rarity: u32) -> BitMatrix {
        let mut bits = self.bits(rows, cols);
        for _ in 1..rarity {
            let others = self.bits(rows, cols);
            bits.words_mut().iter_mut().zip(others.words()).for_each(|(a, b)| *a &= b);
        }
        bits
    }
}

/// The same number, or two NaNs: which NaN it is depends on the order of the operands.
pub(crate) fn same(a: f32, b: f32) -> bool {
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
}

#[track_caller]
pub(crate) fn assert_same(level: Level, got: &[f32], want: &[f32]) {
    assert_eq!(got.len(), want.len());
    for (i, (&got, &want)) in got.iter().zip(want).enumerate() {
        assert!(same(got, want), "{}: entry {i} is {got:e}, not {want:e}", level.name());
    }
}

#[track_caller]
pub(crate) fn assert_near(level: Level, got: f64, want: f64, tolerance: f64) {
    let error = (got - want).abs();
    assert!(
        error <= tolerance,
        "{}: {got:e} is {error:e} from {want:e}, beyond {tolerance:e}",
        level.name()
    );
}

#[track_caller]
pub(crate) fn assert_tiles_padded(tiles: &[Tile], cols: usize) {
    let per_row = cols.div_ceil(LANES);
    for row in tiles.chunks_exact(per_row.max(1)) {
        assert!(flat(row)[cols..].iter().all(|&x| x == 0.0), "the padding holds {:?}", row.last());
    }
}

#[track_caller]
pub(crate) fn assert_bits_padded(words: &[u64], cols: usize) {
    for (w, word) in words.iter().enumerate() {
        let used = cols.saturating_sub(w * 64).min(64) as u32;
        let padding = u64::MAX.checked_shl(used).unwrap_or(0);
        assert_eq!(word & padding, 0, "padding of word {w}");
    }
}

/// How many standard deviations `count` of `n` lies from its mean if each has probability `p`.
pub(crate) fn z_score(count: u64, n: u64, p: f64) -> f64 {
    let n = n as f64;
    (count as f64 - n * p) / (n * p * (1.0 - p)).sqrt()
}

/// Every z-score within 5 (P = 6e−7 each) and the sum of their squares between the 1e−4 and the
/// 1 − 1e−4 quantiles of chi-square, by Wilson and Hilferty's cube: too even is wrong as well.
#[track_caller]
pub(crate) fn assert_chi_square(what: &str, scores: &[f64]) {
    for (cell, z) in scores.iter().enumerate() {
        assert!(z.abs() < 5.0, "{what}: cell {cell} is {z:.2} standard deviations off");
    }
    let (sum, n): (f64, f64) = (scores.iter().map(|z| z * z).sum(), scores.len() as f64);
    let quantile = |z: f64| n * (1.0 - 2.0 / (9.0 * n) + z * (2.0 / (9.0 * n)).sqrt()).powi(3);
    let (low, high) = (quantile(-3.72), quantile(3.72));
    assert!(low < sum && sum < high, "{what}: chi-square {sum:.1} is not in {low:.1}..{high:.1}");
}

/// The correlation of pairs of uniforms within four standard deviations, 4/√n, of zero.
#[track_caller]
pub(crate) fn assert_uncorrelated(what: &str, pairs: impl Iterator<Item = (f32, f32)>) {
    let (mut sum, mut n) = (0.0, 0.0);
    for (a, b) in pairs {
        // Mean 1/2 and variance 1/12 are known.
        sum += 12.0 * (f64::from(a) - 0.5) * (f64::from(b) - 0.5);
        n += 1.0f64;
    }
    assert!((sum / n).abs() < 4.0 / n.sqrt(), "{what}: correlation {} over {n}", sum / n);
}
