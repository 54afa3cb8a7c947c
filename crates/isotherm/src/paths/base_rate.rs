//! The base-rate path: its reference has independent visible units with the data's marginals, so that
//! modes are not reweighted by their visible entropy on the way down.

use super::{Gibbs, GibbsPath, SwapOn};
use crate::model::log_odds;

/// The path whose reference has these visible marginals.
pub fn base_rate(marginals: &[f64], n_hidden: usize, swap: SwapOn) -> Gibbs {
    let base: Vec<f32> = marginals.iter().map(|&p| log_odds(p) as f32).collect();
    let n_visible = marginals.len();
    GibbsPath::new(n_visible, n_hidden, &base, swap).population(n_visible, n_hidden)
}
