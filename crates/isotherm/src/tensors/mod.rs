//! Named tensors, and their bytes in a safetensors file.

mod bundle;
mod error;
mod format;

pub use bundle::{Bundle, Element, Tensor};
pub use error::{SealError, StoreError, TensorError};
