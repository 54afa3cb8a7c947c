//! Contrastive divergence: k Gibbs steps that start from the data. Nothing is kept.

use isotherm_kernels::{BitMatrix, Level, Matrix, bernoulli};
use isotherm_tempering::Ensemble;
use isotherm_tempering::streams::{Key, Purpose};

use super::{Algorithm, AlgorithmEntry, NegativeSampler, Persistence};
use crate::error::Result;
use crate::model::Rbm;
use crate::options::{OptionError, Options, name};
use crate::paths::joint::joint;
use crate::paths::{Gibbs, RbmEnsemble, SwapOn};

/// Contrastive divergence in the registry.
pub const ENTRY: AlgorithmEntry = AlgorithmEntry {
    persistence: Persistence::Nothing,
    check: |Options { sampler, optimiser, .. }| match sampler.columns {
        Some(columns) if columns != optimiser.batch => {
            let why = "whose samples start from the batch; set `batch` instead";
            Err(OptionError::Refused { by: Algorithm::Cd, name: name::columns, why }.into())
        }
        _ => Ok(()),
    },
    begin: |plan, reference| {
        let gibbs = joint(reference.marginals().len(), plan.options.hidden, SwapOn::Energy);
        Box::new(Cd { gibbs, k: plan.options.sampler.k })
    },
};

/// Contrastive divergence.
pub struct Cd {
    gibbs: Gibbs,
    k: usize,
}

impl NegativeSampler for Cd {
    fn sample(
        &mut self,
        model: &Rbm,
        batch: &BitMatrix,
        key: Key,
        out: &mut BitMatrix,
    ) -> Result<()> {
        let (rows, cols, level) = (batch.rows(), model.n_hidden(), Level::detect());
        let mut h = BitMatrix::zeros(rows, cols);
        let mut field = Matrix::zeros(rows, cols);
        model.hidden_field(batch.as_rows(), field.tiles_mut());
        for row in 0..rows {
            let mut rng = key.lanes(Purpose::Contrast, row);
            let field = field.row_tiles(row);
            bernoulli::draw_row(level, field, &[], 1.0, cols, &mut rng, h.row_mut(row));
        }
        self.gibbs.set_hidden(h);
        self.gibbs.sweep(model, &vec![1.0; rows], self.k, key)?;
        let all: Vec<usize> = (0..rows).collect();
        self.gibbs.visible(model, &all, key, out);
        Ok(())
    }
}
