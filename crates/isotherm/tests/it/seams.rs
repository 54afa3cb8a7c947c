//! The seams from outside: a toy of each kind, written with what `isotherm` exports, trains or samples.

use isotherm::likelihood::evaluating_sampler::{EvaluatingSampler, Length};
use isotherm::prelude::*;
use isotherm::sampling::{VisibleSamples, sample, sample_on};
use isotherm::seams::*;
use isotherm::tempering::evidence::work_values::WorkValues;
use isotherm::tempering::recorders::{FlowTrace, RecordWork, Thinned};
use isotherm::tempering::targets::sample_target_with;
use isotherm::tempering::{Adaptation, Progress, Respace, RunLength};

use crate::common::random_rbm;

fn two_patterns() -> Dataset {
    Dataset::from_rows(&[[1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1]].repeat(50)).unwrap()
}

/// A uniform random number for a row.
fn uniform(key: Key, purpose: Purpose, row: usize) -> f64 {
    f64::from(key.lanes(purpose, row).next_uniforms().0[0])
}

/// Negative samples that are the data of the batch before: a poor sampler, but a sampler. It also adds up how
/// far the gradients move the visible biases.
#[derive(Default)]
struct LastBatch {
    kept: Vec<u64>,
    moved: Vec<f32>,
    sampling_steps: u64,
}

impl NegativeSampler for LastBatch {
    fn sample(&mut self, _: &Rbm, batch: &BitMatrix, key: Key, out: &mut BitMatrix) -> Result<()> {
        for row in 0..out.rows() {
            let coin = || (uniform(key, Purpose::Visible, row) * 64.0) as u64;
            out.row_mut(row)[0] = self.kept.get(row).copied().unwrap_or_else(coin);
        }
        self.kept = batch.words().to_vec();
        Ok(())
    }

    fn after_step(&mut self, done: &AfterStep<'_>) -> Option<Change> {
        match done.gradient {
            Some(gradient) => {
                self.moved.resize(done.model.n_visible(), 0.0);
                for (moved, c) in self.moved.iter_mut().zip(gradient.c.row(0)) {
                    *moved += done.rate as f32 * c;
                }
            }
            None => self.sampling_steps += 1,
        }
        None
    }

    fn save(&self, checkpoint: &mut Bundle) -> Result<()> {
        checkpoint.insert("toy.kept", &[self.kept.len()], &self.kept)?;
        checkpoint.insert("toy.moved", &[self.moved.len()], &self.moved)?;
        checkpoint.insert("toy.sampling_steps", &[1], &[self.sampling_steps])
    }

    fn restore(&mut self, checkpoint: &Bundle) -> Result<()> {
        self.kept = checkpoint.get("toy.kept", checkpoint.tensor("toy.kept")?.shape())?;
        self.moved = checkpoint.get("toy.moved", checkpoint.tensor("toy.moved")?.shape())?;
        self.sampling_steps = checkpoint.get("toy.sampling_steps", &[1])?[0];
        Ok(())
    }
}

/// −½ Σ (c − c*)² of the visible biases, whose maximum is known; c* may move at every update.
struct Parabola {
    wanted: f32,
    moves: f32,
}

impl Objective for Parabola {
    fn gradient(
        &mut self,
        model: &Rbm,
        _: &mut dyn NegativeSampler,
        _: &BitMatrix,
        _: Key,
        out: &mut Parameters,
    ) -> Result<()> {
        self.wanted += self.moves;
        *out = Parameters::zeros(model.n_visible(), model.n_hidden());
        for (out, c) in out.c.row_mut(0).iter_mut().zip(model.parameters().c.row(0)) {
            *out = self.wanted - c;
        }
        Ok(())
    }

    fn save(&self, checkpoint: &mut Bundle) -> Result<()> {
        checkpoint.insert("toy.wanted", &[1], &[self.wanted])
    }

    fn restore(&mut self, checkpoint: &Bundle) -> Result<()> {
        self.wanted = checkpoint.get("toy.wanted", &[1])?[0];
        Ok(())
    }
}

