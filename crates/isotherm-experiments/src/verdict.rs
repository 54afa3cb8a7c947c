//! The rule by which a claim holds, does not hold, or is not resolved.

use std::fmt;

use serde::Serialize;

use super::statistics::{Estimate, Interval};
use isotherm_report::figure::minus;

/// The rule in words, as reports state it.
pub const RULE: &str = "A claim says where a quantity lies; where the paper gives no bound, the bound \
     is ours. The claim holds if the whole 95 % interval of the quantity lies there, it does not \
     hold if none of it does, and it is not resolved otherwise. Intervals are over seeds: Student's \
     t for a mean and for the difference of two algorithms seed by seed (a seed gives both the same \
     data and the same initial weights), the same on logarithms for a ratio; Welch's t on \
     logarithms for rates of round trips, half a trip added to each count, with at least the error of \
     counting; F for a ratio of \
     variances. The log-likelihood of a run is its mean over the last fifth of the updates. Each \
     algorithm is shown at its best setting, chosen on the same seeds, as in the paper: APT has six \
     settings to choose from, the others two.";

/// Whether a claim holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The whole interval lies where the claim says.
    Holds,
    /// None of it does.
    DoesNotHold,
    /// Some of it does, or there is no interval.
    NotResolved,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Verdict::Holds => "holds",
            Verdict::DoesNotHold => "does not hold",
            Verdict::NotResolved => "not resolved",
        })
    }
}

/// Where a claim says that a quantity lies; an end that it leaves open is infinite, which JSON
/// writes as null.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Region {
    /// The lowest value.
    pub low: f64,
    /// The highest value.
    pub high: f64,
}

impl Region {
    /// Above a bound.
    pub const fn above(low: f64) -> Region {
        Region { low, high: f64::INFINITY }
    }

    /// Below a bound.
    pub const fn below(high: f64) -> Region {
        Region { low: f64::NEG_INFINITY, high }
    }

    /// Between two bounds.
    pub const fn between(low: f64, high: f64) -> Region {
        Region { low, high }
    }

    /// Whether a claim of this region holds, given what is known of its quantity.
    pub fn verdict(self, value: Option<Interval>) -> Verdict {
        match value {
            Some(value) if value.low >= self.low && value.high <= self.high => Verdict::Holds,
            Some(value) if value.high < self.low || value.low > self.high => Verdict::DoesNotHold,
            _ => Verdict::NotResolved,
        }
    }
}

impl fmt::Display for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.low.is_finite(), self.high.is_finite()) {
            (true, true) => {
                write!(f, "{} to {}", minus(self.low.to_string()), minus(self.high.to_string()))
            }
            (true, false) => write!(f, "≥ {}", minus(self.low.to_string())),
            _ => write!(f, "≤ {}", minus(self.high.to_string())),
        }
    }
}

/// A figure that a claim rests on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Evidence {
    /// What it is of.
    pub name: String,
    /// Its mean over the seeds; nothing if no run has it.
    #[serde(flatten)]
    pub estimate: Option<Estimate>,
}

/// Where a claim comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// The paper says so.
    Paper,
    /// We say so.
    Beyond,
}

/// A claim, what was measured, and whether it holds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Claim {
    /// A short name.
    pub id: &'static str,
    /// Who says it.
    pub source: Source,
    /// What is claimed.
    pub claim: &'static str,
    /// The quantity that decides, with its unit.
    pub quantity: &'static str,
    /// The figures it is computed from.
    pub evidence: Vec<Evidence>,
    /// The quantity with its interval; nothing if it cannot be computed.
    pub value: Option<Interval>,
    /// Where the claim says that it lies.
    pub claimed: Region,
    /// Whether it does.
    pub verdict: Verdict,
    /// Whether it is a matter of seconds: all other claims come out the same for the same seeds.
    pub timed: bool,
}
