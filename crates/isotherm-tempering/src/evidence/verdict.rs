//! Whether to rely on a figure.

use serde::{Deserialize, Serialize};

/// Whether to rely on a figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// Whether nothing speaks against it.
    pub converged: bool,
    /// That, and why, in words.
    pub sentence: String,
}
