//! Whether to rely on an estimate: what speaks against it as typed reasons, and a sentence made of them.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::reason::{Reason, Start, trips_in_words};

/// Whether to rely on an estimate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Verdict {
    /// Whether there is no reason against it.
    pub converged: bool,
    /// The verdict in words.
    pub sentence: String,
    /// The reasons against it. Empty if it converged, and in files of versions that recorded only the
    /// sentence.
    #[serde(default)]
    pub reasons: Vec<Reason>,
    /// What it rests on; absent in files of versions that recorded only the sentence.
    #[serde(default)]
    pub basis: Option<Basis>,
}

/// What an estimate rests on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Basis {
    /// Samplers from two references, each with two kinds of initial states, and annealing component by component
    /// from both references.
    TwoReferences {
        /// The data that the references and the initial states come from.
        data: Origin,
        /// The largest difference between their estimates of log Z.
        nats_apart: f64,
        /// Round trips of all samplers.
        round_trips: u64,
        /// Replicas of all samplers.
        replicas: u64,
        /// The effective sample size of annealing, from the reference where it is smaller.
        effective_samples: f64,
    },
    /// Two samplers with different initial states, on a ladder from the base rates. Only files of earlier versions
    /// have it.
    TwoSamplers {
        /// The difference of their estimates of log Z.
        nats_apart: f64,
        /// Round trips of both.
        round_trips: u64,
        /// Replicas of both.
        replicas: u64,
        /// Whether one of them completed fewer round trips than it has replicas, which only a quick
        /// estimate accepts.
        quick: bool,
    },
    /// One sampler.
    OneSampler {
        /// Its round trips.
        round_trips: u64,
    },
}

/// What the data are from which references and initial states come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Origin {
    /// The data that the model was trained on.
    Training,
    /// The data that the model is measured on.
    Measured,
    /// Samples that the model's own sampler drew, because no data are known. They cannot show a mode that this
    /// sampler never finds.
    OwnSamples,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Origin::Training => "the training data",
            Origin::Measured => "the data that were measured",
            Origin::OwnSamples => "the model's own samples",
        })
    }
}

impl Verdict {
    /// The verdict on an estimate that rests on `basis`; it converged if there is no reason against it.
    pub fn new(basis: Basis, reasons: Vec<Reason>) -> Verdict {
        let sentence = words(basis, &reasons);
        Verdict { converged: reasons.is_empty(), sentence, reasons, basis: Some(basis) }
    }

    /// The same verdict with a reason against the estimate, in place of one of the same kind if there is one.
    #[must_use]
    pub fn with(mut self, reason: Reason) -> Verdict {
        let kind = std::mem::discriminant(&reason);
        self.reasons.retain(|it| std::mem::discriminant(it) != kind);
        self.reasons.push(reason);
        match self.basis {
            Some(basis) => Verdict::new(basis, self.reasons),
            None => Verdict {
                converged: false,
                sentence: format!("not converged: {}", reason.words()),
                ..self
            },
        }
    }

    /// Whether the estimates agree with each other, checked from data or not.
    pub fn estimates_agree(&self) -> bool {
        self.converged || self.basis.is_some() && estimates_agree(&self.reasons)
    }

    /// Whether estimates contradict each other, rather than rest on too little.
    pub fn estimates_differ(&self) -> bool {
        let too_little = |reason: &Reason| {
            matches!(
                reason,
                Reason::FewRoundTrips { .. }
                    | Reason::FewerTripsThanReplicas { .. }
                    | Reason::FewEffectiveSamples { .. }
                    | Reason::NotCheckedFromData
            )
        };
        !self.reasons.iter().all(too_little)
    }
}

fn estimates_agree(reasons: &[Reason]) -> bool {
    reasons.iter().all(|reason| *reason == Reason::NotCheckedFromData)
}

