//! log Z by enumeration against brute force, and the mixture's likelihood against known figures.

use crate::common::*;
use isotherm::data::{Dataset, KnownDensity, Mixture, Stratum};
use isotherm::likelihood::{Budget, Effort, LogZMethod, LogZResult, exact, measure};
use isotherm::model::{Parameters, Rbm};
use isotherm_kernels::{BitMatrix, Matrix};
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
        let h = BitMatrix::from_words(1, 4, vec![state]).unwrap();
        let v = BitMatrix::from_words(1, 5, vec![state]).unwrap();
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
    let rows = BitMatrix::from_rows(6, &all);
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
        let rows = BitMatrix::from_rows(n_visible, &rows);
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

/// log Z to the bit, as it was before the sum was divided into rounds (commit 2cb3113). The models of
/// 9000 units take more than one round for a chunk; the scales of 100 and more overflow exponentials.
#[test]
fn log_z_keeps_its_recorded_bits() {
    let recorded = [
        ((5, 3, 2.0, 1), 0x401f5070ecc5509a_u64),
        ((6, 6, 2.0, 2), 0x402d73a8cc65ee10),
        ((40, 9, 1.0, 3), 0x4045595f26d672df),
        ((11, 60, 1.0, 4), 0x405141cd8a9840b6),
        ((300, 12, 0.5, 5), 0x406eb2969f866aea),
        ((31, 14, 3.0, 6), 0x40589757820496b2),
        ((17, 33, 1.5, 7), 0x404b55df1f0023ea),
        ((40, 9, 500.0, 8), 0x40cc445768c00000),
        ((14, 25, 300.0, 9), 0x40c17fb4bce55548),
        ((16, 700, 120.0, 10), 0x40f256ed1ffe93fd),
        ((20, 30, 1.0, 11), 0x404a2fe995af263e),
        ((9000, 17, 0.1, 12), 0x40b8a97cc578f22d),
        ((9000, 17, 1.0, 13), 0x40c56274c7875e53),
        ((9000, 17, 100.0, 14), 0x412a6cb276d9dbd2),
    ];
    for ((n_visible, n_hidden, scale, seed), bits) in recorded {
        let rbm = random_rbm(n_visible, n_hidden, scale, seed);
        let got = exact::log_z(&rbm).unwrap();
        assert_eq!(got.to_bits(), bits, "{n_visible} x {n_hidden}, scale {scale}: {got}");
    }
}

/// log Z of a model on this number of threads, or nothing if it was abandoned after `calls` calls of the
/// progress callback; and the shares that the callback was given.
fn log_z_for_some_calls(rbm: &Rbm, threads: usize, calls: usize) -> (Option<f64>, Vec<f64>) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let mut shares = Vec::new();
    let mut note = |share| {
        shares.push(share);
        shares.len() < calls
    };
    let log_z = pool.install(|| exact::log_z_with_progress(rbm, &mut note));
    // What was abandoned leaves no trace: the same threads can sum again.
    let small = random_rbm(40, 9, 1.0, 3);
    let again = pool.install(|| exact::log_z(&small).unwrap());
    assert_eq!(again.to_bits(), 0x4045595f26d672df);
    (log_z.map_err(|why| assert_eq!(why.kind(), isotherm::Kind::Interrupted)).ok(), shares)
}

/// Terms, of one state and one unit of the larger layer, that a thread may sum between two calls.
const TERMS: f64 = (1 << 24) as f64;

/// Whoever waits for an interruption waits for a bounded amount of work, however large the whole is:
/// here 2^25 states of 8000 terms, at small weights and at weights whose exponentials overflow.
#[test]
fn an_enumeration_can_be_abandoned_after_a_bounded_amount_of_work() {
    for (scale, threads) in [(0.3, 1), (0.3, 2), (0.3, 12), (300.0, 1), (300.0, 2)] {
        let rbm = random_rbm(8000, 25, scale, 1);
        let whole = 8000.0 * f64::from(1 << 25);
        let (log_z, shares) = log_z_for_some_calls(&rbm, threads, 3);
        assert_eq!((log_z, shares.len()), (None, 3));
        let mut before = 0.0;
        for share in shares {
            let terms = (share - before) * whole;
            assert!(terms > 0.0 && terms <= TERMS * threads as f64, "{terms} terms");
            before = share;
        }
    }
}

/// A whole enumeration of 2^30 terms makes at least 64 calls for each thread's share of them.
#[test]
fn the_callback_is_called_in_proportion_to_the_work() {
    for threads in [1, 2] {
        let (log_z, shares) =
            log_z_for_some_calls(&random_rbm(1024, 20, 0.3, 1), threads, usize::MAX);
        assert!(log_z.is_some() && shares.is_sorted() && shares.last() == Some(&1.0));
        assert!(shares.len() * threads >= 64, "{} calls", shares.len());
    }
    // A small sum is complete at the first call.
    assert_eq!(log_z_for_some_calls(&random_rbm(40, 14, 0.3, 1), 2, usize::MAX).1, [1.0]);
}

/// What decides whether an enumeration reports its progress is its work, not the number of its states.
#[test]
fn a_long_enumeration_reports_its_progress_and_a_short_one_does_not() {
    let stages = |n_visible: usize, n_hidden: usize| {
        let data = Dataset::from_rows(&[vec![0u8; n_visible]]).unwrap();
        let rbm = random_rbm(n_visible, n_hidden, 0.1, 1);
        let mut told = Vec::new();
        let mut tell = |stage: &str, share| {
            told.push((stage.to_owned(), share));
            true
        };
        LogZResult::find(&rbm, &data, LogZMethod::Exact, &Budget::quick(), &mut tell).unwrap();
        told
    };
    assert_eq!(stages(40, 14), []);
    let told = stages(9000, 14);
    assert!(told.iter().all(|(stage, _)| stage == "enumerating") && told.len() > 1);
    assert!(told.is_sorted_by_key(|told| told.1) && told[told.len() - 1].1 == 1.0);
}

#[test]
fn too_many_units_are_refused_by_name() {
    let rbm = Rbm::new(Parameters::zeros(30, 26));
    let error = exact::log_z(&rbm).unwrap_err();
    assert_eq!(error.kind(), isotherm::Kind::TooLarge);
    let cause = exact::TooManyStates { visible: 30, hidden: 26, most: 25 };
    assert_eq!(error.cause(), Some(&cause));
    assert!(error.to_string().contains("26 units"), "{error}");
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
    for Stratum { weight: w, examples } in mixture.strata(4000) {
        let logs: Vec<f64> =
            (0..examples.rows()).map(|row| mixture.log_density(examples.row(row))).collect();
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
