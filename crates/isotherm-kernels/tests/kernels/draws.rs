//! Bernoulli draws and probabilities against their plain twins, given the same uniforms.

use isotherm_kernels::bernoulli::{coin_row, draw_row, draw_words, selected_sums, sigmoid};
use isotherm_kernels::bits::{bit, words_for};
use isotherm_kernels::{LANES, LaneRng, Level, Matrix, Tile, scalar};
use proptest::prelude::*;
use proptest::sample::select;

use crate::common::*;

fn draw(level: Level, field: &Matrix, base: &[Tile], scale: f32, rng: &mut LaneRng) -> Vec<u64> {
    // The previous contents must have no effect.
    let mut bits = vec![u64::MAX; words_for(field.cols())];
    draw_row(level, field.tiles(), base, scale, field.cols(), rng, &mut bits);
    bits
}

fn scales() -> impl Strategy<Value = f32> {
    prop_oneof![select(vec![0.0f32, 1.0, 0.5]), 0.0f32..1.0]
}

/// Fields that reveal rounding errors. Some rows are constant: ties are frequent if many units have the
/// same probability.
fn field(n: usize, seed: u64) -> Matrix {
    let mut data = Inputs::new(seed);
    if seed.is_multiple_of(3) {
        let x = data.real(30.0);
        return Matrix::from_row(&vec![x; n]);
    }
    data.matrix(1, n, 30.0)
}

