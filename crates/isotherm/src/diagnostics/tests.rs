//! Every kind has a name, a form in JSON and one sentence in the words of any front end.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use serde_json::Value;

use super::*;
use crate::error::{Action, Dialect, OptionName, Plain};
use crate::likelihood::{Basis, Reason};

/// One of every kind, as `summary.json` holds them. Later versions must read them too.
const FIXTURE: &str = include_str!("../../tests/fixtures/diagnostics.json");

fn all() -> Vec<Diagnostic> {
    serde_json::from_str(FIXTURE).unwrap()
}

#[test]
fn every_kind_reads_back_from_json_under_its_name() {
    let values: Vec<Value> = serde_json::from_str(FIXTURE).unwrap();
    for (value, diagnostic) in values.iter().zip(all()) {
        assert_eq!(value["kind"], diagnostic.kind());
        assert_eq!(&serde_json::to_value(&diagnostic).unwrap(), value);
    }
    let kinds: BTreeSet<&str> = all().iter().map(Diagnostic::kind).collect();
    // As many as the match in `Diagnostic::kind` has.
    assert_eq!(kinds.len(), 23, "{kinds:?}");
}

#[test]
fn every_kind_is_one_sentence_in_the_words_of_the_front_end() {
    /// Marks what comes from the front end.
    struct Marked;
    impl Dialect for Marked {
        fn option(&self, name: OptionName) -> String {
            format!("<{name}>")
        }
        fn setting(&self, name: OptionName, value: &str) -> String {
            format!("<{name}={value}>")
        }
        fn action(&self, action: &Action) -> String {
            format!("<{action:?}>")
        }
    }
    let mut seen = BTreeSet::new();
    for diagnostic in all() {
        let words = diagnostic.words(&Marked);
        assert!(words.ends_with('.') && !words.ends_with("..") && !words.contains('\n'), "{words}");
        assert!(!words.contains("--") && !words.contains("isotherm "), "no front end: {words}");
        assert!(seen.insert(words.clone()), "two kinds have the sentence {words}");
        let expected: &[&str] = match &diagnostic {
            Diagnostic::Data { about: DataDiagnostic::ConstantColumns { .. } } => {
                &["votes.csv: 2 of 30 columns"]
            }
            Diagnostic::Data { about: DataDiagnostic::Assumed { .. } } => {
                &["table.csv: the index that pandas wrote is left out."]
            }
            Diagnostic::Data { .. } => {
                &["dark.npy (threshold:0.5, that is above 127.5): every value is 0"]
            }
            Diagnostic::UnusedOptions { .. } => &["<min-swap>, <burn-in> have no effect"],
            Diagnostic::PreviousCheckpoint { problem: CheckpointProblem::Missing } => {
                &["is missing", "the one before it"]
            }
            Diagnostic::PreviousCheckpoint { problem: CheckpointProblem::Unreadable { .. } } => {
                &["cannot be read (permission denied)"]
            }
            Diagnostic::PreviousCheckpoint { .. } => &["is damaged (its contents do not match"],
            Diagnostic::Unfinished { .. } => {
                &["not finished: 700 of 1000 steps", "<Resume(\"RUN\")>"]
            }
            Diagnostic::StoppedEarly { because: Stop::Patience { .. }, .. } => {
                &["400 of 1000 updates", "since update 200"]
            }
            Diagnostic::StoppedEarly { because: Stop::Diverged { .. }, .. } => {
                &["40 of 1000 updates", "at update 42", "a lower <lr> than 5.0"]
            }
            Diagnostic::StoppedEarly { .. } => &["Stopped after 500 of 1000 updates."],
            Diagnostic::NonFinite { .. } => &["not finite", "step 500", "<lr>"],
            Diagnostic::LargeParameters { .. } => &["3e4", "beyond 1000", "<lr>"],
            Diagnostic::FallingLikelihood { .. } => {
                &["−120.00 at step 900", "−150.00 at step 1000", "5 %", "<lr>"]
            }
            Diagnostic::OnlineLikelihood { .. } => {
                &["15 round trips by step 900", "each of its 16 columns", "<Evaluate>"]
            }
            Diagnostic::NoLikelihood { .. } => &["26 units", "the 25 that", "<Evaluate>"],
            Diagnostic::LikelihoodFailed { failure: LikelihoodFailure::Error(_) } => {
                &["No likelihood: the energies"]
            }
            Diagnostic::LikelihoodFailed { .. } => {
                &["No likelihood: the swap ratio between rungs 3 and 4", "at step 17"]
            }
            Diagnostic::NotConverged { .. } => {
                &["averaged parameters has not converged: 3 round trips", "<Evaluate>"]
            }
            Diagnostic::NoRoundTrip { stretch: Stretch::WholeRun, .. } => {
                &["in 1000 steps (the swap rates predict one in 98): the samples"]
            }
            Diagnostic::NoRoundTrip { stretch: Stretch::LastUpdates, .. } => &[
                "the last fifth of the updates (500 steps; the swap rates predict one in 98), though",
            ],
            Diagnostic::NoRoundTrip { .. } => {
                &["the sampling phase (480 steps), though some did before"]
            }
            Diagnostic::StarvedGap { .. } => &[
                "rungs 3 and 4 (β = 0.500 and 0.250)",
                "0.040, below 0.1 (2 more pairs",
                "<respace=rejection>",
            ],
            Diagnostic::ColdBottleneck { .. } => &[
                "cold end",
                "falls by 0.80",
                "β = 0.667 (rung 2)",
                "more than 0.5",
                "predict 0.33",
            ],
            Diagnostic::SlowMixing { .. } => {
                &["rung 5", "0.85", "more than 0.2", "between rungs 5 and 6"]
            }
            Diagnostic::FullLadder { .. } => &["<max-rungs=7>", "0.50", "<min-swap=0.6>"],
            Diagnostic::FewRoundTrips { .. } => &["no round trips", "16 columns", "<warm-up>"],
            Diagnostic::SamplersDisagree { .. } => &[
                "to cluster 2 the ladder of the run gives 0.250, a ladder from base rates begun at training data",
                "is 0.250, where chance makes 0.062",
            ],
            Diagnostic::ClusterWeights { .. } => &[
                "data (3)",
                "for cluster 1, where the data have 0.250 and the samples 0.000",
                "0.1",
            ],
            Diagnostic::WeakReference { .. } => &["-265.75", "-252.50", "<reference=base-rate>"],
            Diagnostic::LostModes { .. } => &["After 5000 updates", "0.60", "more than 0.2."],
            Diagnostic::IdleUnits { .. } => {
                &["500 samples", "unit 1 is always off", "units 3, 4 are always on", "0.998"]
            }
        };
        for part in expected {
            assert!(words.contains(part), "{part} is not in {words}");
        }
    }
}

