//! Bernoulli draws have their probabilities, from one end of the range to the other.

use isotherm_kernels::bernoulli::{coin_row, draw_row};
use isotherm_kernels::bits::{bit, ones, words_for};
use isotherm_kernels::{LaneRng, Level, Matrix, Tile, scalar, stream_key};

use crate::common::*;

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

/// Streams, found by search, with a unit among their first 32 whose first 16 random bits are
/// these: (key, unit, U).
fn streams_with(bits: u32) -> impl Iterator<Item = (u64, usize, f64)> {
    (0..).flat_map(move |key| {
        let mut rng = LaneRng::new(key);
        let words = rng.next_words();
        (0..32).filter_map(move |unit| {
            let first = words[unit / 2] >> (16 * (unit % 2)) & 0xffff;
            let u = (u64::from(first) << 36 | rng.more_bits(unit)) as f64 + 0.5;
            (first == bits).then_some((key, unit, u / (1u64 << 52) as f64))
        })
    })
}

/// Sixteen bits say nothing where U and σ agree in them: the further bits must decide, at both ends
/// of the range and in the middle of it.
#[test]
fn ties_are_decided_by_more_bits() {
    for bits in [0, 1, 2, 77, 0x4000, 0x7fff, 0x8000, 0xc123, 0xfffd, 0xfffe, 0xffff] {
        for (key, unit, u) in streams_with(bits).take(20) {
            let threshold = (u / (1.0 - u)).ln();
            for (x, one) in [(threshold + 2e-6, true), (threshold - 2e-6, false)] {
                for level in Level::available() {
                    let (mut rng, mut drawn) = (LaneRng::new(key), [0]);
                    let field = [Tile::splat(x as f32); 2];
                    draw_row(level, &field, &[], 1.0, 32, &mut rng, &mut drawn);
                    let name = level.name();
                    assert_eq!(bit(&drawn, unit), one, "{name}: {x}, key {key}, unit {unit}");
                }
            }
        }
    }
}

#[test]
fn certain_bits_are_certain() {
    // σ(±60) and beyond are nearer to 0 or 1 than any uniform, whatever its first bits.
    for (key, _, _) in streams_with(0).take(5).chain(streams_with(0xffff).take(5)) {
        for level in Level::available() {
            for x in [60.0, 200.0, f32::MAX] {
                for (x, all) in [(x, u64::MAX), (-x, 0)] {
                    for (field, base, scale) in [(x, 0.0, 1.0), (5.0, x, 0.0)] {
                        let (field, base) = ([Tile::splat(field); 2], [Tile::splat(base); 2]);
                        let (mut rng, mut bits) = (LaneRng::new(key), [0]);
                        draw_row(level, &field, &base, scale, 32, &mut rng, &mut bits);
                        assert_eq!(bits[0], all >> 32, "{}: {x}, key {key}", level.name());
                    }
                }
            }
        }
    }
}

/// Very rare units: σ(−13) = 2.3e−6 and its like on the other side, 2^25 draws each. Only the bits
/// after the first 16 can tell them from σ(−11) or σ(−15).
#[test]
fn rare_units_have_their_frequency() {
    let (rows, mut scores) = (1u64 << 15, vec![]);
    for x in [-13.0f32, -12.0, 12.0, 13.0] {
        let field = vec![Tile::splat(x); 64];
        let mut count = 0;
        for row in 0..rows {
            let mut bits = [0; 16];
            let mut rng = LaneRng::new(stream_key(9, x.to_bits().into(), row, 0));
            draw_row(Level::detect(), &field, &[], 1.0, 1024, &mut rng, &mut bits);
            count += bits.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
        }
        scores.push(z_score(count, rows * 1024, scalar::sigmoid(f64::from(x))));
    }
    assert_chi_square("rare units", &scores);
}
