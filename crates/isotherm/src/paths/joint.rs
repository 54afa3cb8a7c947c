//! The paper's path: π_β(v, h) ∝ exp(−β E(v, h)), uniform over both layers at β = 0.

use super::{Gibbs, GibbsPath, SwapOn};

/// The paper's path over `n_visible` and `n_hidden` units.
pub fn joint(n_visible: usize, n_hidden: usize, swap: SwapOn) -> Gibbs {
    GibbsPath::new(n_visible, n_hidden, &[], swap).population(n_visible, n_hidden)
}
