//! The promise of the crate: every CPU level gives the same bits.

use isotherm_kernels::bits::words_for;
use isotherm_kernels::matrix::flat;
use isotherm_kernels::{
    LaneRng, Level, Matrix, Products, Tile, affine, bernoulli, outer, softplus, vector,
};
use proptest::prelude::*;

use crate::common::*;

/// A kernel's name and everything it wrote or returned, as bits.
type Output = (&'static str, Vec<u64>);

fn tiles(tiles: &[Tile]) -> Vec<u64> {
    flat(tiles).iter().map(|x| u64::from(x.to_bits())).collect()
}

fn products(level: Level, rows: usize, inputs: usize, outputs: usize, seed: u64) -> Vec<Output> {
    let mut data = Inputs::new(seed);
    let (bits, weights) = (data.bits(rows, inputs), data.matrix(inputs, outputs, 1.0));
    let (bias, reals) = (data.matrix(1, outputs, 3.0), data.matrix(rows, outputs, 2.0));
    let mut product = Matrix::zeros(rows, outputs);
    let grouping = affine::Grouping::ALL[seed as usize % 2];
    affine::affine(level, grouping, bits.as_rows(), &weights, bias.tiles(), product.tiles_mut());
    let mut sums = weights.clone();
    outer::subtract_outer(level, &data.reals(inputs, 2.0), bias.tiles(), sums.tiles_mut());
    let mut row = bias.clone();
    outer::add_rows(level, &reals, row.tiles_mut());
    let mut probabilities = data.matrix(rows, outputs, 100.0);
    bernoulli::sigmoid(level, 0.7, outputs, probabilities.tiles_mut());
    vec![
        ("affine", tiles(product.tiles())),
        ("subtract_outer", tiles(sums.tiles())),
        ("add_rows", tiles(row.tiles())),
        ("sigmoid", tiles(probabilities.tiles())),
    ]
}

fn rows(level: Level, n: usize, scale: f32, seed: u64) -> Vec<Output> {
    let mut data = Inputs::new(seed);
    let (field, base) = (data.matrix(1, n, 30.0), data.matrix(1, n, 20.0));
    let doubles: Vec<f64> = field.row(0).iter().map(|&x| f64::from(x) * 1.1).collect();
    let (field, base) = (field.tiles(), base.tiles());
    let mut rng = LaneRng::new(seed);
    let draw = |base: &[Tile], rng: &mut LaneRng| {
        let mut bits = vec![0; words_for(n)];
        bernoulli::draw_row(level, field, base, scale, n, rng, &mut bits);
        let mut sum = [0.0];
        bernoulli::selected_sums(level, field, &bits, n, &mut [Tile::ZERO], &mut sum);
        bits.push(sum[0].to_bits());
        bits.extend(rng.clone().next_words().map(u64::from));
        bits
    };
    let draws = [draw(base, &mut rng), draw(&[], &mut rng)].concat();
    let mut coins = vec![0; words_for(n)];
    bernoulli::coin_row(level, n, &mut rng, &mut coins);
    coins.extend(rng.next_words().map(u64::from));
    let sums = [
        softplus::softplus_sum(level, field, scale, n),
        softplus::softplus_sum_strided(level, field, 2, scale, n / 2),
        softplus::softplus_sum_shifted(level, field, base, -1.0, n),
        softplus::softplus_sum_f64(level, &doubles),
    ];
    vec![("draw_row", draws), ("coin_row", coins), ("softplus", sums.map(f64::to_bits).to_vec())]
}

fn tables(level: Level, inputs: usize, n: usize, scale: f32, seed: u64) -> Vec<Output> {
    let mut data = Inputs::new(seed);
    let (weights, bias) = (data.matrix(inputs, n, scale), data.matrix(1, n, 3.0));
    let states = data.bits(8, inputs);
    let mut products = Products::default();
    let in_range = products.tabulate(level, &weights, bias.tiles());
    let sum = |state: &u64| products.softplus_sum(level, *state).to_bits();
    let sums = if in_range { states.words().iter().map(sum).collect() } else { vec![] };
    vec![("products", sums)]
}

fn updates(level: Level, n: usize, a: f32, seed: u64) -> Vec<Output> {
    let mut data = Inputs::new(seed);
    let (x, y, v) = (data.matrix(1, n, 9.0), data.matrix(1, n, 3.0), data.matrix(1, n, 1.0));
    let mut scaled = y.clone();
    vector::add_scaled(level, a, x.tiles(), scaled.tiles_mut());
    let mut difference = Matrix::zeros(1, n);
    vector::scaled_difference(level, a, x.tiles(), y.tiles(), difference.tiles_mut());
    let dot = vector::dot(level, x.tiles(), y.tiles());
    let (mut up, mut velocity) = (y.clone(), v.clone());
    let (step, mut average) =
        (vector::Ascent { rate: a, momentum: 0.9, shrink: 0.01, share: 0.3 }, x.clone());
    let (velocity_tiles, up_tiles) = (velocity.tiles_mut(), up.tiles_mut());
    let (readers, mut sound) = (vector::Readers::Many, true);
    let (x, average_tiles) = (x.tiles(), average.tiles_mut());
    let (l1, momentum, per_step) = (0.02, 0.9, 0.5);
    let penalty = vector::Penalty { decay: 0.1, smooth: a.abs(), l1, momentum, per_step };
    let (mut gradient, mut sum, beside) = (v.clone(), y.clone(), [y.tiles(), x, v.tiles(), x]);
    let (out, sums) = (gradient.tiles_mut(), sum.tiles_mut());
    let (lambda, before) = (y.tiles(), v.tiles());
    let row = vector::PenalisedRow { x, beside, velocity: before, mu: a, lambda };
    let carried = vector::penalise(level, &penalty, &row, out, sums);
    vector::ascend(level, &step, readers, x, velocity_tiles, up_tiles, average_tiles, &mut sound);
    vec![
        ("add_scaled", tiles(scaled.tiles())),
        ("scaled_difference", tiles(difference.tiles())),
        ("dot", vec![dot.to_bits()]),
        ("penalise", vec![carried.to_bits()]),
        ("penalise", [gradient, sum].iter().flat_map(|m| tiles(m.tiles())).collect()),
        ("ascend", [up, velocity, average].iter().flat_map(|m| tiles(m.tiles())).collect()),
    ]
}

fn assert_all_equal(run: impl Fn(Level) -> Vec<Output>) {
    let want = run(Level::baseline());
    for level in Level::available() {
        for ((name, got), (_, want)) in run(level).iter().zip(&want) {
            assert!(got == want, "{name} at {} differs from the baseline", level.name());
        }
    }
}

proptest! {
    #![proptest_config(cases(512))]

    #[test]
    fn of_matrices(rows in row_count(), inputs in size(), outputs in size(), seed: u64) {
        assert_all_equal(|level| products(level, rows, inputs, outputs, seed));
    }

    #[test]
    fn of_rows(
        n in prop_oneof![4 => size(), 1 => 1500..1700usize], scale in 0.0f32..1.0, seed: u64,
    ) {
        assert_all_equal(|level| rows(level, n, scale, seed));
    }

    #[test]
    fn of_tables(inputs in 1..36usize, n in size(), scale in 0.0f32..20.0, seed: u64) {
        assert_all_equal(|level| tables(level, inputs, n, scale, seed));
    }

    #[test]
    fn of_vectors(n in size(), a in -2.0f32..2.0, seed: u64) {
        assert_all_equal(|level| updates(level, n, a, seed));
    }
}

#[test]
fn levels_are_listed_lowest_first() {
    let levels = Level::available();
    assert_eq!(levels[0], Level::baseline());
    assert!(levels.is_sorted() && levels.contains(&Level::detect()));
    let names: Vec<&str> = levels.iter().map(|level| level.name()).collect();
    assert_eq!(names, ["baseline", "avx2", "avx512"][..levels.len()]);
}
