//! References: distributions at β = 0 that can be sampled exactly and have a known normaliser.
//!
//! A reference with one mode makes narrow clusters appear only close to β = 1, in a transition that no ladder
//! removes. A [`Mixture`] or a [`SmallRbm`] has the clusters of the data all along the path, as far as it was fitted
//! to them. [`Clusters`] are groups of a mixture's components.

mod clusters;
pub(crate) mod em;
mod error;
mod fitted;
mod held_out;
mod mixture;
mod record;
mod reference;
mod small_rbm;
mod train_small;
mod work;

pub use clusters::{Clusters, ROWS_FOR_CLUSTERS};
pub use em::{Fit, fit};
pub use error::ReferenceError;
pub use fitted::Fitted;
pub use held_out::HeldOut;
pub use mixture::{MOST_COMPONENTS, Mixture};
pub(crate) use mixture::{log_sum_exp, uniform};
pub use record::ReferenceRecord;
pub(crate) use reference::{COMPONENTS, SMALL_HIDDEN, components_for};
pub use reference::{Distribution, Reference, ReferenceKind};
pub use small_rbm::SmallRbm;
