//! The online estimate of log Z along a run, against the enumerated value.

use crate::common::*;
use isotherm::data::Dataset;
use isotherm::likelihood::{Estimate, exact};
use isotherm::model::{PerfectSampler, Rbm};
use isotherm::options::{Algorithm, LrDecay, Options};
use isotherm::trainer::{TrainState, Trainer};
use isotherm_kernels::BitMatrix;
use isotherm_tempering::streams::Key;

/// Trains, and at some of the updates passes on log Z of the averaged model, estimated online and exact.
fn watch(
    options: &Options,
    data: Dataset,
    at: impl Fn(u64) -> bool,
    mut look: impl FnMut(Estimate, f64),
) {
    let plan = options.check(data.n_visible()).unwrap();
    let mut state = TrainState::new(&plan, &data.marginals());
    let mut trainer = Trainer::new(plan, data);
    for update in 1..=options.optimiser.updates {
        trainer.step(&mut state).unwrap();
        if at(update) {
            let averaged = Rbm::new(state.averaged().clone());
            let seen = state.online().unwrap().log_z(&averaged).unwrap().estimate;
            look(seen, exact::log_z(&averaged).unwrap());
        }
    }
}

/// How often the 95 % interval holds the enumerated log Z of the averaged model along a run, and
/// how far the two are apart at the end.
fn follow(options: &Options, data: Dataset) -> (f64, f64) {
    let (mut inside, mut looks, mut apart) = (0, 0, 0.0);
    let every = options.optimiser.updates / 50;
    let at = |update: u64| update.is_multiple_of(every) && update > 2 * every;
    watch(options, data, at, |seen, truth| {
        looks += 1;
        inside += u32::from((seen.lower..=seen.upper).contains(&truth));
        apart = seen.value - truth;
    });
    (f64::from(inside) / f64::from(looks), apart)
}

/// Samples of a model with several modes.
fn table(rows: usize, n_visible: usize) -> Dataset {
    let rbm = random_rbm(n_visible, 8, 2.0, 5);
    let mut v = BitMatrix::zeros(rows, n_visible);
    let mut sampler = PerfectSampler::new(n_visible, 8);
    sampler.visible(&rbm, Key { seed: 3, step: 0 }, &mut v);
    Dataset::from_bits(v).unwrap()
}

fn options(algorithm: Algorithm) -> Options {
    Options::default()
        .algorithm(algorithm)
        .hidden(18)
        .batch(20)
        .updates(20_000)
        .lr(0.02)
        .lr_decay(LrDecay::HoldLinear)
}

/// The estimate does not use the samples that training draws, so it holds for every algorithm.
#[test]
fn the_interval_holds_the_enumerated_log_z() {
    for algorithm in [Algorithm::Cd, Algorithm::Sml, Algorithm::Apt] {
        let (inside, apart) = follow(&options(algorithm), table(2000, 30));
        assert!(inside >= 0.85, "{algorithm:?}: {inside} of the looks");
        assert!(apart.abs() < 0.05, "{algorithm:?}: {apart} nats at the end");
    }
}

/// With more hidden units than visible ones it takes base-rate Gibbs steps, as for every large model, and
/// log Z can still be enumerated.
#[test]
fn so_it_does_on_the_base_rate_path() {
    for algorithm in [Algorithm::Sml, Algorithm::Apt] {
        let options = options(algorithm).hidden(40);
        let (inside, apart) = follow(&options, table(2000, 20));
        assert!(inside >= 0.85, "{algorithm:?}: {inside} of the looks");
        assert!(apart.abs() < 0.05, "{algorithm:?}: {apart} nats at the end");
    }
}

/// Over many runs, at several places of each.
#[test]
fn the_error_that_is_told_is_the_error_that_is_made() {
    let (mut squares, mut inside, mut looks) = (0.0, 0, 0.0);
    for seed in 1..=15 {
        let options = options(Algorithm::Sml).seed(seed).updates(6000);
        let at = |update| [1000, 3000, 6000].contains(&update);
        watch(&options, table(2000, 30), at, |seen, truth| {
            squares += ((seen.value - truth) / seen.std_error).powi(2);
            inside += i32::from((seen.lower..=seen.upper).contains(&truth));
            looks += 1.0;
            assert!(seen.std_error < 0.03, "{}", seen.std_error);
        });
    }
    // Student's t with 15 degrees of freedom has the variance 15/13.
    assert!((0.5..1.8).contains(&(squares / looks)), "mean square {}", squares / looks);
    assert!(f64::from(inside) >= 0.9 * looks, "{inside} of {looks}");
}

/// A model that learns fast and has a real barrier. Its own replicas would flatter it by nats.
#[test]
fn a_moving_target_is_followed() {
    let options = options(Algorithm::Apt).batch(5).lr(0.01);
    let (_, apart) = follow(&options, Dataset::mixture(1));
    assert!(apart.abs() < 0.5, "{apart} nats at the end");
}
