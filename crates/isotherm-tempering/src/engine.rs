//! One step of the tempered sampler, and the adaptation of its ladder.

use serde::{Deserialize, Serialize};

use crate::ensemble::Ensemble;
use crate::error::Result;
use crate::flow::{Flow, Histograms, ReturnTime, return_time};
use crate::replicas::Replicas;
use crate::schedule::IsotonicFit;
use crate::schedule::Ladder;
use crate::schedule::respace::{Respace, Targets};
use crate::schedule::spawn::{can_retire_a_rung, gap_to_split, rung_to_retire};
use crate::streams::Key;
use crate::swap::{SwapRates, swap_pass};

/// How the ladder adapts itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Adaptation {
    /// The rule that says where the rungs should be.
    pub respace: Respace,
    /// μ: the fraction of the way that they move at each step.
    pub beta_lr: f64,
    /// r̄_min: a rung is spawned when the mean swap rate falls below it.
    pub min_swap: f64,
    /// Rungs are retired down to this number.
    pub min_rungs: usize,
    /// Rungs are spawned up to this number.
    pub max_rungs: usize,
    /// Steps between two decisions to spawn or retire.
    pub spawn_every: u64,
    /// Steps after a spawn or a retirement in which the rungs stay where they are.
    pub burn_in: u64,
}

/// What adaptation did to the number of rungs at a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Change {
    /// A rung was added after this one, cold end = 0.
    Spawned(usize),
    /// This rung was removed.
    Retired(usize),
}

/// What is due at the next step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepCounters {
    /// Which pairs are proposed next: 0 the even ones, 1 the odd ones.
    pub parity: usize,
    /// Steps left in which the rungs stay where they are.
    pub resting: u64,
    /// Steps since the last decision to spawn or retire.
    pub since_decision: u64,
}

/// Everything about the ladder that the next step needs, except the states of the replicas. All parts have
/// the same number of rungs.
#[derive(Clone, Debug, PartialEq)]
pub struct TemperingState {
    pub(crate) ladder: Ladder,
    pub(crate) replicas: Replicas,
    pub(crate) flow: Flow,
    pub(crate) rates: SwapRates,
    pub(crate) counters: StepCounters,
}

impl TemperingState {
    /// A new ladder with `columns` columns.
    pub fn new(ladder: Ladder, columns: usize) -> TemperingState {
        TemperingState::with_extra_particles(ladder, columns, 0)
    }

    /// The same with persistent particles at β = 1 beyond one a column.
    pub fn with_extra_particles(ladder: Ladder, columns: usize, extra: usize) -> TemperingState {
        let rungs = ladder.rungs();
        TemperingState {
            replicas: Replicas::with_extra_particles(columns, rungs, extra),
            flow: Flow::new(rungs),
            rates: SwapRates::new(rungs - 1),
            ladder,
            counters: StepCounters::default(),
        }
    }

    /// The state of these parts, or `None` if they do not have the same number of rungs or the parity is
    /// neither 0 nor 1.
    pub fn from_parts(
        ladder: Ladder,
        replicas: Replicas,
        flow: Flow,
        rates: SwapRates,
        counters: StepCounters,
    ) -> Option<TemperingState> {
        let rungs = ladder.rungs();
        let fits = replicas.rungs() == rungs
            && flow.rungs() == rungs
            && rates.gaps() == rungs - 1
            && counters.parity < 2;
        fits.then_some(TemperingState { ladder, replicas, flow, rates, counters })
    }

    /// The inverse temperatures.
    pub fn ladder(&self) -> &Ladder {
        &self.ladder
    }

    /// Which replica is on which rung.
    pub fn replicas(&self) -> &Replicas {
        &self.replicas
    }

    /// The flow between the ends.
    pub fn flow(&self) -> &Flow {
        &self.flow
    }

    /// Swap rates of the pairs.
    pub fn rates(&self) -> &SwapRates {
        &self.rates
    }

    /// What is due at the next step.
    pub fn counters(&self) -> StepCounters {
        self.counters
    }

    /// The paper's return-time counters.
    pub fn return_time(&self) -> ReturnTime {
        return_time(&self.replicas)
    }
}

/// Replicas on an adaptive ladder.
#[derive(Clone, Debug)]
pub struct Tempering<E> {
    /// A row for each replica of the state.
    pub(crate) ensemble: E,
    pub(crate) state: TemperingState,
    buffers: Buffers,
}

