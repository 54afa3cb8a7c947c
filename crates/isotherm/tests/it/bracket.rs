//! The whole estimate of log Z: does the bracket hold, does the verdict speak up.

use crate::common::*;
use crate::trained::{patterns, table, train};
use isotherm::Kind;
use isotherm::data::Dataset;

use isotherm::likelihood::bracket::log_z;
use isotherm::likelihood::{
    AnnealingEffort, Budget, BudgetError, End, Estimate, Length, LogLikelihood, LogZ, Start, exact,
    log_likelihood, name,
};
use isotherm::model::{Parameters, Rbm};
use isotherm_kernels::{BitMatrix, Matrix};
use rand::RngExt;

/// A small budget, so that errors are not negligible.
fn budget(seed: u64) -> Budget {
    let annealing =
        AnnealingEffort { particles: 64, most_batches: 2, steps: 200, most_steps: 800, error: 0.1 };
    Budget { annealing, sampler: Length::chosen(8, 300), seed }
}

fn estimate(rbm: &Rbm, data: &Dataset, budget: &Budget) -> LogZ {
    log_z(rbm, data, budget, &mut |_, _| true).unwrap()
}

/// A trained model of 20 hidden units, and one of 40 that is enumerated by its visible units: their
/// brackets hold, and nothing speaks against them.
#[test]
fn the_bracket_holds_where_the_sampler_mixes() {
    for (n_visible, hidden, updates) in [(60, 20, 3000), (18, 40, 1000)] {
        let data = patterns(n_visible, 500, 2);
        let rbm = train(&data, hidden, updates);
        let truth = exact::log_z(&rbm).unwrap();
        let (mut held, mut converged) = (0, 0);
        // Annealing errs to one side, so that one end of its interval is a bound: up from either reference and down from
        // the samples of each sampler. Then the value with its error.
        let bounds = |it: &Estimate| {
            usize::from(match it.bounding_end {
                Some(End::Lower) => it.lower <= truth,
                Some(End::Upper) => truth <= it.upper,
                None => unreachable!("annealing bounds"),
            })
        };
        let mut of_each = [0; 7];
        let mut errors = [0.0; 2];
        for seed in 1..=40 {
            let it = estimate(&rbm, &data, &budget(seed));
            held += usize::from(it.lower <= truth && truth <= it.upper);
            let near = usize::from((it.value - truth).abs() < 1.96 * it.std_error);
            let each = it.forward_ais.iter().chain(&it.reverse_ais).map(bounds).chain([near]);
            of_each.iter_mut().zip(each).for_each(|(sum, it)| *sum += it);
            let up = it.forward_ais.iter().map(|it| it.value - truth);
            errors.iter_mut().zip(up).for_each(|(sum, error)| *sum += error / 40.0);
            converged += usize::from(it.verdict.converged);
            assert!(it.lower <= it.value && it.value <= it.upper, "{it:?}");
            assert!(it.upper - it.lower < 3.0, "a bracket of some use: {it:?}");
        }
        println!(
            "{n_visible} × {hidden}: {held} held, {of_each:?}, {converged} converged, {errors:?}"
        );
        // Over 200 seeds annealing up was 0.004 to 0.012 too low on average, with a standard deviation of at most 0.08,
        // which is 0.013 of the mean of 40.
        assert!(errors.iter().all(|error| error.abs() < 0.06), "{errors:?}");
        assert!(
            of_each.iter().all(|&held| held >= 36),
            "{of_each:?} of 40 for {n_visible} × {hidden}"
        );
        assert!(held >= 36, "{held} of 40 brackets of {n_visible} × {hidden} units");
        assert!(converged >= 32, "{converged} of 40 of {n_visible} × {hidden} units converged");
    }
}

/// Five steps are too few for a round trip. A sampler that may go on does so until its replicas have come
/// round and its starts agree, and not for as long as it might.
#[test]
fn a_sampler_whose_starts_do_not_agree_goes_on() {
    let data = patterns(60, 500, 2);
    let rbm = train(&data, 20, 3000);
    let truth = exact::log_z(&rbm).unwrap();
    let with = |seed, most_steps| {
        let sampler = Length { most_steps, ..Length::fixed(8, 5) };
        // So many that annealing does not stand in the way.
        let annealing = AnnealingEffort { particles: 256, ..budget(seed).annealing };
        estimate(&rbm, &data, &Budget { sampler, annealing, seed })
    };
    let mut held = 0;
    for seed in 1..=10 {
        assert!(!with(seed, 5).verdict.converged, "seed {seed}");
        let it = with(seed, 5 << 12);
        assert!(it.verdict.converged, "seed {seed}: {}", it.verdict.sentence);
        let steps: Vec<u64> = it.samplers.iter().map(|sampler| sampler.steps).collect();
        println!("seed {seed}: {steps:?}");
        assert_eq!(steps, [steps[0]; 4]);
        assert!(steps[0] > 5 && steps[0] < 5 << 12, "{steps:?}");
        held += usize::from(it.lower <= truth && truth <= it.upper);
    }
    assert!(held >= 8, "{held} of 10 brackets");
}

