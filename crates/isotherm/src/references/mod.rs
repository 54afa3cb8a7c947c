//! References: distributions at β = 0 that can be sampled exactly and have a known normaliser.
//!
//! A reference with one mode makes narrow clusters appear only close to β = 1, in a transition that no ladder
//! removes. A [`Mixture`] has the clusters of the data all along the path. [`Clusters`] are groups of its components.

mod clusters;
pub(crate) mod em;
mod mixture;
mod reference;

pub use clusters::{Clusters, ROWS_FOR_CLUSTERS, evenly};
pub use em::{Fit, fit};
pub use mixture::Mixture;
pub(crate) use mixture::uniform;
pub(crate) use reference::{COMPONENTS, components_for};
pub use reference::{Reference, ReferenceKind};
