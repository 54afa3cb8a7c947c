//! Tests of all kernels, in one program.
#![allow(missing_docs)]

mod affine;
mod bit_matrices;
mod common;
mod dependencies;
mod draw_statistics;
mod draws;
mod exp;
mod few_inputs;
mod flips;
mod levels;
mod log_product;
mod matrices;
mod mixture;
mod outer;
mod products;
mod rng;
mod rng_statistics;
mod softplus;
mod vector;
