//! What is learned from: the paper's mixture, or a 0/1 matrix from a file.

mod binarise;
mod dataset;
mod intensities;
mod left_out;
mod minibatch;
mod mixture;
mod modes;
mod shape;
mod split;
pub mod values;

pub use binarise::{Binarise, Scale};
pub use dataset::{ConstantColumns, Dataset, Table};
pub use intensities::Intensities;
pub use left_out::LeftOut;
pub use minibatch::Minibatches;
pub use mixture::Mixture;
pub use modes::Modes;
pub use shape::ImageShape;
pub use split::{Split, SplitRows};
