//! Random numbers that belong to a key, not to a thread.
//!
//! A stream is named by (seed, purpose, index, step), and is made where random numbers are needed. So no
//! generator is ever stored, results cannot depend on the number of threads, and a checkpoint holds no
//! generator state.

use crate::level::{Level, per_level};
use crate::matrix::{LANES, Tile};

/// The increment of SplitMix64 (Steele, Lea and Flood 2014).
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The output function of SplitMix64, a bijection.
#[inline(always)]
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The key of the stream named by these four numbers. With any three of them held fixed, no two
/// values of the fourth give the same key.
#[inline(always)]
pub fn stream_key(seed: u64, purpose: u64, index: u64, step: u64) -> u64 {
    [purpose, index, step]
        .into_iter()
        .fold(mix(seed.wrapping_add(GOLDEN)), |key, part| mix(key.wrapping_add(GOLDEN) ^ mix(part)))
}

/// Sixteen xoshiro128++ generators (Blackman and Vigna 2019) in step, one a lane.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub struct LaneRng {
    s: [[u32; LANES]; 4],
}

impl LaneRng {
    /// The generators of a stream. Lane `l` is seeded with outputs `2l + 1` and `2l + 2` of the
    /// SplitMix64 sequence that starts at `key`.
    #[inline(always)]
    pub fn new(key: u64) -> LaneRng {
        let mut s = [[0; LANES]; 4];
        for lane in 0..LANES {
            let at = key.wrapping_add(GOLDEN.wrapping_mul(2 * lane as u64));
            let low = mix(at.wrapping_add(GOLDEN));
            let high = mix(at.wrapping_add(GOLDEN.wrapping_mul(2)));
            s[0][lane] = low as u32;
            s[1][lane] = (low >> 32) as u32;
            s[2][lane] = high as u32;
            s[3][lane] = (high >> 32) as u32;
        }
        LaneRng { s }
    }

    /// The generators of the streams named by these numbers and the indices from `first` on.
    pub fn fill(level: Level, seed: u64, purpose: u64, first: u64, step: u64, out: &mut [LaneRng]) {
        fill(level, seed, purpose, first, step, out);
    }

    /// 36 more bits for unit `unit` of the thirty-two that shared the last [`LaneRng::next_words`]:
    /// a hash of where its lane now is, which takes nothing from the sequence.
    pub fn more_bits(&self, unit: usize) -> u64 {
        let [s0, s1, s2, s3] = self.s.map(|words| u64::from(words[unit / 2]));
        stream_key(s0 | s1 << 32, s2 | s3 << 32, unit as u64, 0) >> 28
    }

    /// The next 32 bits of every lane.
    #[inline(always)]
    pub fn next_words(&mut self) -> [u32; LANES] {
        let mut out = [0; LANES];
        let [s0, s1, s2, s3] = &mut self.s;
        for lane in 0..LANES {
            out[lane] = s0[lane].wrapping_add(s3[lane]).rotate_left(7).wrapping_add(s0[lane]);
            let shifted = s1[lane] << 9;
            s2[lane] ^= s0[lane];
            s3[lane] ^= s1[lane];
            s1[lane] ^= s2[lane];
            s0[lane] ^= s3[lane];
            s2[lane] ^= shifted;
            s3[lane] = s3[lane].rotate_left(11);
        }
        out
    }

    /// A uniform of 23 bits a lane, in the open interval (0, 1): the midpoints of 2^23 cells. (Of
    /// 2^24 cells, the upper half has midpoints that `f32` cannot hold: the last would round to 1.)
    #[inline(always)]
    pub fn next_uniforms(&mut self) -> Tile {
        let words = self.next_words();
        let mut out = Tile::ZERO;
        for (lane, word) in out.0.iter_mut().zip(words) {
            // The conversion goes through i32, which every vector unit has.
            *lane = ((word >> 9) as i32 as f32 + 0.5) * (1.0 / 8_388_608.0);
        }
        out
    }
}

per_level! {
    fn fill(seed: u64, purpose: u64, first: u64, step: u64, out: &mut [LaneRng]) = fill_body;
}

#[inline(always)]
fn fill_body(seed: u64, purpose: u64, first: u64, step: u64, out: &mut [LaneRng]) {
    for (i, rng) in out.iter_mut().enumerate() {
        *rng = LaneRng::new(stream_key(seed, purpose, first + i as u64, step));
    }
}
