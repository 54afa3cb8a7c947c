//! Bits × weights + bias against the plain sum.

use isotherm_kernels::affine::{Grouping, affine, affine_by_tiles};
use isotherm_kernels::bits::BitRows;
use isotherm_kernels::matrix::flat;
use isotherm_kernels::{BitMatrix, Level, Matrix, Tile, scalar};
use proptest::prelude::*;

use crate::common::*;

fn product(
    level: Level,
    grouping: Grouping,
    bits: &BitMatrix,
    weights: &Matrix,
    bias: &Matrix,
) -> Matrix {
    let mut out = Matrix::zeros(bits.rows(), weights.cols());
    // What was there before must not matter.
    out.tiles_mut().fill(Tile::splat(f32::NAN));
    affine(level, grouping, bits.as_rows(), weights, bias.row_tiles(0), out.tiles_mut());
    out
}

/// Every level with every grouping.
fn ways() -> impl Iterator<Item = (Level, Grouping)> {
    let levels = Level::available().into_iter();
    levels.flat_map(|level| Grouping::ALL.map(|grouping| (level, grouping)))
}

/// The words of all rows, word by word.
fn by_words(bits: &BitMatrix) -> Vec<u64> {
    (0..bits.words_per_row())
        .flat_map(|w| (0..bits.rows()).map(move |r| (r, w)))
        .map(|(r, w)| bits.row(r)[w])
        .collect()
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn sums_the_selected_weights(
        rows in row_count(), inputs in size(), outputs in size(), seed: u64,
    ) {
        let mut data = Inputs::new(seed);
        let (bits, weights) = (data.bits(rows, inputs), data.matrix(inputs, outputs, 1.0));
        let bias = data.matrix(1, outputs, 3.0);
        let want = scalar::affine(&bits, &weights, bias.row(0));
        // A term passes up to 5 additions inside its group of six and one for each group of four.
        let additions = (6 + inputs.div_ceil(4)) as f64;
        for (level, grouping) in ways() {
            let out = product(level, grouping, &bits, &weights, &bias);
            assert_tiles_padded(out.tiles(), outputs);
            for (r, want) in want.iter().enumerate() {
                let mut magnitude: Vec<f64> =
                    bias.row(0).iter().map(|b| f64::from(b.abs())).collect();
                for j in bits.ones(r) {
                    for (sum, w) in magnitude.iter_mut().zip(weights.row(j)) {
                        *sum += f64::from(w.abs());
                    }
                }
                for i in 0..outputs {
                    let tolerance = SECOND_ORDER * additions * ROUNDING * magnitude[i];
                    assert_near(level, f64::from(out.row(r)[i]), want[i], tolerance);
                }
            }
        }
    }

    /// Threads cut the rows into blocks: no row may depend on its neighbours.
    #[test]
    fn rows_do_not_see_each_other(inputs in size(), outputs in size(), seed: u64) {
        let mut data = Inputs::new(seed);
        let (bits, weights) = (data.bits(5, inputs), data.matrix(inputs, outputs, 1.0));
        let bias = data.matrix(1, outputs, 3.0);
        for (level, grouping) in ways() {
            let together = product(level, grouping, &bits, &weights, &bias);
            for r in 0..bits.rows() {
                let alone = product(level, grouping, &bits.select(&[r]), &weights, &bias);
                assert_same(level, together.row(r), alone.row(0));
            }
        }
    }

    /// Groups without a one are left out where there are many of them: 32 rows and more are sorted for
    /// that, fewer are not.
    #[test]
    fn what_is_left_out_adds_nothing(
        rows in 32..600usize, inputs in size(), outputs in 120..200usize, seed: u64, rarity in 1..7u32,
    ) {
        let mut data = Inputs::new(seed);
        let bits = data.rare_bits(rows, inputs, rarity);
        let (mut weights, mut bias) =
            (data.matrix(inputs, outputs, 1.0), data.matrix(1, outputs, 3.0));
        for j in 0..inputs.min(outputs) {
            weights.row_mut(j)[j] = -0.0;
            bias.row_mut(0)[j] = -0.0;
        }
        let words = by_words(&bits);
        let tiles = weights.tiles_per_row();
        for (level, grouping) in ways() {
            let sorted = product(level, grouping, &bits, &weights, &bias);
            let mut by_tiles = vec![Tile::splat(f32::NAN); rows * tiles];
            let columns = BitRows::by_words(&words, rows);
            let b = bias.tiles();
            affine_by_tiles(level, grouping, columns, &weights, &[], b, 0..tiles, &mut by_tiles);
            for first in (0..rows).step_by(31) {
                let few: Vec<usize> = (first..rows.min(first + 31)).collect();
                let plain = product(level, grouping, &bits.select(&few), &weights, &bias);
                for (i, &r) in few.iter().enumerate() {
                    assert_same(level, sorted.row(r), plain.row(i));
                    let got: Vec<Tile> = (0..tiles).map(|t| by_tiles[t * rows + r]).collect();
                    assert_same(level, &flat(&got)[..outputs], plain.row(i));
                }
            }
        }
    }

    /// The extra column too, in the last tile or in one of its own, and with some of the tiles.
    #[test]
    fn nothing_is_left_out_of_the_extra_column(
        rows in 32..100usize, inputs in size(), outputs in 128..=161usize, seed: u64, first in 0..2usize,
    ) {
        let mut data = Inputs::new(seed);
        let (bits, weights) = (data.rare_bits(rows, inputs, 4), data.matrix(inputs, outputs, 1.0));
        let (bias, extra) = (data.matrix(1, outputs, 3.0), data.reals(inputs, 1.0));
        let (words, b) = (by_words(&bits), bias.tiles());
        let tiles = first..(outputs + 1).div_ceil(16);
        for (level, grouping) in ways() {
            let mut sorted = vec![Tile::splat(f32::NAN); rows * tiles.len()];
            let all = BitRows::by_words(&words, rows);
            affine_by_tiles(level, grouping, all, &weights, &extra, b, tiles.clone(), &mut sorted);
            for r in 0..rows {
                let mut plain = vec![Tile::splat(f32::NAN); tiles.len()];
                let one = bits.as_rows().slice(r, 1);
                affine_by_tiles(level, grouping, one, &weights, &extra, b, tiles.clone(), &mut plain);
                let got: Vec<Tile> = (0..tiles.len()).map(|t| sorted[t * rows + r]).collect();
                assert_same(level, flat(&got), flat(&plain));
            }
        }
    }

    /// All layouts and every cut of the outputs give the same bits, and the extra column is a
    /// column like the others.
    #[test]
    fn layouts_and_the_extra_column(
        rows in row_count(), inputs in size(), outputs in size(), seed: u64, cut in 0.0..1.0,
    ) {
        let mut data = Inputs::new(seed);
        let (bits, wide) = (data.bits(rows, inputs), data.matrix(inputs, outputs + 1, 1.0));
        let mut bias = data.matrix(1, outputs + 1, 3.0);
        bias.row_mut(0)[outputs] = 0.0;
        let narrow: Vec<f32> =
            (0..inputs).flat_map(|j| wide.row(j)[..outputs].to_vec()).collect();
        let weights = Matrix::from_dense(inputs, outputs, &narrow);
        let extra: Vec<f32> = (0..inputs).map(|j| wide.row(j)[outputs]).collect();
        let narrow_bias = Matrix::from_row(&bias.row(0)[..outputs]);
        let words = by_words(&bits);
        let tiles = wide.tiles_per_row();
        let cut = (cut * tiles as f64) as usize;
        for (level, grouping) in ways() {
            let want = product(level, grouping, &bits, &wide, &bias);
            let mut out = vec![Tile::splat(f32::NAN); rows * tiles];
            for (layout, bits) in
                [bits.as_rows(), BitRows::by_words(&words, rows)].into_iter().enumerate()
            {
                for range in [0..cut, cut..tiles] {
                    let (b, part) = (narrow_bias.tiles(), rows * range.start..rows * range.end);
                    affine_by_tiles(level, grouping, bits, &weights, &extra, b, range, &mut out[part]);
                }
                for r in 0..rows {
                    let got: Vec<Tile> = (0..tiles).map(|t| out[t * rows + r]).collect();
                    prop_assert_eq!(&got[..], want.row_tiles(r), "layout {}, row {}", layout, r);
                }
            }
        }
    }
}

