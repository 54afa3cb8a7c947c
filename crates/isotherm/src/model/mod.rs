//! The Bernoulli–Bernoulli RBM: E(v, h) = −b·h − c·v − vᵀWh, with h, v in {0, 1}.

mod energy;
mod error;
mod file;
mod initial;
mod parameters;
mod perfect;
mod rbm;

pub use error::ModelError;
pub use file::{ModelFile, model_bundle, model_in};
pub use initial::{Initial, log_odds};
pub use parameters::Parameters;
pub use perfect::PerfectSampler;
pub use rbm::Rbm;
