//! The state of a run as named tensors, and back. Whatever must return bit for bit is a tensor.

use isotherm_kernels::bits::words_for;
use isotherm_kernels::{BitMatrix, Matrix};

use super::best::{Best, Kept, Looks};
use super::follower::{COLUMNS, Follower};
use super::negative::Negative;
use super::plan::Plan;
use super::state::TrainState;
use crate::error::{Error, Result};
use crate::model::{Parameters, Rbm};
use crate::paths::AnyEnsemble;
use crate::tensors::Bundle;
use isotherm_tempering::evidence::tracked::{Tracked, Variances};
use isotherm_tempering::{
    Flow, Histograms, Label, Ladder, Replicas, SwapRates, Tempering, TemperingState,
};

impl TrainState {
    /// Adds the state to a bundle.
    pub fn insert_into(&self, bundle: &mut Bundle) -> Result<()> {
        bundle.insert("step", &[1], &[self.step])?;
        self.model.parameters().insert_into(bundle, "")?;
        self.averaged.insert_into(bundle, "averaged.")?;
        self.velocity.insert_into(bundle, "velocity.")?;
        bundle.insert(
            "centering.hidden",
            &[self.model.n_hidden()],
            self.centering.hidden.row(0),
        )?;
        if let Some(Follower { sampler, minus_f, tracked }) = &self.follower {
            insert_tempering(&sampler.tempering, "follower.", bundle)?;
            if !minus_f.is_empty() {
                bundle.insert("follower.weights", &[COLUMNS], minus_f)?;
            }
            let Tracked { looks, log_z, variances } = tracked;
            bundle.insert("follower.looks", &[1], &[*looks])?;
            bundle.insert("follower.log_z", &[log_z.len()], log_z)?;
            let Variances { log_z, step, bridges } = *variances;
            bundle.insert("follower.variances", &[3], &[log_z, step, bridges])?;
        }
        if let Some(best) = &self.best {
            best.kept.insert_into(bundle, "best.")?;
            if let Some(candidate) = &best.candidate {
                candidate.insert_into(bundle, "candidate.")?;
            }
            let looks = &best.looks;
            bundle.insert("looks.recent", &[looks.recent.len()], &looks.recent)?;
            bundle.insert("looks.means", &[2], &[looks.std_error, looks.highest])?;
            let Looks { since_candidate, highest_at, judged_at, last_at, .. } = *looks;
            let counts = [since_candidate, highest_at, judged_at, last_at];
            bundle.insert("looks.counts", &[4], &counts)?;
        }
        if let Some(tempering) = self.negative.tempering() {
            insert_tempering(tempering, "", bundle)?;
        }
        Ok(())
    }

    /// The state in a bundle.
    pub fn take_from(bundle: &Bundle, plan: &Plan, marginals: &[f64]) -> Result<TrainState> {
        let (n_visible, n_hidden) = (marginals.len(), plan.config.hidden);
        let parameters = |prefix| Parameters::take_from(bundle, prefix, n_visible, n_hidden);
        let mut state = TrainState::new(plan, marginals);
        state.step = one(bundle, "step")?;
        state.model = Rbm::new(parameters("")?);
        state.averaged = parameters("averaged.")?;
        state.velocity = parameters("velocity.")?;
        let hidden: Vec<f32> = bundle.get("centering.hidden", &[n_hidden])?;
        state.centering.hidden = Matrix::from_row(&hidden);
        // A checkpoint of an older version has none: it begins anew.
        if state.follower.is_some() && bundle.tensors.contains_key("follower.looks") {
            let (tempering, h) = take_tempering(bundle, "follower.", (COLUMNS, 0), n_hidden)?;
            let looks = one(bundle, "follower.looks")?;
            let variances: Vec<f64> = bundle.get("follower.variances", &[3])?;
            let (log_z, step, bridges) = (variances[0], variances[1], variances[2]);
            let tracked = Tracked {
                looks,
                log_z: bundle.get("follower.log_z", &[if looks > 0 { COLUMNS } else { 0 }])?,
                variances: Variances { log_z, step, bridges },
            };
            let mut follower = Follower::resume(marginals, tempering, h);
            if looks > 0 || bundle.tensors.contains_key("follower.weights") {
                follower.minus_f = bundle.get("follower.weights", &[COLUMNS])?;
            }
            follower.tracked = tracked;
            state.follower = Some(follower);
        }
        if bundle.tensors.contains_key("best.update") {
            let units = (n_visible, n_hidden);
            let recent = bundle.tensor("looks.recent")?.shape().first().copied().unwrap_or(0);
            let means: Vec<f64> = bundle.get("looks.means", &[2])?;
            let counts: Vec<u64> = bundle.get("looks.counts", &[4])?;
            let waits = bundle.tensors.contains_key("candidate.update");
            state.best = Some(Box::new(Best {
                kept: Kept::take_from(bundle, "best.", units)?,
                candidate: waits
                    .then(|| Kept::take_from(bundle, "candidate.", units))
                    .transpose()?,
                looks: Looks {
                    recent: bundle.get("looks.recent", &[recent])?,
                    std_error: means[0],
                    highest: means[1],
                    since_candidate: counts[0],
                    highest_at: counts[1],
                    judged_at: counts[2],
                    last_at: counts[3],
                },
            }));
        }
        if state.negative.tempering().is_some() {
            let rows = (plan.columns, plan.spare());
            let (tempering, h) = take_tempering(bundle, "", rows, n_hidden)?;
            state.negative = Negative::resume(plan, marginals, tempering, h);
        }
        Ok(state)
    }
}

