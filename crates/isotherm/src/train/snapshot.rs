//! The state of a run as named tensors, and back. Whatever must return bit for bit is a tensor.

use isotherm_kernels::bits::words_for;
use isotherm_kernels::{BitMatrix, Matrix};

use super::negative::Negative;
use super::plan::Plan;
use super::state::TrainState;
use crate::checkpoint::Bundle;
use crate::error::{Error, Result};
use crate::model::{Parameters, Rbm};
use crate::tempering::{Flow, Histograms, Label, Ladder, Replicas, SwapRates, TemperingState};

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
        if let Some(tempering) = self.negative.tempering() {
            insert_tempering(&tempering.state, bundle)?;
            let h = crate::path::RbmPath::hidden(&*tempering.path);
            bundle.insert("replicas.hidden", &[h.rows(), h.words_per_row()], h.words())?;
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
        if state.negative.tempering().is_some() {
            let tempering = take_tempering(bundle, plan.columns, plan.spare())?;
            let shape = [tempering.replicas.rows(), words_for(n_hidden)];
            let words = bundle.get("replicas.hidden", &shape)?;
            let h = BitMatrix::from_words(shape[0], n_hidden, words)
                .ok_or_else(|| Error::corrupt("tensor `replicas.hidden` has stray bits"))?;
            state.negative = Negative::resume(plan, marginals, tempering, h);
        }
        Ok(state)
    }
}

fn insert_tempering(state: &TemperingState, bundle: &mut Bundle) -> Result<()> {
    let TemperingState { ladder, replicas, flow, rates, parity, resting, since_decision } = state;
    let (rungs, rows) = (ladder.rungs(), replicas.rows());
    let numbers = |rows: &[usize]| rows.iter().map(|&row| row as u64).collect::<Vec<u64>>();
    let (row_at, spare) = (numbers(replicas.row_at()), numbers(replicas.spare()));
    let labels: Vec<u8> = replicas.labels.iter().map(|&label| label as u8).collect();
    let departed: Vec<u8> = replicas.departed.iter().map(|&departed| departed.into()).collect();
    bundle.insert("ladder.betas", &[rungs], ladder.betas())?;
    bundle.insert("replicas.row_at", &[row_at.len()], &row_at)?;
    if !spare.is_empty() {
        bundle.insert("replicas.spare", &[spare.len()], &spare)?;
    }
    bundle.insert("replicas.labels", &[rows], &labels)?;
    bundle.insert("replicas.ages", &[rows], &replicas.ages)?;
    bundle.insert("replicas.departed", &[rows], &departed)?;
    bundle.insert("flow.seen.up", &[rungs], &flow.seen.up)?;
    bundle.insert("flow.seen.down", &[rungs], &flow.seen.down)?;
    bundle.insert("flow.curve.up", &[rungs], &flow.curve.up)?;
    bundle.insert("flow.curve.down", &[rungs], &flow.curve.down)?;
    bundle.insert("flow.counts", &[2], &[flow.round_trips, flow.replica_steps])?;
    bundle.insert("rates.sums", &[rungs - 1], &rates.sums)?;
    bundle.insert("rates.weights", &[rungs - 1], &rates.weights)?;
    bundle.insert("clocks", &[3], &[*parity as u64, *resting, *since_decision])
}

fn take_tempering(bundle: &Bundle, columns: usize, spare: usize) -> Result<TemperingState> {
    let rungs = bundle.tensor("ladder.betas")?.shape().first().copied().unwrap_or(0);
    let rows = columns * rungs + spare;
    let ladder = Ladder::from_betas(bundle.get("ladder.betas", &[rungs])?)
        .ok_or_else(|| Error::corrupt("tensor `ladder.betas` is not a ladder from 1 down to 0"))?;
    let numbers = |name: &str, count: usize| -> Result<Vec<usize>> {
        let rows: Vec<u64> = bundle.get(name, &[count])?;
        Ok(rows.into_iter().map(|row| row as usize).collect())
    };
    let row_at = numbers("replicas.row_at", columns * rungs)?;
    let spare = if spare > 0 { numbers("replicas.spare", spare)? } else { Vec::new() };
    let labels: Vec<u8> = bundle.get("replicas.labels", &[rows])?;
    let departed: Vec<u8> = bundle.get("replicas.departed", &[rows])?;
    let replicas = Replicas::from_parts(
        columns,
        row_at,
        spare,
        labels.into_iter().map(label).collect(),
        bundle.get("replicas.ages", &[rows])?,
        departed.into_iter().map(|departed| departed == 1).collect(),
    )
    .ok_or_else(|| Error::corrupt("tensor `replicas.row_at` is not a permutation"))?;
    let counts: Vec<u64> = bundle.get("flow.counts", &[2])?;
    let clocks: Vec<u64> = bundle.get("clocks", &[3])?;
    Ok(TemperingState {
        ladder,
        replicas,
        flow: Flow {
            seen: Histograms {
                up: bundle.get("flow.seen.up", &[rungs])?,
                down: bundle.get("flow.seen.down", &[rungs])?,
            },
            curve: Histograms {
                up: bundle.get("flow.curve.up", &[rungs])?,
                down: bundle.get("flow.curve.down", &[rungs])?,
            },
            round_trips: counts[0],
            replica_steps: counts[1],
        },
        rates: SwapRates {
            sums: bundle.get("rates.sums", &[rungs - 1])?,
            weights: bundle.get("rates.weights", &[rungs - 1])?,
        },
        parity: clocks[0] as usize % 2,
        resting: clocks[1],
        since_decision: clocks[2],
    })
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
