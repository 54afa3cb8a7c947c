//! log Z by enumeration against brute force, and the mixture's likelihood against known figures.

use crate::common::*;
use isotherm::data::{Dataset, Mixture};
use isotherm::likelihood::{Effort, exact, measure};
use isotherm::model::{Parameters, Rbm};
use isotherm_kernels::Matrix;
use proptest::prelude::*;
use rand::RngExt;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn enumeration_of_either_layer_matches_brute_force(
        n_visible in 1usize..8,
        n_hidden in 1usize..8,
        scale in 0.0f32..6.0,
        seed in 0u64..1000,
    ) {
        let rbm = random_rbm(n_visible, n_hidden, scale, seed);
        let (fast, slow) = (exact::log_z(&rbm).unwrap(), brute_force_log_z(&rbm));
        // A few thousand f64 terms, each to an ulp or two of numbers up to 100.
        prop_assert!((fast - slow).abs() < 1e-10, "{} against {}", fast, slow);
    }

    #[test]
    fn free_energies_sum_out_the_other_layer(seed in 0u64..1000, v in 0u64..32, h in 0u64..16) {
        let rbm = random_rbm(5, 4, 2.0, seed);
        let over_h = log_sum_exp((0..16).map(|h| -energy(&rbm, v, h)));
        let over_v = log_sum_exp((0..32).map(|v| -energy(&rbm, v, h)));
        prop_assert!((over_h + rbm.free_energy_of_visible(&[v])).abs() < 1e-12);
        prop_assert!((over_v + rbm.free_energy_of_hidden(&[h])).abs() < 1e-12);
    }
}

#[test]
fn both_conditionals_match_enumeration() {
    let rbm = random_rbm(5, 4, 2.0, 77);
    for state in 0..16u64 {
        let h = isotherm_kernels::BitMatrix::from_words(1, 4, vec![state]).unwrap();
        let v = isotherm_kernels::BitMatrix::from_words(1, 5, vec![state]).unwrap();
        let (v_mean, h_mean) = (rbm.visible_mean(&h), rbm.hidden_mean(&v));
        let total = |units: u32, f: &dyn Fn(u64) -> f64, of: &dyn Fn(u64) -> bool| {
            log_sum_exp((0..1 << units).filter(|x| of(*x)).map(f)).exp()
        };
        for j in 0..5 {
            let f = |v: u64| -energy(&rbm, v, state);
            let p = total(5, &f, &|v| v >> j & 1 == 1) / total(5, &f, &|_| true);
            assert!((f64::from(v_mean.row(0)[j]) - p).abs() < 1e-6, "v_{j} given {state}");
        }
        for i in 0..4 {
            let f = |h: u64| -energy(&rbm, state, h);
            let p = total(4, &f, &|h| h >> i & 1 == 1) / total(4, &f, &|_| true);
            assert!((f64::from(h_mean.row(0)[i]) - p).abs() < 1e-6, "h_{i} given {state}");
        }
    }
}

/// Nine units are more than the chunks tell apart, and 300 are more than a kernel's block.
#[test]
fn large_layers_are_summed_right() {
    let rbm = random_rbm(300, 9, 0.5, 5);
    let slow = log_sum_exp((0..512).map(|h| -rbm.free_energy_of_hidden(&[h])));
    assert!((exact::log_z(&rbm).unwrap() - slow).abs() < 1e-9);
}

#[test]
fn probabilities_sum_to_one() {
    let rbm = random_rbm(6, 3, 2.0, 1);
    let all: Vec<Vec<u8>> = (0..64).map(|v| (0..6).map(|j| v >> j & 1).collect()).collect();
    let rows = isotherm_kernels::BitMatrix::from_rows(6, &all);
    let log_p = exact::log_probabilities(&rbm, exact::log_z(&rbm).unwrap(), &rows);
    let total: f64 = log_p.iter().map(|log| log.exp()).sum();
    assert!((total - 1.0).abs() < 1e-12);
}

