//! Bernoulli draws and probabilities against their plain twins, given the same uniforms.
#![allow(missing_docs)]

mod common;

use common::*;
use isotherm_kernels::bernoulli::{coin_row, draw_row, sigmoid};
use isotherm_kernels::bits::{bit, words_for};
use isotherm_kernels::matrix::flat;
use isotherm_kernels::{LANES, LaneRng, Level, Matrix, Tile, scalar};
use proptest::prelude::*;
use proptest::sample::select;

fn next_uniforms(rng: &mut LaneRng, tiles: usize) -> Vec<f32> {
    let tiles: Vec<Tile> = (0..tiles).map(|_| rng.next_uniforms()).collect();
    flat(&tiles).to_vec()
}

fn draw(
    level: Level,
    field: &Matrix,
    base: &[Tile],
    scale: f32,
    rng: &mut LaneRng,
) -> (Vec<u64>, f64) {
    // What was there before must not matter.
    let mut bits = vec![u64::MAX; words_for(field.cols())];
    let sum = draw_row(level, field.tiles(), base, scale, field.cols(), rng, &mut bits);
    (bits, sum)
}

fn scales() -> impl Strategy<Value = f32> {
    prop_oneof![select(vec![0.0f32, 1.0, 0.5]), 0.0f32..1.0]
}

proptest! {
    #![proptest_config(cases(512))]

    #[test]
    fn draws_follow_the_uniforms(n in size(), scale in scales(), seed: u64, key: u64) {
        let mut data = Inputs::new(seed);
        let (field, base) = (data.matrix(1, n, 30.0), data.matrix(1, n, 20.0));
        for level in Level::available() {
            let (mut rng, mut twin_rng) = (LaneRng::new(key), LaneRng::new(key));
            let uniforms = next_uniforms(&mut twin_rng, n.div_ceil(LANES));
            let (bits, sum) = draw(level, &field, base.tiles(), scale, &mut rng);
            let (twin, _) = scalar::draw_row(field.row(0), base.row(0), scale, &uniforms);
            prop_assert_eq!(rng.next_words(), twin_rng.next_words(), "the stream after the row");
            assert_bits_padded(&bits, n);

            let (mut want, mut magnitude) = (0.0, 0.0);
            for j in 0..n {
                let (field, base) = (f64::from(field.row(0)[j]), f64::from(base.row(0)[j]));
                let (one, u) = (bit(&bits, j), f64::from(uniforms[j]));
                if one {
                    want += field - base;
                    magnitude += (field - base).abs();
                }
                if one != twin[j] {
                    // The test u·(1 + e^−x) < 1 has two roundings, and of the share 1 − p that
                    // e^−x has in the sum, the error of the exponential and of x, whose two
                    // products are each rounded up to three times (1 − scale, product, sum).
                    let scale = f64::from(scale);
                    let parts = ((1.0 - scale) * base, scale * field);
                    let p = scalar::sigmoid(parts.0 + parts.1);
                    let x_error = 3.0 * ROUNDING * (parts.0.abs() + parts.1.abs());
                    let relative = 2.0 * ROUNDING + (1.0 - p) * (EXP_ERROR + x_error);
                    assert_near(level, u, p, SECOND_ORDER * relative * p);
                }
            }
            // A term is rounded once and added in f32 at most 32 times before it moves to f64.
            assert_near(level, sum, want, SECOND_ORDER * 33.0 * ROUNDING * magnitude);
        }
    }

    #[test]
    fn no_base_means_a_base_of_zeros(n in size(), scale in scales(), seed: u64, key: u64) {
        let field = Inputs::new(seed).matrix(1, n, 30.0);
        let zeros = Matrix::zeros(1, n);
        for level in Level::available() {
            let (mut a, mut b) = (LaneRng::new(key), LaneRng::new(key));
            let without = draw(level, &field, &[], scale, &mut a);
            let with = draw(level, &field, zeros.tiles(), scale, &mut b);
            prop_assert_eq!(without.0, with.0);
            prop_assert_eq!(without.1.to_bits(), with.1.to_bits());
        }
    }

    #[test]
    fn coins_are_the_bits_of_the_stream(n in size(), spare in 0..10usize, key: u64) {
        for level in Level::available() {
            let mut bits = vec![u64::MAX; words_for(n) + spare];
            coin_row(level, n, &mut LaneRng::new(key), &mut bits);
            let mut rng = LaneRng::new(key);
            let stream: Vec<u32> =
                (0..n.div_ceil(32 * LANES)).flat_map(|_| rng.next_words()).collect();
            for j in 0..n {
                prop_assert_eq!(bit(&bits, j), stream[j / 32] >> (j % 32) & 1 == 1, "coin {}", j);
            }
            assert_bits_padded(&bits, n);
        }
    }

    #[test]
    fn sigmoids(rows in row_count(), n in size(), scale in scales(), seed: u64) {
        let before = Inputs::new(seed).matrix(rows, n, 120.0);
        for level in Level::available() {
            let mut after = before.clone();
            sigmoid(level, scale, &mut after);
            assert_tiles_padded(after.tiles(), n);
            for (&x, &got) in before.to_dense().iter().zip(&after.to_dense()) {
                let x = f64::from(scale) * f64::from(x);
                let p = scalar::sigmoid(x);
                // As for the draws, with one rounding of x; below −88 the exponential is clamped,
                // and σ ends at e^−88 < 1e−38.
                let relative = 2.0 * ROUNDING + (1.0 - p) * (EXP_ERROR + ROUNDING * x.abs());
                assert_near(level, f64::from(got), p, SECOND_ORDER * relative * p + 1e-38);
            }
        }
    }
}

