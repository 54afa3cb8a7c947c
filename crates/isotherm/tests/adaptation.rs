//! The ladder adapts to a landscape whose barrier is known: swaps between β and β' are accepted
//! with probability 1 − |Λ(β) − Λ(β')|, capped, so that equal rejection means equal steps of Λ.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use common::*;
use isotherm::path::Path;
use isotherm::streams::Clock;
use isotherm::tempering::engine::Change;
use isotherm::tempering::{
    Adaptation, Label, Ladder, Respace, Spacing, Tempering, TemperingState, theory,
};
use proptest::prelude::*;

/// A barrier of total height `height`, most of it in a step at β = 0.8.
#[derive(Clone)]
struct Barrier {
    rows: usize,
    height: f64,
}

impl Barrier {
    fn at(&self, beta: f64) -> f64 {
        let step = 1.0 / (1.0 + (-(0.8 - beta) / 0.03).exp());
        self.height * (0.7 * step + 0.3 * (1.0 - beta))
    }
}

impl Path for Barrier {
    type Model = ();

    fn rows(&self) -> usize {
        self.rows
    }

    fn sweep(&mut self, _: &(), _: &[f64], _: usize, _: Clock) {}

    fn log_ratio(&self, (_, x): (usize, f64), (_, y): (usize, f64)) -> f64 {
        (1.0 - (self.at(x) - self.at(y)).abs()).max(0.02).ln()
    }

    fn settle(&mut self, _: &(), _: &[f64], _: Clock) {}

    fn select(&mut self, rows: &[usize]) {
        self.rows = rows.len();
    }
}

fn adapted(rule: Respace, rungs: usize, height: f64, steps: u64) -> Tempering<Barrier> {
    let adaptation = Adaptation {
        respace: rule,
        beta_lr: 1e-2,
        min_swap: 0.4,
        min_rungs: 3,
        max_rungs: 60,
        spawn_every: 500,
        burn_in: 50,
    };
    let columns = 40;
    let state = TemperingState::new(Ladder::new(rungs, Spacing::Linear), columns);
    let mut tempering = Tempering::new(Barrier { rows: rungs * columns, height }, state);
    for step in 0..steps {
        tempering.step(&(), 1, Clock { seed: 9, step }).unwrap();
        tempering.adapt(&adaptation);
        assert!(Ladder::from_betas(tempering.state.ladder.betas().to_vec()).is_some());
    }
    tempering
}

#[test]
fn the_papers_rule_makes_f_up_linear() {
    for rule in [Respace::Flow, Respace::FlowSqrt] {
        let tempering = adapted(rule, 5, 5.0, 40_000);
        let gaps = tempering.state.ladder.gaps() as f64;
        for (i, f) in theory::flow(&tempering.state.rates.rejections()).iter().enumerate() {
            let linear = 1.0 - i as f64 / gaps;
            assert!((f - linear).abs() < 0.08, "{rule:?}: f_up({i}) = {f}, linear {linear}");
        }
    }
}

#[test]
fn the_rejection_rule_equalises_rejection() {
    let tempering = adapted(Respace::Rejection, 10, 5.0, 20_000);
    let rejections = tempering.state.rates.rejections();
    let mean = rejections.iter().sum::<f64>() / rejections.len() as f64;
    assert!(rejections.iter().all(|r| (r - mean).abs() < 0.03), "{rejections:?}");
}

#[test]
fn the_fixed_rule_moves_nothing() {
    let tempering = adapted(Respace::Fixed, 12, 4.0, 400);
    assert_eq!(tempering.state.ladder, Ladder::new(12, Spacing::Linear));
}

/// M ≈ 1 + Λ/(1 − r_min), from above and from below.
#[test]
fn the_ladder_grows_and_shrinks_to_the_size_it_needs() {
    for start in [4, 40] {
        let tempering = adapted(Respace::Rejection, start, 6.0, 40_000);
        let rungs = tempering.state.ladder.rungs();
        // 6/(1 − 0.4) = 10 gaps at the least; one spare rung is kept before one is retired.
        assert!((11..=14).contains(&rungs), "from {start} to {rungs} rungs");
        assert!(tempering.state.rates.mean() >= 0.4);
    }
}