/// As many steps as were chosen, a first look or not.
#[test]
fn a_chosen_number_of_steps_is_taken() {
    let data = patterns(60, 500, 2);
    let rbm = train(&data, 20, 3000);
    let truth = exact::log_z(&rbm).unwrap();
    for steps in [2, 7, 1200] {
        let it = estimate(&rbm, &data, &Budget { sampler: Length::chosen(8, steps), ..budget(1) });
        assert!(it.samplers.iter().all(|sampler| sampler.steps == steps), "{:?}", it.samplers);
        if steps == 1200 {
            assert!(it.verdict.converged, "{}", it.verdict.sentence);
            assert!(it.lower <= truth && truth <= it.upper, "{it:?}, not {truth}");
        }
    }
}

/// Two modes of very different entropy: one of the 2²⁴ hidden states, with all units on, holds
/// nearly all of the mass, and the others are all alike and lead nowhere. A sampler that starts at
/// random does not find the one.
fn two_far_modes() -> (Rbm, Dataset) {
    let (coupled, n_hidden, coupling) = (12, 24, 4.0f32);
    // As many visible units as hidden ones, so that the former are summed out; half of them idle.
    let n_visible = n_hidden;
    let weight = |at: usize| if at / n_hidden < coupled { coupling } else { 0.0 };
    // c + Wh is 2 with all hidden units on, −2 with one off, and then −6, −10, …
    let bias = |j: usize| if j < coupled { coupling * (0.5 - n_hidden as f32) } else { 0.0 };
    let rbm = Rbm::new(Parameters {
        w: Matrix::from_dense(
            n_visible,
            n_hidden,
            &(0..n_visible * n_hidden).map(weight).collect::<Vec<_>>(),
        ),
        b: Matrix::zeros(1, n_hidden),
        c: Matrix::from_row(&(0..n_visible).map(bias).collect::<Vec<_>>()),
    });
    let unit = |row: usize, j: usize| if j < coupled { row % 2 } else { row >> (j % 8) & 1 };
    let rows: Vec<Vec<u8>> =
        (0..400).map(|row| (0..n_visible).map(|j| unit(row, j) as u8).collect()).collect();
    (rbm, table(BitMatrix::from_rows(n_visible, &rows)))
}

/// From the base rates no sampler finds that state. References that are fitted to rows of both modes hold both, but
/// replicas may hardly travel between them: the bracket contains what annealing found component by component.
#[test]
fn two_modes_of_different_entropy_are_within_the_bracket() {
    let (rbm, data) = two_far_modes();
    let truth = exact::log_z(&rbm).unwrap();
    for seed in 1..=3 {
        let it = estimate(&rbm, &data, &budget(seed));
        println!("{:+.2} {}", it.value - truth, it.verdict.sentence);
        assert!(it.lower <= truth && truth <= it.upper, "{truth} {it:?}");
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let data = patterns(60, 200, 3);
    let rbm = random_rbm(60, 40, 0.3, 1);
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| estimate(&rbm, &data, &budget(1)))
    };
    let one = with(1);
    assert_eq!(one, with(2));
    assert_eq!(one, with(5));
    assert_ne!(one.value, estimate(&rbm, &data, &budget(2)).value, "another seed");
}

/// A likelihood is the mean −F(v) minus log Z; its bracket is log Z's, turned round.
#[test]
fn the_likelihood_has_the_bracket_of_log_z() {
    let data = patterns(18, 300, 2);
    let rbm = train(&data, 40, 500);
    let log_z = estimate(&rbm, &data, &budget(1));
    let measured = log_likelihood(&rbm, &data, &log_z);
    let minus_f = exact::log_probabilities(&rbm, 0.0, data.bits().unwrap());
    let mean = minus_f.iter().sum::<f64>() / minus_f.len() as f64;
    assert!((measured.value - (mean - log_z.value)).abs() < 1e-9);
    assert!((measured.lower - (mean - log_z.upper)).abs() < 1e-9);
    assert!((measured.upper - (mean - log_z.lower)).abs() < 1e-9);
    assert_eq!(measured.std_error, log_z.std_error);
    let text = serde_json::to_string(&measured).unwrap();
    assert_eq!(serde_json::from_str::<LogLikelihood>(&text).unwrap(), measured);
}

