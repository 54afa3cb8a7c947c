//! Stochastic maximum likelihood: persistent particles at β = 1, a ladder of one rung.

use super::tempered::Tempered;
use super::{Keeps, Learner, anything};

/// Persistent particles without a ladder, in the registry.
pub const LEARNER: Learner = Learner {
    keeps: Keeps::Particles,
    check: anything,
    begin: |plan, marginals| Box::new(Tempered::new(plan, marginals)),
};
