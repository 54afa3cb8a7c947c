//! Estimates of log Z against enumeration: every estimator's value, and whether its interval holds
//! as often as it says.

use crate::common::*;
use crate::trained;
use crate::trained::{patterns, train};
use isotherm::data::Dataset;
use isotherm::likelihood::evaluating_sampler::{EvaluatingSampler, Length};
use isotherm::likelihood::{Estimate, SamplerReport, Start, exact};
use isotherm::model::{Parameters, PerfectSampler, Rbm};
use isotherm::options::{Options, PathKind};
use isotherm::paths::base_rate::base_rate;
use isotherm::paths::joint::joint;
use isotherm::paths::{Gibbs, PathContext, RbmEnsemble, SwapOn, random_hidden, temper};
use isotherm::references::{Reference, ReferenceKind};
use isotherm_kernels::{BitMatrix, Matrix};
use isotherm_tempering::evidence::annealing::{anneal, from_above, from_below};
use isotherm_tempering::evidence::annealing_schedule::AnnealingSchedule;
use isotherm_tempering::evidence::work_values::LadderLogZ;
use isotherm_tempering::recorders::RecordWork;
use isotherm_tempering::streams::Key;
use isotherm_tempering::{Densities, Ensemble};
use isotherm_tempering::{Ladder, RunLength, Sampler, Spacing, TemperingState, WarmUp};

const BETAS: [f64; 4] = [0.0, 0.3, 0.85, 1.0];

/// What a row is weighed with, at several β, against sums over the units that the path sums out.
#[test]
fn log_weights_follow_the_definition() {
    let rbm = random_rbm(5, 4, 2.0, 3);
    for kind in KINDS {
        let mut path = kind.path(&rbm);
        path.set_hidden(BitMatrix::zeros(6, kind.units(&rbm)));
        path.sweep(&rbm, &[0.0, 0.2, 0.4, 0.6, 0.8, 1.0], 3, Key { seed: 1, step: 0 }).unwrap();
        let mut v = BitMatrix::zeros(6, 5);
        path.visible(&rbm, &[0, 1, 2, 3, 4, 5], Key { seed: 1, step: 0 }, &mut v);
        let h = path.hidden();
        for row in 0..6 {
            let (v, h) = (v.row(row)[0], h.row(row)[0]);
            let wanted = BETAS.map(|beta| match kind {
                Kind::Joint(SwapOn::Energy) | Kind::BaseRate(SwapOn::Energy) => {
                    kind.log_weight(&rbm, beta, v, h)
                }
                Kind::Joint(SwapOn::FreeEnergy)
                | Kind::BaseRate(SwapOn::FreeEnergy)
                | Kind::Mixture
                | Kind::Balanced
                | Kind::Rbm => log_sum_exp(
                    (0..1 << kind.units(&rbm)).map(|h| kind.log_weight(&rbm, beta, v, h)),
                ),
                Kind::HiddenMarginal => {
                    log_sum_exp((0..32).map(|v| kind.log_weight(&rbm, beta, v, h)))
                }
                other => panic!("{other:?}"),
            });
            let mut got = [0.0; 4];
            path.log_densities(row, &BETAS, &mut got);
            for i in 1..4 {
                let (got, wanted) = (got[i] - got[0], wanted[i] - wanted[0]);
                // The fields are f32: a few units in 10⁷ of numbers up to 20.
                assert!((got - wanted).abs() < 2e-5, "{kind:?}: {got} for {wanted}");
            }
        }
    }
}

/// At β = 0 the sum over all states is what the path says, and at β = 1 it is log Z.
#[test]
fn the_hot_end_is_known() {
    let rbm = random_rbm(5, 4, 2.0, 3);
    for kind in KINDS {
        let sum = |beta| {
            log_sum_exp(
                (0..32)
                    .flat_map(|v| (0..1 << kind.units(&rbm)).map(move |h| (v, h)))
                    .map(|(v, h)| kind.log_weight(&rbm, beta, v, h)),
            )
        };
        let mut path = kind.path(&rbm);
        path.set_hidden(BitMatrix::zeros(1, kind.units(&rbm)));
        assert!((path.log_z_of_reference() - sum(0.0)).abs() < 1e-9, "{kind:?}");
        assert!((sum(1.0) - brute_force_log_z(&rbm)).abs() < 1e-9, "{kind:?}");
    }
}

