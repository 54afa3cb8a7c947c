//! What a model learns from: examples in memory, or a stream whose density is known.

mod binarise;
mod dataset;
mod diagnostics;
mod error;
mod intensities;
mod known_density;
mod left_out;
mod memory;
mod minibatch;
mod mixture;
mod modes;
mod setting_error;
mod shape;
mod some_rows;
mod split;
mod table;
pub mod values;

pub use binarise::{Binarise, Scale};
pub(crate) use dataset::Data;
pub use dataset::{ConstantColumns, Dataset};
pub use diagnostics::{Assumption, DataDiagnostic};
pub use error::{DataError, DataProblem, Place, located};
pub use intensities::Intensities;
pub use known_density::{KnownDensity, Stratum};
pub use left_out::LeftOut;
pub use minibatch::Minibatches;
pub use mixture::Mixture;
pub use modes::Modes;
pub use setting_error::DataSettingError;
pub use shape::ImageShape;
pub use some_rows::some_rows;
pub(crate) use some_rows::{some_of, some_rows_by};
pub use split::{Split, SplitRows};
pub(crate) use table::marginals;

isotherm_tempering::option_names! {
    /// The options of data that messages name. Whoever reads data from files declares them.
    pub mod name { valid, test, split, drop, binarise, constant_columns }
}
