//! Whether an estimate of log Z can be relied on.
//!
//! Everything was found in several ways that fail differently. A sampler that mixes forgets its initial states:
//! where two starts differ by more than their errors, or replicas hardly travel between the ends of the ladder, it
//! did not mix, however well its estimators agree with each other. A mode that one reference lacks makes the two
//! references differ, and a mode that no replica enters is counted by annealing component by component.

use super::evaluating_sampler::{SamplerReport, SamplerResult};
use isotherm_tempering::evidence::{
    Basis, Estimate, Origin, Quantity, Reason, Verdict, WhichReference, student,
};

/// The quantile up to which a difference is explained by chance: three standard deviations of a normal
/// variable.
const BY_CHANCE: f64 = 0.998_65;

/// A difference below this many nats is ignored, whatever the errors.
pub(super) const NEGLIGIBLE: f64 = 0.05;

/// How far annealing up may be below the samplers, in nats. It is low on average, and by more than its standard error
/// shows if a few large weights are missing; a sampler that lacks a mode is below it. The bracket reaches down to it in
/// any case.
const SHORT_OF: f64 = 1.0;

/// The smallest effective sample size of annealing up at which its error is believed.
const ENOUGH: f64 = 30.0;

/// What was found from one reference.
pub(super) struct Found<'a> {
    /// By the samplers begun at random and at known states.
    pub(super) samplers: &'a [SamplerResult; 2],
    /// By annealing up, component by component.
    pub(super) up: Estimate,
    /// By annealing down from the samples of each sampler.
    pub(super) downs: [Estimate; 2],
}

impl Found<'_> {
    fn reports(&self) -> [&SamplerReport; 2] {
        self.samplers.each_ref().map(|it| &it.report)
    }
}