impl Kept {
    /// Adds a model that is kept, the names prefixed.
    fn insert_into(&self, bundle: &mut Bundle, prefix: &str) -> Result<()> {
        bundle.insert(&format!("{prefix}update"), &[1], &[self.update])?;
        bundle.insert(&format!("{prefix}log_likelihood"), &[1], &[self.log_likelihood])?;
        self.model.insert_into(bundle, prefix)?;
        self.averaged.insert_into(bundle, &format!("{prefix}averaged."))
    }

    /// The same back, given the numbers of visible and hidden units.
    fn take_from(
        bundle: &Bundle,
        prefix: &str,
        (n_visible, n_hidden): (usize, usize),
    ) -> Result<Kept> {
        let parameters = |prefix: &str| Parameters::take_from(bundle, prefix, n_visible, n_hidden);
        Ok(Kept {
            update: one(bundle, &format!("{prefix}update"))?,
            log_likelihood: bundle.get(&format!("{prefix}log_likelihood"), &[1])?[0],
            model: parameters(prefix)?,
            averaged: parameters(&format!("{prefix}averaged."))?,
        })
    }
}

/// Adds a ladder, the places of its replicas and their states, the names prefixed.
fn insert_tempering(
    tempering: &Tempering<AnyEnsemble>,
    prefix: &str,
    bundle: &mut Bundle,
) -> Result<()> {
    let state = &tempering.state;
    let h = tempering.ensemble.hidden();
    let TemperingState { ladder, replicas, flow, rates, parity, resting, since_decision } = state;
    let (rungs, rows) = (ladder.rungs(), replicas.rows());
    let numbers = |rows: &[usize]| rows.iter().map(|&row| row as u64).collect::<Vec<u64>>();
    let (row_at, spare) = (numbers(replicas.row_at()), numbers(replicas.off_ladder()));
    let labels: Vec<u8> = replicas.labels.iter().map(|&label| label as u8).collect();
    let departed: Vec<u8> = replicas.departed.iter().map(|&departed| departed.into()).collect();
    let name = |name: &str| format!("{prefix}{name}");
    bundle.insert(&name("replicas.hidden"), &[h.rows(), h.words_per_row()], h.words())?;
    bundle.insert(&name("ladder.betas"), &[rungs], ladder.betas())?;
    bundle.insert(&name("replicas.row_at"), &[row_at.len()], &row_at)?;
    if !spare.is_empty() {
        bundle.insert(&name("replicas.spare"), &[spare.len()], &spare)?;
    }
    bundle.insert(&name("replicas.labels"), &[rows], &labels)?;
    bundle.insert(&name("replicas.ages"), &[rows], &replicas.ages)?;
    bundle.insert(&name("replicas.departed"), &[rows], &departed)?;
    bundle.insert(&name("flow.seen.up"), &[rungs], &flow.seen.up)?;
    bundle.insert(&name("flow.seen.down"), &[rungs], &flow.seen.down)?;
    bundle.insert(&name("flow.curve.up"), &[rungs], &flow.curve.up)?;
    bundle.insert(&name("flow.curve.down"), &[rungs], &flow.curve.down)?;
    bundle.insert(&name("flow.counts"), &[2], &[flow.round_trips, flow.replica_steps])?;
    bundle.insert(&name("rates.sums"), &[rungs - 1], &rates.sums)?;
    bundle.insert(&name("rates.weights"), &[rungs - 1], &rates.weights)?;
    bundle.insert(&name("clocks"), &[3], &[*parity as u64, *resting, *since_decision])
}

