//! How much memory learning takes.

use super::Options;
use super::error::{MemoryUse, OptionError};
use crate::error::Result;
use crate::objective::penalties::BLOCK;

const GIB: f64 = (1u64 << 30) as f64;

/// Bounds what mistyped options may ask for.
const MOST_BYTES: f64 = 16.0 * GIB;

/// The sizes that the memory of the sampler depends on.
#[derive(Clone, Copy)]
pub(super) struct Sizes {
    pub(super) n_visible: usize,
    pub(super) columns: usize,
    pub(super) particles: usize,
    pub(super) rungs: usize,
}

impl Options {
    /// Bytes that training takes besides the data. More than any machine this is meant for has is refused.
    pub(super) fn memory(&self, sizes: Sizes) -> Result<f64> {
        let parts = self.bytes(sizes);
        let total: f64 = parts.iter().map(|(bytes, _)| bytes).sum();
        let largest = parts.iter().max_by(|a, b| a.0.total_cmp(&b.0));
        match largest {
            Some(&(_, what)) if total > MOST_BYTES => {
                Err(OptionError::Memory { gibibytes: total / GIB, most: MOST_BYTES / GIB, what }
                    .into())
            }
            _ => Ok(total),
        }
    }

    /// The bytes, by what they depend on. In f64, so that nothing overflows.
    fn bytes(&self, sizes: Sizes) -> [(f64, MemoryUse); 3] {
        let Sizes { n_visible, columns, particles, rungs } = sizes;
        let adaptive = self.sampler.algorithm.is_adaptive();
        let most_rungs = if adaptive { self.ladder.max_rungs } else { rungs };
        let units = (n_visible + self.hidden) as f64;
        // Model (both ways round), average, velocity and gradient twice; the best model and its average,
        // and one candidate for it; the model of the online estimate; and the contents of a checkpoint once
        // more while it is written.
        const ARRAYS: f64 = 6.0 + 4.0 + 2.0 + 8.0;
        // A few more rows: the penalties' sums over blocks of pixels.
        let rows = ARRAYS * n_visible as f64 + (n_visible / BLOCK + 2) as f64;
        let weights = 4.0 * rows * self.hidden as f64;
        // Both fields of a replica, its bits and its generator; the two sides of the gradient.
        let rows = columns as f64 * most_rungs as f64 + (particles - columns) as f64;
        // The particles at β = 1 have a block of their own for the Gibbs steps between two steps of the
        // ladder.
        let apart = if self.sampler.temper_every > 1 { particles as f64 } else { 0.0 };
        let replicas = (rows + apart) * (5.0 * units + 300.0);
        let batch = self.optimiser.batch as f64 * 10.0 * units;
        [
            (weights, MemoryUse::Weights),
            (replicas, MemoryUse::Replicas),
            (batch, MemoryUse::Minibatch),
        ]
    }
}
