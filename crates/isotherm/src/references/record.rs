//! What a summary says of the reference of a ladder.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Fitted, HeldOut};

/// The reference of a ladder, as a summary shows it. It follows from the plan and the data, whether the reference was
/// asked for or chosen by `auto`: a run that is repeated from its configuration says the same.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ReferenceRecord {
    /// What it is, and how it came to fit the data.
    #[serde(flatten)]
    pub fitted: Fitted,
    /// What `auto` decides by. Absent on paths that take no reference, for too few examples, and in files of earlier
    /// versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_out: Option<HeldOut>,
}

impl fmt::Display for ReferenceRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fitted.fmt(f)?;
        match &self.held_out {
            Some(held_out) => write!(f, "; {held_out}"),
            None => Ok(()),
        }
    }
}
