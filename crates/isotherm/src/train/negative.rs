//! The negative phase: samples of the model, by contrastive divergence, from the cold end of a
//! ladder, or exact. Persistent sampling without tempering is a ladder of one rung.

use isotherm_kernels::affine::Grouping;
use isotherm_kernels::{BitMatrix, Level, Tile, bernoulli};

use super::between::Between;
use super::config::{Algorithm, PathKind};
use super::plan::Plan;
use crate::error::Result;
use crate::model::{PerfectSampler, Rbm};
use crate::paths::base_rate::base_rate;
use crate::paths::hidden_marginal::hidden_marginal;
use crate::paths::joint::joint;
use crate::paths::{AnyEnsemble, Gibbs, RbmEnsemble, SwapOn, random_hidden};
use isotherm_tempering::streams::{Clock, Purpose};
use isotherm_tempering::{Ensemble, Ladder, Tempering, TemperingState};

/// Where negative samples come from.
pub enum Negative {
    /// k Gibbs steps from the data, nothing kept.
    Contrastive(Box<Gibbs>),
    /// Exact samples, nothing kept.
    Exact(Box<PerfectSampler>),
    /// Persistent replicas on a ladder, and what is done between two steps of it, if anything is.
    Tempered(Box<Tempering<AnyEnsemble>>, Option<Box<Between>>),
}

impl Negative {
    /// The sampler that a plan asks for, its replicas in random states.
    pub fn new(plan: &Plan, marginals: &[f64]) -> Negative {
        let (n_visible, n_hidden) = (marginals.len(), plan.config.hidden);
        if plan.config.algorithm == Algorithm::Cd {
            let gibbs = joint(n_visible, n_hidden, SwapOn::Energy);
            return Negative::Contrastive(Box::new(gibbs));
        }
        if plan.config.algorithm == Algorithm::Exact {
            return Negative::Exact(Box::new(PerfectSampler::new(n_visible, n_hidden)));
        }
        let ladder = Ladder::new(plan.rungs, plan.config.spacing);
        let state = TemperingState::with_extra_particles(ladder, plan.columns, plan.spare());
        let clock = Clock { seed: plan.config.seed, step: 0 };
        let h = random_hidden(state.replicas.rows(), n_hidden, clock);
        Negative::resume(plan, marginals, state, h)
    }

    /// A tempered sampler with a given ladder and given hidden states.
    pub fn resume(plan: &Plan, marginals: &[f64], state: TemperingState, h: BitMatrix) -> Negative {
        let (n_visible, n_hidden) = (marginals.len(), plan.config.hidden);
        let mut ensemble: AnyEnsemble = match plan.path {
            PathKind::HiddenMarginal => Box::new(hidden_marginal(n_visible, n_hidden)),
            PathKind::BaseRate => Box::new(base_rate(marginals, n_hidden, plan.swap)),
            PathKind::Joint | PathKind::Auto => Box::new(joint(n_visible, n_hidden, plan.swap)),
        };
        ensemble.set_hidden(h);
        let particles = state.replicas.particles();
        let between = (plan.config.temper_every > 1)
            .then(|| Box::new(Between::new(particles, n_visible, n_hidden)));
        Negative::Tempered(Box::new(Tempering::new(ensemble, state)), between)
    }

    /// The replicas on their ladder, if there are any.
    pub fn tempering(&self) -> Option<&Tempering<AnyEnsemble>> {
        match self {
            Negative::Contrastive(_) | Negative::Exact(_) => None,
            Negative::Tempered(tempering, _) => Some(tempering),
        }
    }

    /// The replicas on their ladder, if there are any.
    pub fn tempering_mut(&mut self) -> Option<&mut Tempering<AnyEnsemble>> {
        match self {
            Negative::Contrastive(_) | Negative::Exact(_) => None,
            Negative::Tempered(tempering, _) => Some(tempering),
        }
    }

    /// The replicas on their ladder, if there are any.
    pub fn into_tempering(self) -> Option<Tempering<AnyEnsemble>> {
        match self {
            Negative::Contrastive(_) | Negative::Exact(_) => None,
            Negative::Tempered(tempering, _) => Some(*tempering),
        }
    }

    /// One step of the sampler, k Gibbs steps long; visible samples of the model for the rows of
    /// `out`. Contrastive divergence starts from the data of the positive phase. `tempers` says whether
    /// it is a step of the whole ladder, where there is one.
    pub fn samples(
        &mut self,
        model: &Rbm,
        data: &BitMatrix,
        (k, tempers): (usize, bool),
        clock: Clock,
        out: &mut BitMatrix,
    ) -> Result<()> {
        match self {
            Negative::Contrastive(gibbs) => contrast(gibbs, model, data, k, clock, out)?,
            Negative::Exact(sampler) => sampler.visible(model, clock, out),
            Negative::Tempered(tempering, Some(between)) if !tempers => {
                between.step(tempering, model, k, clock, out)?;
            }
            Negative::Tempered(tempering, _) => {
                tempering.step(model, k, clock)?;
                tempering.at_the_cold_end(|path, rows| path.visible(model, rows, clock, out));
            }
        }
        Ok(())
    }

    /// The hidden fields b + Wᵀv of the samples just drawn, by a step of the whole ladder or not, if they
    /// are there in this grouping of the sums; whether they are. Contrastive divergence has no buffers to
    /// keep, and computes them again.
    pub fn hidden_fields(&mut self, tempers: bool, grouping: Grouping, out: &mut [Tile]) -> bool {
        match self {
            Negative::Contrastive(_) | Negative::Exact(_) => false,
            Negative::Tempered(_, Some(between)) if !tempers => {
                between.hidden_fields(grouping, out)
            }
            Negative::Tempered(tempering, _) => {
                tempering.at_the_cold_end(|path, rows| path.hidden_fields(rows, grouping, out))
            }
        }
    }
}

/// k Gibbs steps that start from the data.
fn contrast(
    gibbs: &mut Gibbs,
    model: &Rbm,
    data: &BitMatrix,
    k: usize,
    clock: Clock,
    out: &mut BitMatrix,
) -> Result<()> {
    let rows = data.rows();
    let mut h = BitMatrix::zeros(rows, model.n_hidden());
    let mut field = isotherm_kernels::Matrix::zeros(rows, model.n_hidden());
    model.hidden_field(data.as_rows(), field.tiles_mut());
    for row in 0..rows {
        let mut rng = clock.lanes(Purpose::Contrast, row);
        let (cols, level) = (model.n_hidden(), Level::detect());
        bernoulli::draw_row(level, field.row_tiles(row), &[], 1.0, cols, &mut rng, h.row_mut(row));
    }
    gibbs.set_hidden(h);
    gibbs.sweep(model, &vec![1.0; rows], k, clock)?;
    let all: Vec<usize> = (0..rows).collect();
    gibbs.visible(model, &all, clock, out);
    Ok(())
}
