//! Block Gibbs sampling: v given h, then h given v.
//!
//! A step draws v given h, computes the hidden field a = b + Wᵀv, and draws h given v. With swaps on free
//! energies the last draw waits until after the swap (see [`Explorer::resample`]), so that both kinds of
//! swap cost the same two products. t(v) is one more column of the product that gives a. At β = 0 the
//! visible field is c₀ whatever h is: the Gibbs step itself draws from the reference exactly.

use isotherm_kernels::BitMatrix;
use isotherm_kernels::affine::Grouping;
use isotherm_kernels::few_inputs::FewInputs;
use isotherm_kernels::matrix::flat;
use isotherm_tempering::streams::{Key, Purpose};
use isotherm_tempering::threads::rows_per_thread;
use isotherm_tempering::{Explorer, Population, Result, States};
use rayon::prelude::*;

use super::gibbs_block::{Block, Target};
use super::gibbs_path::{GibbsPath, Start};
use super::gibbs_states::{GibbsStates, StateOfReference};
use super::{SwapOn, VisibleUnits};
use crate::model::Rbm;

/// Replicas that are worth tables of the whole visible field.
const WORTH_TABLES: usize = 16;

/// Visible units up to which such tables, at most 512 bytes a unit, stay in L2 or near it.
const MOST_TABULATED: usize = 8192;

/// Block Gibbs sampling of an RBM.
#[derive(Clone, Debug)]
pub struct BlockGibbs {
    /// c − c₀, the weights of t(v).
    tilt: Vec<f32>,
}

/// Replicas on the joint or the base-rate path.
pub type Gibbs = Population<GibbsPath, BlockGibbs>;

impl GibbsPath {
    /// An ensemble on this path without replicas yet.
    pub fn population(self, n_visible: usize, n_hidden: usize) -> Gibbs {
        let of_reference = match &self.start {
            Start::Product => StateOfReference::None,
            Start::Mixture(from) => StateOfReference::Component { of: from.mixture.components() },
            Start::Rbm(small) => StateOfReference::Units(small.n_hidden()),
        };
        let states = GibbsStates::new(n_visible, n_hidden, of_reference);
        Population { path: self, explorer: BlockGibbs { tilt: vec![0.0; n_visible] }, states }
    }
}

impl BlockGibbs {
    /// Hands the blocks out to the threads, each row with a fresh stream.
    fn for_each_block(
        &mut self,
        (path, model): (&GibbsPath, &Rbm),
        states: &mut GibbsStates,
        betas: &[f64],
        (purpose, key): (Purpose, Key),
        work: impl Fn(&mut Block, &Target<'_>) + Sync,
    ) {
        let Some(size) = states.blocks.first().map(Block::rows) else { return };
        let c = model.parameters().c.row(0);
        self.tilt.copy_from_slice(c);
        for (tilt, base) in self.tilt.iter_mut().zip(flat(&path.base)) {
            *tilt -= base;
        }
        let (rows, n_hidden) = (states.rows(), model.n_hidden());
        // By all rows, so that sums do not depend on the number of threads.
        let few = n_hidden <= FewInputs::MOST
            && matches!(path.start, Start::Product)
            && model.n_visible() <= MOST_TABULATED
            && rows >= WORTH_TABLES;
        let second = match &path.start {
            Start::Rbm(small) => small.n_hidden(),
            _ => 0,
        };
        let target = Target {
            model,
            base: &path.base,
            start: &path.start,
            tilt: &self.tilt,
            few,
            to_visible: Grouping::of(rows, n_hidden),
            to_hidden: states.to_hidden(),
            from_second: Grouping::of(rows, second),
        };
        states.blocks.par_iter_mut().zip(betas.par_chunks(size)).enumerate().for_each(
            |(block, (rows, betas))| {
                rows.begin(betas, purpose, key, block * size);
                work(rows, &target);
            },
        );
    }
}

/// Nanoseconds that a row's Gibbs step takes, roughly.
pub(crate) fn cost_of_a_step(n_visible: usize, n_hidden: usize) -> f64 {
    let (n_visible, n_hidden) = (n_visible as f64, n_hidden as f64);
    0.005 * n_visible * n_hidden + 0.3 * (n_visible + n_hidden)
}

impl Explorer<GibbsPath> for BlockGibbs {
    fn sweep(
        &mut self,
        path: &GibbsPath,
        model: &Rbm,
        states: &mut GibbsStates,
        betas: &[f64],
        steps: usize,
        key: Key,
    ) -> Result<()> {
        let (swap, stream) = (path.swap, (Purpose::Sweep, key));
        let cost = cost_of_a_step(model.n_visible(), model.n_hidden());
        states.cut(rows_per_thread(states.rows(), steps as f64 * cost));
        self.for_each_block((path, model), states, betas, stream, |block, target| {
            block.see(target);
            for step in 1..=steps {
                block.draw_visible(target);
                block.update_hidden_field(target);
                if step < steps || swap == SwapOn::Energy {
                    block.draw_hidden(target);
                }
            }
            if swap == SwapOn::Energy {
                block.update_coupling();
            }
        });
        states.swept = true;
        Ok(())
    }

    fn resample(
        &mut self,
        path: &GibbsPath,
        model: &Rbm,
        states: &mut GibbsStates,
        betas: &[f64],
        key: Key,
    ) {
        if path.swap == SwapOn::FreeEnergy {
            states.assert_swept();
            let stream = (Purpose::Resample, key);
            self.for_each_block((path, model), states, betas, stream, |block, target| {
                block.draw_hidden(target);
            });
        }
    }
}

impl VisibleUnits<GibbsPath> for BlockGibbs {
    fn visible(
        &mut self,
        _: &Rbm,
        states: &GibbsStates,
        rows: &[usize],
        _: Key,
        out: &mut BitMatrix,
    ) {
        states.assert_swept();
        for (i, &row) in rows.iter().enumerate() {
            let (block, at) = states.find(row);
            block.copy_visible(at, out.row_mut(i));
        }
    }
}