fn bundle(state: &TrainState) -> Bundle {
    let mut bundle = Bundle::default();
    state.insert_into(&mut bundle).unwrap();
    bundle
}

/// Two runs of 50 updates and 5 sampling steps, one of which is saved, dropped and resumed after 30.
fn assert_resumes(begin: impl Fn(&Plan, &[f64]) -> TrainState) {
    let data = two_patterns();
    let options = Options::default().hidden(2).updates(50).batch(10).algorithm(Algorithm::Sml);
    let plan = options.sampling_steps(5).check(6).unwrap();
    let marginals = data.marginals();
    let go_on = |state: &mut TrainState, steps: u64| {
        let mut trainer = Trainer::new(plan.clone(), data.clone());
        for _ in 0..steps {
            trainer.step(state).unwrap();
        }
    };
    let mut whole = begin(&plan, &marginals);
    let before = whole.model().parameters().clone();
    go_on(&mut whole, 55);
    assert_ne!(&before, whole.model().parameters(), "it learned");
    assert!(whole.negative().ladder().is_none());

    let mut first = begin(&plan, &marginals);
    go_on(&mut first, 30);
    let mut resumed = begin(&plan, &marginals);
    resumed.restore(&bundle(&first)).unwrap();
    assert_eq!(bundle(&resumed), bundle(&first));
    go_on(&mut resumed, 25);
    assert_eq!(bundle(&resumed), bundle(&whole));
}

#[test]
fn a_negative_sampler_and_an_objective_from_outside_resume_from_a_checkpoint() {
    let likelihood = |plan: &Plan, marginals: &[f64]| {
        (plan.options().optimiser.objective.entry().begin)(plan, marginals)
    };
    let parabola = || Box::new(Parabola { wanted: 0.0, moves: 0.1 });
    let toy = || Box::new(LastBatch::default());
    assert_resumes(|plan, it| TrainState::with(plan, it, toy(), likelihood(plan, it)));
    assert_resumes(|plan, it| TrainState::with(plan, it, toy(), parabola()));
}

/// Without momentum the biases are where they began plus the sum of rate times gradient: what the hook sees is what
/// the model does.
#[test]
fn the_hook_sees_every_update() {
    let data = two_patterns();
    let training = Training::on(&data).hidden(2).updates(200).sampling_steps(7).batch(10);
    let training = training.with_negative(|_, _| LastBatch::default());
    let mut training = training.algorithm(Algorithm::Sml).begin().unwrap();
    let before = training.state().model().parameters().c.clone();
    training.run(|_, _| true).unwrap();
    let bundle = bundle(training.state());
    assert_eq!(bundle.get::<u64>("toy.sampling_steps", &[1]).unwrap(), [7]);
    let moved: Vec<f32> = bundle.get("toy.moved", &[6]).unwrap();
    let after = &training.state().model().parameters().c;
    for ((before, after), moved) in before.row(0).iter().zip(after.row(0)).zip(moved) {
        assert!((before + moved - after).abs() < 1e-4, "{before} + {moved} is not {after}");
        assert!(moved.abs() > 1e-3, "{moved}");
    }
}

#[test]
fn an_objective_from_outside_is_maximised() {
    let data = two_patterns();
    let training = Training::on(&data).hidden(2).updates(400).lr(0.1).weight_decay(0.1);
    let training = training.with_objective(|_, _| Parabola { wanted: 1.5, moves: 0.0 });
    let mut training = training.begin().unwrap();
    let before = training.state().model().parameters().clone();
    training.run(|_, _| true).unwrap();
    let Parameters { w, b, c } = training.state().model().parameters();
    assert!(c.row(0).iter().all(|c| (c - 1.5).abs() < 1e-3), "{c:?}");
    // It has no offsets, so a penalty on the weights moves no bias.
    assert!(w.row(0)[0].abs() < 0.5 * before.w.row(0)[0].abs(), "the weights decayed");
    assert_eq!(*b, before.b);
}

/// p(h)^β written out by hand for two hidden units: its explorer draws a state from the whole table.
struct Table4;

