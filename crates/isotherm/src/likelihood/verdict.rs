//! Whether an estimate of log Z can be relied on.
//!
//! Everything that rests on the evaluating sampler was done twice, from random states and from
//! training data. A sampler that mixes forgets its initial states: where the two differ by more than
//! their errors, or replicas hardly travel between the ends of the ladder, it did not mix, however
//! well its estimators agree with each other.

use super::evaluating_sampler::{SamplerReport, SamplerResult};
use isotherm_tempering::evidence::{Basis, Estimate, Quantity, Reason, Start, Verdict, student};
use isotherm_tempering::flow::too_few_round_trips;

/// The quantile up to which a difference is explained by chance: three standard deviations of a normal
/// variable.
const BY_CHANCE: f64 = 0.998_65;

/// A difference below this many nats is ignored, whatever the errors.
const NEGLIGIBLE: f64 = 0.05;

/// The verdict on two samplers, and on annealing up and, from each sampler's samples, down.
pub fn judge(found: &[SamplerResult; 2], forward: &Estimate, reverse: &[Estimate; 2]) -> Verdict {
    let [random, data] = [&found[0].report, &found[1].report];
    let mut reasons = against_the_samplers(found);
    reasons.extend(differ(found, Quantity::ReverseAis, &reverse[0], &reverse[1]));
    for (estimate, report) in reverse.iter().zip([random, data]) {
        let nats = forward.value - estimate.value;
        if nats > by_chance(found, both(forward, estimate)) {
            reasons.push(Reason::AnnealingCrosses { start: report.start, nats });
        }
    }
    if data.start == Start::OwnSamples {
        reasons.push(Reason::NotCheckedFromData);
    }
    let basis = Basis::TwoSamplers {
        nats_apart: (random.bar.value - data.bar.value).abs(),
        round_trips: random.round_trips + data.round_trips,
        replicas: random.replicas() + data.replicas(),
        quick: [random, data].iter().any(|it| it.round_trips < it.replicas()),
    };
    Verdict::new(basis, reasons)
}

/// Whether two samplers have run for long enough: there is no reason against them, and there are as many
/// round trips as replicas. Two that agree earlier may have missed the same mode.
pub fn have_run_long_enough(found: &[SamplerResult; 2]) -> bool {
    let came_round = found.iter().all(|it| it.report.round_trips >= it.report.replicas());
    came_round && against_the_samplers(found).is_empty()
}

/// The reasons against two samplers, before anything is computed from their samples.
fn against_the_samplers(found: &[SamplerResult; 2]) -> Vec<Reason> {
    let [random, data] = [&found[0].report, &found[1].report];
    let mut reasons = Vec::new();
    for report in [random, data] {
        let &SamplerReport { start, round_trips, steps, columns, .. } = report;
        if too_few_round_trips(round_trips, columns) {
            reasons.push(Reason::FewRoundTrips { start: Some(start), round_trips, steps, columns });
        }
    }
    reasons.extend(differ(found, Quantity::Bar, &random.bar, &data.bar));
    let [a, b] = [mean(&found[0].cold_log_weights), mean(&found[1].cold_log_weights)];
    reasons.extend(differ_by(found, Quantity::MeanEnergy, a.0 - b.0, libm::hypot(a.1, b.1)));
    reasons
}

/// Whether an estimate of the two samplers differs by more than chance.
fn differ(
    found: &[SamplerResult; 2],
    quantity: Quantity,
    a: &Estimate,
    b: &Estimate,
) -> Option<Reason> {
    differ_by(found, quantity, a.value - b.value, both(a, b))
}

fn differ_by(
    found: &[SamplerResult; 2],
    quantity: Quantity,
    difference: f64,
    std_error: f64,
) -> Option<Reason> {
    let nats = difference.abs();
    (nats > by_chance(found, std_error)).then_some(Reason::StartsDiffer {
        quantity,
        nats,
        std_error,
    })
}

/// The largest difference with this standard error that chance explains.
fn by_chance(found: &[SamplerResult; 2], error: f64) -> f64 {
    let columns = found[0].report.columns.min(found[1].report.columns) as f64;
    (student(BY_CHANCE, columns - 1.0) * error).max(NEGLIGIBLE)
}

fn both(a: &Estimate, b: &Estimate) -> f64 {
    libm::hypot(a.std_error, b.std_error)
}

