//! Flips of bits against the comparisons that they stand for, at every level.

use isotherm_kernels::bits::{bit, words_for};
use isotherm_kernels::flips::flip_row;
use isotherm_kernels::{BitMatrix, LANES, LaneRng, Level};
use proptest::prelude::*;

use crate::common::*;

proptest! {
    #![proptest_config(cases(512))]

    #[test]
    fn flips_follow_the_random_words(n in size(), threshold: u32, seed: u64, key: u64) {
        let before = BitMatrix::from_rows(n, &[Inputs::new(seed).bytes(n)]);
        for level in Level::available() {
            let (mut rng, mut twin_rng) = (LaneRng::new(key), LaneRng::new(key));
            let mut bits = before.row(0).to_vec();
            flip_row(level, threshold, n, &mut rng, &mut bits);
            let words: Vec<u32> =
                (0..n.div_ceil(LANES)).flat_map(|_| twin_rng.next_words()).collect();
            for (j, &word) in words.iter().enumerate().take(n) {
                let flipped = bit(&bits, j) != before.get(0, j);
                prop_assert_eq!(flipped, word < threshold, "bit {} of {}", j, n);
            }
            assert_bits_padded(&bits, n);
            prop_assert_eq!(rng.next_words(), twin_rng.next_words(), "the stream after the row");
        }
    }
}

#[test]
fn nothing_flips_below_a_threshold_of_zero() {
    for level in Level::available() {
        let mut bits = vec![0; words_for(100)];
        flip_row(level, 0, 100, &mut LaneRng::new(1), &mut bits);
        assert_eq!(bits, [0, 0]);
    }
}