fn particles(marginals: &[f64], n_hidden: usize, count: usize) -> Gibbs {
    let mut path = base_rate(marginals, n_hidden, SwapOn::FreeEnergy);
    path.set_hidden(BitMatrix::zeros(count, n_hidden));
    path
}

/// What a pilot finds.
fn schedule(rbm: &Rbm, marginals: &[f64]) -> AnnealingSchedule {
    let mut path = particles(marginals, rbm.n_hidden(), 64);
    AnnealingSchedule::pilot(&mut path, rbm, Key::of_log_z(0, 0)).unwrap()
}

fn up(rbm: &Rbm, marginals: &[f64], schedule: &[f64], count: usize, seed: u64) -> Vec<f64> {
    let mut path = particles(marginals, rbm.n_hidden(), count);
    anneal(&mut path, rbm, schedule, Key::of_log_z(seed, 1), &mut |_| true).unwrap()
}

fn forward(rbm: &Rbm, marginals: &[f64], schedule: &[f64], count: usize, seed: u64) -> Estimate {
    let hot = particles(marginals, rbm.n_hidden(), 1).log_z_of_reference();
    from_below(&up(rbm, marginals, schedule, count, seed), hot)
}

/// From exact samples of the model.
fn reverse(rbm: &Rbm, marginals: &[f64], schedule: &[f64], count: usize, seed: u64) -> Estimate {
    let mut v = BitMatrix::zeros(count, rbm.n_visible());
    let key = Key::of_log_z(seed, 2);
    PerfectSampler::new(rbm.n_visible(), rbm.n_hidden()).visible(rbm, key, &mut v);
    let mut path = particles(marginals, rbm.n_hidden(), count);
    path.set_hidden(hidden_of(rbm, &v, seed));
    let falling: Vec<f64> = schedule.iter().rev().copied().collect();
    let weights = anneal(&mut path, rbm, &falling, Key::of_log_z(seed, 4), &mut |_| true).unwrap();
    from_above(&weights, count, path.log_z_of_reference())
}

/// h given v.
fn hidden_of(rbm: &Rbm, v: &BitMatrix, seed: u64) -> BitMatrix {
    let (mean, mut rng) = (rbm.hidden_mean(v), rng(seed));
    let h: Vec<Vec<u8>> = (0..v.rows())
        .map(|row| mean.row(row).iter().map(|&p| draw_bit(p, &mut rng)).collect())
        .collect();
    BitMatrix::from_rows(rbm.n_hidden(), &h)
}

fn draw_bit(p: f32, rng: &mut Rng) -> u8 {
    use rand::RngExt;
    u8::from(rng.random::<f32>() < p)
}

/// Independent units that the reference already has right: all weights are equal, and their common
/// value is the known one.
#[test]
fn independent_units_have_their_closed_form() {
    let marginals = [0.1, 0.5, 0.8, 0.3];
    let c: Vec<f32> = marginals.iter().map(|p: &f64| (p / (1.0 - p)).ln() as f32).collect();
    let b = [0.7f32, -2.0, 3.0];
    let rbm = Rbm::new(Parameters {
        w: Matrix::zeros(4, 3),
        b: Matrix::from_row(&b),
        c: Matrix::from_row(&c),
    });
    let softplus = |x: &f32| f64::from(*x).exp().ln_1p();
    let wanted: f64 = b.iter().chain(&c).map(softplus).sum();
    for steps in [2, 1000] {
        let estimate =
            forward(&rbm, &marginals, &AnnealingSchedule::linear(steps).in_steps(steps), 16, 1);
        // The steps' rounding adds up in f64.
        assert!((estimate.value - wanted).abs() < 1e-9, "{estimate:?} for {wanted}");
        assert!(estimate.std_error < 1e-9);
    }
}