#[test]
fn integers_are_exact() {
    // Small integers have exact sums in f32: every weight must be counted exactly once.
    for (level, grouping) in ways() {
        for inputs in SIZES.into_iter().chain(1..70) {
            let values: Vec<f32> = (0..inputs * 17).map(|k| (k % 251) as f32).collect();
            let weights = Matrix::from_dense(inputs, 17, &values);
            let ones = BitMatrix::from_rows(inputs, &[vec![1; inputs]]);
            let out = product(level, grouping, &ones, &weights, &Matrix::zeros(1, 17));
            for i in 0..17 {
                let want: f32 = (0..inputs).map(|j| weights.row(j)[i]).sum();
                assert_eq!(out.row(0)[i], want, "{inputs} inputs, output {i}");
            }
        }
    }
}

#[test]
fn nothing_to_do() {
    let mut data = Inputs::new(1);
    for (level, grouping) in ways() {
        let (weights, bias) = (data.matrix(65, 17, 1.0), data.matrix(1, 17, 1.0));
        let none = product(level, grouping, &BitMatrix::zeros(0, 65), &weights, &bias);
        assert_eq!((none.rows(), none.tiles().len()), (0, 0));
        let no_inputs =
            product(level, grouping, &BitMatrix::zeros(3, 0), &Matrix::zeros(0, 17), &bias);
        assert!((0..3).all(|r| no_inputs.row(r) == bias.row(0)));
        let no_outputs = product(
            level,
            grouping,
            &data.bits(3, 65),
            &Matrix::zeros(65, 0),
            &Matrix::zeros(1, 0),
        );
        assert_eq!(no_outputs.to_dense(), []);
    }
}

#[test]
#[should_panic(expected = "tiles of the bias")]
fn a_short_bias_is_refused() {
    let (bits, weights) = (BitMatrix::zeros(2, 65), Matrix::zeros(65, 17));
    product(Level::baseline(), Grouping::Six, &bits, &weights, &Matrix::zeros(1, 16));
}

#[test]
#[should_panic(expected = "rows of bits and of outputs")]
fn a_missing_row_is_refused() {
    let (weights, bias) = (Matrix::zeros(65, 17), Matrix::zeros(1, 17));
    let (bits, mut out) = (BitMatrix::zeros(2, 65), Matrix::zeros(3, 17));
    affine(
        Level::baseline(),
        Grouping::Four,
        bits.as_rows(),
        &weights,
        bias.tiles(),
        out.tiles_mut(),
    );
}
