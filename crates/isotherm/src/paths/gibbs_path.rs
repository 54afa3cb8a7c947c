//! The joint path and the base-rate path: π_β(v, h) ∝ exp((1−β) c₀·v − β E(v, h)), with c₀ = 0 for the
//! first and c₀ = log-odds of the data's marginals for the second.
//!
//! Written with a = b + Wᵀv and t(v) = (c − c₀)·v, and up to a term that is the same on every rung,
//! log π_β(v, h) = β (t + h·a) and, h summed out, log π_β(v) = β t + Σ_i softplus(β a_i).
//!
//! From a mixture (`components.rs`) log π_β(v) has log Σ_k exp(a_k(β)) q(v | k)^(1−β) beside them, and c₀ is zero. The
//! a_k are learned from the replicas (`balance.rs`). From an RBM (`second_layer.rs`) it has the sum over that one's
//! hidden units, less log 2 for each, and c₀ is its c′.

use std::f64::consts::LN_2;
use std::sync::Arc;

use isotherm_kernels::matrix::flat;
use isotherm_kernels::{Level, Matrix, Tile, scalar, softplus};
use isotherm_tempering::Path;

use super::SwapOn;
use super::balance::Observed;
use super::components::FromMixture;
use super::gibbs_block::Block;
use super::gibbs_states::GibbsStates;
use crate::model::Rbm;
use crate::references::{Mixture, SmallRbm};

/// A family from a product distribution over the visible units to the model.
#[derive(Clone, Debug)]
pub struct GibbsPath {
    pub(super) swap: SwapOn,
    n_visible: usize,
    n_hidden: usize,
    /// c₀, or nothing where it is zero.
    pub(super) base: Vec<Tile>,
    pub(super) start: Start,
}

/// What the path starts from, besides the field c₀.
#[derive(Clone, Debug)]
pub(super) enum Start {
    /// Nothing else: independent units.
    Product,
    /// A mixture; c₀ is zero.
    Mixture(FromMixture),
    /// An RBM; c₀ is its c′.
    Rbm(Arc<SmallRbm>),
}

impl GibbsPath {
    /// `base` is c₀, one value for each visible unit, or empty for zero.
    pub fn new(n_visible: usize, n_hidden: usize, base: &[f32], swap: SwapOn) -> GibbsPath {
        assert!(base.is_empty() || base.len() == n_visible, "length of the base field");
        let base = Matrix::from_row(base).tiles().to_vec();
        GibbsPath { swap, n_visible, n_hidden, base, start: Start::Product }
    }

    /// From a mixture. Swaps are on free energies.
    pub fn from_mixture(mixture: Arc<Mixture>, n_hidden: usize) -> GibbsPath {
        let mut path = GibbsPath::new(mixture.n_visible(), n_hidden, &[], SwapOn::FreeEnergy);
        path.start = Start::Mixture(FromMixture::new(mixture));
        path
    }

    /// From a mixture of which log Z_z(β) is known at some β, of all components at the first, then at the next.
    pub(super) fn from_balanced_mixture(
        mixture: Arc<Mixture>,
        n_hidden: usize,
        (betas, log_z): (Vec<f64>, &[f64]),
    ) -> GibbsPath {
        let start = Start::Mixture(FromMixture::balanced(mixture.clone(), betas, log_z));
        GibbsPath { start, ..GibbsPath::from_mixture(mixture, n_hidden) }
    }

    /// From an RBM. Swaps are on free energies.
    pub fn from_rbm(small: Arc<SmallRbm>, n_hidden: usize) -> GibbsPath {
        let base = small.model().parameters().c.row(0);
        let mut path = GibbsPath::new(small.n_visible(), n_hidden, base, SwapOn::FreeEnergy);
        path.start = Start::Rbm(small);
        path
    }

    /// log π_β of a row as fast as swaps need it, in `f32` where softplus is summed.
    fn swap_log_density(&self, states: &GibbsStates, row: usize, beta: f64) -> f64 {
        let (block, at) = states.find(row);
        match self.swap {
            SwapOn::Energy => beta * (block.tilt(at) + block.coupling(at)),
            SwapOn::FreeEnergy => {
                let (fields, stride) = block.hidden_field(at);
                let (level, cols) = (Level::detect(), self.n_hidden);
                let mut log = [beta * block.tilt(at)
                    + softplus::softplus_sum_strided(level, fields, stride, beta as f32, cols)];
                block.add_reference(at, &self.start, &[beta], &mut log);
                log[0]
            }
        }
    }
}

impl Path for GibbsPath {
    type Model = Rbm;
    type States = GibbsStates;

    fn log_densities(&self, states: &GibbsStates, row: usize, betas: &[f64], out: &mut [f64]) {
        states.assert_swept();
        let (block, at) = states.find(row);
        let linear = match self.swap {
            SwapOn::Energy => block.tilt(at) + block.coupling(at),
            SwapOn::FreeEnergy => block.tilt(at),
        };
        for (out, beta) in out.iter_mut().zip(betas) {
            *out = beta * linear;
        }
        if self.swap == SwapOn::FreeEnergy {
            block.add_softplus(at, betas, out);
        }
        block.add_reference(at, &self.start, betas, out);
    }

    fn log_z_of_reference(&self) -> f64 {
        let visible = match &self.start {
            // Fair coins for the units of either layer that have no part in the distribution: as many factors of
            // 2 at β = 0 and at β = 1.
            Start::Rbm(small) => small.log_z() - small.n_hidden() as f64 * LN_2,
            Start::Mixture(_) => 0.0,
            Start::Product if self.base.is_empty() => self.n_visible as f64 * LN_2,
            Start::Product => {
                let base = flat(&self.base).iter().take(self.n_visible);
                base.map(|&c0| scalar::softplus(f64::from(c0))).sum()
            }
        };
        visible + self.n_hidden as f64 * LN_2
    }

    fn learn(&mut self, states: &mut GibbsStates, ladder: &[f64], betas: &[f64]) {
        let Start::Mixture(from) = &mut self.start else { return };
        if !states.swept {
            return;
        }
        states.blocks.iter_mut().for_each(Block::update_coupling);
        let rung = |beta: f64| ladder.partition_point(|&other| other > beta);
        let warm = betas.iter().enumerate().filter(|(_, beta)| **beta < 1.0);
        let FromMixture { mixture, balance } = from;
        let replicas = warm.map(|(row, &beta)| {
            let (block, at) = states.find(row);
            let (component, log) = block.component(at, mixture);
            let slope = block.tilt(at) + block.coupling(at) - log;
            Observed { rung: rung(beta), component, slope }
        });
        balance.observe(ladder, replicas);
    }

    fn learned(&self) -> Vec<f64> {
        match &self.start {
            Start::Mixture(from) => from.balance.to_values(),
            _ => Vec::new(),
        }
    }

    fn set_learned(&mut self, values: &[f64]) -> bool {
        match &mut self.start {
            Start::Mixture(from) => from.balance.set_values(values),
            _ => values.is_empty(),
        }
    }

    fn log_ratio(
        &self,
        states: &GibbsStates,
        (x, beta_x): (usize, f64),
        (y, beta_y): (usize, f64),
    ) -> f64 {
        states.assert_swept();
        let of = |row, beta| self.swap_log_density(states, row, beta);
        let straight = of(x, beta_x) + of(y, beta_y);
        let crossed = of(y, beta_x) + of(x, beta_y);
        crossed - straight
    }
}
