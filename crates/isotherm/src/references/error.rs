//! Why a reference cannot be fitted.

use crate::error::{Cause, Dialect, Kind};
use crate::options::name;

/// A reference that cannot be fitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReferenceError {
    /// The parameters of a small RBM are no longer finite.
    Diverged,
}

impl Cause for ReferenceError {
    fn kind(&self) -> Kind {
        Kind::NonFinite
    }

    fn words(&self, d: &dyn Dialect) -> String {
        match self {
            ReferenceError::Diverged => format!(
                "the small RBM that the ladder was to start from diverged while it was fitted; choose another {}",
                d.option(name::reference)
            ),
        }
    }
}
