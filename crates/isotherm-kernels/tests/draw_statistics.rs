//! Bernoulli draws have their probabilities, from one end of the range to the other.
#![allow(missing_docs)]

mod common;

use common::*;
use isotherm_kernels::bernoulli::{coin_row, draw_row};
use isotherm_kernels::bits::{bit, ones, words_for};
use isotherm_kernels::{LaneRng, Level, Matrix, Tile, scalar, stream_key};

/// Fields from −20 to 20 in steps of a half. 81 of them: no multiple of the lanes, and every row
/// starts at another one, so each field meets every lane.
const CELLS: usize = 81;
const ROWS: u64 = 1 << 20;

/// How often each field gave a one when `draw(rotated fields, rng, bits)` drew the rows.
fn counts(seed: u64, mut draw: impl FnMut(&Matrix, &mut LaneRng, &mut [u64])) -> Vec<u64> {
    let rotated: Vec<Matrix> = (0..CELLS)
        .map(|first| {
            let row: Vec<f32> = (0..CELLS).map(|j| field((first + j) % CELLS)).collect();
            Matrix::from_row(&row)
        })
        .collect();
    let mut counts = vec![0; CELLS];
    let mut bits = vec![0; words_for(CELLS)];
    for row in 0..ROWS {
        let first = row as usize % CELLS;
        draw(&rotated[first], &mut LaneRng::new(stream_key(seed, 3, row, 0)), &mut bits);
        for j in ones(&bits) {
            counts[(first + j) % CELLS] += 1;
        }
    }
    counts
}

fn field(cell: usize) -> f32 {
    cell as f32 / 2.0 - 20.0
}

/// Chi-square over the cells. Where fewer than 25 ones (or zeros) are expected a cell is too far
/// from normal: all such cells together make one cell at either end, with about 45 expected.
fn assert_probabilities(what: &str, counts: &[u64]) {
    let (mut scores, mut rare) = (vec![], [(0.0, 0.0); 2]);
    for (cell, &count) in counts.iter().enumerate() {
        let x = f64::from(field(cell));
        let p = scalar::sigmoid(x);
        let expected = ROWS as f64 * scalar::sigmoid(-x.abs());
        if expected >= 25.0 {
            scores.push(z_score(count, ROWS, p));
        } else {
            let seen = if x < 0.0 { count } else { ROWS - count };
            let end = &mut rare[usize::from(x > 0.0)];
            *end = (end.0 + seen as f64, end.1 + expected);
        }
    }
    scores.extend(rare.map(|(seen, expected)| (seen - expected) / expected.sqrt()));
    assert_chi_square(what, &scores);
}

#[test]
fn full_field() {
    for level in Level::available() {
        let counts = counts(1, |field, rng, bits| {
            draw_row(level, field.tiles(), &[], 1.0, CELLS, rng, bits);
        });
        assert_probabilities(level.name(), &counts);
    }
}

#[test]
fn base_alone_at_scale_zero() {
    // What the field holds must not matter: −100 would turn every bit off.
    let field = Matrix::from_row(&[-100.0; CELLS]);
    let counts = counts(2, |base, rng, bits| {
        draw_row(Level::detect(), field.tiles(), base.tiles(), 0.0, CELLS, rng, bits);
    });
    assert_probabilities("base", &counts);
}

#[test]
fn half_way_between() {
    // ¾·base + ¼·field = x for base = 2x and field = −2x.
    let double = |x: &Matrix, sign: f32| -> Vec<Tile> {
        x.tiles().iter().map(|tile| tile.map(|x| sign * 2.0 * x)).collect()
    };
    let counts = counts(3, |x, rng, bits| {
        let (base, field) = (double(x, 1.0), double(x, -1.0));
        draw_row(Level::detect(), &field, &base, 0.25, CELLS, rng, bits);
    });
    assert_probabilities("between", &counts);
}

#[test]
fn coins_are_fair() {
    let mut counts = vec![0; 785];
    let mut bits = vec![0; words_for(785)];
    let rows = 20_000;
    for row in 0..rows {
        coin_row(Level::detect(), 785, &mut LaneRng::new(stream_key(4, 2, row, 0)), &mut bits);
        ones(&bits).for_each(|j| counts[j] += 1);
    }
    let scores: Vec<f64> = counts.iter().map(|&count| z_score(count, rows, 0.5)).collect();
    assert_chi_square("coins", &scores);
}

/// Streams whose first tile holds one of the smallest and of the largest uniforms, found by
/// search: (key, lane, 24 highest bits of the word).
const EXTREMES: [(u64, usize, u32); 4] =
    [(1_437_568, 7, 0), (2_397_529, 6, 0), (64_836, 5, 0xff_ffff), (505_617, 11, 0xff_ffff)];

#[test]
fn certain_bits_are_certain() {
    // σ(±60) and σ(±200) are nearer to 0 or 1 than any uniform; so is anything below 2^−25, where
    // −17.4 lies. A million random rows would hardly meet the uniforms that could break this.
    for level in Level::available() {
        for (key, lane, word) in EXTREMES {
            assert_eq!(LaneRng::new(key).next_words()[lane] >> 8, word, "not the extreme stream");
            for x in [17.4, 60.0, 200.0, f32::MAX] {
                for (x, all) in [(x, u64::MAX), (-x, 0)] {
                    for (field, base, scale) in [(x, 0.0, 1.0), (5.0, x, 0.0)] {
                        let (field, base) = ([Tile::splat(field)], [Tile::splat(base)]);
                        let (mut rng, mut bits) = (LaneRng::new(key), [0]);
                        draw_row(level, &field, &base, scale, 16, &mut rng, &mut bits);
                        assert_eq!(bits[0], all & 0xffff, "{}: {x}, key {key}", level.name());
                    }
                }
            }
        }
    }
}

#[test]
fn rare_bits_do_occur() {
    // σ(−15.5) = 1.9e−7 lies above the smallest uniforms, and 1 − σ(15.5) likewise.
    for (key, lane, word) in EXTREMES {
        let x = if word == 0 { -15.5 } else { 15.5 };
        let mut bits = [0];
        let mut rng = LaneRng::new(key);
        draw_row(Level::detect(), &[Tile::splat(x)], &[], 1.0, 16, &mut rng, &mut bits);
        assert_eq!(bit(&bits, lane), word == 0, "key {key}");
    }
}
