//! Paths of an RBM, from a reference at β = 0 to the model at β = 1, each with the kernel that moves its
//! replicas.
//!
//! | path | π_β | reference | kernel |
//! |---|---|---|---|
//! | [`joint`](mod@joint) (the paper's) | exp(−β E(v, h)) | uniform | block Gibbs |
//! | [`base_rate`](mod@base_rate) | v-field (1−β)c₀ + β(c + Wh), h-field β(b + Wᵀv) | product of the data's marginals | block Gibbs |
//! | [`mixture`](mod@mixture) | exp(a_z(β)) q(v given z)^(1−β) exp(−β E(v, h)) | mixture fitted to the data | block Gibbs |
//! | [`small_rbm`](mod@small_rbm) | exp(−(1−β) E′(v, h′) − β E(v, h)) | small RBM fitted to the data | block Gibbs |
//! | [`hidden_marginal`](mod@hidden_marginal) | p(h)^β, v summed out | uniform h | single-site Gibbs |
//!
//! [`PathKind::automatic`] chooses among them. Another path is one more file, with a [`Path`], an [`Explorer`]
//! with [`VisibleUnits`], and [`HiddenStates`], and one line in the registry below; the [`Population`] of the three
//! is an [`RbmEnsemble`]. A path from outside goes to
//! [`Tempered::with_ensemble`](crate::negative::Tempered::with_ensemble).

mod balance;
pub mod base_rate;
mod block_gibbs;
mod components;
mod gibbs_block;
mod gibbs_path;
mod gibbs_states;
pub mod hidden_marginal;
pub mod joint;
pub mod mixture;
mod second_layer;
pub mod small_rbm;
mod units_given;

pub(crate) use block_gibbs::cost_of_a_step;
pub use block_gibbs::{BlockGibbs, Gibbs};
pub use gibbs_path::GibbsPath;
pub use gibbs_states::{GibbsStates, StateOfReference};
pub use hidden_marginal::HiddenMarginal;
pub(crate) use units_given::{hidden_given, units_given};

use isotherm_kernels::affine::Grouping;
use isotherm_kernels::{BitMatrix, Level, Tile, bernoulli};
use isotherm_tempering::streams::{Key, Purpose};
use isotherm_tempering::{
    Densities, Explorer, Path, Population, States, Tempering, TemperingState,
};
use serde::{Deserialize, Serialize};

use crate::model::Rbm;
use crate::references::{Distribution, Reference};
use crate::registry::registry;
use hidden_marginal::SMALL_HIDDEN;

registry! {
    /// The path between the reference and the model.
    pub enum PathKind, entry(n_visible: usize, n_hidden: usize) -> PathEntry {
        /// Chosen from the numbers of units.
        Auto => PathKind::automatic(n_visible, n_hidden).entry(n_visible, n_hidden),
        /// The paper's.
        Joint => &joint::PATH,
        /// From the data's marginals.
        BaseRate => &base_rate::PATH,
        /// p(h)^β.
        HiddenMarginal => &hidden_marginal::PATH,
    }
}

/// A path as the registry knows it.
#[derive(Clone, Copy, Debug)]
pub struct PathEntry {
    /// An ensemble on it without replicas yet.
    pub build: fn(&PathContext<'_>, SwapOn) -> AnyEnsemble,
    /// What swaps are decided on by default.
    pub swap: SwapOn,
    /// Whether its states have an energy that swaps can be decided on.
    pub has_energies: bool,
    /// Whether it can start from any reference, rather than from its own.
    pub takes_references: bool,
    /// The standard deviation of initial weights that suits it, by the number of hidden units.
    pub init_std: fn(usize) -> f64,
    /// The cost of a sweep, in products of the weights with a state.
    pub cost: f64,
}

/// What a path is built from.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct PathContext<'a> {
    /// The visible marginals of the data.
    pub marginals: &'a [f64],
    /// What the base-rate path starts from.
    pub reference: &'a Distribution,
    /// Hidden units of the model.
    pub n_hidden: usize,
    /// What swaps are decided on; the path's default if absent.
    pub swap: Option<SwapOn>,
}

impl PathContext<'_> {
    /// From the base rates, for data with these marginals and a model with `n_hidden` hidden units.
    pub fn new(marginals: &[f64], n_hidden: usize) -> PathContext<'_> {
        PathContext { marginals, reference: &Distribution::BaseRates, n_hidden, swap: None }
    }

    /// For a run with this reference and a model with `n_hidden` hidden units.
    pub fn of(reference: &Reference, n_hidden: usize) -> PathContext<'_> {
        let marginals = reference.marginals();
        let reference = reference.distribution();
        PathContext { reference, ..PathContext::new(marginals, n_hidden) }
    }

    /// Visible units of the model.
    pub fn n_visible(&self) -> usize {
        self.marginals.len()
    }
}

impl PathKind {
    /// The path that mixes best: hidden-marginal if the hidden units are few and not more than the visible ones,
    /// base-rate otherwise.
    pub fn automatic(n_visible: usize, n_hidden: usize) -> PathKind {
        match n_hidden <= SMALL_HIDDEN.min(n_visible) {
            true => PathKind::HiddenMarginal,
            false => PathKind::BaseRate,
        }
    }

    /// An ensemble on this path without replicas yet.
    pub fn ensemble(self, context: &PathContext<'_>) -> AnyEnsemble {
        let entry = self.entry(context.n_visible(), context.n_hidden);
        (entry.build)(context, context.swap.unwrap_or(entry.swap))
    }
}

/// What the swap ratio is computed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum SwapOn {
    /// Joint energies E(v, h), as in the paper.
    Energy,
    /// Free energies, h summed out: a lower barrier for the same price.
    FreeEnergy,
}

