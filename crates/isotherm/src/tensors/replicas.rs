//! Replicas on a ladder as named tensors, and back.

use isotherm_kernels::BitMatrix;
use isotherm_kernels::bits::words_for;
use isotherm_tempering::{
    Flow, Histograms, Label, Ladder, Replicas, StepCounters, SwapRates, Tempering, TemperingState,
};

use super::{Bundle, TensorError};
use crate::error::Result;
use crate::paths::AnyEnsemble;

/// Adds a ladder, the places of its replicas and their states, the names prefixed.
pub fn insert_tempering(
    tempering: &Tempering<AnyEnsemble>,
    prefix: &str,
    bundle: &mut Bundle,
) -> Result<()> {
    let (state, h) = (tempering.state(), tempering.ensemble().hidden());
    let (ladder, replicas, flow) = (state.ladder(), state.replicas(), state.flow());
    let (rungs, rows) = (ladder.rungs(), replicas.rows());
    let numbers = |rows: &[usize]| rows.iter().map(|&row| row as u64).collect::<Vec<u64>>();
    let (row_at, off_ladder) = (numbers(replicas.row_at()), numbers(replicas.off_ladder()));
    let labels: Vec<u8> = replicas.labels().iter().map(|&label| label as u8).collect();
    let departed: Vec<u8> = replicas.departed().iter().map(|&departed| departed.into()).collect();
    let name = |name: &str| format!("{prefix}{name}");
    bundle.insert(&name("replicas.hidden"), &[h.rows(), h.words_per_row()], h.words())?;
    let learned = tempering.ensemble().learned();
    if !learned.is_empty() {
        bundle.insert(&name("path.learned"), &[learned.len()], &learned)?;
    }
    bundle.insert(&name("ladder.betas"), &[rungs], ladder.betas())?;
    bundle.insert(&name("replicas.row_at"), &[row_at.len()], &row_at)?;
    if !off_ladder.is_empty() {
        bundle.insert(&name("replicas.spare"), &[off_ladder.len()], &off_ladder)?;
    }
    bundle.insert(&name("replicas.labels"), &[rows], &labels)?;
    bundle.insert(&name("replicas.ages"), &[rows], replicas.ages())?;
    bundle.insert(&name("replicas.departed"), &[rows], &departed)?;
    bundle.insert(&name("flow.seen.up"), &[rungs], flow.seen().up())?;
    bundle.insert(&name("flow.seen.down"), &[rungs], flow.seen().down())?;
    bundle.insert(&name("flow.curve.up"), &[rungs], flow.curve().up())?;
    bundle.insert(&name("flow.curve.down"), &[rungs], flow.curve().down())?;
    bundle.insert(&name("flow.counts"), &[2], &[flow.round_trips(), flow.replica_steps()])?;
    bundle.insert(&name("rates.sums"), &[rungs - 1], state.rates().sums())?;
    bundle.insert(&name("rates.weights"), &[rungs - 1], state.rates().weights())?;
    let StepCounters { parity, resting, since_decision } = state.counters();
    bundle.insert(&name("clocks"), &[3], &[parity as u64, resting, since_decision])
}

/// Restores them into replicas with the same numbers of columns, particles and hidden units.
pub fn take_tempering(
    bundle: &Bundle,
    prefix: &str,
    tempering: &mut Tempering<AnyEnsemble>,
) -> Result<()> {
    let (replicas, n_hidden) = (tempering.state().replicas(), tempering.ensemble().hidden().cols());
    let (columns, off_ladder) = (replicas.columns(), replicas.off_ladder().len());
    let name = |name: &str| format!("{prefix}{name}");
    let wrong = |which, wanted| TensorError::Inconsistent { name: name(which), wanted };
    let rungs = bundle.tensor(&name("ladder.betas"))?.shape().first().copied().unwrap_or(0);
    let rows = columns * rungs + off_ladder;
    let ladder = Ladder::from_betas(bundle.get(&name("ladder.betas"), &[rungs])?)
        .ok_or_else(|| wrong("ladder.betas", "a ladder from 1 down to 0"))?;
    let numbers = |which: &str, count: usize| -> Result<Vec<usize>> {
        let rows: Vec<u64> = bundle.get(&name(which), &[count])?;
        Ok(rows.into_iter().map(|row| row as usize).collect())
    };
    let row_at = numbers("replicas.row_at", columns * rungs)?;
    let off_ladder =
        if off_ladder > 0 { numbers("replicas.spare", off_ladder)? } else { Vec::new() };
    let labels: Vec<u8> = bundle.get(&name("replicas.labels"), &[rows])?;
    let departed: Vec<u8> = bundle.get(&name("replicas.departed"), &[rows])?;
    let replicas = Replicas::from_parts(
        columns,
        row_at,
        off_ladder,
        labels.into_iter().map(label).collect(),
        bundle.get(&name("replicas.ages"), &[rows])?,
        departed.into_iter().map(|departed| departed == 1).collect(),
    )
    .ok_or_else(|| wrong("replicas.row_at", "a permutation"))?;
    let counts: Vec<u64> = bundle.get(&name("flow.counts"), &[2])?;
    let clocks: Vec<u64> = bundle.get(&name("clocks"), &[3])?;
    let words = bundle.get(&name("replicas.hidden"), &[rows, words_for(n_hidden)])?;
    let h = BitMatrix::from_words(rows, n_hidden, words)
        .ok_or_else(|| wrong("replicas.hidden", "the bits of hidden units alone"))?;
    let histograms = |which: &str| -> Result<Option<Histograms>> {
        let counts = |label| bundle.get(&name(&format!("flow.{which}.{label}")), &[rungs]);
        Ok(Histograms::from_parts(counts("up")?, counts("down")?))
    };
    let (seen, curve) = (histograms("seen")?, histograms("curve")?);
    let flow = seen.zip(curve);
    let flow = flow.and_then(|(seen, curve)| Flow::from_parts(seen, curve, counts[0], counts[1]));
    let rates = SwapRates::from_parts(
        bundle.get(&name("rates.sums"), &[rungs - 1])?,
        bundle.get(&name("rates.weights"), &[rungs - 1])?,
    );
    let counters = StepCounters {
        parity: clocks[0] as usize % 2,
        resting: clocks[1],
        since_decision: clocks[2],
    };
    let state = flow.zip(rates).and_then(|(flow, rates)| {
        TemperingState::from_parts(ladder, replicas, flow, rates, counters)
    });
    let state = state.ok_or_else(|| wrong("ladder.betas", "as many rungs as the other tensors"))?;
    // Checkpoints of earlier versions hold nothing of the path.
    let learned: Vec<f64> = match bundle.tensors.get(&name("path.learned")) {
        Some(values) => bundle.get(&name("path.learned"), values.shape())?,
        None => Vec::new(),
    };
    let mut fits = true;
    tempering.restore(state, |ensemble| {
        ensemble.set_hidden(h);
        fits = learned.is_empty() || ensemble.set_learned(&learned);
    });
    fits.then_some(()).ok_or_else(|| wrong("path.learned", "those of this path").into())
}

fn label(stored: u8) -> Label {
    match stored {
        1 => Label::Up,
        2 => Label::Down,
        _ => Label::None,
    }
}
