//! Reasons against an estimate, each a kind with its figures and one sentence.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One of the two references.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WhichReference {
    /// The first.
    First,
    /// The second.
    Second,
}

impl fmt::Display for WhichReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            WhichReference::First => "the first reference",
            WhichReference::Second => "the second reference",
        })
    }
}

/// The initial states of a sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Start {
    /// Random states: those of the reference.
    Random,
    /// Known states of every component: rows of data, and states that were found from starts far apart.
    Known,
    /// Hidden states of training examples, on every rung.
    Data,
    /// The same of samples that the model's own sampler drew, because no data are known. They cannot show a
    /// mode that this sampler never finds.
    OwnSamples,
}

impl fmt::Display for Start {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Start::Random => "random states",
            Start::Known => "known states",
            Start::Data => "training data",
            Start::OwnSamples => "samples of the model itself",
        })
    }
}

/// What two samplers with different initial states are compared by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Quantity {
    /// log Z by Bennett's acceptance ratio.
    Bar,
    /// log Z by annealing from their samples.
    ReverseAis,
    /// The mean energy of their samples.
    MeanEnergy,
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Quantity::Bar => "BAR",
            Quantity::ReverseAis => "reverse AIS",
            Quantity::MeanEnergy => "the mean energy of their samples",
        })
    }
}

/// A reason against an estimate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Reason {
    /// Fewer round trips than columns.
    FewRoundTrips {
        /// The initial states of the sampler, where there are two.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        start: Option<Start>,
        /// Its round trips.
        round_trips: u64,
        /// The number of steps.
        steps: u64,
        /// Its columns.
        columns: usize,
    },
    /// Fewer round trips than replicas.
    FewerTripsThanReplicas {
        /// What the sampler's ladder begins at.
        reference: WhichReference,
        /// Its initial states.
        start: Start,
        /// Its round trips.
        round_trips: u64,
        /// Its replicas.
        replicas: u64,
        /// The number of steps.
        steps: u64,
    },
    /// Two samplers differ by more than chance explains.
    StartsDiffer {
        /// What the ladders of both begin at, where there are two such.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reference: Option<WhichReference>,
        /// In what they differ.
        quantity: Quantity,
        /// By how much.
        nats: f64,
        /// The standard error of the difference.
        std_error: f64,
    },
    /// The samplers from two references differ by more than chance explains.
    ReferencesDiffer {
        /// In what they differ.
        quantity: Quantity,
        /// By how much.
        nats: f64,
        /// The standard error of the difference.
        std_error: f64,
    },
    /// log Z by annealing component by component differs from that of the samplers by more than chance explains.
    ClusterByClusterDiffers {
        /// The reference whose components these are.
        reference: WhichReference,
        /// By how much it is above; negative if it is below.
        nats: f64,
        /// The standard error of the difference.
        std_error: f64,
    },
    /// Few weights of annealing decide the estimate that it gives.
    FewEffectiveSamples {
        /// The reference that particles were annealed from.
        reference: WhichReference,
        /// Their effective sample size.
        effective: f64,
        /// The smallest that is accepted.
        least: f64,
    },
    /// log Z of the known states alone is above the estimate.
    BelowKnownStates {
        /// By how much log Z of the known states is above it.
        nats: f64,
    },
    /// A lower bound of log Z, by annealing up, lies above an upper bound, by annealing down.
    AnnealingCrosses {
        /// The initial states of the sampler whose samples were annealed down.
        start: Start,
        /// By how much.
        nats: f64,
    },
    /// Estimates of log Z in an order that is impossible but for errors.
    WrongOrder {
        /// From the reference.
        up: f64,
        /// From the target.
        down: f64,
        /// By Bennett's acceptance ratio.
        bar: f64,
    },
    /// No sampler started from data, because none were given.
    NotCheckedFromData,
    /// A standard error of log Z that is too large.
    LargeError {
        /// The standard error.
        std_error: f64,
    },
}

impl Reason {
    /// The reason in words.
    pub(super) fn words(&self) -> String {
        match *self {
            Reason::FewRoundTrips { start, round_trips, steps, columns } => {
                let from = start.map_or(String::new(), |start| format!(" from {start}"));
                format!(
                    "{} of replicas between the ends of the ladder in {steps} steps of {columns} \
                     columns{from}",
                    trips_in_words(round_trips)
                )
            }
            Reason::FewerTripsThanReplicas { reference, start, round_trips, replicas, .. } => {
                format!(
                    "too few round trips: {round_trips} for {replicas} replicas (at least one each is needed), \
                     by the sampler of {reference} begun at {start}"
                )
            }
            Reason::StartsDiffer { reference, quantity, nats, std_error } => {
                let of = reference.map_or(String::new(), |it| format!(" on the ladder of {it}"));
                format!(
                    "the two starts{of} differ by {nats:.2} nats in {quantity}, with a standard error of \
                     {std_error:.2}"
                )
            }
            Reason::ReferencesDiffer { quantity, nats, std_error } => format!(
                "the two references differ by {nats:.2} nats in {quantity}, with a standard error of \
                 {std_error:.2}"
            ),
            Reason::ClusterByClusterDiffers { reference, nats, std_error } => {
                let side = if nats > 0.0 { "above" } else { "below" };
                format!(
                    "log Z by annealing component by component from {reference} is {:.2} nats {side} that of \
                     the samplers, with a standard error of {std_error:.2}",
                    nats.abs()
                )
            }
            Reason::FewEffectiveSamples { reference, effective, least } => format!(
                "annealing from {reference} has {effective:.0} effective samples, fewer than {least}"
            ),
            Reason::BelowKnownStates { nats } => format!(
                "log Z of the known states alone is {nats:.2} nats above the estimate, which was raised to it"
            ),
            Reason::AnnealingCrosses { start, nats } => format!(
                "the lower bound (annealing up) exceeds the upper bound (annealing down) by {nats:.1} nats: the \
                 samples begun at {start} do not follow the model"
            ),
            Reason::WrongOrder { up, down, bar } => format!(
                "log Z is {up:.2} from the reference, {down:.2} from the target and {bar:.2} by BAR, which \
                 should lie between"
            ),
            Reason::NotCheckedFromData => {
                "no sampler started from data, which were not given".to_owned()
            }
            Reason::LargeError { std_error } => {
                format!("log Z has a standard error of {std_error:.2} nats")
            }
        }
    }
}

/// A number of round trips in words.
pub fn trips_in_words(count: u64) -> String {
    match count {
        0 => "no round trips".to_owned(),
        1 => "1 round trip".to_owned(),
        many => format!("{many} round trips"),
    }
}