/// The states of an RBM's replicas. Between two steps they are the hidden units, those of the model and after
/// them those that a reference may have of its own, and nothing else. (What a path has learned, such as the component
/// weights a_z from a mixture, belongs to the path: [`Path::learned`], `path.learned` in a checkpoint.)
pub trait HiddenStates: States {
    /// The number of units in a state: the model's hidden units, and the reference's.
    fn units(&self) -> usize {
        self.hidden().cols()
    }

    /// All units, a row for each replica.
    fn hidden(&self) -> BitMatrix;

    /// Puts the replicas into states with these units; there may be another number of replicas.
    fn set_hidden(&mut self, units: BitMatrix);

    /// Copies the model's hidden units of the given rows into `out`'s rows.
    fn copy_hidden(&self, rows: &[usize], out: &mut BitMatrix);

    /// Puts the model's hidden units of the given rows into the states that are `h`'s rows; the other rows
    /// stay as they are.
    fn put_hidden(&mut self, rows: &[usize], h: &BitMatrix);

    /// The hidden fields b + Wᵀv of the given rows into `out`, row by row, if the last sweep has
    /// summed them up in this grouping; returns whether it has. The padding of a row is unspecified.
    fn hidden_fields(&self, rows: &[usize], grouping: Grouping, out: &mut [Tile]) -> bool {
        let _ = (rows, grouping, out);
        false
    }
}

/// A kernel that can show the visible units of its replicas.
pub trait VisibleUnits<P: Path<Model = Rbm>>: Explorer<P> {
    /// Visible samples of the given rows, which must be at β = 1 after a step, into `out`'s rows.
    fn visible(
        &mut self,
        model: &Rbm,
        states: &P::States,
        rows: &[usize],
        key: Key,
        out: &mut BitMatrix,
    );
}

/// Replicas of an RBM on some path. Every [`Population`] with [`HiddenStates`] and [`VisibleUnits`] is one.
pub trait RbmEnsemble: Densities<Model = Rbm> + Send + Sync {
    /// See [`HiddenStates::units`].
    fn units(&self) -> usize;

    /// See [`HiddenStates::hidden`].
    fn hidden(&self) -> BitMatrix;

    /// See [`HiddenStates::set_hidden`].
    fn set_hidden(&mut self, h: BitMatrix);

    /// See [`HiddenStates::copy_hidden`].
    fn copy_hidden(&self, rows: &[usize], out: &mut BitMatrix);

    /// See [`HiddenStates::put_hidden`].
    fn put_hidden(&mut self, rows: &[usize], h: &BitMatrix);

    /// See [`VisibleUnits::visible`].
    fn visible(&mut self, model: &Rbm, rows: &[usize], key: Key, out: &mut BitMatrix);

    /// See [`HiddenStates::hidden_fields`].
    fn hidden_fields(&self, rows: &[usize], grouping: Grouping, out: &mut [Tile]) -> bool;

    /// See [`Path::learned`].
    fn learned(&self) -> Vec<f64>;

    /// See [`Path::set_learned`].
    fn set_learned(&mut self, values: &[f64]) -> bool;
}

impl<P, E> RbmEnsemble for Population<P, E>
where
    P: Path<Model = Rbm, States: HiddenStates + Send + Sync> + Send + Sync,
    E: VisibleUnits<P> + Send + Sync,
{
    fn units(&self) -> usize {
        self.states.units()
    }

    fn hidden(&self) -> BitMatrix {
        self.states.hidden()
    }

    fn set_hidden(&mut self, h: BitMatrix) {
        self.states.set_hidden(h);
    }

    fn copy_hidden(&self, rows: &[usize], out: &mut BitMatrix) {
        self.states.copy_hidden(rows, out);
    }

    fn put_hidden(&mut self, rows: &[usize], h: &BitMatrix) {
        self.states.put_hidden(rows, h);
    }

    fn visible(&mut self, model: &Rbm, rows: &[usize], key: Key, out: &mut BitMatrix) {
        self.explorer.visible(model, &self.states, rows, key, out);
    }

    fn hidden_fields(&self, rows: &[usize], grouping: Grouping, out: &mut [Tile]) -> bool {
        self.states.hidden_fields(rows, grouping, out)
    }

    fn learned(&self) -> Vec<f64> {
        self.path.learned()
    }

    fn set_learned(&mut self, values: &[f64]) -> bool {
        self.path.set_learned(values)
    }
}

/// An ensemble on a path that was chosen at run time.
pub type AnyEnsemble = Box<dyn RbmEnsemble>;

/// For paths that need no other initial weights: 0.1 for the paper's 10 hidden units, 0.014 for 500.
fn small_weights(n_hidden: usize) -> f64 {
    (0.1 / n_hidden as f64).sqrt()
}

/// Puts replicas of an RBM on a ladder, in hidden states that `hidden` gives for a number of rows.
pub fn temper(
    mut ensemble: AnyEnsemble,
    state: TemperingState,
    hidden: impl FnOnce(usize) -> BitMatrix,
) -> Tempering<AnyEnsemble> {
    ensemble.set_hidden(hidden(state.replicas().rows()));
    Tempering::new(ensemble, state)
}

/// Hidden units in random states.
pub fn random_hidden(rows: usize, n_hidden: usize, key: Key) -> BitMatrix {
    let mut h = BitMatrix::zeros(rows, n_hidden);
    for row in 0..rows {
        let mut rng = key.lanes(Purpose::Replicas, row);
        bernoulli::coin_row(Level::detect(), n_hidden, &mut rng, h.row_mut(row));
    }
    h
}