#[test]
fn one_and_many_are_told_apart() {
    let gap = |others| {
        let betas = [0.5, 0.25];
        Diagnostic::StarvedGap { rung: 0, betas, swap_rate: 0.0, others }.words(&Plain)
    };
    assert!(gap(1).contains("one more pair is") && !gap(0).contains("more pair"));
    let idle = Diagnostic::IdleUnits { samples: 300, off: (0..20).collect(), on: vec![] };
    let words = idle.words(&Plain);
    assert!(words.contains("20 units (0, 1, 2, 3, 4, 5, 6, 7, …) are always off"), "{words}");
    assert!(!words.contains("always on"));
}

/// The sentence of a verdict is that of its reasons, and a verdict of a version without reasons has its own.
#[test]
fn a_verdict_keeps_its_sentence() {
    let mut verdicts = all().into_iter().filter_map(|it| match it {
        Diagnostic::NotConverged { verdict, .. } => Some(verdict),
        _ => None,
    });
    let verdict = verdicts.next_back().unwrap();
    assert_eq!(Verdict::new(verdict.basis.unwrap(), verdict.reasons.clone()), verdict);
    let one = Verdict::new(
        Basis::OneSampler { round_trips: 7 },
        vec![
            Reason::WrongOrder { up: 2.0, down: 1.0, bar: 1.5 },
            Reason::LargeError { std_error: 2.5 },
        ],
    );
    let text = serde_json::to_string(&one).unwrap();
    assert_eq!(serde_json::from_str::<Verdict>(&text).unwrap(), one);
    let old = r#"{"converged": false, "sentence": "not converged: for old reasons"}"#;
    let old: Verdict = serde_json::from_str(old).unwrap();
    assert!(old.reasons.is_empty() && old.basis.is_none());
    assert!(!old.estimates_agree());
    let parameters = WhichParameters::Raw;
    let words = Diagnostic::NotConverged { parameters, verdict: old }.words(&Plain);
    assert!(words.starts_with("The log-likelihood has not converged: for old reasons;"), "{words}");
}
