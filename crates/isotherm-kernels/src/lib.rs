//! The arithmetic under isotherm: 0/1 matrices packed into bits, products of bits with weights,
//! Bernoulli draws, softplus sums, outer products. Arrays in, arrays out; nothing here knows what
//! a Boltzmann machine is.
//!
//! Most kernels are one plain Rust loop over tiles of 16 lanes, compiled once per CPU level (see [`Level`])
//! and chosen at run time; what the compiler does not do well is written per level. No kernel contracts a
//! multiplication and an addition into one rounding, and every sum has a fixed shape, so **all levels give
//! the same bits**. Each kernel is tested against a slow and obvious twin, in [`scalar`] or, if that is a
//! line, in the tests.
//!
//! This crate uses no threads: a caller that wants them divides the rows into blocks.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
// Lanes run in step over several arrays: an index says that best.
#![allow(clippy::needless_range_loop)]

pub mod affine;
pub mod bernoulli;
pub mod bits;
mod cpu;
pub mod exp;
pub mod few_inputs;
pub mod flips;
pub mod level;
pub mod log_product;
pub mod matrix;
pub mod mixture;
pub mod outer;
pub mod products;
mod quick;
pub mod rng;
pub mod scalar;
pub mod softplus;
mod sparse;
pub mod vector;

pub use bits::BitMatrix;
pub use level::Level;
pub use matrix::{LANES, Matrix, Tile};
pub use products::Products;
pub use rng::{LaneRng, stream_key};
