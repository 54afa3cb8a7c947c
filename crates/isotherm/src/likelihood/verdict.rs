//! Whether the figures of log Z can be relied on, in words.
//!
//! Everything that rests on the evaluating sampler was done twice, from random states and from
//! training data. A sampler that mixes forgets where it began: where the two differ by more than
//! their errors, or replicas hardly travel between the ends of the ladder, it did not mix, however
//! well its estimators agree with each other.

use serde::{Deserialize, Serialize};

use super::estimate::{Estimate, student};
use super::evaluating_sampler::Found;

/// The probability below the upper end of the interval that a difference may lie in by chance:
/// three standard deviations of a normal variable.
const BY_CHANCE: f64 = 0.998_65;

/// Nats that are no difference, whatever the errors.
const NEGLIGIBLE: f64 = 0.05;

/// Whether to rely on a figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// Whether nothing speaks against it.
    pub converged: bool,
    /// That, and why, in words.
    pub sentence: String,
}

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
        let sentence = format!(
            "converged: samplers begun at random states and at training data agree within their \
             errors, with {trips} round trips"
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
pub(crate) fn trips_in_words(count: u64) -> String {
    match count {
        0 => "no round trips".to_owned(),
        1 => "1 round trip".to_owned(),
        many => format!("{many} round trips"),
    }
}

/// What speaks against two samplers, before anything is made of their samples.
pub fn against_the_samplers(found: &[Found; 2]) -> Vec<String> {
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
