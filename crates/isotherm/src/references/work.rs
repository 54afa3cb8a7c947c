//! How much work the reference of a run may be. Everything is by rough costs in nanoseconds that follow from the plan:
//! nothing is timed, so that the same plan always gives the same reference.

use crate::options::Plan;
use crate::paths::cost_of_a_step;

/// The share of the work of a run that goes into its reference.
const SHARE: f64 = 0.04;

/// Nanoseconds that an update takes for each weight, roughly.
pub(super) const COST_OF_A_WEIGHT: f64 = 1.0;

/// Nanoseconds for the reference of a run.
pub(super) fn of_reference(plan: &Plan, n_visible: usize) -> f64 {
    let (options, ladder_steps) = (&plan.options, plan.options.ladder_steps(plan.total_steps()));
    // A step of Gibbs sampling for every replica, and the gradient for every example and particle.
    let row = cost_of_a_step(n_visible, options.hidden);
    let between = plan.total_steps().saturating_sub(ladder_steps);
    let replicas = ladder_steps as f64 * (plan.columns * (plan.rungs - 1) + plan.particles) as f64
        + between as f64 * plan.particles as f64;
    let gradient = options.optimiser.updates as f64
        * ((options.optimiser.batch + plan.particles) as f64 * row
            + COST_OF_A_WEIGHT * (n_visible * options.hidden) as f64);
    SHARE * (replicas * options.sampler.k as f64 * row + gradient)
}
