//! The paper's path: π_β(v, h) ∝ exp(−β E(v, h)), uniform over both layers at β = 0.

use super::{Gibbs, GibbsPath, PathEntry, SwapOn, small_weights};

/// The paper's path in the registry.
pub const PATH: PathEntry = PathEntry {
    build: |context, swap| Box::new(joint(context.n_visible(), context.n_hidden, swap)),
    swap: SwapOn::Energy,
    has_energies: true,
    takes_references: false,
    init_std: small_weights,
    cost: 1.0,
};

/// The paper's path over `n_visible` and `n_hidden` units.
pub fn joint(n_visible: usize, n_hidden: usize, swap: SwapOn) -> Gibbs {
    GibbsPath::new(n_visible, n_hidden, &[], swap).population(n_visible, n_hidden)
}
