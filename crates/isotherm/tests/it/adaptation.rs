//! The ladder adapts to a landscape whose barrier is known: swaps between β and β' are accepted
//! with probability 1 − |Λ(β) − Λ(β')|, capped, so that equal rejection means equal steps of Λ.

use crate::common::*;
use isotherm_tempering::Ensemble;
use isotherm_tempering::engine::Change;
use isotherm_tempering::streams::Key;
use isotherm_tempering::{
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

impl Ensemble for Barrier {
    type Model = ();

    fn rows(&self) -> usize {
        self.rows
    }

    fn sweep(&mut self, _: &(), _: &[f64], _: usize, _: Key) -> isotherm::Result<()> {
        Ok(())
    }

    fn log_ratio(&self, (_, x): (usize, f64), (_, y): (usize, f64)) -> f64 {
        (1.0 - (self.at(x) - self.at(y)).abs()).max(0.02).ln()
    }

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
        tempering.step(&(), 1, Key { seed: 9, step }).unwrap();
        tempering.adapt(&adaptation);
        assert!(Ladder::from_betas(tempering.state().ladder().betas().to_vec()).is_some());
    }
    tempering
}

/// How far f_up is from linear in the index, at the ladder's own rejection rates.
fn deviation_from_linear(tempering: &Tempering<Barrier>) -> f64 {
    let gaps = tempering.state().ladder().gaps() as f64;
    let flow = theory::flow(&tempering.state().rates().rejections());
    let off = |(i, f): (usize, &f64)| (f - (1.0 - i as f64 / gaps)).abs();
    flow.iter().enumerate().map(off).fold(0.0, f64::max)
}

/// With equal rejection r over N gaps f_up would be off by J|½ − 1/N| at the first rung inside;
/// the rules that look at the flow must do clearly better than that, and they can only be off by
/// the noise of histograms that remember 100 steps of 40 columns: √(¼/40) at the worst, less for
/// what a slow step averages over.
#[test]
fn the_papers_rule_makes_f_up_linear() {
    let by_rejection = deviation_from_linear(&adapted(Respace::Rejection, 5, 5.0, 40_000));
    for rule in [Respace::Flow, Respace::FlowSqrt] {
        let by_flow = deviation_from_linear(&adapted(rule, 5, 5.0, 40_000));
        assert!(by_flow < 0.5 * by_rejection, "{rule:?}: {by_flow}, rejection: {by_rejection}");
    }
}

#[test]
fn the_rejection_rule_equalises_rejection() {
    let tempering = adapted(Respace::Rejection, 10, 5.0, 20_000);
    let rejections = tempering.state().rates().rejections();
    let mean = rejections.iter().sum::<f64>() / rejections.len() as f64;
    // No noise here: acceptance is a function of β. What is left is the interpolant's own error,
    // and the rates' memory of 500 attempts while the last rung settled.
    assert!(rejections.iter().all(|r| (r - mean).abs() < 0.03), "{rejections:?}");
}

#[test]
fn the_fixed_rule_moves_nothing() {
    let tempering = adapted(Respace::Fixed, 12, 4.0, 400);
    assert_eq!(*tempering.state().ladder(), Ladder::new(12, Spacing::Linear));
}

/// M ≈ 1 + Λ/(1 − r_min), from above and from below.
#[test]
fn the_ladder_grows_and_shrinks_to_the_size_it_needs() {
    for start in [4, 40] {
        let tempering = adapted(Respace::Rejection, start, 6.0, 40_000);
        let rungs = tempering.state().ladder().rungs();
        // 6/(1 − 0.4) = 10 gaps at the least. A rung is let go only if 1 − 6/(N−1) ≥ 0.45 for
        // the N−1 gaps that stay, so at the most N = 11 gaps stay; one more for what adaptation
        // leaves uneven.
        assert!((11..=13).contains(&rungs), "from {start} to {rungs} rungs");
        assert!(tempering.state().rates().mean() >= 0.4);
    }
}

