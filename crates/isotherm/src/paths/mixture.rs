//! The path from a mixture: clusters of the data are modes of the reference, and stay modes all the way.

use std::sync::Arc;

use super::{Gibbs, GibbsPath};
use crate::references::Mixture;

/// The path from this mixture to a model with `n_hidden` hidden units.
pub fn from_mixture(mixture: Arc<Mixture>, n_hidden: usize) -> Gibbs {
    let n_visible = mixture.n_visible();
    GibbsPath::from_mixture(mixture, n_hidden).population(n_visible, n_hidden)
}

/// The same, given log Z_z(β) of each component z (`balance.rs`) at some β, the first 0 and the last 1: of all
/// components at the first, then at the next. Nothing is learned.
pub(crate) fn from_balanced_mixture(
    mixture: Arc<Mixture>,
    n_hidden: usize,
    known: (Vec<f64>, &[f64]),
) -> Gibbs {
    let n_visible = mixture.n_visible();
    GibbsPath::from_balanced_mixture(mixture, n_hidden, known).population(n_visible, n_hidden)
}
