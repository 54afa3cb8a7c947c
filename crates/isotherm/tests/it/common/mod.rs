//! Small models, and everything about them by enumeration.

mod statistics;

pub use statistics::*;

use std::f64::consts::LN_2;
use std::sync::Arc;

use isotherm::model::{Parameters, Rbm};
use isotherm::paths::base_rate::base_rate;
use isotherm::paths::joint::joint;
use isotherm::paths::mixture::from_mixture;
use isotherm::paths::small_rbm::from_rbm;
use isotherm::paths::{AnyEnsemble, RbmEnsemble, SwapOn, hidden_marginal::hidden_marginal};
use isotherm::references::{Mixture, SmallRbm};
use isotherm_kernels::{BitMatrix, Matrix};
use isotherm_tempering::Ensemble;
use rand::RngExt;

/// A model with weights and biases uniform in ±`scale`.
pub fn random_rbm(n_visible: usize, n_hidden: usize, scale: f32, seed: u64) -> Rbm {
    let mut rng = rng(seed);
    let mut values = |n: usize| -> Vec<f32> {
        (0..n).map(|_| scale * (2.0 * rng.random::<f32>() - 1.0)).collect()
    };
    Rbm::new(Parameters {
        w: Matrix::from_dense(n_visible, n_hidden, &values(n_visible * n_hidden)),
        b: Matrix::from_row(&values(n_hidden)),
        c: Matrix::from_row(&values(n_visible)),
    })
}

/// Joint energy from its definition, states as the bits of integers.
pub fn energy(rbm: &Rbm, v: u64, h: u64) -> f64 {
    rbm.energy(&[v], &[h])
}

pub fn brute_force_log_z(rbm: &Rbm) -> f64 {
    let states = |n: usize| 0..1u64 << n;
    log_sum_exp(
        states(rbm.n_visible())
            .flat_map(|v| states(rbm.n_hidden()).map(move |h| (v, h)))
            .map(|(v, h)| -energy(rbm, v, h)),
    )
}

/// A path under test, with its target known by enumeration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    Joint(SwapOn),
    BaseRate(SwapOn),
    HiddenMarginal,
    /// From a mixture of three components, whose number takes two units more.
    Mixture,
    /// The same with components that do not count the same on every rung.
    Balanced,
    /// From an RBM with two hidden units, which are two units more.
    Rbm,
}

pub const KINDS: [Kind; 8] = [
    Kind::Joint(SwapOn::Energy),
    Kind::Joint(SwapOn::FreeEnergy),
    Kind::BaseRate(SwapOn::Energy),
    Kind::BaseRate(SwapOn::FreeEnergy),
    Kind::HiddenMarginal,
    Kind::Mixture,
    Kind::Balanced,
    Kind::Rbm,
];

/// Units that a state has beside the hidden ones, from a mixture or an RBM.
const MORE_UNITS: usize = 2;

/// Log weights of the components of [`Kind::Balanced`] at some inverse temperatures, straight lines between them.
const BALANCE: [(f64, [f64; 3]); 4] = [
    (0.0, [-LN_2, -1.203_972_804_325_936, -1.609_437_912_434_100_3]),
    (0.3, [-1.5, -0.5, -2.0]),
    (0.8, [0.5, -2.0, -1.0]),
    (1.0, [-LN_2, -1.203_972_804_325_936, -1.609_437_912_434_100_3]),
];

/// The same as a path learns them: no means yet.
fn learned_balance() -> Vec<f64> {
    BALANCE.iter().flat_map(|(beta, logs)| [&[*beta], &logs[..], &[0.0; 6]].concat()).collect()
}

/// a_z(β) of [`Kind::Balanced`].
fn balance(z: usize, beta: f64) -> f64 {
    let gap = BALANCE.windows(2).find(|gap| beta <= gap[1].0).unwrap();
    let share = (beta - gap[0].0) / (gap[1].0 - gap[0].0);
    gap[0].1[z] + share * (gap[1].1[z] - gap[0].1[z])
}

/// log q(v | z) of [`mixture`].
fn log_conditional(mixture: &Mixture, z: usize, v: u64) -> f64 {
    let odds = mixture.log_odds().row(z).iter().enumerate();
    odds.map(|(j, &c)| f64::from(c) * (v >> j & 1) as f64 - (1.0 + f64::from(c).exp()).ln()).sum()
}

/// The reference of [`Kind::Mixture`].
pub fn mixture(n_visible: usize) -> Mixture {
    let odds = |i: usize| 3.0 * ((i * i + 3 * i) as f32).sin();
    let odds: Vec<f32> = (0..3 * n_visible).map(odds).collect();
    Mixture::new(&[0.5, 0.3, 0.2], Matrix::from_dense(3, n_visible, &odds))
}

/// The reference of [`Kind::Rbm`].
pub fn small_rbm(n_visible: usize) -> SmallRbm {
    let small = random_rbm(n_visible, MORE_UNITS, 3.0, 41);
    SmallRbm::new(small.parameters().clone()).unwrap()
}

