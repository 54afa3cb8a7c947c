//! The path from a small RBM: what it has learned of the data's modes is there all the way.

use std::sync::Arc;

use super::{Gibbs, GibbsPath};
use crate::references::SmallRbm;

/// The path from this RBM to a model with `n_hidden` hidden units.
pub fn from_rbm(small: Arc<SmallRbm>, n_hidden: usize) -> Gibbs {
    let n_visible = small.n_visible();
    GibbsPath::from_rbm(small, n_hidden).population(n_visible, n_hidden)
}