/// Models, each with its data and its log Z: random weights, and trained ones with modes that are
/// far apart.
fn models() -> Vec<(&'static str, Rbm, Dataset, f64)> {
    let with = |name, rbm: Rbm, data: Dataset| {
        let log_z = exact::log_z(&rbm).unwrap();
        (name, rbm, data, log_z)
    };
    let (small, large) = (patterns(16, 500, 1), patterns(60, 500, 2));
    vec![
        with("random weights", random_rbm(16, 12, 1.0, 5), small.clone()),
        with("16 × 8, trained", train(&small, 8, 3000), small),
        with("60 × 20, trained", train(&large, 20, 3000), large),
    ]
}

/// The same model with hidden units that do nothing: log 2 more each. With more than 32 the samplers of an
/// evaluation take the base-rate path, as those of large models do.
fn padded(rbm: &Rbm, n_hidden: usize) -> Rbm {
    let (old, n_visible) = (rbm.parameters(), rbm.n_visible());
    let mut w = Matrix::zeros(n_visible, n_hidden);
    for visible in 0..n_visible {
        w.row_mut(visible)[..rbm.n_hidden()].copy_from_slice(old.w.row(visible));
    }
    let mut b = vec![0.0; n_hidden];
    b[..rbm.n_hidden()].copy_from_slice(old.b.row(0));
    Rbm::new(Parameters { w, b: Matrix::from_row(&b), c: old.c.clone() })
}

/// The models above, each as it is and padded.
fn models_on_both_paths() -> Vec<(String, Rbm, Dataset, f64)> {
    let mut all = Vec::new();
    for (name, rbm, data, log_z) in models() {
        let (inert, wide) = (40 - rbm.n_hidden(), padded(&rbm, 40));
        all.push((format!("{name}, padded"), wide, data.clone(), log_z + inert as f64 * 2f64.ln()));
        all.push((name.to_owned(), rbm, data, log_z));
    }
    all
}

/// The trained models hold on to where they are: of Gibbs samplers begun at each pattern, hardly
/// any is nearer to another one after a hundred steps.
#[test]
fn the_trained_models_have_a_barrier() {
    let images = trained::images(60, 2);
    let rbm = train(&patterns(60, 500, 2), 20, 3000);
    let begun: Vec<usize> = (0..400).map(|row| row % images.rows()).collect();
    let mut path = joint(60, 20, SwapOn::Energy);
    path.set_hidden(hidden_of(&rbm, &images.select(&begun), 1));
    path.sweep(&rbm, &[1.0; 400], 100, Key { seed: 1, step: 0 }).unwrap();
    let mut v = BitMatrix::zeros(400, 60);
    path.visible(&rbm, &(0..400).collect::<Vec<_>>(), Key { seed: 1, step: 0 }, &mut v);
    let stayed = (0..400).filter(|&row| {
        let distance = |image: &usize| (images.row(*image)[0] ^ v.row(row)[0]).count_ones();
        (0..images.rows()).min_by_key(distance) == Some(begun[row])
    });
    let stayed = stayed.count();
    assert!(stayed >= 380, "{stayed} of 400");
}

/// How many of a hundred intervals hold the truth.
fn coverage(truth: f64, estimate: impl Fn(u64) -> Estimate) -> usize {
    let held = |it: Estimate| it.lower <= truth && truth <= it.upper;
    (1..=100).filter(|&seed| held(estimate(seed))).count()
}