/// Marginals of the base-rate path in the tests.
pub fn marginals(n_visible: usize) -> Vec<f64> {
    (0..n_visible).map(|j| 0.2 + 0.6 * (j as f64 + 0.5) / n_visible as f64).collect()
}

impl Kind {
    pub fn path(self, rbm: &Rbm) -> AnyEnsemble {
        let (n_visible, n_hidden) = (rbm.n_visible(), rbm.n_hidden());
        match self {
            Kind::Joint(swap) => Box::new(joint(n_visible, n_hidden, swap)),
            Kind::BaseRate(swap) => Box::new(base_rate(&marginals(n_visible), n_hidden, swap)),
            Kind::HiddenMarginal => Box::new(hidden_marginal(n_visible, n_hidden)),
            Kind::Mixture => Box::new(from_mixture(Arc::new(mixture(n_visible)), n_hidden)),
            Kind::Balanced => {
                let mut path = from_mixture(Arc::new(mixture(n_visible)), n_hidden);
                assert!(RbmEnsemble::set_learned(&mut path, &learned_balance()));
                Box::new(path)
            }
            Kind::Rbm => Box::new(from_rbm(Arc::new(small_rbm(n_visible)), n_hidden)),
        }
    }

    /// Units of a state: the hidden ones, and those of a reference.
    pub fn units(self, rbm: &Rbm) -> usize {
        let more = matches!(self, Kind::Mixture | Kind::Balanced | Kind::Rbm);
        rbm.n_hidden() + if more { MORE_UNITS } else { 0 }
    }

    /// log π_β(v, h), not normalised; `h` has all units of a state. On the hidden-marginal path:
    /// p(h)^β p(v | h). From a mixture: exp(a_z(β)) q(v | z)^(1−β) exp(−β E). From an RBM: exp(−(1−β) E′ − β E), shared
    /// out among the states of h′ at β = 1.
    pub fn log_weight(self, rbm: &Rbm, beta: f64, v: u64, h: u64) -> f64 {
        let e = energy(rbm, v, h & ((1 << rbm.n_hidden()) - 1));
        match self {
            Kind::Joint(_) => -beta * e,
            Kind::BaseRate(_) => {
                let base: f64 = marginals(rbm.n_visible())
                    .iter()
                    .enumerate()
                    .filter(|(j, _)| v >> j & 1 == 1)
                    // The path keeps c₀ in f32.
                    .map(|(_, p)| f64::from((p / (1.0 - p)).ln() as f32))
                    .sum();
                (1.0 - beta) * base - beta * e
            }
            Kind::HiddenMarginal => {
                let free = rbm.free_energy_of_hidden(&[h]);
                -beta * free + (free - e)
            }
            Kind::Mixture | Kind::Balanced => {
                let (mixture, z) = (mixture(rbm.n_visible()), (h >> rbm.n_hidden()) as usize);
                if z >= mixture.components() {
                    return f64::NEG_INFINITY;
                }
                let log_weight = match self {
                    Kind::Balanced => balance(z, beta),
                    _ => mixture.log_weights()[z],
                };
                log_weight + (1.0 - beta) * log_conditional(&mixture, z, v) - beta * e
            }
            Kind::Rbm => {
                let e_of_reference =
                    energy(small_rbm(rbm.n_visible()).model(), v, h >> rbm.n_hidden());
                -(1.0 - beta) * e_of_reference - beta * e - MORE_UNITS as f64 * 2f64.ln()
            }
        }
    }

    /// π_β over (v, h), as probabilities at index `h << n_visible | v`.
    pub fn distribution(self, rbm: &Rbm, beta: f64) -> Vec<f64> {
        let n_visible = rbm.n_visible();
        let logs: Vec<f64> = (0..1u64 << (n_visible + self.units(rbm)))
            .map(|x| self.log_weight(rbm, beta, x & ((1 << n_visible) - 1), x >> n_visible))
            .collect();
        let log_z = log_sum_exp(logs.iter().copied());
        logs.into_iter().map(|log| (log - log_z).exp()).collect()
    }

    /// π_β(h).
    pub fn hidden_distribution(self, rbm: &Rbm, beta: f64) -> Vec<f64> {
        self.distribution(rbm, beta).chunks(1 << rbm.n_visible()).map(|c| c.iter().sum()).collect()
    }
}

/// Exact, independent hidden states: row `column · rungs + rung` from π at that rung's β.
pub fn exact_hidden(
    kind: Kind,
    rbm: &Rbm,
    betas: &[f64],
    columns: usize,
    rng: &mut Rng,
) -> BitMatrix {
    let per_rung: Vec<Vec<f64>> =
        betas.iter().map(|&beta| kind.hidden_distribution(rbm, beta)).collect();
    let words = (0..columns).flat_map(|_| per_rung.iter()).map(|p| draw(p, rng)).collect();
    BitMatrix::from_words(columns * betas.len(), kind.units(rbm), words).unwrap()
}

pub fn rows_of(path: &dyn RbmEnsemble) -> usize {
    Ensemble::rows(path)
}