proptest! {
    #![proptest_config(cases(2048))]

    /// Whichever way a draw is decided, it is the comparison of a uniform of 52 bits with the exact σ.
    #[test]
    fn draws_match_the_scalar_twin(n in size(), scale in scales(), seed: u64, key: u64) {
        let field = field(n, seed);
        let base = Inputs::new(!seed).matrix(1, n, 20.0);
        for level in Level::available() {
            for base in [&base, &Matrix::zeros(1, 0)] {
                let (mut rng, mut twin_rng) = (LaneRng::new(key), LaneRng::new(key));
                let bits = draw(level, &field, base.tiles(), scale, &mut rng);
                let twin = scalar::draw_row(field.row(0), base.row(0), scale, &mut twin_rng);
                prop_assert_eq!(rng.next_words(), twin_rng.next_words(), "the stream after the row");
                assert_bits_padded(&bits, n);
                for (j, &twin) in twin.iter().enumerate() {
                    prop_assert_eq!(bit(&bits, j), twin, "{}: unit {}", level.name(), j);
                }
            }
        }
    }

    /// Drawing a block of rows, one or a few words at a time, equals drawing its rows one by one.
    #[test]
    fn a_block_equals_its_rows(rows in row_count(), n in size(), seed: u64, words in 1..4usize) {
        let mut data = Inputs::new(seed);
        let (fields, base) = (data.matrix(rows, n, 10.0), data.matrix(1, n, 5.0));
        let scales: Vec<f32> = (0..rows).map(|r| r as f32 / rows as f32).collect();
        let tiles = fields.tiles_per_row();
        for level in Level::available() {
            for base in [base.tiles(), &[]] {
                let mut rngs: Vec<LaneRng> = (0..rows as u64).map(LaneRng::new).collect();
                let mut block = vec![u64::MAX; rows * words_for(n)];
                for first in (0..tiles).step_by(4 * words) {
                    let end = tiles.min(first + 4 * words);
                    let by_tiles: Vec<Tile> = (first..end)
                        .flat_map(|t| (0..rows).map(move |r| (r, t)))
                        .map(|(r, t)| fields.row_tiles(r)[t])
                        .collect();
                    let base = base.get(first..end).unwrap_or_default();
                    let cols = n.min(end * LANES) - first * LANES;
                    let bits = &mut block[rows * first / 4..rows * end.div_ceil(4)];
                    draw_words(level, &by_tiles, base, &scales, cols, &mut rngs, bits);
                }
                for r in 0..rows {
                    let mut row = vec![0; words_for(n)];
                    let mut rng = LaneRng::new(r as u64);
                    draw_row(level, fields.row_tiles(r), base, scales[r], n, &mut rng, &mut row);
                    let got: Vec<u64> = (0..row.len()).map(|w| block[w * rows + r]).collect();
                    prop_assert_eq!(got, row, "row {}", r);
                    prop_assert_eq!(rngs[r].next_words(), rng.next_words());
                }
            }
        }
    }

    #[test]
    fn selected_sums_match_the_scalar_twin(rows in row_count(), n in size(), seed: u64) {
        let mut data = Inputs::new(seed);
        let (fields, bits) = (data.matrix(rows, n, 10.0), data.bits(rows, n));
        let by_tiles: Vec<Tile> = (0..fields.tiles_per_row())
            .flat_map(|t| (0..rows).map(move |r| (r, t)))
            .map(|(r, t)| fields.row_tiles(r)[t])
            .collect();
        let by_words: Vec<u64> = (0..bits.words_per_row())
            .flat_map(|w| (0..rows).map(move |r| (r, w)))
            .map(|(r, w)| bits.row(r)[w])
            .collect();
        for level in Level::available() {
            let mut sums = vec![f64::NAN; rows];
            selected_sums(level, &by_tiles, &by_words, n, &mut vec![Tile::ZERO; rows], &mut sums);
            for (r, &sum) in sums.iter().enumerate() {
                let selected: Vec<bool> = (0..n).map(|j| bits.get(r, j)).collect();
                let want = scalar::selected_sum(fields.row(r), &selected);
                let absolute: Vec<f32> = fields.row(r).iter().map(|x| x.abs()).collect();
                // A term is added in f32 at most 32 times before it moves to f64.
                let size = scalar::selected_sum(&absolute, &selected);
                assert_near(level, sum, want, SECOND_ORDER * 32.0 * ROUNDING * size);
            }
        }
    }

    #[test]
    fn coins_are_the_bits_of_the_stream(n in size(), extra in 0..10usize, key: u64) {
        for level in Level::available() {
            let mut bits = vec![u64::MAX; words_for(n) + extra];
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
            sigmoid(level, scale, n, after.tiles_mut());
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
/// row this long is off by 4e−5. The bound is that of `selected_sums_match_the_scalar_twin`.
#[test]
fn long_rows_keep_their_precision() {
    let n = 1 << 16;
    let field = Matrix::from_row(&vec![20.1; n]);
    for level in Level::available() {
        let mut sum = [0.0];
        let (ones, scratch) = (vec![u64::MAX; n / 64], &mut [Tile::ZERO]);
        selected_sums(level, field.tiles(), &ones, n, scratch, &mut sum);
        let want = n as f64 * f64::from(20.1f32);
        assert_near(level, sum[0], want, SECOND_ORDER * 32.0 * ROUNDING * want);
    }
}

#[test]
fn a_nan_spoils_only_its_own_unit() {
    let n = 785;
    let field = Inputs::new(5).matrix(1, n, 10.0);
    for level in Level::available() {
        let want = draw(level, &field, &[], 1.0, &mut LaneRng::new(1));
        for at in [0, 15, 16, 63, 64, 784] {
            for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
                let mut field = field.clone();
                field.row_mut(0)[at] = bad;
                let bits = draw(level, &field, &[], 1.0, &mut LaneRng::new(1));
                assert!((0..n).all(|j| j == at || bit(&bits, j) == bit(&want, j)), "{bad} at {at}");
                assert!(bad.is_nan() || bit(&bits, at) == (bad > 0.0), "{bad} at {at}");
                assert_bits_padded(&bits, n);
            }
        }
        let mut x = Matrix::from_row(&[f32::NAN, f32::INFINITY, f32::NEG_INFINITY]);
        sigmoid(level, 1.0, 3, x.tiles_mut());
        assert!(x.row(0)[0].is_nan() && x.row(0)[1] == 1.0 && x.row(0)[2] < 1e-38);
    }
}

#[test]
fn empty_rows() {
    for level in Level::available() {
        let mut rng = LaneRng::new(1);
        let before = rng.clone().next_words();
        assert_eq!(draw(level, &Matrix::zeros(1, 0), &[], 1.0, &mut rng), Vec::<u64>::new());
        coin_row(level, 0, &mut rng, &mut []);
        assert_eq!(rng.next_words(), before);
        let mut extra = [u64::MAX; 9];
        coin_row(level, 0, &mut rng, &mut extra);
        assert_eq!(extra, [0; 9]);
        sigmoid(level, 1.0, 17, &mut []);
        sigmoid(level, 1.0, 0, &mut []);
    }
}

#[test]
#[should_panic(expected = "words of 65 units")]
fn a_short_row_of_bits_is_refused() {
    let (field, mut rng) = (Matrix::zeros(1, 65), LaneRng::new(1));
    draw_row(Level::baseline(), field.tiles(), &[], 1.0, 65, &mut rng, &mut [0]);
}
