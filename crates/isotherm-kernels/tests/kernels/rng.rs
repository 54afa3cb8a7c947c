//! The streams are what they say they are: known generators, named by a key, the same for ever.

use isotherm_kernels::bernoulli::{coin_row, draw_row};
use isotherm_kernels::{LANES, LaneRng, Level, Tile, stream_key};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro128PlusPlus;

/// The increment of SplitMix64.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

#[test]
fn every_lane_is_a_xoshiro() {
    for key in [0, 1, 42, u64::MAX, stream_key(1, 2, 3, 4)] {
        let mut rng = LaneRng::new(key);
        // `seed_from_u64` takes two outputs of SplitMix64: lane l starts where lane l − 1 stopped.
        let mut lanes: [Xoshiro128PlusPlus; LANES] = std::array::from_fn(|lane| {
            let skipped = GOLDEN.wrapping_mul(2 * lane as u64);
            Xoshiro128PlusPlus::seed_from_u64(key.wrapping_add(skipped))
        });
        for step in 0..1000 {
            let want = lanes.each_mut().map(|lane| lane.next_u32());
            assert_eq!(rng.next_words(), want, "key {key}, step {step}");
        }
    }
}

#[test]
fn uniforms_are_midpoints_of_equal_cells() {
    let keys = (0..2000).chain([64_836, 505_617, 1_437_568, 2_397_529]);
    for key in keys {
        let (mut words, mut uniforms) = (LaneRng::new(key), LaneRng::new(key));
        for _ in 0..50 {
            for (word, u) in words.next_words().into_iter().zip(uniforms.next_uniforms().0) {
                assert!(0.0 < u && u < 1.0, "{u} from {word:#x}, key {key}");
                let cell = f64::from(word >> 9);
                assert_eq!(f64::from(u), (cell + 0.5) / f64::from(1 << 23), "key {key}");
            }
        }
    }
}

#[test]
fn names_have_their_own_keys() {
    for seed in [0, 1] {
        let mut keys: Vec<u64> = (0..10)
            .flat_map(|purpose| (0..320).map(move |index| (purpose, index)))
            .flat_map(|(purpose, index)| (0..320).map(move |step| (purpose, index, step)))
            .map(|(purpose, index, step)| stream_key(seed, purpose, index, step))
            .collect();
        let names = keys.len();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), names, "seed {seed}");
    }
    // Names at the other end of the numbers, and the four numbers in every place.
    let mut keys = vec![];
    for place in 0..4 {
        for value in [1, 2, 1 << 32, 1 << 63, u64::MAX - 1, u64::MAX] {
            let mut name = [0; 4];
            name[place] = value;
            keys.push(stream_key(name[0], name[1], name[2], name[3]));
        }
    }
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), 24);
}

/// Every result of every run rests on these numbers. If this test fails the stream has changed,
/// and no run, checkpoint or published figure can be reproduced: do not just update the literals.
#[test]
fn the_streams_are_pinned() {
    assert_eq!(stream_key(0, 0, 0, 0), 0x2130_748a_aac8_0268);
    assert_eq!(stream_key(1, 2, 3, 4), 0x25e6_5e4e_f605_ae5a);
    assert_eq!(stream_key(u64::MAX, 11, 1 << 20, 1 << 40), 0x5fc9_bfe9_9b28_3530);

    let mut rng = LaneRng::new(stream_key(1, 2, 3, 4));
    let first = rng.next_words();
    assert_eq!([first[0], first[1], first[15]], [0x8e77_7c6d, 0xfc98_8b39, 0x5712_31d1]);
    let later = (0..1000).fold(first, |_, _| rng.next_words());
    assert_eq!([later[0], later[1], later[15]], [0xed83_3538, 0xdf28_1952, 0x7a86_0c96]);
    let uniforms = rng.next_uniforms().0;
    assert_eq!([uniforms[0], uniforms[1], uniforms[15]], [0.616_542_4, 0.204_355_54, 0.561_063_23]);

    for level in Level::available() {
        let mut rng = LaneRng::new(7);
        let mut bits = [0; 2];
        let fields: [Tile; 5] = std::array::from_fn(|t| {
            Tile(std::array::from_fn(|l| (t * 16 + l) as f32 / 10.0 - 4.0))
        });
        draw_row(level, &fields, &[], 1.0, 80, &mut rng, &mut bits);
        assert_eq!(bits, [0xfffd_80ee_4000_0000, 0xffff], "{}", level.name());
        coin_row(level, 80, &mut rng, &mut bits);
        assert_eq!(bits, [0x69e9_1836_5507_0afd, 0x2ec1], "{}", level.name());
    }
}