/// Odd sizes on both sides of a word, and more rows than are worked on at a time.
#[test]
fn probabilities_follow_the_definition() {
    for (n_visible, n_hidden) in [(1, 1), (7, 12), (31, 3), (64, 10), (65, 7), (785, 10)] {
        let rbm = random_rbm(n_visible, n_hidden, 2.0, 8);
        let mut rng = rng(9);
        let rows: Vec<Vec<u8>> =
            (0..600).map(|_| (0..n_visible).map(|_| rng.random_range(0..2)).collect()).collect();
        let rows = isotherm_kernels::BitMatrix::from_rows(n_visible, &rows);
        for count in [1, 255, 257, 600] {
            let some = rows.select(&(0..count).collect::<Vec<_>>());
            let log_p = exact::log_probabilities(&rbm, 3.0, &some);
            assert_eq!(log_p.len(), count);
            for (i, got) in log_p.iter().enumerate() {
                let want = -rbm.free_energy_of_visible(some.row(i)) - 3.0;
                // 785 additions of numbers up to a few hundred.
                assert!((got - want).abs() < 1e-10, "{got} for {want}");
            }
        }
    }
}

#[test]
fn the_sum_does_not_depend_on_the_number_of_threads() {
    let rbm = random_rbm(40, 12, 1.0, 2);
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| exact::log_z(&rbm).unwrap()).to_bits()
    };
    assert_eq!(with(1), with(2));
    assert_eq!(with(1), with(5));
}

#[test]
fn too_many_units_are_refused_by_name() {
    let rbm = Rbm::new(Parameters::zeros(30, 26));
    let error = exact::log_z(&rbm).unwrap_err();
    assert!(error.is_too_large());
    let text = error.to_string();
    assert!(text.contains("26 units") && text.contains("25"), "{text}");
    assert!(exact::log_z(&Rbm::new(Parameters::zeros(26, 3))).is_ok());
}

/// A model of independent pixels at these log-odds.
fn independent(c: Vec<f32>) -> Rbm {
    let n = c.len();
    Rbm::new(Parameters {
        w: Matrix::zeros(n, 10),
        b: Matrix::zeros(1, 10),
        c: Matrix::from_row(&c),
    })
}

#[test]
fn the_mixture_has_the_papers_entropy() {
    let mixture = Mixture::new(1);
    assert!((mixture.entropy() - 78.826).abs() < 5e-4, "{}", mixture.entropy());
    let total: f64 = mixture.weights().iter().sum();
    assert!((total - 1.0).abs() < 1e-12);
    // −E[log f] by strata, against the formula.
    let (mut mean, mut variance) = (0.0, 0.0);
    for (stratum, w) in mixture.strata(4000).iter().zip(mixture.weights()) {
        let logs: Vec<f64> =
            (0..stratum.rows()).map(|row| mixture.log_density(stratum.row(row))).collect();
        let n = logs.len() as f64;
        let m = logs.iter().sum::<f64>() / n;
        mean += w * m;
        variance += w * w * logs.iter().map(|x| (x - m).powi(2)).sum::<f64>() / (n * (n - 1.0));
    }
    let score = (mean + mixture.entropy()) / variance.sqrt();
    assert!(score.abs() < 4.0, "mean log f {mean}, {score} standard errors from −H");
}

#[test]
fn simple_models_of_the_mixture_have_their_known_likelihoods() {
    let data = Dataset::mixture(1);
    // Uniform: −784 log 2, whatever the data.
    let uniform = measure(&independent(vec![0.0; 784]), &data, Effort::Full).unwrap();
    let exact = -784.0 * 2f64.ln();
    assert!((uniform.value - exact).abs() < 4.0 * uniform.std_error, "{uniform:?}");
    // Independent pixels at the true marginals: minus the sum of their entropies.
    let marginals = data.marginals();
    let odds = marginals.iter().map(|p| (p / (1.0 - p)).ln() as f32).collect();
    let independent = measure(&independent(odds), &data, Effort::Full).unwrap();
    let exact: f64 = marginals.iter().map(|p| p * p.ln() + (1.0 - p) * (1.0 - p).ln()).sum();
    assert!((independent.value - exact).abs() < 4.0 * independent.std_error, "{independent:?}");
    assert!(independent.lower < independent.value && independent.value < independent.upper);
}
