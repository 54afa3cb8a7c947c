//! References that are fitted to the data: what is fitted, what is recorded of it, and what may go wrong.

use crate::common::*;
use crate::trained::patterns;
use isotherm::Kind;
use isotherm::data::Dataset;
use isotherm::model::{model_bundle, model_in};
use isotherm::options::{Options, Plan, ReferenceKind};
use isotherm::references::{Distribution, Fitted, Reference, SmallRbm};
use isotherm::tensors::{Bundle, TensorError};
use isotherm::trainer::TrainState;
use isotherm_kernels::BitMatrix;
use isotherm_tempering::streams::Key;

fn plan(kind: ReferenceKind, updates: u64) -> Plan {
    let options = Options::default().hidden(20).reference(kind).batch(100).updates(updates);
    options.components(Some(8)).reference_hidden(Some(5)).check(60).unwrap()
}

fn reference(kind: ReferenceKind, data: &Dataset, updates: u64) -> Reference {
    Reference::of(&plan(kind, updates), data, &mut |_, _| true).unwrap()
}

fn small(reference: &Reference) -> &SmallRbm {
    match reference.distribution() {
        Distribution::Rbm(small) => small,
        other => panic!("{other:?}"),
    }
}

/// log p by its definition, and draws: 40 000 of them, in a chi-square score that is about N(0, 1).
#[test]
fn a_small_rbm_is_drawn_from_exactly() {
    let small = small_rbm(5);
    let states = BitMatrix::from_words(32, 5, (0..32).collect()).unwrap();
    let logs = small.log_densities(&states);
    for (v, log) in logs.iter().enumerate() {
        let wanted =
            -small.model().free_energy_of_visible(&[v as u64]) - brute_force_log_z(small.model());
        assert!((log - wanted).abs() < 1e-9, "{log} for {wanted}");
    }
    let expected: Vec<f64> = logs.iter().map(|log| log.exp()).collect();
    let mut counts = vec![0; 32];
    let v = small.draw(40_000, Key { seed: 3, step: 0 });
    v.words().iter().for_each(|&word| counts[word as usize] += 1);
    let score = chi_square_score(&counts, &expected);
    assert!(score < 4.5, "{score}");
}

/// Four patterns with noise, which five hidden units can tell apart: better than independent units by far, with
/// draws in each of the clusters as often as rows are. A share of 500 draws is about 0.25 ± 0.02, and so is the one
/// of 500 rows; learning adds an error of its own.
#[test]
fn a_small_rbm_learns_the_clusters() {
    let data = patterns(60, 500, 2);
    let rows = data.bits().unwrap();
    let found = reference(ReferenceKind::Rbm, &data, 40_000);
    let fitted = found.fitted().unwrap();
    let &Fitted::Rbm { hidden, updates, log_likelihood } = fitted else { panic!("{fitted:?}") };
    assert_eq!(hidden, 5);
    assert!(updates > 1000, "{updates}");
    let logs = small(&found).log_densities(rows);
    let mean = logs.iter().sum::<f64>() / logs.len() as f64;
    assert!((mean - log_likelihood).abs() < 1e-9, "{mean}, {log_likelihood}");
    let independent: f64 = data
        .marginals()
        .iter()
        .filter(|p| **p > 0.0 && **p < 1.0)
        .map(|p| p * p.ln() + (1.0 - p) * (1.0 - p).ln())
        .sum();
    assert!(mean > independent + 15.0, "{mean} against {independent}");
    let images = crate::trained::images(60, 2);
    let shares = |rows: &BitMatrix| {
        let mut shares = [0.0; 4];
        for row in 0..rows.rows() {
            let distance = |image: &usize| (images.row(*image)[0] ^ rows.row(row)[0]).count_ones();
            shares[(0..4).min_by_key(distance).unwrap()] += 1.0 / rows.rows() as f64;
        }
        shares
    };
    let (of_rows, of_draws) =
        (shares(rows), shares(&small(&found).draw(500, Key { seed: 1, step: 0 })));
    let distance: f64 = 0.5 * of_rows.iter().zip(of_draws).map(|(a, b)| (a - b).abs()).sum::<f64>();
    assert!(distance < 0.15, "{of_rows:?}, {of_draws:?}");
}

/// The updates of a small RBM are a share of the work of the run.
#[test]
fn a_longer_run_trains_its_reference_for_longer() {
    let data = patterns(60, 500, 2);
    let updates = |updates| match reference(ReferenceKind::Rbm, &data, updates).fitted() {
        Some(&Fitted::Rbm { updates, .. }) => updates,
        other => panic!("{other:?}"),
    };
    let (short, long) = (updates(2000), updates(4000));
    assert!(short > 10 && long > short, "{short}, {long}");
    assert_eq!(updates(1), 1, "there is one in any case");
}

