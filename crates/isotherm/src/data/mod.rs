//! What is learned from: the paper's mixture, or a 0/1 matrix from a file.

mod dataset;
pub mod formats;
mod minibatch;
mod mixture;
mod shape;

pub use dataset::{ConstantColumns, Dataset, Table};
pub use minibatch::Minibatches;
pub use mixture::Mixture;
pub use shape::ImageShape;
