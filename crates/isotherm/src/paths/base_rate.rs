//! The base-rate path: at β = 0 the visible units are independent with the data's marginals, so
//! that modes are not reweighted by their visible entropy on the way down.

use super::{Gibbs, SwapOn};
use crate::model::log_odds;

/// The path whose hot end has these visible marginals.
pub fn base_rate(marginals: &[f64], n_hidden: usize, swap: SwapOn) -> Gibbs {
    let base: Vec<f32> = marginals.iter().map(|&p| log_odds(p) as f32).collect();
    Gibbs::new(marginals.len(), n_hidden, &base, swap)
}
