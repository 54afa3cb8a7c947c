//! Models with far modes whose log Z is known: what the data hold little or nothing of.
//!
//! With x = v or its complement, unit by unit by a random pattern, each of m hidden units has the field w (c − n/2),
//! where c counts the units of x that are on: log Σ_h e^−E depends on c alone, and Z is a sum over n + 1 counts. Its
//! two wells are near c = 0 and c = n, and no single-unit path between them is shorter than n.

use crate::common::{Rng, log_sum_exp, rng};
use crate::trained::table;
use isotherm::data::Dataset;
use isotherm::likelihood::bracket::log_z;
use isotherm::likelihood::{
    AnnealingEffort, Budget, KnownData, Length, LogZ, Origin, Reason, log_likelihood,
};
use isotherm::model::{Parameters, Rbm};
use isotherm_kernels::{BitMatrix, Matrix};
use rand::RngExt;

struct TwoWells {
    rbm: Rbm,
    log_z: f64,
    /// The share of the upper well in the model.
    upper: f64,
    pattern: Vec<bool>,
    /// log of the weight of each count.
    counts: Vec<f64>,
}

/// `tilt` for each unit that is on favours the upper well.
fn two_wells(n: usize, m: usize, w: f64, tilt: f64, seed: u64) -> TwoWells {
    let mut rng = rng(seed);
    let pattern: Vec<bool> = (0..n).map(|_| rng.random()).collect();
    let sign = |j: usize| if pattern[j] { -1.0 } else { 1.0 };
    // In v: Σ_j x_j = Σ_j sign_j v_j + (units of the pattern that are on).
    let flipped = pattern.iter().filter(|&&it| it).count() as f64;
    let own = tilt - w * m as f64 / 2.0;
    let weight = |at: usize| (w * sign(at / m)) as f32;
    let rbm = Rbm::new(Parameters {
        w: Matrix::from_dense(n, m, &(0..n * m).map(weight).collect::<Vec<_>>()),
        b: Matrix::from_row(&vec![(w * (flipped - n as f64 / 2.0)) as f32; m]),
        c: Matrix::from_row(&(0..n).map(|j| (own * sign(j)) as f32).collect::<Vec<_>>()),
    });
    let softplus = |x: f64| x.max(0.0) + (-x.abs()).exp().ln_1p();
    let choose = |c: usize| (1..=c).map(|i| ((n - c + i) as f64 / i as f64).ln()).sum::<f64>();
    let (own, w) = (f64::from(own as f32), f64::from(w as f32));
    let log_weight = |c: usize| {
        let field = w * (c as f64 - n as f64 / 2.0);
        choose(c) + m as f64 * softplus(field) + own * (c as f64 - flipped)
    };
    let counts: Vec<f64> = (0..=n).map(log_weight).collect();
    let log_z = log_sum_exp(counts.iter().copied());
    let upper = (log_sum_exp(counts[n / 2 + 1..].iter().copied()) - log_z).exp();
    TwoWells { rbm, log_z, upper, pattern, counts }
}

impl TwoWells {
    /// Rows of the model, of which `of_upper` are in the upper well.
    fn rows(&self, count: usize, of_upper: usize, rng: &mut Rng) -> Dataset {
        let n = self.pattern.len();
        let mut v = BitMatrix::zeros(count, n);
        for row in 0..count {
            let wells = if row < of_upper { n / 2 + 1..n + 1 } else { 0..n / 2 };
            let top = wells.clone().map(|c| self.counts[c]).fold(f64::NEG_INFINITY, f64::max);
            let c = loop {
                let c = rng.random_range(wells.clone());
                if rng.random::<f64>() < (self.counts[c] - top).exp() {
                    break c;
                }
            };
            let on = rand::seq::index::sample(rng, n, c).into_vec();
            (0..n).for_each(|j| v.set(row, j, self.pattern[j]));
            on.into_iter().for_each(|j| v.set(row, j, !self.pattern[j]));
        }
        table(v)
    }
}

fn budget(seed: u64) -> Budget {
    let annealing =
        AnnealingEffort { particles: 64, most_batches: 2, steps: 200, most_steps: 800, error: 0.1 };
    Budget { annealing, sampler: Length::chosen(8, 300), seed }
}

