//! Sweeps of a target that gives energies of blocks: variable by variable, all rows at once. The
//! target is called from this thread alone.

use super::Target;
use super::heat_bath::{Sweep, finite, heat_bath};
use super::states::{TargetStates, toss};
use crate::causes::NonFinite;
use crate::error::Result;

/// Sweeps all rows. Rows at β = 0 are drawn afresh, and go along without being changed.
pub(super) fn sweep<T: Target + ?Sized>(
    states: &mut TargetStates,
    target: &T,
    sweep: &Sweep<'_>,
) -> Result<()> {
    let TargetStates { n, states, energies, .. } = states;
    let n = *n;
    let mut streams: Vec<_> = (0..energies.len()).map(|row| sweep.stream(row)).collect();
    let rows = sweep.betas.iter().zip(&mut streams).zip(states.chunks_exact_mut(n));
    for ((_, rng), state) in rows.filter(|((beta, _), _)| **beta == 0.0) {
        toss(state, rng);
    }
    // Computed again at each sweep, one call in n + 1, so that rounding errors do not accumulate.
    target.energies(states, energies)?;
    finite(energies, states, n)?;
    let mut changes = vec![0.0; energies.len()];
    for j in (0..sweep.steps).flat_map(|_| 0..n) {
        target.flip_changes(j, states, energies, &mut changes)?;
        let rows = states.chunks_exact_mut(n).zip(&mut *energies).zip(&changes);
        for (((state, energy), change), (&beta, rng)) in
            rows.zip(sweep.betas.iter().zip(&mut streams))
        {
            if !change.is_finite() {
                let (state, energy) = (state.to_vec(), *energy + change);
                return Err(NonFinite::Energy { state, flipped: Some(j), energy }.into());
            }
            if beta == 0.0 {
                continue;
            }
            let field = if state[j] == 0 { *change } else { -change };
            let drawn = heat_bath(beta, field, rng);
            if drawn != state[j] {
                state[j] = drawn;
                *energy += change;
            }
        }
    }
    Ok(())
}