/// Buffers of a step, kept to avoid allocations. Each is written before it is read, so nothing here
/// outlives a step, and no checkpoint holds it.
#[derive(Clone, Debug, Default)]
struct Buffers {
    betas_of_rows: Vec<f64>,
    acceptances: Vec<f64>,
    fit: IsotonicFit,
    rejections: Vec<f64>,
    targets: Targets,
    betas_before: Vec<f64>,
    curve_before: Histograms,
    cold_rows: Vec<usize>,
}

impl<E: Ensemble> Tempering<E> {
    /// `ensemble` must hold a row for each replica of `state`.
    pub fn new(ensemble: E, state: TemperingState) -> Tempering<E> {
        assert_eq!(ensemble.rows(), state.replicas.rows(), "one row for each replica");
        Tempering { ensemble, state, buffers: Buffers::default() }
    }

    /// The replicas' states, their path, and the kernel that moves them.
    pub fn ensemble(&self) -> &E {
        &self.ensemble
    }

    /// The ladder and the replicas' places on it.
    pub fn state(&self) -> &TemperingState {
        &self.state
    }

    /// Begins a new count of round trips.
    pub fn restart_count(&mut self) {
        self.state.flow.restart_count();
    }

    /// Goes on from a state that was stored. `put` puts the stored states of the replicas into the ensemble,
    /// a row for each replica.
    pub fn restore(&mut self, state: TemperingState, put: impl FnOnce(&mut E)) {
        put(&mut self.ensemble);
        assert_eq!(self.ensemble.rows(), state.replicas.rows(), "one row for each replica");
        self.state = state;
    }

    /// Draws all replicas from the reference, whatever their rungs. Units that the path sums out are drawn
    /// at the β of the rung.
    pub fn begin_at_reference(&mut self, model: &E::Model, key: Key) -> Result<()> {
        // The key of a step that never occurs: no later step may use the same random numbers.
        let before = Key { step: u64::MAX, ..key };
        let betas = &mut self.buffers.betas_of_rows;
        self.state.replicas.betas_of_rows(self.state.ladder.betas(), betas);
        self.ensemble.sweep(model, &vec![0.0; betas.len()], 1, before)?;
        self.ensemble.resample(model, betas, before);
        Ok(())
    }

    /// Sweeps all rungs `k` times, swaps neighbours, observes the flow, and exchanges the coldest replicas
    /// with particles off the ladder.
    pub fn step(&mut self, model: &E::Model, k: usize, key: Key) -> Result<()> {
        let s = &mut self.state;
        let Buffers { betas_of_rows: betas, acceptances, .. } = &mut self.buffers;
        s.replicas.betas_of_rows(s.ladder.betas(), betas);
        self.ensemble.sweep(model, betas, k, key)?;
        let (replicas, rates) = (&mut s.replicas, &mut s.rates);
        swap_pass(&self.ensemble, &s.ladder, replicas, rates, s.counters.parity, key, acceptances)?;
        s.flow.observe(&mut s.replicas);
        s.replicas.take_turns(key);
        s.replicas.betas_of_rows(s.ladder.betas(), betas);
        self.ensemble.resample(model, betas, key);
        s.counters.parity = 1 - s.counters.parity;
        Ok(())
    }

    /// Lets the path learn from the states after a step; see [`Path::learn`](crate::Path::learn).
    pub fn learn(&mut self) {
        let betas = &self.buffers.betas_of_rows;
        self.ensemble.learn(self.state.ladder.betas(), betas);
    }

    /// Calls `work` with the ensemble and the rows at β = 1: one for each column, then the particles off
    /// the ladder.
    pub fn at_the_cold_end<T>(&mut self, work: impl FnOnce(&mut E, &[usize]) -> T) -> T {
        let rows = &mut self.buffers.cold_rows;
        self.state.replicas.cold_rows_into(rows);
        work(&mut self.ensemble, rows)
    }

    /// Moves the rungs towards the ladder that the rule asks for. Every `spawn_every` steps it may add or
    /// remove a rung.
    pub fn adapt(&mut self, adaptation: &Adaptation) -> Option<Change> {
        if self.state.ladder.rungs() < 2 {
            return None;
        }
        self.learn();
        self.respace(adaptation);
        let since_decision = &mut self.state.counters.since_decision;
        *since_decision += 1;
        if *since_decision < adaptation.spawn_every {
            return None;
        }
        *since_decision = 0;
        self.spawn_or_retire(adaptation)
    }