/// Two hidden units a row, and log p(h) of all four states under the last model.
#[derive(Default)]
struct FourStates {
    h: Vec<u8>,
    log_p: [f64; 4],
}

fn log_p(model: &Rbm, h: u8) -> f64 {
    let Parameters { w, b, c } = model.parameters();
    let on = |i: usize| f32::from(h >> i & 1);
    let bias: f64 = (0..2).map(|i| f64::from(on(i) * b.row(0)[i])).sum();
    let field = |j: usize| f64::from(c.row(0)[j] + on(0) * w.row(j)[0] + on(1) * w.row(j)[1]);
    bias + (0..model.n_visible()).map(|j| (1.0 + field(j).exp()).ln()).sum::<f64>()
}

impl States for FourStates {
    fn rows(&self) -> usize {
        self.h.len()
    }

    fn select(&mut self, rows: &[usize]) {
        self.h = rows.iter().map(|&row| self.h[row]).collect();
    }
}

impl HiddenStates for FourStates {
    fn hidden(&self) -> BitMatrix {
        let mut h = BitMatrix::zeros(self.h.len(), 2);
        self.h.iter().enumerate().for_each(|(row, &bits)| h.row_mut(row)[0] = u64::from(bits));
        h
    }

    fn set_hidden(&mut self, h: BitMatrix) {
        self.h = (0..h.rows()).map(|row| h.row(row)[0] as u8).collect();
    }

    fn copy_hidden(&self, rows: &[usize], out: &mut BitMatrix) {
        rows.iter().enumerate().for_each(|(i, &row)| out.row_mut(i)[0] = u64::from(self.h[row]));
    }

    fn put_hidden(&mut self, rows: &[usize], h: &BitMatrix) {
        rows.iter().enumerate().for_each(|(i, &row)| self.h[row] = h.row(i)[0] as u8);
    }
}

impl Path for Table4 {
    type Model = Rbm;
    type States = FourStates;

    fn log_densities(&self, states: &FourStates, row: usize, betas: &[f64], out: &mut [f64]) {
        let log_p = states.log_p[usize::from(states.h[row])];
        out.iter_mut().zip(betas).for_each(|(out, beta)| *out = beta * log_p);
    }

    fn log_z_of_reference(&self) -> f64 {
        4f64.ln()
    }
}

impl Explorer<Table4> for Table4 {
    fn sweep(
        &mut self,
        _: &Table4,
        model: &Rbm,
        states: &mut FourStates,
        betas: &[f64],
        _: usize,
        key: Key,
    ) -> Result<()> {
        states.log_p = [0, 1, 2, 3].map(|h| log_p(model, h));
        for (row, (h, beta)) in states.h.iter_mut().zip(betas).enumerate() {
            let weights = states.log_p.map(|log_p| (beta * log_p).exp());
            let mut left = uniform(key, Purpose::Sweep, row) * weights.iter().sum::<f64>();
            *h = (0..3u8)
                .find(|&h| {
                    left -= weights[usize::from(h)];
                    left < 0.0
                })
                .unwrap_or(3);
        }
        Ok(())
    }
}

impl VisibleUnits<Table4> for Table4 {
    fn visible(
        &mut self,
        model: &Rbm,
        states: &FourStates,
        rows: &[usize],
        key: Key,
        out: &mut BitMatrix,
    ) {
        let mean = model.visible_mean(&states.hidden().select(rows));
        for (i, &row) in rows.iter().enumerate() {
            let uniforms = key.lanes(Purpose::Visible, row).next_uniforms().0;
            for (unit, (p, uniform)) in mean.row(i).iter().zip(uniforms).enumerate() {
                out.set(i, unit, uniform < *p);
            }
        }
    }
}

/// Replicas on the path, none yet.
fn four_states() -> AnyEnsemble {
    Box::new(Population { path: Table4, explorer: Table4, states: FourStates::default() })
}

/// Counts how often the cold end is in each state.
struct Counts([u64; 4]);

