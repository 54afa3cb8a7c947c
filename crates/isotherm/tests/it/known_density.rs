//! The seam of data with a known density, from outside: a toy is learned and measured like the paper's mixture.

use isotherm::likelihood::{Effort, Method, measure};
use isotherm::model::Parameters;
use isotherm::prelude::*;
use isotherm::{Key, Purpose};
use isotherm_kernels::Matrix;

use crate::coins::Coins;

fn coins() -> Coins {
    Coins(vec![-2.5, -1.0, 0.5, 1.5, 3.0])
}

/// The model that is these coins: visible biases alone.
fn model(coins: &Coins) -> Rbm {
    let zeros = Parameters::zeros(coins.0.len(), 3);
    Rbm::new(Parameters { c: Matrix::from_row(&coins.0), ..zeros })
}

#[test]
fn the_truth_has_minus_the_entropy_without_an_error() {
    let data = Dataset::from_density(coins());
    for effort in [Effort::Quick, Effort::Full] {
        let found = measure(&model(&coins()), &data, effort).unwrap();
        let error = found.value - data.limit().unwrap();
        assert!(error.abs() < 1e-9 && found.std_error < 1e-9, "{found:?}");
        assert_eq!((found.method, found.on.as_str()), (Method::Exact, "coins"));
    }
}

/// E[log p] of fair coins is −n log 2 whatever the data, of other coins −Σ cross entropies.
#[test]
fn other_models_have_their_cross_entropy() {
    let data = Dataset::from_density(coins());
    let other = Coins(vec![0.0, 1.0, 1.0, -0.5, 2.0]);
    let cross: f64 = (data.marginals().iter().zip(&other.0))
        .map(|(p, &c)| p * f64::from(c) - f64::from(c).exp().ln_1p())
        .sum();
    let found = measure(&model(&other), &data, Effort::Full).unwrap();
    assert!(found.std_error > 0.0, "{found:?}");
    assert!((found.value - cross).abs() < 4.0 * found.std_error, "{found:?} against {cross}");
}

#[test]
fn a_stream_from_outside_is_learned_up_to_its_entropy() {
    let data = Dataset::from_density(coins());
    let model = Training::on(&data).hidden(2).updates(3000).batch(20).seed(1).run().unwrap();
    let found = model.log_likelihood(&data).unwrap();
    let limit = data.limit().unwrap();
    assert!(found.value <= limit + 4.0 * found.std_error, "{found:?} against {limit}");
    assert!(found.value > limit - 0.05, "{found:?} against {limit}");
}

#[test]
fn a_dataset_says_what_its_density_says() {
    let data = Dataset::from_density(coins());
    assert_eq!((data.name(), data.n_visible(), data.examples()), ("coins", 5, None));
    assert_eq!(data.describe(), "coins: an endless stream of 5 variables");
    assert!(data.bits().is_none() && data.modes().is_none() && data.shape().is_none());
    assert!(data.density().is_some() && data.constant_columns().is_empty());
    assert_eq!(data.digest(), Dataset::from_density(coins()).digest());
    assert_ne!(data.digest(), Dataset::from_density(Coins(vec![0.0; 5])).digest());
    // A minibatch and a start from data are draws from the density.
    let key = Key { seed: 3, step: 7 };
    let mut expected = BitMatrix::zeros(0, 5);
    isotherm::data::KnownDensity::draw(&coins(), 9, key, Purpose::Examples, &mut expected);
    assert_eq!(data.draw(9, key), expected);
    assert_eq!(isotherm::data::Minibatches::new(9, 3).at(7, &data), expected);
}