/// The stated 95 % interval holds at least 90 times in a hundred. (With 60 × 20 units it takes
/// several times the pilot's 217 steps: in 500 steps particles settle in the wrong modes, and
/// annealing up misses the truth 17 times.)
#[test]
fn annealing_covers_log_z_from_both_sides() {
    for (name, rbm, data, log_z) in models() {
        let marginals = data.marginals();
        let pilot = schedule(&rbm, &marginals);
        let sizes: &[(usize, usize)] =
            if rbm.n_visible() < 60 { &[(50, 200), (200, 500)] } else { &[(128, 2000)] };
        for &(count, steps) in sizes {
            let steps = pilot.in_steps(steps);
            let up = coverage(log_z, |seed| forward(&rbm, &marginals, &steps, count, seed));
            println!("{name}, {count} particles: up {up}");
            assert!(up >= 90, "{name}, {count} up: {up} of 100");
            if rbm.n_hidden() <= PerfectSampler::LARGEST {
                let down = coverage(log_z, |seed| reverse(&rbm, &marginals, &steps, count, seed));
                println!("{name}, {count} particles: down {down}");
                assert!(down >= 90, "{name}, {count} down: {down} of 100");
            }
        }
    }
}

/// With few steps and few particles, annealing up is low and annealing down is high, by more than
/// three standard errors of a mean over many.
#[test]
fn annealing_bounds_log_z_on_average() {
    let (_, rbm, data, log_z) = models().swap_remove(1);
    let marginals = data.marginals();
    let steps = schedule(&rbm, &marginals).in_steps(8);
    let off = |of: &dyn Fn(u64) -> Estimate| {
        let errors: Vec<f64> = (1..=200).map(|seed| of(seed).value - log_z).collect();
        let mean = errors.iter().sum::<f64>() / 200.0;
        let squares: f64 = errors.iter().map(|x| (x - mean).powi(2)).sum();
        (mean, (squares / (200.0 * 199.0)).sqrt())
    };
    let (up, up_error) = off(&|seed| forward(&rbm, &marginals, &steps, 4, seed));
    let (down, down_error) = off(&|seed| reverse(&rbm, &marginals, &steps, 4, seed));
    assert!(up < -3.0 * up_error, "up {up} ± {up_error}");
    assert!(down > 3.0 * down_error, "down {down} ± {down_error}");
}

/// The mean weight is Z_1 / Z_0, and that of the way down its inverse, whatever the schedule is:
/// within four standard errors of 40 000 particles that take three steps, 2 % or so. (Hidden units
/// drawn at the β of the step before put it off by ten standard errors.)
#[test]
fn the_mean_weight_is_right_for_any_schedule() {
    let (rbm, marginals) = (random_rbm(6, 5, 1.5, 7), marginals(6));
    let (count, rising) = (40_000, [0.0, 0.3, 0.7, 1.0]);
    let truth = exact::log_z(&rbm).unwrap();
    for (name, it) in [
        ("up", forward(&rbm, &marginals, &rising, count, 1)),
        ("down", reverse(&rbm, &marginals, &rising, count, 1)),
    ] {
        println!("{name}: {it:?} for {truth}");
        assert!(it.std_error < 0.02, "{name}: {it:?}");
        assert!((it.value - truth).abs() < 4.0 * it.std_error, "{name}: {it:?} for {truth}");
    }
}

/// Few steps spread the weights: the mean of their logarithms is then off by nats, the logarithm
/// of their mean is not.
#[test]
fn weights_are_averaged_and_not_their_logarithms() {
    let rbm = random_rbm(16, 12, 1.0, 5);
    let marginals = patterns(16, 500, 1).marginals();
    let truth = exact::log_z(&rbm).unwrap();
    let hot = particles(&marginals, 12, 1).log_z_of_reference();
    let logs = up(&rbm, &marginals, &schedule(&rbm, &marginals).in_steps(4), 4000, 1);
    let mean_log = hot + logs.iter().sum::<f64>() / logs.len() as f64;
    let estimate = from_below(&logs, hot);
    assert!(truth - mean_log > 1.0, "{mean_log} for {truth}");
    assert!((estimate.value - truth).abs() < 0.25, "{estimate:?} for {truth}");
    assert!(estimate.lower <= truth && truth <= estimate.upper, "{estimate:?} for {truth}");
}

