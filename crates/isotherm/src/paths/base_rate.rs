//! The base-rate path: its reference has independent visible units with the data's marginals, so that
//! modes are not reweighted by their visible entropy on the way down. From another reference that is fitted to the
//! data it is the path in `mixture.rs` or in `small_rbm.rs`.

use super::mixture::from_mixture;
use super::small_rbm::from_rbm;
use super::{Gibbs, GibbsPath, PathEntry, SwapOn, small_weights};
use crate::model::log_odds;
use crate::references::Distribution;

/// The base-rate path in the registry.
pub const PATH: PathEntry = PathEntry {
    build: |context, swap| match context.reference {
        Distribution::BaseRates => Box::new(base_rate(context.marginals, context.n_hidden, swap)),
        Distribution::Mixture(mixture) => Box::new(from_mixture(mixture.clone(), context.n_hidden)),
        Distribution::Rbm(small) => Box::new(from_rbm(small.clone(), context.n_hidden)),
    },
    swap: SwapOn::FreeEnergy,
    has_energies: true,
    takes_references: true,
    init_std: small_weights,
    cost: 1.0,
};

/// The path whose reference has these visible marginals.
pub fn base_rate(marginals: &[f64], n_hidden: usize, swap: SwapOn) -> Gibbs {
    let base: Vec<f32> = marginals.iter().map(|&p| log_odds(p) as f32).collect();
    let n_visible = marginals.len();
    GibbsPath::new(n_visible, n_hidden, &base, swap).population(n_visible, n_hidden)
}