impl Recorder<AnyEnsemble> for Counts {
    fn record(&mut self, view: &mut StepView<'_, AnyEnsemble>) -> Result<()> {
        let hidden = view.tempering.ensemble().hidden();
        for row in view.replicas().cold_rows() {
            self.0[hidden.row(row)[0] as usize] += 1;
        }
        Ok(())
    }
}

/// The work values of every step, by a recorder from outside too.
struct Work(WorkValues);

impl<E: Densities + Sync> Recorder<E> for Work {
    fn begin(&mut self, tempering: &Tempering<E>, _: u64) {
        let state = tempering.state();
        self.0 = WorkValues::new(state.ladder().gaps(), state.replicas().columns());
    }

    fn record(&mut self, view: &mut StepView<'_, E>) -> Result<()> {
        self.0.record(view.tempering);
        Ok(())
    }
}

#[test]
fn a_path_and_recorders_from_outside_sample_the_model() {
    let model = random_rbm(5, 2, 1.5, 3);
    let mut ensemble = four_states();
    let state = TemperingState::new(Ladder::new(4, Spacing::Linear), 5);
    let key = Key { seed: 4, step: 0 };
    ensemble.set_hidden(random_hidden(state.replicas().rows(), 2, key));
    assert_eq!(ensemble.rows(), 20);
    let mut sampler = Sampler::new(Tempering::new(ensemble, state), key);
    let (mut counts, mut work) = (Counts([0; 4]), Work(WorkValues::default()));
    let length = RunLength { warm_up: 100, how: WarmUp::Tune, steps: 2000 };
    let recorders: &mut [&mut dyn Recorder<_>] = &mut [&mut counts, &mut work];
    let ran = sampler.run(&model, length, recorders, &mut |_| true).unwrap();
    assert_eq!(ran.steps, 2000);

    let exact = [0, 1, 2, 3].map(|h| log_p(&model, h));
    let log_z = exact.iter().map(|x| x.exp()).sum::<f64>().ln();
    let probabilities = exact.map(|x| (x - log_z).exp());
    // Independent draws: a score below 5 fails by chance once in millions.
    let score = crate::common::chi_square_score(&counts.0, &probabilities);
    assert!(score < 5.0, "{:?} against {probabilities:?}", counts.0);
    let found = work.0.log_z(4f64.ln()).bar;
    assert!((found.value - log_z).abs() < 5.0 * found.std_error, "{found:?} against {log_z}");
}

/// The two patterns are as likely as they can be, log 2 each, if the samples are the model's.
#[test]
fn a_path_from_outside_trains_a_model() {
    let data = two_patterns();
    let training = Training::on(&data).hidden(2).updates(3000).particles(Some(50));
    let on_four_states =
        |plan: &Plan, it: &[f64]| Tempered::with_ensemble(plan, it.len(), four_states());
    let mut training = training.with_negative(on_four_states).begin().unwrap();
    training.run(|_, _| true).unwrap();
    let ladder = training.state().negative().ladder().unwrap();
    assert!(ladder.flow().round_trips() > 100, "{}", ladder.flow().round_trips());
    let found = training.model().log_likelihood(&data).unwrap();
    assert!(found.value > -1.0, "{found}");
}

/// The automatic path for a model of 6 visible and 4 hidden units.
fn automatic() -> AnyEnsemble {
    PathKind::Auto.ensemble(&PathContext::new(&[0.5; 6], 4))
}

/// Counts the steps that it sees.
#[derive(Default)]
struct Steps(u64);

impl<E: Ensemble> Recorder<E> for Steps {
    fn record(&mut self, view: &mut StepView<'_, E>) -> Result<()> {
        assert_eq!(view.step, self.0);
        self.0 += 1;
        Ok(())
    }
}