/// The same back, given the columns, the spare replicas and the width of a state.
fn take_tempering(
    bundle: &Bundle,
    prefix: &str,
    (columns, spare): (usize, usize),
    n_hidden: usize,
) -> Result<(TemperingState, BitMatrix)> {
    let name = |name: &str| format!("{prefix}{name}");
    let rungs = bundle.tensor(&name("ladder.betas"))?.shape().first().copied().unwrap_or(0);
    let rows = columns * rungs + spare;
    let ladder = Ladder::from_betas(bundle.get(&name("ladder.betas"), &[rungs])?)
        .ok_or_else(|| Error::corrupt("tensor `ladder.betas` is not a ladder from 1 down to 0"))?;
    let numbers = |which: &str, count: usize| -> Result<Vec<usize>> {
        let rows: Vec<u64> = bundle.get(&name(which), &[count])?;
        Ok(rows.into_iter().map(|row| row as usize).collect())
    };
    let row_at = numbers("replicas.row_at", columns * rungs)?;
    let spare = if spare > 0 { numbers("replicas.spare", spare)? } else { Vec::new() };
    let labels: Vec<u8> = bundle.get(&name("replicas.labels"), &[rows])?;
    let departed: Vec<u8> = bundle.get(&name("replicas.departed"), &[rows])?;
    let replicas = Replicas::from_parts(
        columns,
        row_at,
        spare,
        labels.into_iter().map(label).collect(),
        bundle.get(&name("replicas.ages"), &[rows])?,
        departed.into_iter().map(|departed| departed == 1).collect(),
    )
    .ok_or_else(|| Error::corrupt("tensor `replicas.row_at` is not a permutation"))?;
    let counts: Vec<u64> = bundle.get(&name("flow.counts"), &[2])?;
    let clocks: Vec<u64> = bundle.get(&name("clocks"), &[3])?;
    let words = bundle.get(&name("replicas.hidden"), &[rows, words_for(n_hidden)])?;
    let h = BitMatrix::from_words(rows, n_hidden, words)
        .ok_or_else(|| Error::corrupt("tensor `replicas.hidden` has stray bits"))?;
    let state = TemperingState {
        ladder,
        replicas,
        flow: Flow {
            seen: Histograms {
                up: bundle.get(&name("flow.seen.up"), &[rungs])?,
                down: bundle.get(&name("flow.seen.down"), &[rungs])?,
            },
            curve: Histograms {
                up: bundle.get(&name("flow.curve.up"), &[rungs])?,
                down: bundle.get(&name("flow.curve.down"), &[rungs])?,
            },
            round_trips: counts[0],
            replica_steps: counts[1],
        },
        rates: SwapRates {
            sums: bundle.get(&name("rates.sums"), &[rungs - 1])?,
            weights: bundle.get(&name("rates.weights"), &[rungs - 1])?,
        },
        parity: clocks[0] as usize % 2,
        resting: clocks[1],
        since_decision: clocks[2],
    };
    Ok((state, h))
}

fn label(stored: u8) -> Label {
    match stored {
        1 => Label::Up,
        2 => Label::Down,
        _ => Label::None,
    }
}

fn one(bundle: &Bundle, name: &str) -> Result<u64> {
    let values: Vec<u64> = bundle.get(name, &[1])?;
    Ok(values[0])
}
