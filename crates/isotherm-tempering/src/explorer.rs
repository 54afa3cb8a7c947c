//! Explorers: transition kernels that leave every π_β of a path invariant.

use crate::error::Result;
use crate::path::Path;
use crate::streams::Key;

/// A transition kernel for the states of a path, all rows at once.
pub trait Explorer<P: Path> {
    /// `steps` transitions of each row that leave π_β invariant, β = `betas[row]`. At β = 0 the row
    /// is drawn from the reference, independently of what it was.
    fn sweep(
        &mut self,
        path: &P,
        model: &P::Model,
        states: &mut P::States,
        betas: &[f64],
        steps: usize,
        key: Key,
    ) -> Result<()>;

    /// Resamples what the path sums out of its log densities, at the β that each row has after the swaps.
    /// Does nothing if nothing is summed out.
    fn resample(
        &mut self,
        path: &P,
        model: &P::Model,
        states: &mut P::States,
        betas: &[f64],
        key: Key,
    ) {
        let _ = (path, model, states, betas, key);
    }
}