/// Everything that samples shows its steps to recorders of the caller, with the ladder of that view.
#[test]
fn recorders_from_outside_see_every_sampler() {
    let model = random_rbm(6, 4, 1.0, 3);
    let options = SampleOptions::default().count(160).thin(5).warm_up(40);
    let mut steps = Steps::default();
    let mut visible = Thinned::every(5, VisibleSamples::new(6));
    let (mut flow, mut work) = (FlowTrace::default(), RecordWork::default());
    let recorders: &mut [&mut dyn Recorder<_>] =
        &mut [&mut steps, &mut visible, &mut flow, &mut work];
    let sampled =
        sample(&model, &[0.5; 6], &options.clone().columns(Some(16)), recorders, |_| true);
    let samples = sampled.unwrap();
    assert_eq!(steps.0, 50, "ten rounds of sixteen columns");
    assert_eq!(visible.recorder.v, samples.v);
    let last = flow.rows.last().unwrap();
    assert_eq!((flow.rows.len(), last.step, &last.betas), (50, 49, &samples.ladder.betas));
    assert_eq!(last.round_trips, samples.ladder.round_trips);
    let uniform = work.values.log_z(0.0).bar;
    assert!(uniform.value.is_finite(), "sized by the ladder after the warm-up");

    let h = |rows| random_hidden(rows, 4, Key { seed: 2, step: 0 });
    let state = TemperingState::new(Ladder::new(3, Spacing::Linear), 16);
    let tempering = temper(automatic(), state, h);
    let adaptation = Options::default().ladder.adaptation();
    let mut steps = Steps::default();
    sample_on(&model, tempering, adaptation, &options, &mut [&mut steps], |_| true).unwrap();
    assert_eq!(steps.0, 50);

    let mut steps = Steps::default();
    let target = Quadratic::new(0.0, vec![0.5, -0.5], &[(0, 1, 1.0)]).unwrap();
    let request = TargetRequest::default().columns(2).samples(20).warm_up(10).log_z_steps(30);
    sample_target_with(&target, &request, &mut [&mut steps], |_| true).unwrap();
    assert_eq!(steps.0, 100);

    let begun = |seed| {
        EvaluatingSampler::from_reference(&model, automatic(), 4, Key { seed, step: 0 }).unwrap()
    };
    let (mut steps, length) = (Steps::default(), Length::fixed(4, 60));
    let (mut shares, none): (Vec<f64>, &mut [&mut dyn Recorder<_>]) = (Vec::new(), &mut []);
    let found = begun(1).measure(length, 4, &mut [&mut steps], &mut |share| {
        shares.push(share);
        true
    });
    assert!(found.unwrap().is_some());
    assert_eq!((steps.0, shares.len(), shares[119]), (60, 120, 1.0));
    assert!(shares.is_sorted_by(|a, b| a < b), "{shares:?}");
    let stopped = begun(1).measure(length, 4, none, &mut |share| share < 0.75).unwrap();
    assert!(stopped.is_none(), "stopped while it recorded");
}

/// A ladder that adapts while steps are recorded does so after the recorders have seen the step.
#[test]
fn a_ladder_can_adapt_while_it_is_recorded() {
    let model = random_rbm(6, 4, 1.0, 3);
    let run = |adaptation: Option<Adaptation>| {
        let state = TemperingState::new(Ladder::new(5, Spacing::Linear), 8);
        let h = |rows| random_hidden(rows, 4, Key { seed: 2, step: 0 });
        let tempering = temper(automatic(), state, h);
        let mut sampler = Sampler::new(tempering, Key { seed: 5, step: 0 });
        sampler.adaptation = adaptation;
        let mut flow = FlowTrace::default();
        sampler.record(&model, 20, &mut [&mut flow], &mut Progress::unreported()).unwrap();
        (flow.rows.into_iter().map(|row| row.betas).collect::<Vec<_>>(), sampler)
    };
    let (fixed, _) = run(None);
    assert!(fixed.iter().all(|betas| betas == &fixed[0]));
    let adaptation = Adaptation {
        respace: Respace::Rejection,
        beta_lr: 0.1,
        min_swap: 0.2,
        min_rungs: 5,
        max_rungs: 5,
        spawn_every: 1000,
        burn_in: 0,
    };
    let (adapted, sampler) = run(Some(adaptation));
    assert_eq!(adapted[0], fixed[0], "recorded before it adapts");
    assert_ne!(adapted[19], fixed[19]);
    assert_ne!(adapted[19], sampler.tempering.state().ladder().betas(), "and after the last step");
}
