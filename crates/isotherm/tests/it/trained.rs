//! Trained models with a barrier, small enough to be enumerated.
#![allow(dead_code, clippy::unwrap_used, missing_docs)]

use isotherm::data::Dataset;
use isotherm::model::Rbm;
use isotherm::options::Options;
use isotherm::trainer::{TrainState, Trainer};
use isotherm_kernels::BitMatrix;
use rand::RngExt;

use crate::common::rng;

/// How noisy the copies of each pattern are: modes that are far apart and differ in entropy.
pub const NOISE: [f64; 4] = [0.005, 0.02, 0.04, 0.1];

/// The patterns of a seed, one a row.
pub fn images(n_visible: usize, seed: u64) -> BitMatrix {
    let mut rng = rng(seed);
    let rows: Vec<Vec<u8>> = NOISE
        .iter()
        .map(|_| (0..n_visible).map(|_| u8::from(rng.random::<bool>())).collect())
        .collect();
    BitMatrix::from_rows(n_visible, &rows)
}

/// Noisy copies of them.
pub fn patterns(n_visible: usize, count: usize, seed: u64) -> Dataset {
    let (images, mut rng) = (images(n_visible, seed), rng(seed + 1000));
    let rows: Vec<Vec<u8>> = (0..count)
        .map(|_| {
            let mode = rng.random_range(0..NOISE.len());
            (0..n_visible)
                .map(|j| u8::from(images.get(mode, j) ^ rng.random_bool(NOISE[mode])))
                .collect()
        })
        .collect();
    table(BitMatrix::from_rows(n_visible, &rows))
}

pub fn table(examples: BitMatrix) -> Dataset {
    Dataset::from_bits(examples).unwrap()
}

/// A model of the data after a short run.
pub fn train(data: &Dataset, hidden: usize, updates: u64) -> Rbm {
    let options = Options::default().hidden(hidden).updates(updates).batch(20).lr(0.05);
    let plan = options.check(data.n_visible()).unwrap();
    let mut state = TrainState::new(&plan, &data.marginals());
    let mut trainer = Trainer::new(plan, data.clone());
    for _ in 0..updates {
        trainer.step(&mut state).unwrap();
    }
    state.model().clone()
}
