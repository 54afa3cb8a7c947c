//! The mixture's stream and the minibatches of a table.

use crate::common::chi_square_score;
use isotherm::data::{Dataset, KnownDensity, Minibatches, Mixture};
use isotherm_kernels::BitMatrix;
use isotherm_tempering::streams::{Key, Purpose};

fn table(rows: usize) -> Dataset {
    let examples: Vec<Vec<u8>> =
        (0..rows).map(|i| (0..8).map(|j| (i >> j & 1) as u8).collect()).collect();
    Dataset::from_rows(&examples).unwrap()
}

/// Examples carry their own number in their bits.
fn numbers(batch: &BitMatrix) -> Vec<u64> {
    (0..batch.rows()).map(|row| batch.row(row)[0]).collect()
}

#[test]
fn an_epoch_uses_every_example_once_in_an_order_of_its_own() {
    let (rows, size) = (103, 10);
    let data = table(rows);
    let mut batches = Minibatches::new(size, 5);
    let seen: Vec<u64> =
        (0..206u64).step_by(1).flat_map(|update| numbers(&batches.at(update, &data))).collect();
    let epochs: Vec<Vec<u64>> = seen.chunks_exact(rows).map(<[u64]>::to_vec).collect();
    assert_eq!(epochs.len(), 20);
    for epoch in &epochs {
        let mut sorted = epoch.clone();
        sorted.sort_unstable();
        assert!(sorted.iter().copied().eq(0..rows as u64));
    }
    assert_ne!(epochs[0], epochs[1]);
    assert_ne!(epochs[0], (0..rows as u64).collect::<Vec<_>>());
}

#[test]
fn a_batch_depends_on_nothing_but_its_number() {
    for data in [table(50), Dataset::mixture(1)] {
        let mut forward = Minibatches::new(7, 3);
        let in_order: Vec<BitMatrix> = (0..40).map(|update| forward.at(update, &data)).collect();
        let mut kept = forward.at(100, &data);
        for update in [39u64, 0, 17, 5, 17] {
            let fresh = Minibatches::new(7, 3).at(update, &data);
            assert_eq!(fresh, in_order[update as usize]);
            forward.fill(update, &data, &mut kept);
            assert_eq!(kept, fresh, "whatever the matrix held before");
        }
        assert_ne!(Minibatches::new(7, 4).at(0, &data), in_order[0]);
    }
}

#[test]
fn a_batch_may_be_larger_than_the_table() {
    let batch = Minibatches::new(25, 1).at(3, &table(10));
    assert_eq!(batch.rows(), 25);
}

#[test]
fn the_streams_modes_and_flips_have_the_papers_frequencies() {
    let mixture = Mixture::new(1);
    let flips = [0.0001, 0.0137, 0.0215, 0.0223, 0.0544];
    let (mut chosen, mut flipped) = (vec![0u64; 5], vec![0u64; 5]);
    let mut batch = BitMatrix::zeros(0, 784);
    let images = mixture.known_modes().centres();
    for step in 0..4000 {
        mixture.draw(5, Key { seed: 2, step }, Purpose::Examples, &mut batch);
        for row in 0..5 {
            let distance = |mode: usize| -> u32 {
                let pairs = batch.row(row).iter().zip(images.row(mode));
                pairs.map(|(a, b)| (a ^ b).count_ones()).sum()
            };
            let mode = (0..5).min_by_key(|&mode| distance(mode)).unwrap();
            chosen[mode] += 1;
            flipped[mode] += u64::from(distance(mode));
        }
    }
    let score = chi_square_score(&chosen, mixture.weights());
    assert!(score < 4.0, "{chosen:?}: {score}");
    for (mode, p) in flips.iter().enumerate() {
        let pixels = (chosen[mode] * 784) as f64;
        let score = (flipped[mode] as f64 - pixels * p) / (pixels * p * (1.0 - p)).sqrt();
        assert!(score.abs() < 4.0, "mode {mode}: {} flips of {pixels}: {score}", flipped[mode]);
    }
}

#[test]
fn another_data_seed_gives_other_images_and_the_same_seed_the_same() {
    let images = |seed| Mixture::new(seed).known_modes().centres().clone();
    assert_eq!(images(3), images(3));
    assert_ne!(images(3), images(4));
}
