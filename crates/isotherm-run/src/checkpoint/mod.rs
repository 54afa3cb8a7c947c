//! Durable storage: named tensors in safetensors files that are replaced whole or not at all.
//!
//! Nothing here depends on what is stored. A [`Bundle`](isotherm::tensors::Bundle) is a set of named
//! tensors with a JSON value beside them. [`save`] and [`load`] keep the last two bundles of a run in
//! its folder such that a complete one is on disk at every instant. A [`RunLock`] excludes a second
//! writer.

mod atomic;
mod error;
#[cfg(test)]
mod faults;
mod files;
mod lock;
mod store;

pub use atomic::write_atomically;
pub use error::{CheckpointError, DamagedFile, FellBack, Problem, Unusable};
pub use files::{read, read_any, write};
pub use lock::{LockError, RunLock};
pub use store::{CURRENT, Loaded, PREVIOUS, load, save};