    fn respace(&mut self, adaptation: &Adaptation) {
        let s = &mut self.state;
        if s.counters.resting > 0 {
            s.counters.resting -= 1;
            return;
        }
        // A gap that was never tried would count as one that never rejects a swap.
        let knows = adaptation.respace != Respace::Rejection || s.rates.are_known();
        if adaptation.respace != Respace::Fixed && knows {
            let Buffers { fit, rejections, targets, betas_before, curve_before, .. } =
                &mut self.buffers;
            let f_up = s.flow.curve.fit_f_up(fit);
            s.rates.rejections_into(rejections);
            let wanted = targets.find(adaptation.respace, &s.ladder, f_up, rejections);
            betas_before.clear();
            betas_before.extend_from_slice(s.ladder.betas());
            s.ladder.move_towards(wanted, adaptation.beta_lr);
            s.flow.move_rungs(betas_before, s.ladder.betas(), curve_before);
        }
    }

    fn spawn_or_retire(&mut self, adaptation: &Adaptation) -> Option<Change> {
        let s = &self.state;
        // A new gap has no swap rate before its first swap.
        if !s.rates.are_known() {
            return None;
        }
        let Buffers { fit, rejections, .. } = &mut self.buffers;
        let f_up = s.flow.curve.fit_f_up(fit);
        s.rates.rejections_into(rejections);
        let rungs = s.ladder.rungs();
        if s.rates.mean() < adaptation.min_swap
            && rungs < adaptation.max_rungs
            && let Some(gap) = gap_to_split(&s.ladder, f_up)
        {
            self.spawn(gap);
            self.state.counters.resting = adaptation.burn_in;
            return Some(Change::Spawned(gap));
        }
        if can_retire_a_rung(rejections, adaptation.min_swap)
            && rungs > adaptation.min_rungs
            && let Some(rung) = rung_to_retire(f_up, rejections)
        {
            self.retire(rung);
            self.state.counters.resting = adaptation.burn_in;
            return Some(Change::Retired(rung));
        }
        None
    }

    /// Adds a rung halfway between rungs `gap` and `gap + 1`, its replicas copies of the hotter
    /// neighbours.
    pub fn spawn(&mut self, gap: usize) {
        let s = &mut self.state;
        s.ladder.insert(gap);
        s.flow.insert(gap);
        s.rates.split(gap);
        let sources = s.replicas.insert(gap);
        self.ensemble.select(&sources);
    }

    /// Removes an inner rung and its replicas.
    pub fn retire(&mut self, rung: usize) {
        let s = &mut self.state;
        s.ladder.remove(rung);
        s.flow.remove(rung);
        s.rates.merge(rung);
        let sources = s.replicas.remove(rung);
        self.ensemble.select(&sources);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Spacing;

    /// A checkpoint whose parts do not fit together is no state.
    #[test]
    fn a_state_is_made_of_parts_with_the_same_number_of_rungs() {
        let of = |[ladder, replicas, flow, rates]: [usize; 4], parity| {
            TemperingState::from_parts(
                Ladder::new(ladder, Spacing::Linear),
                Replicas::new(3, replicas),
                Flow::new(flow),
                SwapRates::new(rates - 1),
                StepCounters { parity, ..StepCounters::default() },
            )
        };
        let new = TemperingState::new(Ladder::new(4, Spacing::Linear), 3);
        assert_eq!(of([4, 4, 4, 4], 0), Some(new));
        for other in [[5, 4, 4, 4], [4, 5, 4, 4], [4, 4, 5, 4], [4, 4, 4, 5]] {
            assert_eq!(of(other, 0), None, "{other:?}");
        }
        assert_eq!(of([4, 4, 4, 4], 2), None, "pairs are even or odd");
        assert_eq!(Histograms::from_parts(vec![0.0; 3], vec![0.0; 4]), None);
        assert_eq!(SwapRates::from_parts(vec![0.0; 3], vec![0.0; 4]), None);
        let (three, four) = (Histograms::new(3), Histograms::new(4));
        assert_eq!(Flow::from_parts(three, four, 0, 0), None);
    }
}