/// The verdict in words.
fn words(basis: Basis, reasons: &[Reason]) -> String {
    // The second sampler started from the model's own samples exactly if there were no data.
    let (second, converged) = match reasons.contains(&Reason::NotCheckedFromData) {
        true => (Start::OwnSamples, "not checked from data, which were not given"),
        false => (Start::Data, "converged"),
    };
    let agree = estimates_agree(reasons);
    let reasons: Vec<String> = reasons.iter().map(Reason::words).collect();
    match (agree, basis) {
        (
            true,
            Basis::TwoReferences { data, nats_apart, round_trips, replicas, effective_samples },
        ) => {
            let unseen = match data {
                Origin::OwnSamples => {
                    "the references were fitted to the model's own samples, and neither they nor the samplers can \
                     show a mode that these and all starts lack"
                        .to_owned()
                }
                data => format!(
                    "a mode that is far from all rows of {data} and from all starts cannot be excluded"
                ),
            };
            format!(
                "{converged}: samplers from two references and two kinds of starts, and annealing component by \
                 component, are at most {nats_apart:.2} nats apart, with {round_trips} round trips of {replicas} \
                 replicas and {effective_samples:.0} effective samples of annealing; {unseen}"
            )
        }
        (true, Basis::TwoSamplers { nats_apart, round_trips, replicas, quick }) => {
            // A quick estimate asks only for agreement.
            let few = match quick {
                true => " (an estimate that is not quick waits for one each)",
                false => "",
            };
            format!(
                "{converged}: samplers begun at random states and at {second} agree within their errors, \
                 {nats_apart:.2} nats apart, with {round_trips} round trips of {replicas} replicas{few}"
            )
        }
        (true, Basis::OneSampler { round_trips }) => {
            format!(
                "converged, as far as one sampler can show, with {}",
                trips_in_words(round_trips)
            )
        }
        (false, Basis::TwoReferences { .. } | Basis::TwoSamplers { .. }) => format!(
            "not converged: {}; the interval contains what each of them found, and the truth may lie \
             outside it",
            reasons.join("; ")
        ),
        (false, Basis::OneSampler { .. }) => {
            format!("not converged: {}; take more steps", reasons.join("; "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::reason::{Quantity, WhichReference};
    use super::*;

    #[test]
    fn a_sentence_is_made_of_the_reasons_and_names_the_initial_states() {
        let basis =
            Basis::TwoSamplers { nats_apart: 0.014, round_trips: 9, replicas: 80, quick: true };
        let good = Verdict::new(basis, Vec::new());
        assert!(
            good.converged && good.sentence.contains("random states and at training data agree")
        );
        assert!(good.sentence.contains("0.01 nats apart") && good.sentence.contains("not quick"));
        let own = Verdict::new(basis, vec![Reason::NotCheckedFromData]);
        assert!(!own.converged && own.estimates_agree() && good.estimates_agree());
        let own = own.sentence;
        assert!(own.contains("at samples of the model itself agree") && !own.contains("training"));
        let few = |start| Reason::FewRoundTrips { start, round_trips: 1, steps: 50, columns: 4 };
        let reasons = vec![
            few(Some(Start::OwnSamples)),
            Reason::StartsDiffer {
                reference: None,
                quantity: Quantity::MeanEnergy,
                nats: 1.5,
                std_error: 0.2,
            },
            Reason::AnnealingCrosses { start: Start::OwnSamples, nats: 3.0 },
            Reason::NotCheckedFromData,
        ];
        let bad = Verdict::new(basis, reasons);
        assert!(!bad.converged && !bad.estimates_agree());
        let words = bad.sentence;
        let parts =
            ["1 round trip of", "columns from samples of the", "1.50 nats in the mean energy"];
        for part in parts {
            assert!(words.contains(part), "{words}");
        }
        let order = Reason::WrongOrder { up: 2.0, down: 1.0, bar: 1.5 };
        let reasons = vec![few(None), order, Reason::LargeError { std_error: 2.0 }];
        let one = Verdict::new(Basis::OneSampler { round_trips: 1 }, reasons);
        assert!(!one.converged && one.sentence.contains("4 columns; log Z is 2.00 from"));
        assert!(one.sentence.ends_with("; take more steps"), "{}", one.sentence);
    }

    #[test]
    fn a_verdict_says_what_it_cannot_exclude() {
        let basis = |data| Basis::TwoReferences {
            data,
            nats_apart: 0.02,
            round_trips: 900,
            replicas: 700,
            effective_samples: 120.4,
        };
        let good = Verdict::new(basis(Origin::Training), Vec::new());
        assert!(good.converged && good.sentence.contains("all rows of the training data"));
        assert!(good.sentence.contains("cannot be excluded"), "{}", good.sentence);
        let measured = Verdict::new(basis(Origin::Measured), Vec::new());
        assert!(measured.converged && !measured.sentence.contains("training"));
        let own = Verdict::new(basis(Origin::OwnSamples), vec![Reason::NotCheckedFromData]);
        assert!(!own.converged && own.estimates_agree() && own.sentence.contains("own samples"));

        let below = good.with(Reason::BelowKnownStates { nats: 3.0 });
        assert!(!below.converged && below.reasons.len() == 1 && below.basis.is_some());
        assert!(below.sentence.contains("3.00 nats"), "{}", below.sentence);
        let (reference, start) = (WhichReference::Second, Start::Known);
        let (quantity, nats, std_error) = (Quantity::Bar, 1.5, 0.2);
        let reasons = vec![
            Reason::FewerTripsThanReplicas {
                reference,
                start,
                round_trips: 465,
                replicas: 1536,
                steps: 3000,
            },
            Reason::StartsDiffer { reference: Some(reference), quantity, nats, std_error },
            Reason::ReferencesDiffer { quantity, nats, std_error },
            Reason::ClusterByClusterDiffers { reference, nats: -1.5, std_error },
            Reason::FewEffectiveSamples { reference, effective: 6.2, least: 30.0 },
        ];
        let words = Verdict::new(basis(Origin::Training), reasons).sentence;
        let parts = [
            "465 for 1536 replicas",
            "starts on the ladder of the second reference",
            "two references differ",
            "1.50 nats below",
            "6 effective samples, fewer than 30",
        ];
        for part in parts {
            assert!(words.contains(part), "{words}");
        }
    }
}