/// With a decision at every step, of which every other leaves a gap's swap untried, a gap that nothing is known
/// of must not count as one that lets everything pass.
#[test]
fn nothing_is_decided_before_every_gap_was_tried() {
    let adaptation = Adaptation {
        respace: Respace::Rejection,
        beta_lr: 0.1,
        min_swap: 0.3,
        min_rungs: 3,
        max_rungs: 60,
        spawn_every: 1,
        burn_in: 0,
    };
    let state = TemperingState::new(Ladder::new(9, Spacing::Linear), 4);
    let barrier = Barrier { rows: state.replicas().rows(), height: 1.0 };
    let mut tempering = Tempering::new(barrier, state);
    let (mut changes, mut moves) = (0, 0);
    for step in 0..200 {
        tempering.step(&(), 1, Key { seed: 5, step }).unwrap();
        let known = tempering.state().rates().are_known();
        let before = tempering.state().ladder().clone();
        let change = tempering.adapt(&adaptation);
        let moved = change.is_none() && *tempering.state().ladder() != before;
        assert!(known || change.is_none(), "{change:?} at step {step}");
        assert!(known || !moved, "rungs moved at step {step}");
        changes += u32::from(change.is_some());
        moves += u32::from(moved);
    }
    assert!(changes > 0 && moves > 0, "or nothing was tested");
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
        tempering.step(&(), 1, Key { seed: 1, step }).unwrap();
        let before = tempering.state().ladder().clone();
        let change = tempering.adapt(&adaptation);
        if let Some(spawned) = last_spawn
            && step - spawned <= 20
        {
            assert_eq!(&before, tempering.state().ladder(), "rungs moved {} after", step - spawned);
        }
        if let Some(change) = change {
            assert_eq!((step + 1) % 50, 0);
            assert!(matches!(change, Change::Spawned(_)));
            last_spawn = Some(step);
        }
    }
    assert_eq!(tempering.state().ladder().rungs(), 6 + 8);
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

    /// Whatever comes and goes: every row is somewhere, every length fits, the replicas, particles off the ladder
    /// too, that stay keep their state, label and age on their rung, a new one is a copy of its hotter
    /// neighbour without a label.
    #[test]
    fn spawn_and_retire_keep_every_invariant(
        operations in prop::collection::vec(operation(), 1..40),
        columns in 1usize..4,
        off_ladder in 0usize..5,
        kind in 0usize..KINDS.len(),
    ) {
        let rbm = random_rbm(6, 5, 1.0, 2);
        let ladder = Ladder::new(4, Spacing::Linear);
        let mut path = KINDS[kind].path(&rbm);
        let mut h = exact_hidden(KINDS[kind], &rbm, ladder.betas(), columns, &mut rng(3));
        h.append(&exact_hidden(KINDS[kind], &rbm, &[1.0], off_ladder, &mut rng(4)));
        path.set_hidden(h);
        let state = TemperingState::with_extra_particles(ladder, columns, off_ladder);
        let mut tempering = Tempering::new(path, state);
        for (step, operation) in operations.into_iter().enumerate() {
            let carried = |t: &Tempering<Box<dyn isotherm::paths::RbmEnsemble>>| -> Vec<Vec<(u64, Label, u64, bool)>> {
                let r = &t.state().replicas();
                let carried_by = |row: usize| {
                    let h = t.ensemble().hidden().row(row)[0];
                    (h, r.labels()[row], r.ages()[row], r.departed()[row])
                };
                // The particles off the ladder, then rung by rung.
                let rungs = (0..r.rungs())
                    .map(|rung| (0..columns).map(|c| carried_by(r.column(c)[rung])).collect());
                std::iter::once(r.off_ladder().iter().map(|&row| carried_by(row)).collect())
                    .chain(rungs)
                    .collect()
            };
            let mut expected = carried(&tempering);
            let rungs = expected.len() - 1;
            match operation {
                Operation::Step => {
                    let key = Key { seed: 1, step: step as u64 };
                    tempering.step(&rbm, 1, key).unwrap();
                    expected = carried(&tempering);
                }
                Operation::Spawn(at) => {
                    let gap = at % (rungs - 1);
                    tempering.spawn(gap);
                    let copies = expected[gap + 2].iter().map(|x| (x.0, Label::None, 0, false));
                    expected.insert(gap + 2, copies.collect());
                }
                Operation::Retire(at) if rungs > 2 => {
                    let rung = 1 + at % (rungs - 2);
                    tempering.retire(rung);
                    expected.remove(rung + 1);
                }
                Operation::Retire(_) => {}
            }
            prop_assert_eq!(carried(&tempering), expected);
            let s = tempering.state();
            let rungs = s.ladder().rungs();
            prop_assert!(s.replicas().is_permutation());
            prop_assert!(Ladder::from_betas(s.ladder().betas().to_vec()).is_some());
            prop_assert_eq!(s.replicas().rungs(), rungs);
            for histograms in [s.flow().seen(), s.flow().curve()] {
                prop_assert_eq!((histograms.up().len(), histograms.down().len()), (rungs, rungs));
            }
            prop_assert_eq!((s.rates().sums().len(), s.rates().weights().len()), (rungs - 1, rungs - 1));
            prop_assert_eq!(rows_of(&**tempering.ensemble()), rungs * columns + off_ladder);
        }
    }
}
