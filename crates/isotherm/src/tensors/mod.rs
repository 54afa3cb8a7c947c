//! Named tensors, and their bytes in a safetensors file.

mod bundle;
mod error;
mod format;
mod replicas;

pub use bundle::{Bundle, Element, Tensor};
pub use error::{SealError, StoreError, TensorError};
pub use replicas::{insert_tempering, take_tempering};
