//! Durable storage: named tensors in safetensors files that are replaced whole or not at all.
//!
//! Nothing here knows what is stored. A [`Bundle`] is a set of named tensors with a JSON value
//! beside them; [`save`] and [`load`] keep the last two bundles of a run in its folder such that a
//! complete one is on disk at every instant; a [`RunLock`] keeps a second writer out.

mod atomic;
#[cfg(test)]
mod faults;
mod format;
mod lock;
mod store;
mod tensors;

pub use atomic::write_atomically;
pub use lock::RunLock;
pub use store::{CURRENT, Loaded, PREVIOUS, load, save};
pub use tensors::{Bundle, Element, Tensor};
