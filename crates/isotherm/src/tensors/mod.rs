//! Named tensors, and their bytes in a safetensors file.

mod bundle;
mod format;

pub use bundle::{Bundle, Element, Tensor};