/// The roundings of 20.1 + 20.1 + … all go the same way for long stretches: a plain `f32` sum of a
/// row this long is off by 4e−5. The bound is that of `draws_follow_the_uniforms`.
#[test]
fn long_rows_keep_their_precision() {
    let n = 1 << 16;
    let field = Matrix::from_row(&vec![20.1; n]);
    for level in Level::available() {
        let (bits, sum) = draw(level, &field, &[], 1.0, &mut LaneRng::new(3));
        assert!(bits.iter().all(|&word| word == u64::MAX));
        let want = n as f64 * f64::from(20.1f32);
        assert_near(level, sum, want, SECOND_ORDER * 33.0 * ROUNDING * want);
    }
}

#[test]
fn a_nan_spoils_only_its_own_unit() {
    let n = 785;
    let field = Inputs::new(5).matrix(1, n, 10.0);
    for level in Level::available() {
        let (want, _) = draw(level, &field, &[], 1.0, &mut LaneRng::new(1));
        for at in [0, 15, 16, 63, 64, 784] {
            for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
                let mut field = field.clone();
                field.row_mut(0)[at] = bad;
                let (bits, _) = draw(level, &field, &[], 1.0, &mut LaneRng::new(1));
                assert!((0..n).all(|j| j == at || bit(&bits, j) == bit(&want, j)), "{bad} at {at}");
                assert!(bad.is_nan() || bit(&bits, at) == (bad > 0.0), "{bad} at {at}");
                assert_bits_padded(&bits, n);
            }
        }
        let mut x = Matrix::from_row(&[f32::NAN, f32::INFINITY, f32::NEG_INFINITY]);
        sigmoid(level, 1.0, &mut x);
        assert!(x.row(0)[0].is_nan() && x.row(0)[1] == 1.0 && x.row(0)[2] < 1e-38);
    }
}

#[test]
fn nothing_to_do() {
    for level in Level::available() {
        let mut rng = LaneRng::new(1);
        let before = rng.clone().next_words();
        assert_eq!(draw(level, &Matrix::zeros(1, 0), &[], 1.0, &mut rng), (vec![], 0.0));
        coin_row(level, 0, &mut rng, &mut []);
        assert_eq!(rng.next_words(), before);
        let mut spare = [u64::MAX; 9];
        coin_row(level, 0, &mut rng, &mut spare);
        assert_eq!(spare, [0; 9]);
        sigmoid(level, 1.0, &mut Matrix::zeros(0, 17));
        sigmoid(level, 1.0, &mut Matrix::zeros(17, 0));
    }
}

#[test]
#[should_panic(expected = "words of 65 units")]
fn a_short_row_of_bits_is_refused() {
    let (field, mut rng) = (Matrix::zeros(1, 65), LaneRng::new(1));
    draw_row(Level::baseline(), field.tiles(), &[], 1.0, 65, &mut rng, &mut [0]);
}
