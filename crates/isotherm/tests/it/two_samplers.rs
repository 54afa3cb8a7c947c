//! Samples by two samplers, and the weights of clusters in them, on a model whose clusters are known.

use std::sync::Arc;

use isotherm::diagnostics::Diagnostic;
use isotherm::model::{Parameters, Rbm};
use isotherm::references::{Distribution, Mixture, Reference};
use isotherm::sampling::{
    ClusterWeights, ClustersOf, FirstStates, Known, LadderFrom, SampleOptions, Samples,
    sample_model,
};
use isotherm_kernels::{BitMatrix, Matrix};
use isotherm_tempering::streams::Key;

const N_VISIBLE: usize = 40;

/// The log-odds of the first cluster; those of the second are the opposite.
fn pattern() -> Vec<f32> {
    (0..N_VISIBLE).map(|j| if j * 7 % 4 < 2 { 2.5 } else { -2.5 }).collect()
}

/// Two clusters, the second of this weight, and its only hidden unit that matters tells which it is. As many of the
/// pattern's units are on as off, so that the normalisers of both are the same. There are too many hidden units for the
/// hidden-marginal path.
fn planted(second: f64) -> Rbm {
    let mut parameters = Parameters::zeros(N_VISIBLE, 40);
    for (j, odds) in pattern().into_iter().enumerate() {
        parameters.c.row_mut(0)[j] = odds;
        parameters.w.row_mut(j)[0] = -2.0 * odds;
    }
    parameters.b.row_mut(0)[0] = (second / (1.0 - second)).ln() as f32;
    Rbm::new(parameters)
}

fn mixture(second: f64) -> Mixture {
    let odds: Vec<f32> = pattern().into_iter().chain(pattern().iter().map(|x| -x)).collect();
    Mixture::new(&[1.0 - second, second], Matrix::from_dense(2, N_VISIBLE, &odds))
}

fn rows(second: f64) -> BitMatrix {
    mixture(second).draw(2000, Key { seed: 9, step: 0 }).0
}

fn base_rates() -> Reference {
    Reference::from(&[0.5; N_VISIBLE])
}

fn drawn(model: &Rbm, known: &Known<'_>, options: SampleOptions) -> (Samples, ClusterWeights) {
    let samples = sample_model(model, known, &options.seed(3), |_| true).unwrap();
    let clusters = samples.clusters.clone().unwrap();
    (samples, clusters)
}

/// Every part has the true weights, within five standard errors for as many draws as it says it is worth, and a model
/// with the weights of its data raises nothing.
#[test]
fn both_samplers_find_the_weights_of_a_model() {
    let (model, rows) = (planted(0.25), rows(0.25));
    let stored = Reference::from(&[0.5; N_VISIBLE]).with_mixture(mixture(0.25));
    for reference in [base_rates(), stored] {
        let known = Known::default().reference(reference.clone()).rows(Some(&rows));
        let options = SampleOptions::default().count(4001);
        let (samples, found) = drawn(&model, &known, options);
        assert_eq!(samples.v.rows(), 4001);
        let counts: Vec<usize> = samples.parts.iter().map(|part| part.count).collect();
        assert_eq!(counts, [2001, 2000]);
        assert_eq!((found.of, found.count()), (ClustersOf::Data, 2));
        let expected = match reference.mixture() {
            None => [LadderFrom::BaseRates, LadderFrom::Mixture],
            Some(_) => [LadderFrom::Mixture, LadderFrom::OtherMixture],
        };
        for (part, reference) in found.parts.iter().zip(expected) {
            assert_eq!(part.origin.reference, reference);
            let draws = part.effective_samples;
            assert!(draws > 100.0 && part.round_trips > 100, "{part:?}");
            let error = (0.25 * 0.75 / draws).sqrt();
            // A thousandth of the data is outside, by its definition.
            assert!((part.weights[1] - 0.25).abs() < 5.0 * error + 0.001, "{part:?}");
        }
        assert_eq!(found.parts[1].origin.start, FirstStates::Data);
        assert_eq!(samples.diagnose(), []);
    }
}

#[test]
fn weights_that_are_not_those_of_the_data_are_told() {
    let (model, rows) = (planted(0.25), rows(0.6));
    let known = Known::default().reference(base_rates()).rows(Some(&rows));
    let (samples, found) = drawn(&model, &known, SampleOptions::default().count(1000));
    let distance = found.from_data.unwrap();
    let error = 1.0 / found.parts.iter().map(|part| part.effective_samples).sum::<f64>().sqrt();
    assert!((distance.total_variation - 0.35).abs() < 5.0 * (0.5 * error + 0.011), "{distance:?}");
    let told = samples.diagnose();
    assert!(matches!(told[..], [Diagnostic::ClusterWeights { clusters: 2, .. }]), "{told:?}");
}

/// After a single step the first sampler is where its reference put it, evenly, and the second where the data are.
#[test]
fn samplers_that_have_not_mixed_disagree() {
    let (model, rows) = (planted(0.5), rows(0.05));
    let known = Known::default().reference(base_rates()).rows(Some(&rows));
    let options = SampleOptions::default().count(400).warm_up(1).thin(1);
    let (samples, found) = drawn(&model, &known, options);
    let told = samples.diagnose();
    let disagrees = |it: &Diagnostic| matches!(it, Diagnostic::SamplersDisagree { .. });
    assert!(told.iter().any(disagrees), "{told:?} {found:?}");
    // Columns are independent, and samples of one are not.
    assert!(found.parts.iter().all(|part| part.effective_samples < 150.0), "{found:?}");
}

/// Without data: clusters of the mixture in the model's file, or of what the samplers found.
#[test]
fn what_is_known_without_data() {
    let model = planted(0.25);
    let known = Known::of_distribution(&Distribution::Mixture(Arc::new(mixture(0.4))));
    let options = || SampleOptions::default().count(1000);
    let (samples, found) = drawn(&model, &known, options());
    assert_eq!(found.of, ClustersOf::Mixture);
    // 0.4 is not 0.25: its distance is known but for the samples' own error.
    let data = found.data.as_ref().unwrap();
    assert!((data[0] - 0.6).abs() < 1e-12 && (data[1] - 0.4).abs() < 1e-12, "{data:?}");
    assert_eq!(samples.diagnose().len(), 1);
    assert_eq!(found.parts[0].origin.reference, LadderFrom::Mixture);

    let (samples, found) = drawn(&model, &Known::default(), options());
    assert_eq!((found.of, found.count()), (ClustersOf::Samples, 2));
    assert_eq!((found.data.as_ref(), found.from_data), (None, None));
    for part in &found.parts {
        let error = (0.25 * 0.75 / part.effective_samples).sqrt();
        assert!((part.weights[1] - 0.25).abs() < 5.0 * error + 0.001, "{part:?}");
    }
    assert_eq!(samples.diagnose(), []);
}

/// A trace, a single sample or no warm-up leave no room for a second sampler.
#[test]
fn one_ladder_where_one_is_wanted() {
    let (model, rows) = (planted(0.25), rows(0.25));
    let known = Known::default().reference(base_rates()).rows(Some(&rows));
    let options = || SampleOptions::default().count(20).warm_up(20);
    for options in [options().traced(true), options().count(1), options().warm_up(0)] {
        let (samples, found) = drawn(&model, &known, options);
        assert_eq!((samples.parts.len(), found.between_parts), (1, None));
    }
}
