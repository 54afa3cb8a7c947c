//! Why a ladder starts from its reference, where `auto` chose it, and the record of both.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Fitted, HeldOut};

/// The reference of a ladder, as a summary shows it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ReferenceRecord {
    /// What it is, and how it came to fit the data.
    #[serde(flatten)]
    pub fitted: Fitted,
    /// Why `auto` took it. Absent if it was chosen, and in files of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auto: Option<Because>,
}

/// Why `auto` took a reference.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "because", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Because {
    /// It describes held-out examples better, or as well.
    HeldOut(HeldOut),
    /// The hidden-marginal path of few hidden units has the modes all along.
    FewHiddenUnits,
    /// Swaps on energies work from independent units only.
    SwapsOnEnergies,
    /// There are too few examples to hold some out.
    FewExamples,
}

impl fmt::Display for Because {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Because::HeldOut(held_out) => held_out.fmt(f),
            Because::FewHiddenUnits => f.write_str("with few hidden units it needs no other"),
            Because::SwapsOnEnergies => f.write_str("swaps on energies need independent units"),
            Because::FewExamples => f.write_str("there are too few examples to compare references"),
        }
    }
}

impl fmt::Display for ReferenceRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fitted.fmt(f)?;
        match &self.auto {
            Some(because) => write!(f, "; chosen because {because}"),
            None => Ok(()),
        }
    }
}
