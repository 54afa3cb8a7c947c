//! What a model learns from: the paper's mixture, or a matrix of zeros and ones.

mod binarise;
mod dataset;
mod diagnostics;
mod error;
mod intensities;
mod left_out;
mod memory;
mod minibatch;
mod mixture;
mod modes;
mod setting_error;
mod shape;
mod split;
mod table;
pub mod values;

pub use binarise::{Binarise, Scale};
pub use dataset::{ConstantColumns, Dataset};
pub use diagnostics::{Assumption, DataDiagnostic};
pub use error::{DataError, DataProblem, Place, located};
pub use intensities::Intensities;
pub use left_out::LeftOut;
pub use minibatch::Minibatches;
pub use mixture::Mixture;
pub use modes::Modes;
pub use setting_error::DataSettingError;
pub use shape::ImageShape;
pub use split::{Split, SplitRows};
pub use table::Table;

isotherm_tempering::option_names! {
    /// The options of data that messages name. Whoever reads data from files declares them.
    pub mod name { valid, test, split, drop, binarise, constant_columns }
}
