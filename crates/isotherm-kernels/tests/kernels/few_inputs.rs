//! Draws from tables of few inputs are draws from the product.

use isotherm_kernels::affine::{Grouping, affine_by_tiles};
use isotherm_kernels::bernoulli::draw_words;
use isotherm_kernels::bits::BitRows;
use isotherm_kernels::few_inputs::FewInputs;
use isotherm_kernels::{LaneRng, Level, Tile};
use proptest::prelude::*;

use crate::common::*;

proptest! {
    #![proptest_config(cases(512))]

    #[test]
    fn draws_from_tables_are_draws_from_the_product(
        rows in row_count(), inputs in 1..=FewInputs::MOST, outputs in size(), seed: u64,
    ) {
        let mut data = Inputs::new(seed);
        let (states, weights) = (data.bits(rows, inputs), data.matrix(inputs, outputs, 4.0));
        let (bias, base) = (data.matrix(1, outputs, 3.0), data.matrix(1, outputs, 3.0));
        // The hot end among them: fair coins where there is no base.
        let scales: Vec<f32> = (0..rows).map(|r| r as f32 / rows as f32).collect();
        let generators = || (0..rows as u64).map(LaneRng::new).collect::<Vec<_>>();
        let (tiles, words) = (weights.tiles_per_row(), outputs.div_ceil(64));
        // What was tabulated before must not matter.
        let mut tables = FewInputs::default();
        tables.tabulate(Level::detect(), &data.matrix(5, 200, 9.0), data.matrix(1, 200, 1.0).tiles());
        for level in Level::available() {
            let mut fields = vec![Tile::ZERO; rows * tiles];
            let bits = BitRows::by_words(states.words(), rows);
            let b = bias.tiles();
            affine_by_tiles(level, Grouping::Six, bits, &weights, &[], b, 0..tiles, &mut fields);
            tables.tabulate(level, &weights, b);
            for base in [base.tiles(), &[]] {
                let (mut rngs, mut want_rngs) = (generators(), generators());
                let mut want = vec![u64::MAX; rows * words];
                draw_words(level, &fields, base, &scales, outputs, &mut want_rngs, &mut want);
                let mut got = vec![0; rows * words];
                tables.draw(level, states.words(), base, &scales, &mut rngs, &mut got);
                prop_assert_eq!(&got, &want, "{}", level.name());
                for (rng, want) in rngs.iter_mut().zip(&mut want_rngs) {
                    prop_assert_eq!(rng.next_words(), want.next_words(), "the stream after the row");
                }
            }
        }
    }
}

#[test]
#[should_panic(expected = "1 to 12 inputs")]
fn too_many_inputs_are_refused() {
    let weights = Inputs::new(1).matrix(13, 5, 1.0);
    FewInputs::default().tabulate(Level::baseline(), &weights, &[Tile::ZERO]);
}
