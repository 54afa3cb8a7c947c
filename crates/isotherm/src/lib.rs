#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
//! Isotherm trains Restricted Boltzmann Machines by maximum likelihood, with a tempering ladder
//! that tunes itself: SML-APT of Desjardins, Courville and Bengio (2010), and beyond it.
//!
//! Ten lines train a model on a matrix in memory, evaluate it and sample it:
//!
//! ```
//! use isotherm::prelude::*;
//!
//! let rows = [[1, 1, 0, 0], [0, 0, 1, 1]].repeat(50);
//! let data = Dataset::from_rows(&rows)?; // zeros and ones in memory
//! let rbm = Training::on(&data) // what is not chosen follows from the data
//!     .hidden(2)
//!     .updates(3000)
//!     .run()?;
//! println!("{}", rbm.log_likelihood(&data)?); // exact, or a bracket with a verdict
//! let samples = rbm.sample(100)?;
//! println!("{} samples, {} round trips", samples.v.rows(), samples.round_trips);
//! # assert!(rbm.log_likelihood(&data)?.value > -1.0, "two equally likely rows: at best -log 2");
//! # assert_eq!(samples.v.rows(), 100);
//! # Ok::<(), isotherm::Error>(())
//! ```
//!
//! A step of training ([`trainer`]) reads like this:
//!
//! > minibatch → positive phase → sweep all rungs → swap → observe the flow → negative phase →
//! > gradient → update → respace, spawn, retire
//!
//! Four seams are traits: where negative samples come from ([`negative`]), what is maximised ([`objective`]),
//! what lies between the reference and the model ([`paths`]), and what is recorded along a sampler
//! ([`Recorder`](tempering::Recorder)). The module [`seams`] has what an implementation needs.
//!
//! Vocabulary: a **rung** is a place on the **ladder** of inverse temperatures β, from the cold end (β = 1)
//! to the **reference** (β = 0); a **replica** is a state that travels over the rungs; a **column** is one
//! of several independent sets of replicas that share the ladder; **persistent particles** are the samples
//! at β = 1 that are kept from one update to the next.

pub mod data;
pub mod diagnostics;
mod error;
pub mod likelihood;
pub mod model;
pub mod negative;
pub mod objective;
pub mod optimiser;
pub mod options;
pub mod paths;
pub mod prelude;
pub mod references;
mod registry;
pub mod sampling;
pub mod seams;
pub mod tensors;
pub mod trainer;
pub mod training;

pub use options::Options;

pub use error::{Action, Cause, Dialect, Error, IoError, Kind, OptionName, Plain, Result};
pub use isotherm_kernels as kernels;
pub use isotherm_kernels::BitMatrix;
pub use isotherm_tempering as tempering;
pub use isotherm_tempering::streams::{Key, Purpose};
pub use trainer::Trainer;
