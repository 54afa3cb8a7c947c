//! Noise on bits.

use crate::bits::words_for;
use crate::level::per_level;
use crate::matrix::LANES;
use crate::rng::LaneRng;

/// Tiles that fill one 64-bit word.
const TILES_PER_WORD: usize = 64 / LANES;

per_level! {
    /// Flips each of the first `cols` bits with probability `threshold` / 2³².
    pub fn flip_row(threshold: u32, cols: usize, rng: &mut LaneRng, bits: &mut [u64]) = flip_row_body;
}

#[inline(always)]
fn flip_row_body(threshold: u32, cols: usize, rng: &mut LaneRng, bits: &mut [u64]) {
    assert_eq!(bits.len(), words_for(cols), "words of {cols} bits");
    let mut rng_here = rng.clone();
    for tile in 0..cols.div_ceil(LANES) {
        let words = rng_here.next_words();
        let mut flips = 0;
        for lane in 0..LANES {
            flips |= u64::from(words[lane] < threshold) << lane;
        }
        let used = (cols - tile * LANES).min(LANES);
        flips &= u64::MAX >> (64 - used);
        bits[tile / TILES_PER_WORD] ^= flips << (tile % TILES_PER_WORD * LANES);
    }
    *rng = rng_here;
}
