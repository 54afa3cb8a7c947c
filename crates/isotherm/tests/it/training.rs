//! Training in a few lines: what is not chosen follows from the data.

use isotherm::options::{Chosen, Pace};
use isotherm::paths::PathContext;
use isotherm::prelude::*;
use isotherm::tempering::Densities;

fn plan_of(training: &Training) -> &Options {
    training.trainer().plan().options()
}

#[test]
fn what_is_not_chosen_follows_from_the_data() {
    let data = Dataset::from_rows(&[[1, 0, 1], [0, 1, 1]].repeat(600)).unwrap();
    let mut expected = Options::for_examples().hidden(3);
    expected.adapt_to(&data, &Chosen::default());
    let training = Training::on(&data).hidden(3).begin().unwrap();
    assert_eq!(plan_of(&training), expected.check(3).unwrap().options());
    let Pace { updates, lr } = Pace::of(1200, 100, false, None);
    let optimiser = &plan_of(&training).optimiser;
    assert_eq!((optimiser.updates, optimiser.lr), (updates, lr));

    // What is chosen stays, also where it is the default of the mixture or of files.
    let chosen = Training::on(&data).batch(5).lr(0.05).l1(0.0).updates(700).begin().unwrap();
    let optimiser = &plan_of(&chosen).optimiser;
    assert_eq!((optimiser.batch, optimiser.lr), (5, 0.05));
    assert_eq!((optimiser.l1, optimiser.updates), (0.0, 700));
}

#[test]
fn the_mixture_has_the_defaults_of_the_paper() {
    let data = Dataset::mixture(1);
    let training = Training::on(&data).begin().unwrap();
    assert_eq!(plan_of(&training), Options::default().check(784).unwrap().options());
}

#[test]
fn options_that_do_not_go_together_are_refused() {
    let data = Dataset::from_rows(&[[1, 0, 1], [0, 1, 1]]).unwrap();
    let refused = Training::on(&data).algorithm(Algorithm::Exact).hidden(17).run();
    assert_eq!(refused.unwrap_err().kind(), Kind::Options);
}

/// The same path for a plan, and for whoever samples or evaluates without one.
#[test]
fn one_rule_chooses_the_path() {
    let cases = [
        (40, 32, PathKind::HiddenMarginal),
        (40, 33, PathKind::BaseRate),
        (9, 10, PathKind::BaseRate),
    ];
    for (n_visible, n_hidden, expected) in cases {
        assert_eq!(PathKind::automatic(n_visible, n_hidden), expected);
        assert_eq!(Options::default().hidden(n_hidden).check(n_visible).unwrap().path(), expected);
        let marginals = vec![0.25; n_visible];
        let context = PathContext::new(&marginals, n_hidden);
        let log_z = |path: PathKind| path.ensemble(&context).log_z_of_reference();
        assert_eq!(log_z(PathKind::Auto), log_z(expected));
        let others = [PathKind::BaseRate, PathKind::HiddenMarginal];
        let other = others.into_iter().find(|&path| path != expected).unwrap();
        assert_ne!(log_z(PathKind::Auto), log_z(other));
        assert_eq!(PathKind::Auto.ensemble(&context).hidden().cols(), n_hidden);
    }
}
