//! Durable storage: named tensors in safetensors files that are replaced whole or not at all.
//!
//! Nothing here knows what is stored. A [`Bundle`](isotherm::tensors::Bundle) is a set of named tensors with a JSON value
//! beside them; [`save`] and [`load`] keep the last two bundles of a run in its folder such that a
//! complete one is on disk at every instant; a [`RunLock`] keeps a second writer out.

mod atomic;
#[cfg(test)]
mod faults;
mod files;
mod lock;
mod store;

pub use atomic::write_atomically;
pub use files::{read, read_any, write};
pub use lock::RunLock;
pub use store::{CURRENT, Loaded, PREVIOUS, load, save};
