//! The seams from outside: a toy of each kind, written with public items only, trains or samples.

use isotherm::likelihood::Start;
use isotherm::likelihood::evaluating_sampler::{EvaluatingSampler, Length};
use isotherm::model::Parameters;
use isotherm::negative::Negative;
use isotherm::objective::Objective;
use isotherm::options::Options;
use isotherm::paths::{HiddenStates, RbmEnsemble, VisibleUnits, automatic, random_hidden, temper};
use isotherm::prelude::*;
use isotherm::sampling::{VisibleSamples, sample, sample_on};
use isotherm::trainer::{TrainState, Trainer};
use isotherm_kernels::Matrix;
use isotherm_tempering::evidence::work_values::WorkValues;
use isotherm_tempering::recorders::{FlowTrace, RecordWork, Thinned};
use isotherm_tempering::streams::{Key, Purpose};
use isotherm_tempering::targets::sample_target_with;
use isotherm_tempering::{
    Adaptation, Densities, Ensemble, Explorer, Ladder, Moment, Path, Population, Progress,
    Recorder, Respace, RunLength, Sampler, Spacing, States, Tempering, TemperingState, WarmUp,
};
use rand::RngExt;

use crate::common::random_rbm;

fn two_patterns() -> Dataset {
    let rows = [[1u8, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1]].concat();
    let rows: Vec<Vec<bool>> =
        rows.chunks(6).map(|row| row.iter().map(|&x| x == 1).collect()).collect();
    let mut bits = BitMatrix::zeros(100, 6);
    for example in 0..100 {
        for (column, &on) in rows[example % 2].iter().enumerate() {
            bits.set(example, column, on);
        }
    }
    Dataset::Table(isotherm::data::Table::new("two patterns", bits))
}

/// Negative samples that are the data of the batch before: a poor sampler, but a sampler.
struct LastBatch {
    kept: Option<BitMatrix>,
    updates: u64,
}

impl Negative for LastBatch {
    fn sample(&mut self, _: &Rbm, batch: &BitMatrix, key: Key, out: &mut BitMatrix) -> Result<()> {
        for row in 0..out.rows() {
            match &self.kept {
                Some(kept) => out.row_mut(row).copy_from_slice(kept.row(row)),
                None => {
                    let mut rng = key.sequence(Purpose::Visible, row);
                    (0..out.cols()).for_each(|column| out.set(row, column, rng.random()));
                }
            }
        }
        self.kept = Some(batch.clone());
        Ok(())
    }

    fn after_step(&mut self, _: u64) -> Option<isotherm_tempering::engine::Change> {
        self.updates += 1;
        None
    }

    fn save(&self, checkpoint: &mut isotherm::tensors::Bundle) -> Result<()> {
        checkpoint.insert("toy.updates", &[1], &[self.updates])
    }

    fn restore(&mut self, checkpoint: &isotherm::tensors::Bundle) -> Result<()> {
        self.updates = checkpoint.get("toy.updates", &[1])?[0];
        Ok(())
    }
}

#[test]
fn a_negative_sampler_from_outside_trains_and_is_in_the_checkpoint() {
    let data = two_patterns();
    let options = Options::default().hidden(2).updates(50).batch(10).algorithm(Algorithm::Sml);
    let plan = options.check(6).unwrap();
    let marginals = data.marginals();
    let toy = || Box::new(LastBatch { kept: None, updates: 0 });
    let mut state = TrainState::with_negative(&plan, &marginals, toy());
    let before = state.model.parameters().clone();
    let mut trainer = Trainer::new(plan.clone(), data);
    for _ in 0..50 {
        trainer.step(&mut state).unwrap();
    }
    assert_ne!(&before, state.model.parameters(), "it learned");
    assert!(state.negative.ladder().is_none());
    let mut bundle = isotherm::tensors::Bundle::new(serde_json::Value::Null);
    state.insert_into(&mut bundle).unwrap();
    assert_eq!(bundle.get::<u64>("toy.updates", &[1]).unwrap(), [50], "the hook was called");
    let mut again = toy();
    again.restore(&bundle).unwrap();
    assert_eq!(again.updates, 50);
}

/// −½ Σ (θ − θ*)² of the visible biases, whose maximum is known.
struct Parabola {
    wanted: f32,
    gradient: Parameters,
}

impl Objective for Parabola {
    fn gradient(
        &mut self,
        state: &mut TrainState,
        _: &BitMatrix,
        _: Key,
    ) -> Result<&mut Parameters> {
        let c: Vec<f32> =
            state.model.parameters().c.row(0).iter().map(|c| self.wanted - c).collect();
        self.gradient.c = Matrix::from_row(&c);
        Ok(&mut self.gradient)
    }
}

#[test]
fn an_objective_from_outside_is_maximised() {
    let data = two_patterns();
    let options = Options::default().hidden(2).updates(400).lr(0.1).algorithm(Algorithm::Exact);
    let plan = options.check(6).unwrap();
    let objective = Parabola { wanted: 1.5, gradient: Parameters::zeros(6, 2) };
    let mut state = TrainState::new(&plan, &data.marginals());
    let mut trainer = Trainer::with_objective(plan, data, Box::new(objective));
    for _ in 0..400 {
        trainer.step(&mut state).unwrap();
    }
    let c = state.model.parameters().c.row(0);
    assert!(c.iter().all(|c| (c - 1.5).abs() < 1e-3), "{c:?}");
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
            let mut left =
                key.sequence(Purpose::Sweep, row).random::<f64>() * weights.iter().sum::<f64>();
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
    fn visible(&mut self, _: &Rbm, _: &FourStates, _: &[usize], _: Key, out: &mut BitMatrix) {
        out.clear_rows();
    }
}