fn estimate<'a>(rbm: &Rbm, data: impl Into<KnownData<'a>>, budget: &Budget) -> LogZ {
    log_z(rbm, data, budget, &mut |_, _| true).unwrap()
}

/// An estimate from too little of everything to be right about the upper well.
fn hasty(seed: u64) -> Budget {
    let annealing =
        AnnealingEffort { particles: 16, most_batches: 1, steps: 4, most_steps: 4, error: 0.1 };
    Budget { annealing, sampler: Length::fixed(2, 4), seed }
}

/// The upper well holds nearly all of the model, and half, 2 % or nothing of the rows. What has converged holds the
/// truth.
#[test]
fn a_heavy_mode_that_is_rare_in_the_rows_is_weighed() {
    let it = two_wells(60, 40, 0.2, 0.05, 1);
    assert!(it.upper > 0.9 && it.upper < 0.99, "{}", it.upper);
    for (of_upper, least) in [(200, 4), (8, 4), (0, 0)] {
        let (mut converged, mut held) = (0, 0);
        for seed in 1..=5 {
            let data = it.rows(400, of_upper, &mut rng(seed));
            let found = estimate(&it.rbm, &data, &budget(seed));
            let holds = found.lower <= it.log_z && it.log_z <= found.upper;
            println!(
                "{of_upper} of 400: {:+.2} [{:+.2}, {:+.2}] {}",
                found.value - it.log_z,
                found.lower - it.log_z,
                found.upper - it.log_z,
                found.verdict.sentence
            );
            converged += usize::from(found.verdict.converged);
            held += usize::from(holds);
            assert!(found.verdict.converged <= holds, "{} {found:?}", it.log_z);
            if found.verdict.converged {
                assert!(found.verdict.sentence.contains("cannot be excluded"));
            }
        }
        println!("{of_upper} of 400: {converged} converged, {held} held");
        assert!(converged >= least, "{converged} of 5 with {of_upper} of 400 rows");
    }
}

/// However bad an estimate is, no row is more probable than one: what the measured rows hold raises it, which is a
/// reason against it.
#[test]
fn no_likelihood_is_above_what_the_measured_rows_allow() {
    // Nearly all of the model is in a few states of the upper well.
    let it = two_wells(60, 40, 0.4, 0.2, 2);
    let (data, of_upper) = (it.rows(200, 0, &mut rng(1)), it.rows(50, 50, &mut rng(2)));
    let mut raised = 0;
    for seed in 1..=5 {
        let found = estimate(&it.rbm, &data, &hasty(seed));
        let floor = found.floor.unwrap();
        assert!(floor <= it.log_z + 1e-3 && found.lower >= floor, "{found:?}");
        assert!(found.value >= found.lower && found.upper >= found.value, "{found:?}");
        // As if a sampler had never found the upper well.
        let low = it.log_z - 8.0;
        let missed = LogZ { value: low, lower: low - 0.1, upper: low + 0.1, floor: None, ..found };
        let measured = log_likelihood(&it.rbm, &of_upper, &missed);
        assert!(measured.value <= 0.0, "{measured:?}");
        let by_rows = measured.log_z.unwrap();
        let below = by_rows.verdict.reasons.iter();
        let below = below.filter(|it| matches!(it, Reason::BelowKnownStates { .. })).count();
        let is_raised = by_rows.value > low + 0.05;
        assert_eq!(below, usize::from(is_raised), "{by_rows:?}");
        assert!(!is_raised || !by_rows.verdict.converged);
        raised += usize::from(is_raised);
    }
    assert_eq!(raised, 5);
}

/// Without training data the verdict does not speak of any; from the model's own samples nothing has converged.
#[test]
fn a_verdict_names_the_data_that_it_rests_on() {
    let it = two_wells(60, 40, 0.2, 0.05, 1);
    let data = it.rows(400, 200, &mut rng(1));
    let of = |origin| {
        let known = KnownData { origin, sets: vec![&data] };
        estimate(&it.rbm, known, &budget(1)).verdict
    };
    let measured = of(Origin::Measured);
    assert!(measured.converged && !measured.sentence.contains("training"), "{measured:?}");
    let own = of(Origin::OwnSamples);
    assert_eq!(own.reasons, [Reason::NotCheckedFromData]);
    assert!(!own.converged && own.sentence.contains("own samples"), "{own:?}");
}