/// The mean over columns, and its standard error.
fn mean(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
    (mean, (squares / (n * (n - 1.0))).sqrt())
}

#[cfg(test)]
mod tests {
    use isotherm_kernels::BitMatrix;

    use super::*;

    /// A sampler of four columns on five rungs that found nothing odd.
    fn found(start: Start, round_trips: u64, log_z: f64) -> SamplerResult {
        let estimate = Estimate::around(log_z, 0.1, 3.0);
        let report = SamplerReport {
            start,
            stepping_stone_up: estimate,
            stepping_stone_down: estimate,
            bar: estimate,
            rungs: 5,
            columns: 4,
            steps: 100,
            round_trips,
        };
        let cold_log_weights = vec![1.0, 2.0, 3.0, 4.0];
        SamplerResult { report, cold_log_weights, samples: BitMatrix::zeros(4, 2) }
    }

    /// A round trip a column is enough for the verdict, and one a replica to stop at once.
    #[test]
    fn samplers_that_agree_go_on_until_their_replicas_have_come_round() {
        for (trips, log_z, long_enough, converged) in [
            ([20, 20], 3.0, true, true),
            ([20, 20], 5.0, false, false),
            ([20, 19], 3.0, false, true),
            ([4, 4], 3.0, false, true),
            ([3, 20], 3.0, false, false),
        ] {
            let found = [found(Start::Random, trips[0], 3.0), found(Start::Data, trips[1], log_z)];
            let bound = Estimate::around(3.0, 0.1, 3.0);
            assert_eq!(have_run_long_enough(&found), long_enough, "{trips:?}");
            assert_eq!(judge(&found, &bound, &[bound; 2]).converged, converged, "{trips:?}");
        }
    }

    #[test]
    fn every_reason_against_an_estimate_is_typed() {
        let near = |log_z| Estimate::around(log_z, 0.01, 3.0);
        let judged = |found: &[SamplerResult; 2], up, down: [f64; 2]| {
            let verdict = judge(found, &near(up), &down.map(near));
            assert_eq!(verdict.converged, verdict.reasons.is_empty());
            verdict
        };
        let good = [found(Start::Random, 20, 3.0), found(Start::Data, 19, 3.0)];
        let verdict = judged(&good, 3.0, [3.0, 3.0]);
        let basis =
            Basis::TwoSamplers { nats_apart: 0.0, round_trips: 39, replicas: 40, quick: true };
        assert!(verdict.converged && verdict.basis == Some(basis), "{verdict:?}");

        let few = [found(Start::Random, 20, 3.0), found(Start::Data, 3, 3.0)];
        let (start, round_trips, steps, columns) = (Some(Start::Data), 3, 100, 4);
        let reason = Reason::FewRoundTrips { start, round_trips, steps, columns };
        assert_eq!(judged(&few, 3.0, [3.0, 3.0]).reasons, [reason]);

        let quantities = |found: &[SamplerResult; 2], down| -> Vec<Quantity> {
            let of = |reason: &Reason| match *reason {
                Reason::StartsDiffer { quantity, .. } => Some(quantity),
                _ => None,
            };
            judged(found, 3.0, down).reasons.iter().filter_map(of).collect()
        };
        let apart = [found(Start::Random, 20, 3.0), found(Start::Data, 20, 5.0)];
        assert_eq!(quantities(&apart, [3.0, 3.0]), [Quantity::Bar]);
        assert_eq!(quantities(&good, [3.0, 4.0]), [Quantity::ReverseAis]);
        let mut hot = good.clone();
        hot[1].cold_log_weights.iter_mut().for_each(|weight| *weight += 100.0);
        assert_eq!(quantities(&hot, [3.0, 3.0]), [Quantity::MeanEnergy]);

        let own = [found(Start::Random, 20, 3.0), found(Start::OwnSamples, 20, 3.0)];
        let verdict = judged(&own, 3.0, [3.0, 3.0]);
        assert_eq!(verdict.reasons, [Reason::NotCheckedFromData]);
        assert!(verdict.estimates_agree() && have_run_long_enough(&own));

        let crossed = judged(&good, 4.0, [3.0, 4.0]).reasons;
        let crossed = crossed.iter().find(|it| matches!(it, Reason::AnnealingCrosses { .. }));
        assert_eq!(crossed, Some(&Reason::AnnealingCrosses { start: Start::Random, nats: 1.0 }));
    }
}
