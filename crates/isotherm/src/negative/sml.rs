//! Stochastic maximum likelihood: persistent particles at β = 1, a ladder of one rung.

use super::tempered::Tempered;
use super::{AlgorithmEntry, Persistence, anything};

/// Persistent particles without a ladder, in the registry.
pub const ENTRY: AlgorithmEntry = AlgorithmEntry {
    persistence: Persistence::Particles,
    check: anything,
    begin: |plan, reference| Box::new(Tempered::new(plan, reference)),
};
