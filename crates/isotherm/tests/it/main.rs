//! Models, samplers, learning and likelihoods against enumeration and closed forms.
#![allow(clippy::unwrap_used, missing_docs)]

mod adaptation;
mod allocations;
mod balance;
mod bracket;
mod coins;
mod common;
mod data;
mod examples;
mod far_modes;
mod gradient;
mod known_density;
mod learning;
mod likelihood;
mod log_z;
mod online_log_z;
mod options;
mod penalties;
mod perfect_sampler;
mod references;
mod seams;
mod stationarity;
mod swap_algebra;
mod trained;
mod training;
mod two_samplers;