/// BAR and both stepping stones on a ladder that was tuned and frozen, from both starts and on both paths.
#[test]
fn the_ladder_covers_log_z() {
    let length = Length::fixed(8, 300);
    for (name, rbm, data, log_z) in models_on_both_paths() {
        let marginals = data.marginals();
        let path = || PathKind::Auto.ensemble(&PathContext::new(&marginals, rbm.n_hidden()));
        for start in [Start::Random, Start::Known] {
            let reports: Vec<_> = (1..=100)
                .map(|seed| {
                    let (columns, key) = (length.columns, Key::of_log_z(seed, 1));
                    let mut sampler = match start {
                        Start::Random => {
                            EvaluatingSampler::from_reference(&rbm, path(), columns, key).unwrap()
                        }
                        _ => EvaluatingSampler::from_states(&rbm, path(), columns, key, |rows| {
                            hidden_of(&rbm, &data.draw(rows, key), seed)
                        }),
                    };
                    sampler.measure(length, 8, &mut [], &mut |_| true).unwrap().unwrap().report
                })
                .collect();
            type Of = fn(&SamplerReport) -> Estimate;
            let estimators: [(&str, Of); 3] = [
                ("BAR", |it| it.bar),
                ("stones up", |it| it.stepping_stone_up),
                ("stones down", |it| it.stepping_stone_down),
            ];
            for (which, of) in estimators {
                let covered = coverage(log_z, |seed| of(&reports[seed as usize - 1]));
                println!("{name} from {start:?}: {which} {covered}");
                assert!(covered >= 90, "{name}, {which} from {start:?}: {covered} of 100");
            }
        }
    }
}

/// The same from a small RBM and from a mixture that are fitted to the data, for the model with the highest barrier:
/// BAR and both stepping stones of a sampler on their paths. Of 40 intervals of 95 % each, 33 or fewer hold with a
/// chance of 1 in 300.
#[test]
fn the_ladder_from_a_fitted_reference_covers_log_z() {
    let (name, rbm, data, log_z) = models().swap_remove(2);
    for kind in [ReferenceKind::Rbm, ReferenceKind::Mixture] {
        let options = Options::default().hidden(rbm.n_hidden()).reference(kind).batch(100);
        let options = options.components(Some(4)).reference_hidden(Some(4)).updates(4000);
        let plan = options.check(data.n_visible()).unwrap();
        let reference = Reference::of(&plan, &data, &mut |_, _| true).unwrap();
        let context = PathContext::of(&reference, rbm.n_hidden());
        let results: Vec<_> = (1..=40)
            .map(|seed| {
                let ensemble = PathKind::BaseRate.ensemble(&context);
                let (units, key) = (ensemble.units(), Key::of_log_z(seed, 1));
                let state = TemperingState::new(Ladder::new(8, Spacing::Linear), 8);
                let mut tempering = temper(ensemble, state, |rows| random_hidden(rows, units, key));
                tempering.begin_at_reference(&rbm, key).unwrap();
                let mut sampler = Sampler::new(tempering, key);
                let mut work = RecordWork::default();
                let length = RunLength { warm_up: 300, how: WarmUp::Tune, steps: 300 };
                sampler.run(&rbm, length, &mut [&mut work], &mut |_| true).unwrap();
                let trips = sampler.tempering.state().flow().round_trips();
                let of_reference = sampler.tempering.ensemble().log_z_of_reference();
                (work.values.log_z(of_reference), trips)
            })
            .collect();
        type Of = fn(&LadderLogZ) -> Estimate;
        let estimators: [(&str, Of); 3] =
            [("BAR", |it| it.bar), ("stones up", |it| it.up), ("stones down", |it| it.down)];
        for (which, of) in estimators {
            let holds = |(it, _): &&(LadderLogZ, u64)| {
                let estimate = of(it);
                estimate.lower <= log_z && log_z <= estimate.upper
            };
            let covered = results.iter().filter(holds).count();
            println!("{name} from {kind:?}: {which} {covered} of 40");
            assert!(covered >= 34, "{name}, {which} from {kind:?}: {covered} of 40");
        }
        assert!(results.iter().all(|(_, trips)| *trips > 8), "{name} from {kind:?}");
    }
}