#[test]
fn the_same_seed_fits_the_same_reference_on_any_number_of_threads() {
    let data = patterns(60, 500, 2);
    for kind in [ReferenceKind::Mixture, ReferenceKind::Rbm] {
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| reference(kind, &data, 3000))
        };
        let one = on(1);
        assert_eq!(one, on(3));
        let other = plan(kind, 3000).options().clone().seed(2).check(60).unwrap();
        let other = Reference::of(&other, &data, &mut |_, _| true).unwrap();
        assert_ne!(one.distribution(), other.distribution());
    }
}

/// Checkpoints and files of models hold the reference and how it was fitted, bit for bit.
#[test]
fn a_fitted_reference_comes_back_from_files() {
    let data = patterns(60, 500, 2);
    for kind in [ReferenceKind::BaseRate, ReferenceKind::Mixture, ReferenceKind::Rbm] {
        let plan = plan(kind, 1000);
        let found = Reference::of(&plan, &data, &mut |_, _| true).unwrap();
        assert_eq!(found.fitted().is_some(), kind != ReferenceKind::BaseRate);
        let mut bundle = Bundle::default();
        found.insert_into(&mut bundle).unwrap();
        let bundle = Bundle::from_bytes(&bundle.to_bytes().unwrap()).unwrap();
        assert_eq!(Reference::take_from(&bundle).unwrap(), found);
        let state = TrainState::new(&plan, &found);
        let file = model_bundle(state.model().parameters(), state.averaged(), &found).unwrap();
        assert_eq!(&model_in(&file).unwrap().reference, found.distribution());
    }
}

/// More components that are left, or died, than were asked for.
#[test]
fn impossible_counts_of_components_are_refused() {
    let found = reference(ReferenceKind::Mixture, &patterns(60, 500, 2), 1000);
    let components = found.mixture().unwrap().components() as u64;
    let mut bundle = Bundle::default();
    found.insert_into(&mut bundle).unwrap();
    for counts in [[components - 1, 0, 5], [components + 1, 2, 5], [components, u64::MAX, 5]] {
        bundle.insert("reference.counts", &[3], &counts).unwrap();
        let refusal = Reference::take_from(&bundle).map(drop).unwrap_err();
        let is_that = |cause: &TensorError| matches!(cause, TensorError::Inconsistent { .. });
        assert!(refusal.cause().is_some_and(is_that), "{counts:?}: {refusal}");
    }
    bundle.insert("reference.counts", &[3], &[components + 2, 2, 5]).unwrap();
    Reference::take_from(&bundle).unwrap();
}

/// An earlier version wrote a mixture and not how it was fitted.
#[test]
fn a_mixture_of_an_earlier_version_is_read() {
    let found = reference(ReferenceKind::Mixture, &patterns(60, 500, 2), 1000);
    let mut bundle = Bundle::default();
    found.insert_into(&mut bundle).unwrap();
    bundle
        .tensors
        .retain(|name, _| !["reference.counts", "reference.log_likelihood"].contains(&&**name));
    let read = Reference::take_from(&bundle).unwrap();
    assert_eq!((read.distribution(), read.fitted()), (found.distribution(), None));
}

#[test]
fn a_reference_that_cannot_be_enumerated_is_refused() {
    let mut bundle = Bundle::default();
    Reference::from(&[0.5; 30]).insert_into(&mut bundle).unwrap();
    random_rbm(30, 17, 1.0, 1).parameters().insert_into(&mut bundle, "reference.").unwrap();
    let error = Reference::take_from(&bundle).unwrap_err();
    assert_eq!(error.kind(), Kind::Corrupt);
    assert!(matches!(error.cause(), Some(TensorError::Inconsistent { .. })), "{error}");
}

/// A fit tells how far it is, and ends when it is told to.
#[test]
fn a_fit_is_watched_and_stopped() {
    let data = patterns(60, 500, 2);
    for kind in [ReferenceKind::Mixture, ReferenceKind::Rbm] {
        let mut shares = Vec::new();
        let stopped = Reference::of(&plan(kind, 4000), &data, &mut |_, share| {
            shares.push(share);
            shares.len() < 3
        });
        assert_eq!(stopped.unwrap_err().kind(), Kind::Interrupted);
        assert!(shares.len() == 3 && shares.is_sorted() && shares[2] > 0.0, "{shares:?}");
    }
    let untold = &mut |_: &str, _: f64| panic!("base rates need no fit");
    Reference::of(&plan(ReferenceKind::BaseRate, 1000), &data, untold).unwrap();
}
