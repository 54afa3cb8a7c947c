//! Rules about the model and its samples.

use isotherm_kernels::matrix::flat;

use super::{Facts, SampleFacts};
use isotherm::diagnostics::{Diagnostic, limits};
use isotherm::model::Parameters;
use isotherm::sampling::ClusterWeights;

/// Parameters that have diverged.
pub(super) fn large_parameters(model: &Parameters) -> Option<Diagnostic> {
    let all = [&model.w, &model.b, &model.c].into_iter().flat_map(|it| flat(it.tiles()));
    let largest = f64::from(all.fold(0f32, |largest, x| largest.max(x.abs())));
    (largest > limits::LARGE_PARAMETER).then_some(Diagnostic::LargeParameters { largest })
}

/// Silent before the updates that were asked for are done, and about fewer than [`limits::ENOUGH_UPDATES`].
pub(super) fn lost_modes(facts: &Facts) -> Option<Diagnostic> {
    let distance = facts.samples?.mode_distance?;
    let updates = facts.options?.optimiser.updates;
    (is_trained(facts) && distance > limits::LOST_MODES)
        .then_some(Diagnostic::LostModes { updates, distance })
}

/// What the weights of clusters show. That they are not those of the data is told of no model that is still learning.
pub(super) fn cluster_weights(facts: &Facts) -> Vec<Diagnostic> {
    let weights = facts.samples.and_then(|samples| samples.clusters);
    let mut found = weights.map(ClusterWeights::diagnose).unwrap_or_default();
    found.retain(|it| is_trained(facts) || !matches!(it, Diagnostic::ClusterWeights { .. }));
    found
}

fn is_trained(facts: &Facts) -> bool {
    let updates = facts.options.map_or(0, |options| options.optimiser.updates);
    updates >= limits::ENOUGH_UPDATES && facts.last_step >= updates
}

/// Units that are always off or always on, given enough samples.
pub(super) fn idle_units(samples: SampleFacts) -> Option<Diagnostic> {
    let units = |is_idle: fn(f64) -> bool| -> Vec<usize> {
        let means = samples.activations.iter().enumerate();
        means.filter(|&(_, &mean)| is_idle(mean)).map(|(unit, _)| unit).collect()
    };
    let off = units(|mean| mean < limits::IDLE);
    let on = units(|mean| mean > 1.0 - limits::IDLE);
    let are_enough = samples.count >= limits::ENOUGH_SAMPLES;
    (are_enough && !(off.is_empty() && on.is_empty())).then_some(Diagnostic::IdleUnits {
        samples: samples.count,
        off,
        on,
    })
}
