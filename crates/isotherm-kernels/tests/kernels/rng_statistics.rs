//! The streams look random: within a lane, across lanes, and across neighbouring names.

use isotherm_kernels::{LANES, LaneRng, stream_key};

use crate::common::*;

const PAIRS: u64 = 100_000;

/// What is numbered, and the key of a number.
type Naming = (&'static str, fn(u64) -> u64);

fn first_uniforms(key: u64) -> [f32; LANES] {
    LaneRng::new(key).next_uniforms().0
}

#[test]
fn every_bit_of_every_lane_is_fair() {
    for key in [0, stream_key(1, 3, 0, 0)] {
        let (mut rng, n) = (LaneRng::new(key), 50_000);
        let mut counts = [[0; 32]; LANES];
        for _ in 0..n {
            for (counts, word) in counts.iter_mut().zip(rng.next_words()) {
                for (bit, count) in counts.iter_mut().enumerate() {
                    *count += u64::from(word >> bit & 1);
                }
            }
        }
        let scores: Vec<f64> = counts.iter().flatten().map(|&c| z_score(c, n, 0.5)).collect();
        assert_chi_square("bits within a stream", &scores);
    }
}

/// What the sampler does: many streams, few numbers of each.
#[test]
fn first_bits_are_fair_across_streams() {
    let names: [Naming; 5] = [
        ("keys", |i| i),
        ("seeds", |i| stream_key(i, 3, 0, 0)),
        ("purposes", |i| stream_key(1, i, 0, 0)),
        ("indices", |i| stream_key(1, 3, i, 0)),
        ("steps", |i| stream_key(1, 3, 0, i)),
    ];
    for (what, key) in names {
        let mut counts = [[0; 32]; LANES];
        for i in 0..PAIRS / 2 {
            for (counts, word) in counts.iter_mut().zip(LaneRng::new(key(i)).next_words()) {
                for (bit, count) in counts.iter_mut().enumerate() {
                    *count += u64::from(word >> bit & 1);
                }
            }
        }
        let scores: Vec<f64> =
            counts.iter().flatten().map(|&c| z_score(c, PAIRS / 2, 0.5)).collect();
        assert_chi_square(what, &scores);
        for lane in [0, 7, 15] {
            let pairs = (0..PAIRS)
                .map(|i| (first_uniforms(key(i))[lane], first_uniforms(key(i + 1))[lane]));
            assert_uncorrelated(&format!("neighbouring {what}, lane {lane}"), pairs);
        }
    }
}

#[test]
fn uniforms_fill_the_interval() {
    // 256 cells of equal probability, each lane for itself.
    let n = 200_000;
    let mut counts = [[0; 256]; LANES];
    let mut sums = [0.0; LANES];
    let mut rng = LaneRng::new(stream_key(2, 3, 0, 0));
    for _ in 0..n {
        for (lane, u) in rng.next_uniforms().0.into_iter().enumerate() {
            counts[lane][(u * 256.0) as usize] += 1;
            sums[lane] += f64::from(u);
        }
    }
    for (lane, (counts, sum)) in counts.iter().zip(sums).enumerate() {
        // The cells share their total, so the squares sum to 256/255 times chi-square of 255
        // degrees of freedom: the mean is 256 as if they were independent.
        let scores: Vec<f64> = counts.iter().map(|&c| z_score(c, n, 1.0 / 256.0)).collect();
        assert_chi_square(&format!("lane {lane}"), &scores);
        let z = (sum / n as f64 - 0.5) * (12.0 * n as f64).sqrt();
        assert!(z.abs() < 4.0, "the mean of lane {lane} is {z:.2} standard deviations off");
    }
}

#[test]
fn lanes_and_successors_are_uncorrelated() {
    let stream = || {
        let mut rng = LaneRng::new(stream_key(3, 3, 0, 0));
        (0..PAIRS).map(move |_| rng.next_uniforms().0)
    };
    for lane in 0..LANES {
        let next = (lane + 1) % LANES;
        let what = format!("lanes {lane} and {next}");
        assert_uncorrelated(&what, stream().map(|u| (u[lane], u[next])));
        let successors = stream().zip(stream().skip(1)).map(|(a, b)| (a[lane], b[lane]));
        assert_uncorrelated(&format!("successors in lane {lane}"), successors);
    }
}