/// The verdict on what was found from both references.
pub(super) fn judge(found: &[Found<'_>], data: Origin) -> Verdict {
    let samplers: Vec<&[SamplerResult; 2]> = found.iter().map(|it| it.samplers).collect();
    let mut reasons = against_the_samplers(&samplers);
    for it in found {
        let [random, known] = it.reports();
        let columns = random.columns;
        let reference = random.reference;
        let (nats, std_error) = difference(&it.downs[0], &it.downs[1]);
        if nats.abs() > by_chance(columns, std_error) {
            let quantity = Quantity::ReverseAis;
            reasons.push(Reason::StartsDiffer { reference, quantity, nats: nats.abs(), std_error });
        }
        for (down, report) in it.downs.iter().zip([random, known]) {
            let (nats, std_error) = difference(&it.up, down);
            if nats > by_chance(columns, std_error) {
                reasons.push(Reason::AnnealingCrosses { start: report.start, nats });
            }
        }
        reasons.extend(against_annealing(it, &pooled(&samplers)));
    }
    if data == Origin::OwnSamples {
        reasons.push(Reason::NotCheckedFromData);
    }
    let reports = || samplers.iter().flat_map(|it| it.iter()).map(|it| &it.report);
    let all = reports().map(|it| it.bar.value).chain(found.iter().map(|it| it.up.value));
    let basis = Basis::TwoReferences {
        data,
        nats_apart: apart(all),
        round_trips: reports().map(|it| it.round_trips).sum(),
        replicas: reports().map(SamplerReport::replicas).sum(),
        effective_samples: found.iter().map(|it| effective(&it.up)).fold(f64::INFINITY, f64::min),
    };
    Verdict::new(basis, reasons)
}

/// Whether the samplers have run for long enough: there is no reason against them.
pub(super) fn have_run_long_enough(found: &[[SamplerResult; 2]; 2]) -> bool {
    against_the_samplers(&found.each_ref()).is_empty()
}

/// The difference between the largest and the smallest of some values.
pub(super) fn apart(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let highest = values.clone().fold(f64::NEG_INFINITY, f64::max);
    highest - values.fold(f64::INFINITY, f64::min)
}

/// The reasons against the samplers from both references, before anything is computed from their samples.
fn against_the_samplers(found: &[&[SamplerResult; 2]]) -> Vec<Reason> {
    let mut reasons = Vec::new();
    for samplers in found {
        for SamplerResult { report, .. } in samplers.iter() {
            let &SamplerReport { start, round_trips, steps, .. } = report;
            let (reference, replicas) =
                (report.reference.unwrap_or(WhichReference::First), report.replicas());
            if round_trips < replicas {
                reasons.push(Reason::FewerTripsThanReplicas {
                    reference,
                    start,
                    round_trips,
                    replicas,
                    steps,
                });
            }
        }
        let [random, known] = samplers.each_ref().map(|it| &it.report);
        let energies = samplers.each_ref().map(|it| mean(&it.cold_log_weights));
        for (quantity, (nats, std_error)) in [
            (Quantity::Bar, difference(&random.bar, &known.bar)),
            (Quantity::MeanEnergy, difference_of(energies[0], energies[1])),
        ] {
            if nats.abs() > by_chance(random.columns, std_error) {
                let (reference, nats) = (random.reference, nats.abs());
                reasons.push(Reason::StartsDiffer { reference, quantity, nats, std_error });
            }
        }
    }
    let of_references: Vec<(f64, f64)> = found.iter().map(|it| pooled(&[it])).collect();
    for pair in of_references.windows(2) {
        let (nats, std_error) = difference_of(pair[0], pair[1]);
        // Two samplers each.
        let columns = 2 * found[0][0].report.columns;
        if nats.abs() > by_chance(columns, std_error) {
            let (quantity, nats) = (Quantity::Bar, nats.abs());
            reasons.push(Reason::ReferencesDiffer { quantity, nats, std_error });
        }
    }
    reasons
}

/// The reasons against annealing up, beside `bar` of all samplers.
fn against_annealing(found: &Found<'_>, bar: &(f64, f64)) -> Vec<Reason> {
    let [random, _] = found.reports();
    let reference = random.reference.unwrap_or(WhichReference::First);
    let mut reasons = Vec::new();
    let effective = effective(&found.up);
    if effective < ENOUGH {
        reasons.push(Reason::FewEffectiveSamples { reference, effective, least: ENOUGH });
    }
    let (nats, std_error) = difference_of((found.up.value, found.up.std_error), *bar);
    let freedom = (effective - 1.0).min(random.columns as f64 - 1.0);
    let by_chance = student(BY_CHANCE, freedom) * std_error;
    let allowed = if nats > 0.0 { NEGLIGIBLE } else { SHORT_OF };
    if nats.abs() > by_chance.max(allowed) {
        reasons.push(Reason::ClusterByClusterDiffers { reference, nats, std_error });
    }
    reasons
}

/// The mean of BAR over samplers, and its standard error.
fn pooled(found: &[&[SamplerResult; 2]]) -> (f64, f64) {
    let bars: Vec<&Estimate> =
        found.iter().flat_map(|it| it.iter()).map(|it| &it.report.bar).collect();
    let count = bars.len() as f64;
    let squares: f64 = bars.iter().map(|bar| bar.std_error.powi(2)).sum();
    (bars.iter().map(|bar| bar.value).sum::<f64>() / count, squares.sqrt() / count)
}

fn effective(up: &Estimate) -> f64 {
    up.effective_samples.unwrap_or(0.0)
}

/// The largest difference with this standard error that chance explains.
fn by_chance(columns: usize, error: f64) -> f64 {
    (student(BY_CHANCE, columns as f64 - 1.0) * error).max(NEGLIGIBLE)
}

/// The difference of two estimates, and its standard error.
fn difference(a: &Estimate, b: &Estimate) -> (f64, f64) {
    difference_of((a.value, a.std_error), (b.value, b.std_error))
}

fn difference_of(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    (a.0 - b.0, libm::hypot(a.1, b.1))
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
    use isotherm_tempering::evidence::Start;

    use super::*;

    /// A sampler of four columns on five rungs that found nothing odd.
    fn sampler(
        reference: WhichReference,
        start: Start,
        round_trips: u64,
        log_z: f64,
    ) -> SamplerResult {
        let estimate = Estimate::around(log_z, 0.1, 3.0);
        let report = SamplerReport {
            reference: Some(reference),
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

    /// Four samplers with these numbers of round trips and values of log Z.
    fn samplers(of: [(u64, f64); 4]) -> [[SamplerResult; 2]; 2] {
        let pair = |reference, of: &[(u64, f64)]| {
            [(Start::Random, of[0]), (Start::Known, of[1])]
                .map(|(start, (trips, log_z))| sampler(reference, start, trips, log_z))
        };
        [pair(WhichReference::First, &of[..2]), pair(WhichReference::Second, &of[2..])]
    }

    fn weighted(log_z: f64, effective: f64) -> Estimate {
        Estimate { effective_samples: Some(effective), ..Estimate::around(log_z, 0.01, 50.0) }
    }

    fn judged(of: [(u64, f64); 4], ups: [Estimate; 2], downs: [[f64; 2]; 2]) -> Verdict {
        let samplers = samplers(of);
        judge_all(&samplers, ups, downs, Origin::Training)
    }

    fn judge_all(
        samplers: &[[SamplerResult; 2]; 2],
        ups: [Estimate; 2],
        downs: [[f64; 2]; 2],
        data: Origin,
    ) -> Verdict {
        let parts = samplers.iter().zip(ups).zip(downs);
        let found: Vec<Found<'_>> = parts
            .map(|((samplers, up), downs)| Found {
                samplers,
                up,
                downs: downs.map(|value| weighted(value, 50.0)),
            })
            .collect();
        let verdict = judge(&found, data);
        assert_eq!(verdict.converged, verdict.reasons.is_empty());
        verdict
    }

    const GOOD: [(u64, f64); 4] = [(20, 3.0); 4];
    const DOWN: [[f64; 2]; 2] = [[3.0; 2]; 2];

    #[test]
    fn what_agrees_has_converged() {
        let verdict = judged(GOOD, [weighted(3.0, 80.0), weighted(3.02, 60.0)], DOWN);
        assert!(verdict.converged, "{verdict:?}");
        let Some(Basis::TwoReferences { nats_apart, round_trips, replicas, .. }) = verdict.basis
        else {
            panic!("{verdict:?}")
        };
        assert!((nats_apart - 0.02).abs() < 1e-12 && (round_trips, replicas) == (80, 80));
        assert!(have_run_long_enough(&samplers(GOOD)));
    }

    #[test]
    fn every_reason_against_an_estimate_is_typed() {
        let up = [weighted(3.0, 80.0); 2];
        let (first, second) = (WhichReference::First, WhichReference::Second);

        let few = [(20, 3.0), (20, 3.0), (20, 3.0), (19, 3.0)];
        let (reference, start) = (second, Start::Known);
        let (round_trips, replicas, steps) = (19, 20, 100);
        let reason =
            Reason::FewerTripsThanReplicas { reference, start, round_trips, replicas, steps };
        assert_eq!(judged(few, up, DOWN).reasons, [reason]);
        assert!(!have_run_long_enough(&samplers(few)));

        // A mode that only the known states show.
        let apart = [(20, 3.0), (20, 5.0), (20, 3.0), (20, 3.0)];
        let reasons = judged(apart, up, DOWN).reasons;
        let starts = |it: &Reason| {
            matches!(
                it,
                Reason::StartsDiffer {
                    reference: Some(WhichReference::First),
                    quantity: Quantity::Bar,
                    ..
                }
            )
        };
        assert!(reasons.iter().any(starts), "{reasons:?}");

        // A mode that the second reference lacks, from both of its starts.
        let lacking = [(20, 5.0), (20, 5.0), (20, 3.0), (20, 3.0)];
        let reasons = judged(lacking, [weighted(5.0, 80.0), weighted(3.0, 80.0)], DOWN).reasons;
        let differ = |it: &Reason| matches!(it, Reason::ReferencesDiffer { .. });
        assert!(reasons.iter().any(differ), "{reasons:?}");

        // A mode that no replica enters.
        let reasons = judged(GOOD, [weighted(5.0, 80.0), weighted(3.0, 80.0)], DOWN).reasons;
        let by_cluster = |it: &Reason| match it {
            Reason::ClusterByClusterDiffers { reference, nats, .. } => {
                *reference == first && *nats > 1.9
            }
            _ => false,
        };
        assert!(reasons.iter().any(by_cluster), "{reasons:?}");

        // Annealing that falls short by less than a nat, and by more.
        let short = |by: f64| judged(GOOD, [weighted(3.0 - by, 80.0), up[1]], DOWN).reasons;
        assert!(short(0.8).is_empty(), "{:?}", short(0.8));
        let below = |it: &Reason| matches!(it, Reason::ClusterByClusterDiffers { nats, .. } if *nats < -1.0);
        assert!(short(1.3).iter().any(below), "{:?}", short(1.3));

        let reasons = judged(GOOD, [weighted(3.0, 80.0), weighted(3.0, 12.0)], DOWN).reasons;
        let (reference, effective, least) = (second, 12.0, ENOUGH);
        assert_eq!(reasons, [Reason::FewEffectiveSamples { reference, effective, least }]);

        let reasons = judged(GOOD, up, [[3.0, 4.0], [3.0, 3.0]]).reasons;
        let reverse =
            |it: &Reason| matches!(it, Reason::StartsDiffer { quantity: Quantity::ReverseAis, .. });
        assert!(reasons.iter().all(reverse) && reasons.len() == 1, "{reasons:?}");
        let reasons = judged(GOOD, up, [[2.0, 2.0], [3.0, 3.0]]).reasons;
        let crosses = |it: &&Reason| matches!(it, Reason::AnnealingCrosses { .. });
        assert_eq!(reasons.iter().filter(crosses).count(), 2, "{reasons:?}");

        let mut hot = samplers(GOOD);
        hot[1][1].cold_log_weights.iter_mut().for_each(|weight| *weight += 100.0);
        let reasons = judge_all(&hot, up, DOWN, Origin::Training).reasons;
        let energy =
            |it: &Reason| matches!(it, Reason::StartsDiffer { quantity: Quantity::MeanEnergy, .. });
        assert!(reasons.iter().all(energy) && reasons.len() == 1, "{reasons:?}");

        let own = judge_all(&samplers(GOOD), up, DOWN, Origin::OwnSamples);
        assert_eq!(own.reasons, [Reason::NotCheckedFromData]);
        assert!(own.estimates_agree());
    }
}
