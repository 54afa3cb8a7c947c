//! The path from a mixture: clusters of the data are modes of the reference, and stay modes all the way.

use std::sync::Arc;

use super::{Gibbs, GibbsPath};
use crate::references::Mixture;

/// The path from this mixture to a model with `n_hidden` hidden units.
pub fn from_mixture(mixture: Arc<Mixture>, n_hidden: usize) -> Gibbs {
    let n_visible = mixture.n_visible();
    GibbsPath::from_mixture(mixture, n_hidden).population(n_visible, n_hidden)
}