/// A summary of an earlier version has no details, and an exact value still has none.
#[test]
fn likelihoods_of_earlier_versions_are_read() {
    let old =
        r#"{"value":-1.5,"std_error":0.0,"method":"exact","lower":-1.5,"upper":-1.5,"on":"x"}"#;
    let read: LogLikelihood = serde_json::from_str(old).unwrap();
    assert_eq!(read.log_z, None);
    assert_eq!(serde_json::to_string(&read).unwrap(), old);

    // An estimate of two samplers, with one estimate of annealing up.
    let old =
        include_str!("../../../isotherm-cli/tests/fixtures/version-2cb3113/wide/summary.json");
    let summary: serde_json::Value = serde_json::from_str(old).unwrap();
    let read: LogLikelihood = serde_json::from_value(summary["log_likelihood"].clone()).unwrap();
    let log_z = read.log_z.unwrap();
    assert_eq!((log_z.forward_ais.len(), log_z.reverse_ais.len(), log_z.samplers.len()), (1, 2, 2));
    assert_eq!((log_z.floor, log_z.samplers[1].start), (None, Start::Data));
}

/// Any number of particles will do but hardly any.
#[test]
fn the_number_of_particles_is_free_within_reason() {
    let data = patterns(18, 100, 2);
    let rbm = random_rbm(18, 40, 0.1, 1);
    let with = |particles| {
        let mut budget = budget(1);
        budget.annealing.particles = particles;
        log_z(&rbm, &data, &budget, &mut |_, _| true)
    };
    let odd = with(13).unwrap();
    assert!(odd.particles[2..].iter().all(|count| count % 8 == 0), "as many from each column");
    assert!(odd.lower <= exact::log_z(&rbm).unwrap());
    let bounding = |of: &[Estimate]| of.iter().map(|it| it.bounding_end).collect::<Vec<_>>();
    assert_eq!(bounding(&odd.forward_ais), [Some(End::Lower); 2]);
    assert_eq!(bounding(&odd.reverse_ais), [Some(End::Upper); 4]);
    assert_eq!(odd.samplers[0].bar.bounding_end, None);
    let error = with(1).unwrap_err();
    let cause = BudgetError { name: name::particles, value: 1, most: 1 << 24 };
    assert_eq!((error.kind(), error.cause()), (Kind::Options, Some(&cause)));
}

/// A hidden unit that is off leaves v to coins, and one that is on draws it to a pattern; half of the mass is
/// with either, but between the two lies nothing. Forty units that do nothing add 40 log 2 to log Z, and keep v
/// from being summed out.
fn a_narrow_mode() -> (Rbm, Dataset, f64) {
    let (n_visible, n_hidden, pull) = (60, 41, 6.0f32);
    let sign = |j: usize| if j.is_multiple_of(2) { pull } else { -pull };
    let softplus = |x: f32| f64::from(x).exp().ln_1p();
    let drawn: f64 = (0..n_visible).map(|j| softplus(sign(j))).sum();
    let coins = n_visible as f64 * 2f64.ln();
    let weight = |at: usize| if at.is_multiple_of(n_hidden) { sign(at / n_hidden) } else { 0.0 };
    let weights: Vec<f32> = (0..n_visible * n_hidden).map(weight).collect();
    let bias = (coins - drawn) as f32;
    let mut b = vec![0.0; n_hidden];
    b[0] = bias;
    let rbm = Rbm::new(Parameters {
        w: Matrix::from_dense(n_visible, n_hidden, &weights),
        b: Matrix::from_row(&b),
        c: Matrix::from_row(&vec![0.0; n_visible]),
    });
    let truth = log_sum_exp([coins, f64::from(bias) + drawn]) + 40.0 * 2f64.ln();
    let mut rng = rng(3);
    let mut v = BitMatrix::zeros(400, n_visible);
    for row in 0..400 {
        for j in 0..n_visible {
            v.set(row, j, if row % 2 == 1 { rng.random_bool(0.5) } else { j.is_multiple_of(2) });
        }
    }
    (rbm, table(v), truth)
}

/// Samplers that begin with coins for h and with data have too much of the narrow mode on all rungs, both of
/// them: they would agree, and be wrong.
#[test]
fn two_starts_do_not_agree_on_a_narrow_mode_before_they_know_it() {
    let (rbm, data, truth) = a_narrow_mode();
    for seed in 1..=10 {
        let it = estimate(&rbm, &data, &budget(seed));
        let off = (it.value - truth) / it.std_error;
        println!("{off:.1} {} {:.2} {}", it.value - truth, it.std_error, it.verdict.sentence);
        assert!(it.lower <= truth && truth <= it.upper, "{it:?}");
        assert!(!it.verdict.converged || off.abs() < 4.0, "{off}: {}", it.verdict.sentence);
    }
}
