#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
//! Examples from files: formats that are recognised by their content, and what a file holds.

pub mod formats;
mod inspection;
mod load;
pub mod shell;
mod source;

pub use inspection::{ArrayReport, FileReport, Missing, ValueKind, inspect};
pub use load::{load, load_like, read};
pub use source::Source;
