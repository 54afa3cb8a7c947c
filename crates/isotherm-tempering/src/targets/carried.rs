//! Sweeps of a target that keeps the fields of a state up to date: row by row, on all threads.

use rayon::prelude::*;

use super::LocalFields;
use super::heat_bath::{Sweep, heat_bath};
use super::states::{TargetStates, toss};
use crate::causes::NonFinite;
use crate::error::Result;
use crate::threads::rows_per_thread;

/// Steps after which fields and energies are computed from scratch, so that rounding does not add up.
const RENEWED_EVERY: u64 = 1000;

/// Nanoseconds that a variable takes, roughly: its draw, and now and then a flip.
const NANOSECONDS_A_VARIABLE: f64 = 20.0;

/// Sweeps all rows.
pub(super) fn sweep(
    states: &mut TargetStates,
    target: &dyn LocalFields,
    sweep: &Sweep<'_>,
) -> Result<()> {
    let TargetStates { n, states, energies, fields } = states;
    let n = *n;
    let renewed = fields.is_empty() || sweep.key.step.is_multiple_of(RENEWED_EVERY);
    fields.resize(states.len(), 0.0);
    let cost = NANOSECONDS_A_VARIABLE * (sweep.steps * n) as f64;
    let rows = rows_per_thread(sweep.betas.len(), cost);
    states
        .par_chunks_mut(rows * n)
        .zip(fields.par_chunks_mut(rows * n))
        .zip(energies.par_chunks_mut(rows))
        .enumerate()
        .map(|(chunk, ((states, fields), energies))| {
            let each = states.chunks_exact_mut(n).zip(fields.chunks_exact_mut(n)).zip(energies);
            for (i, ((state, fields), energy)) in each.enumerate() {
                Row { state, fields, energy }.sweep(chunk * rows + i, target, sweep, renewed)?;
            }
            Ok(())
        })
        // Of several errors the first row's, whichever thread was first.
        .collect::<Vec<Result<()>>>()
        .into_iter()
        .collect()
}

/// One replica.
struct Row<'a> {
    state: &'a mut [u8],
    fields: &'a mut [f64],
    energy: &'a mut f64,
}

impl Row<'_> {
    fn sweep(
        self,
        row: usize,
        target: &dyn LocalFields,
        sweep: &Sweep<'_>,
        renewed: bool,
    ) -> Result<()> {
        let Row { state, fields, energy } = self;
        let (beta, mut rng) = (sweep.betas[row], sweep.stream(row));
        if beta == 0.0 {
            toss(state, &mut rng);
        }
        if beta == 0.0 || renewed {
            *energy = target.begin(state, fields);
        }
        let (n, steps) = (state.len(), if beta == 0.0 { 0 } else { sweep.steps });
        for j in (0..steps).flat_map(|_| 0..n) {
            let field = fields[j];
            if !field.is_finite() {
                return Err(NonFinite::Field { variable: j, field }.into());
            }
            let drawn = heat_bath(beta, field, &mut rng);
            if drawn != state[j] {
                *energy += if drawn == 1 { field } else { -field };
                state[j] = drawn;
                target.follow(state, j, fields);
            }
        }
        if energy.is_finite() {
            return Ok(());
        }
        let state = state.to_vec();
        Err(NonFinite::Energy { state, flipped: None, energy: *energy }.into())
    }
}
