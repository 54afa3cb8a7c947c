#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
//! Isotherm trains Restricted Boltzmann Machines by maximum likelihood, with a tempering ladder
//! that tunes itself: SML-APT of Desjardins, Courville and Bengio (2010), and beyond it.
//!
//! A step of training reads like this (see [`train::step`]):
//!
//! > minibatch → positive phase → sweep all rungs → swap → observe the flow → negative phase →
//! > gradient → update → respace, spawn, retire
//!
//! ```
//! use isotherm::likelihood::{Effort, measure};
//! use isotherm::data::Dataset;
//! use isotherm::train::{Config, TrainState, Trainer};
//!
//! let data = Dataset::mixture(1);
//! let plan = Config { updates: 1000, ..Config::default() }.check(data.n_visible())?;
//! let mut state = TrainState::new(&plan, &data.marginals());
//! let mut trainer = Trainer::new(plan, data);
//! for _ in 0..1000 {
//!     trainer.step(&mut state)?;
//! }
//! let log_likelihood = measure(&state.model, trainer.data(), Effort::Quick)?;
//! assert!(log_likelihood.value > -427.0, "better than independent pixels");
//! # Ok::<(), isotherm::Error>(())
//! ```
//!
//! Words: a **rung** is a place on the **ladder** of inverse temperatures β, cold end (β = 1)
//! first; a **replica** is a state that travels over the rungs; a **column** is one of several
//! independent sets of replicas that share one ladder.

pub mod data;
pub mod diagnostics;
mod error;
pub mod likelihood;
pub mod model;
pub mod paths;
pub mod sampling;
pub mod tensors;
pub mod train;

pub use error::{Action, Cause, Dialect, Error, IoError, Kind, Plain, Result};
pub use isotherm_kernels::BitMatrix;