/// Counts how often the cold end is in each state.
struct Counts([u64; 4]);

impl Recorder<Box<dyn RbmEnsemble>> for Counts {
    fn record(&mut self, moment: &mut Moment<'_, Box<dyn RbmEnsemble>>) -> Result<()> {
        let hidden = moment.tempering.ensemble().hidden();
        for row in moment.replicas().cold_rows() {
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

    fn record(&mut self, moment: &mut Moment<'_, E>) -> Result<()> {
        self.0.record(moment.tempering);
        Ok(())
    }
}

#[test]
fn a_path_and_recorders_from_outside_sample_the_model() {
    let model = random_rbm(5, 2, 1.5, 3);
    let states = FourStates::default();
    let mut ensemble: Box<dyn RbmEnsemble> =
        Box::new(Population { path: Table4, explorer: Table4, states });
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

/// Counts the steps that it sees.
#[derive(Default)]
struct Steps(u64);

impl<E: Ensemble> Recorder<E> for Steps {
    fn record(&mut self, moment: &mut Moment<'_, E>) -> Result<()> {
        assert_eq!(moment.step, self.0);
        self.0 += 1;
        Ok(())
    }
}

/// Everything that samples shows its steps to recorders of the caller, with the ladder of that moment.
#[test]
fn recorders_from_outside_see_every_sampler() {
    let model = random_rbm(6, 4, 1.0, 3);
    let options = SampleOptions::default().count(160).thin(5).warm_up(40);
    let mut steps = Steps::default();
    let mut visible = Thinned::every(5, VisibleSamples::new(6));
    let (mut flow, mut work) = (FlowTrace::default(), RecordWork::default());
    let recorders: &mut [&mut dyn Recorder<_>] =
        &mut [&mut steps, &mut visible, &mut flow, &mut work];
    let sampled = sample(&model, &[0.5; 6], &options.columns(Some(16)), recorders, |_| true);
    let samples = sampled.unwrap();
    assert_eq!(steps.0, 50, "ten rounds of sixteen columns");
    assert_eq!(visible.recorder.v, samples.v);
    let last = flow.rows.last().unwrap();
    assert_eq!((flow.rows.len(), last.step, &last.betas), (50, 49, &samples.betas));
    assert_eq!(last.round_trips, samples.round_trips);
    let uniform = work.values.log_z(0.0).bar;
    assert!(uniform.value.is_finite(), "sized by the ladder after the warm-up");

    let h = |rows| random_hidden(rows, 4, Key { seed: 2, step: 0 });
    let state = TemperingState::new(Ladder::new(3, Spacing::Linear), 16);
    let tempering = temper(automatic(&[0.5; 6], 4), state, h);
    let adaptation = Options::default().ladder.adaptation();
    let mut steps = Steps::default();
    sample_on(&model, tempering, adaptation, &options, &mut [&mut steps], |_| true).unwrap();
    assert_eq!(steps.0, 50);

    let mut steps = Steps::default();
    let target = Quadratic::new(0.0, vec![0.5, -0.5], &[(0, 1, 1.0)]).unwrap();
    let request = TargetRequest::default().columns(2).samples(20).warm_up(10).log_z_steps(30);
    sample_target_with(&target, &request, &mut [&mut steps], |_| true).unwrap();
    assert_eq!(steps.0, 100);

    let data = two_patterns();
    let begun = |seed| {
        let (start, key) = ((Start::Random, &data), Key { seed, step: 0 });
        EvaluatingSampler::new(&model, &[0.5; 6], start, 4, key).unwrap()
    };
    let (mut steps, length) = (Steps::default(), Length::fixed(4, 60));
    let (mut shares, none): (Vec<f64>, &mut [&mut dyn Recorder<_>]) = (Vec::new(), &mut []);
    let found = begun(1).look(length, 4, &mut [&mut steps], &mut |share| {
        shares.push(share);
        true
    });
    assert!(found.unwrap().is_some());
    assert_eq!((steps.0, shares.len(), shares[119]), (60, 120, 1.0));
    assert!(shares.is_sorted_by(|a, b| a < b), "{shares:?}");
    let stopped = begun(1).look(length, 4, none, &mut |share| share < 0.75).unwrap();
    assert!(stopped.is_none(), "stopped while it recorded");
}

/// A ladder that adapts while steps are recorded does so after the recorders have seen the step.
#[test]
fn a_ladder_can_adapt_while_it_is_recorded() {
    let model = random_rbm(6, 4, 1.0, 3);
    let run = |adaptation: Option<Adaptation>| {
        let state = TemperingState::new(Ladder::new(5, Spacing::Linear), 8);
        let h = |rows| random_hidden(rows, 4, Key { seed: 2, step: 0 });
        let tempering = temper(automatic(&[0.5; 6], 4), state, h);
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
