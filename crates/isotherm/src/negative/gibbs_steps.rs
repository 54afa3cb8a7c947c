//! Plain Gibbs steps between two steps of the ladder. Tempering need not be done at every update: in
//! between, the persistent particles at β = 1 take plain Gibbs steps, which leave the model invariant on
//! every path, and the rest of the ladder stays as it is.

use isotherm_kernels::affine::Grouping;
use isotherm_kernels::{BitMatrix, Tile};

use crate::model::Rbm;
use crate::paths::joint::joint;
use crate::paths::{AnyEnsemble, Gibbs, RbmEnsemble, SwapOn};
use isotherm_tempering::streams::Key;
use isotherm_tempering::{Ensemble, Result, Tempering};

/// The particles at β = 1 in a block of their own. Nothing here outlives a step.
pub struct GibbsSteps {
    gibbs: Gibbs,
    h: BitMatrix,
    all: Vec<usize>,
    betas: Vec<f64>,
}

impl GibbsSteps {
    /// A block for `particles` particles.
    pub fn new(particles: usize, n_visible: usize, n_hidden: usize) -> GibbsSteps {
        let h = BitMatrix::zeros(particles, n_hidden);
        let mut gibbs = joint(n_visible, n_hidden, SwapOn::Energy);
        gibbs.set_hidden(h.clone());
        GibbsSteps { gibbs, h, all: (0..particles).collect(), betas: vec![1.0; particles] }
    }

    /// `k` Gibbs steps of the ladder's replicas at β = 1; their visible states go into `out`.
    pub fn step(
        &mut self,
        tempering: &mut Tempering<AnyEnsemble>,
        model: &Rbm,
        k: usize,
        key: Key,
        out: &mut BitMatrix,
    ) -> Result<()> {
        let GibbsSteps { gibbs, h, all, betas } = self;
        tempering.at_the_cold_end(|path, rows| {
            path.copy_hidden(rows, h);
            gibbs.put_hidden(all, h);
            gibbs.sweep(model, betas, k, key)?;
            gibbs.visible(model, all, key, out);
            gibbs.copy_hidden(all, h);
            path.put_hidden(rows, h);
            Ok(())
        })
    }

    /// The hidden fields of these visible states: see [`RbmEnsemble::hidden_fields`].
    pub fn hidden_fields(&self, grouping: Grouping, out: &mut [Tile]) -> bool {
        self.gibbs.hidden_fields(&self.all, grouping, out)
    }
}