#[test]
fn burn_in_holds_the_rungs_and_decisions_come_at_their_interval() {
    let adaptation = Adaptation {
        respace: Respace::Rejection,
        beta_lr: 0.1,
        min_swap: 0.9,
        min_rungs: 2,
        max_rungs: 100,
        spawn_every: 50,
        burn_in: 20,
    };
    let state = TemperingState::new(Ladder::new(6, Spacing::Linear), 4);
    let mut tempering = Tempering::new(Barrier { rows: 24, height: 4.0 }, state);
    let mut last_spawn = None;
    for step in 0..400u64 {
        tempering.step(&(), 1, Clock { seed: 1, step }).unwrap();
        let before = tempering.state.ladder.clone();
        let change = tempering.adapt(&adaptation);
        if let Some(spawned) = last_spawn
            && step - spawned <= 20
        {
            assert_eq!(before, tempering.state.ladder, "rungs moved {} after", step - spawned);
        }
        if change != Change::None {
            assert_eq!((step + 1) % 50, 0);
            assert!(matches!(change, Change::Spawned(_)));
            last_spawn = Some(step);
        }
    }
    assert_eq!(tempering.state.ladder.rungs(), 6 + 8);
}

#[derive(Clone, Copy, Debug)]
enum Operation {
    Step,
    Spawn(usize),
    Retire(usize),
}

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        Just(Operation::Step),
        (0usize..20).prop_map(Operation::Spawn),
        (0usize..20).prop_map(Operation::Retire),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever comes and goes: every column is a permutation, every length fits, the replicas
    /// that stay keep their state, label and age on their rung, a new one is a copy of its hotter
    /// neighbour without a label.
    #[test]
    fn spawn_and_retire_keep_every_invariant(
        operations in prop::collection::vec(operation(), 1..40),
        columns in 1usize..4,
        kind in 0usize..KINDS.len(),
    ) {
        let rbm = random_rbm(6, 5, 1.0, 2);
        let ladder = Ladder::new(4, Spacing::Linear);
        let mut path = KINDS[kind].path(&rbm);
        path.set_hidden(exact_hidden(KINDS[kind], &rbm, ladder.betas(), columns, &mut rng(3)));
        let mut tempering = Tempering::new(path, TemperingState::new(ladder, columns));
        for (step, operation) in operations.into_iter().enumerate() {
            let carried = |t: &Tempering<Box<dyn isotherm::path::RbmPath>>| -> Vec<Vec<(u64, Label, u64, bool)>> {
                let r = &t.state.replicas;
                let rungs = r.rungs();
                (0..rungs)
                    .map(|rung| {
                        (0..columns)
                            .map(|c| {
                                let row = r.column(c)[rung];
                                let h = t.path.hidden().row(row)[0];
                                (h, r.labels[row], r.ages[row], r.departed[row])
                            })
                            .collect()
                    })
                    .collect()
            };
            let mut expected = carried(&tempering);
            let rungs = expected.len();
            match operation {
                Operation::Step => {
                    let clock = Clock { seed: 1, step: step as u64 };
                    tempering.step(&rbm, 1, clock).unwrap();
                    expected = carried(&tempering);
                }
                Operation::Spawn(at) => {
                    let gap = at % (rungs - 1);
                    tempering.spawn(gap);
                    let copies = expected[gap + 1].iter().map(|x| (x.0, Label::None, 0, false));
                    expected.insert(gap + 1, copies.collect());
                }
                Operation::Retire(at) if rungs > 2 => {
                    let rung = 1 + at % (rungs - 2);
                    tempering.retire(rung);
                    expected.remove(rung);
                }
                Operation::Retire(_) => {}
            }
            prop_assert_eq!(carried(&tempering), expected);
            let s = &tempering.state;
            let rungs = s.ladder.rungs();
            prop_assert!(s.replicas.is_permutation());
            prop_assert!(Ladder::from_betas(s.ladder.betas().to_vec()).is_some());
            prop_assert_eq!(s.replicas.rungs(), rungs);
            prop_assert_eq!((s.flow.up.len(), s.flow.down.len()), (rungs, rungs));
            prop_assert_eq!((s.rates.sums.len(), s.rates.weights.len()), (rungs - 1, rungs - 1));
            prop_assert_eq!(rows_of(&*tempering.path), rungs * columns);
        }
    }
}
