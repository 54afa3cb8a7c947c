//! Whether the figures of log Z can be relied on, in words.
//!
//! Everything that rests on the evaluating sampler was done twice, from random states and from
//! training data. A sampler that mixes forgets where it began: where the two differ by more than
//! their errors, or replicas hardly travel between the ends of the ladder, it did not mix, however
//! well its estimators agree with each other.

use super::evaluating_sampler::Found;
use isotherm_tempering::evidence::{Estimate, Verdict, student};

/// The probability below the upper end of the interval that a difference may lie in by chance:
/// three standard deviations of a normal variable.
const BY_CHANCE: f64 = 0.998_65;

/// Nats that are no difference, whatever the errors.
const NEGLIGIBLE: f64 = 0.05;

/// The verdict on two samplers, and on annealing up and, from each sampler's samples, down.
pub fn judge(found: &[Found; 2], forward: &Estimate, reverse: &[Estimate; 2]) -> Verdict {
    let [random, data] = [&found[0].report, &found[1].report];
    let mut reasons = against_the_samplers(found);
    reasons.extend(differ(found, "reverse AIS", &reverse[0], &reverse[1]));
    for (estimate, report) in reverse.iter().zip([random, data]) {
        let error = both(forward, estimate);
        if forward.value - estimate.value > by_chance(found, error) {
            reasons.push(format!(
                "annealing up gives a log Z {:.1} nats above that of annealing down from the samples \
                 begun at {}, so that these are not the model's",
                forward.value - estimate.value,
                words(report.start)
            ));
        }
    }
    if reasons.is_empty() {
        let trips = random.round_trips + data.round_trips;
        let replicas = random.replicas() + data.replicas();
        let apart = (random.bar.value - data.bar.value).abs();
        // Agreement alone is what a quick estimate is content with.
        let few = match [random, data].iter().any(|it| it.round_trips < it.replicas()) {
            true => " (an estimate that is not quick waits for one each)",
            false => "",
        };
        let sentence = format!(
            "converged: samplers begun at random states and at training data agree within their \
             errors, {apart:.2} nats apart, with {trips} round trips of {replicas} replicas{few}"
        );
        return Verdict { converged: true, sentence };
    }
    let sentence = format!(
        "not converged: {}; the interval contains what each of them found, and the truth may lie \
         outside it",
        reasons.join("; ")
    );
    Verdict { converged: false, sentence }
}

/// So many round trips, in words.
pub fn trips_in_words(count: u64) -> String {
    match count {
        0 => "no round trips".to_owned(),
        1 => "1 round trip".to_owned(),
        many => format!("{many} round trips"),
    }
}

/// Whether two samplers have run for long enough: nothing speaks against them, and there are as many round
/// trips as replicas. Two that agree before that may have missed the same mode.
pub fn have_run_long_enough(found: &[Found; 2]) -> bool {
    let came_round = found.iter().all(|it| it.report.round_trips >= it.report.replicas());
    came_round && against_the_samplers(found).is_empty()
}

/// What speaks against two samplers, before anything is made of their samples.
fn against_the_samplers(found: &[Found; 2]) -> Vec<String> {
    let [random, data] = [&found[0].report, &found[1].report];
    let mut reasons = Vec::new();
    for report in [random, data] {
        if report.round_trips < report.columns as u64 {
            let count = trips_in_words(report.round_trips);
            let (columns, steps) = (report.columns, report.steps);
            let from = words(report.start);
            reasons.push(format!(
                "{count} of replicas between the ends of the ladder in {steps} steps of {columns} \
                 columns from {from}"
            ));
        }
    }
    reasons.extend(differ(found, "BAR", &random.bar, &data.bar));
    let [a, b] = [mean(&found[0].cold_log_weights), mean(&found[1].cold_log_weights)];
    let what = "the mean energy of their samples";
    reasons.extend(differ_by(found, what, a.0 - b.0, libm::hypot(a.1, b.1)));
    reasons
}

/// Whether an estimate of the two starts differs by more than chance.
fn differ(found: &[Found; 2], what: &str, a: &Estimate, b: &Estimate) -> Option<String> {
    differ_by(found, what, a.value - b.value, both(a, b))
}

fn differ_by(found: &[Found; 2], what: &str, difference: f64, error: f64) -> Option<String> {
    (difference.abs() > by_chance(found, error)).then(|| {
        format!(
            "the two starts differ by {:.2} nats in {what}, with a standard error of {error:.2}",
            difference.abs()
        )
    })
}

/// The largest difference with this standard error that chance explains.
fn by_chance(found: &[Found; 2], error: f64) -> f64 {
    let columns = found[0].report.columns.min(found[1].report.columns) as f64;
    (student(BY_CHANCE, columns - 1.0) * error).max(NEGLIGIBLE)
}

fn both(a: &Estimate, b: &Estimate) -> f64 {
    libm::hypot(a.std_error, b.std_error)
}

fn words(start: super::Start) -> &'static str {
    match start {
        super::Start::Random => "random states",
        super::Start::Data => "training data",
    }
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
    use crate::likelihood::Start;
    use crate::likelihood::evaluating_sampler::SamplerReport;

    /// A sampler of four columns on five rungs that found nothing odd.
    fn found(start: Start, round_trips: u64, log_z: f64) -> Found {
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
        Found { report, cold_log_weights, samples: BitMatrix::zeros(4, 2) }
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
}
