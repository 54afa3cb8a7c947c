//! The component of a mixture that each row belongs to, as long as the reference has a part in its
//! distribution.
//!
//! With a [`Mixture`] as reference, π_β(v, h, z) ∝ exp(a_z(β)) q(v | z)^(1−β) exp(−β E(v, h)): z is part of the state, and
//! the [`Balance`] a_z(β) lets the components keep their weights along the path. Given v, z is independent of h,
//! and both are summed out where swaps are decided; given z, the component's log-odds are the reference's
//! part of the visible field. At β = 0 a sweep begins by drawing z from w, whatever it was.

use isotherm_kernels::affine::Grouping;
use isotherm_kernels::bits::BitRows;
use isotherm_kernels::matrix::flat;
use isotherm_kernels::mixture::exp_weights;
use isotherm_kernels::{LANES, LaneRng, Level, Tile};

use std::sync::Arc;

use super::balance::Balance;
use crate::references::{MOST_COMPONENTS, Mixture, uniform};

/// A mixture as the reference of a path.
#[derive(Clone, Debug)]
pub(super) struct FromMixture {
    pub(super) mixture: Arc<Mixture>,
    pub(super) balance: Balance,
}

impl FromMixture {
    pub(super) fn new(mixture: Arc<Mixture>) -> FromMixture {
        assert!(mixture.components() <= MOST_COMPONENTS, "components of the reference");
        FromMixture { balance: Balance::new(mixture.log_weights()), mixture }
    }

    /// With log Z_z(β) known at some β, of all components at the first, then at the next.
    pub(super) fn balanced(mixture: Arc<Mixture>, betas: Vec<f64>, log_z: &[f64]) -> FromMixture {
        let balance = Balance::known(mixture.log_weights(), betas, log_z);
        FromMixture { balance, ..FromMixture::new(mixture) }
    }

    /// m and the sum of exp(y_k − m), which it writes, with y_k = a_k(β) + (1 − β) log q(v | k).
    fn exp_weights(&self, logs: &[f64], beta: f64, out: &mut [f64]) -> (f64, f64) {
        let mut log_weights = [0.0; MOST_COMPONENTS];
        let log_weights = &mut log_weights[..logs.len()];
        self.balance.log_weights(beta, log_weights);
        exp_weights(Level::detect(), log_weights, logs, 1.0 - beta, out)
    }
}

/// The components of some rows.
#[derive(Clone, Debug, Default)]
pub(super) struct Components {
    /// z of each row; empty where the reference is no mixture.
    of_rows: Vec<u32>,
    /// The rows that were swept below β = 1, their visible units, and log q(v | k) of each of them.
    below: Vec<usize>,
    v_below: Vec<u64>,
    logs: Vec<Tile>,
    /// The place of each row among them.
    place: Vec<Option<u32>>,
}

impl Components {
    pub(super) fn new(of_rows: Vec<u32>) -> Components {
        let rows = of_rows.len();
        let below = Vec::with_capacity(rows);
        Components { of_rows, below, place: vec![None; rows], ..Components::default() }
    }

    pub(super) fn of_rows(&self) -> &[u32] {
        &self.of_rows
    }

    /// Draws z of the rows at β = 0 from w, so that v is a draw of the reference that depends on nothing before.
    pub(super) fn redraw_at_reference(
        &mut self,
        mixture: &Mixture,
        betas: &[f32],
        rngs: &mut [LaneRng],
    ) {
        for (row, rng) in rngs.iter_mut().enumerate().filter(|(row, _)| betas[*row] == 0.0) {
            self.of_rows[row] = mixture.component_at(uniform(rng)) as u32;
        }
    }

    /// Turns fields c + Wh of the tiles from `first` on into β(c + Wh) + (1 − β) c_z. All rows' first tile comes
    /// first, then all rows' second one.
    pub(super) fn mix(&self, mixture: &Mixture, betas: &[f32], first: usize, fields: &mut [Tile]) {
        let rows = self.of_rows.len();
        for (row, (&beta, &z)) in betas.iter().zip(&self.of_rows).enumerate() {
            if beta < 1.0 {
                let base = &mixture.log_odds().row_tiles(z as usize)[first..];
                for (field, base) in fields[row..].iter_mut().step_by(rows).zip(base) {
                    for (x, base) in field.0.iter_mut().zip(base.0) {
                        *x = beta * *x + (1.0 - beta) * base;
                    }
                }
            }
        }
    }

    /// Finds log q(v | k) of the rows below β = 1; `v` has all rows' first word, then all rows' second one.
    pub(super) fn observe(
        &mut self,
        mixture: &Mixture,
        grouping: Grouping,
        betas: &[f32],
        v: &[u64],
    ) {
        let rows = self.of_rows.len();
        self.below.clear();
        self.below.extend((0..rows).filter(|&row| betas[row] < 1.0));
        self.place.fill(None);
        for (place, &row) in self.below.iter().enumerate() {
            self.place[row] = Some(place as u32);
        }
        self.v_below.clear();
        for words in v.chunks_exact(rows) {
            self.v_below.extend(self.below.iter().map(|&row| words[row]));
        }
        if !self.below.is_empty() {
            let v = BitRows::by_words(&self.v_below, self.below.len());
            self.logs.resize(self.below.len() * mixture.components().div_ceil(LANES), Tile::ZERO);
            mixture.log_conditionals_into(grouping, v, &mut self.logs);
        }
    }

    /// Calls `work` with log q(v | k) of a row.
    fn with_logs<T>(
        &self,
        mixture: &Mixture,
        row: usize,
        v: &[u64],
        work: impl FnOnce(&[f64]) -> T,
    ) -> T {
        let (rows, count) = (self.of_rows.len(), mixture.components());
        let mut logs = [0.0; MOST_COMPONENTS];
        let logs = &mut logs[..count];
        match self.place[row] {
            Some(place) => {
                let tiles = count.div_ceil(LANES);
                let known = flat(&self.logs[place as usize * tiles..][..tiles]);
                logs.iter_mut().zip(known).for_each(|(log, &known)| *log = f64::from(known));
            }
            None => mixture.log_conditionals_of(v[row..].iter().step_by(rows).copied(), logs),
        }
        work(logs)
    }

    /// Adds log Σ_k exp(a_k(β)) q(v | k)^(1−β) of a row, for each β.
    pub(super) fn add_logs(
        &self,
        (from, row, v): (&FromMixture, usize, &[u64]),
        betas: &[f64],
        out: &mut [f64],
    ) {
        if betas.iter().all(|&beta| beta == 1.0) {
            return; // the logarithm of one
        }
        self.with_logs(&from.mixture, row, v, |logs| {
            let mut weights = [0.0; MOST_COMPONENTS];
            for (out, beta) in out.iter_mut().zip(betas) {
                let (m, sum) = from.exp_weights(logs, *beta, &mut weights[..logs.len()]);
                *out += m + libm::log(sum);
            }
        });
    }

    /// z given v, at the β of each row.
    pub(super) fn draw(
        &mut self,
        from: &FromMixture,
        betas: &[f32],
        v: &[u64],
        rngs: &mut [LaneRng],
    ) {
        for (row, rng) in rngs.iter_mut().enumerate() {
            let u = uniform(rng);
            self.of_rows[row] = match betas[row] {
                // Here z has no part in the distribution of v.
                1.0 => from.mixture.component_at(u) as u32,
                beta => self.with_logs(&from.mixture, row, v, |logs| chosen(from, logs, beta, u)),
            };
        }
    }

    /// log q(v | z) of a row with its own component.
    pub(super) fn own_log(&self, mixture: &Mixture, row: usize, v: &[u64]) -> f64 {
        self.with_logs(mixture, row, v, |logs| logs[self.of_rows[row] as usize])
    }
}

/// A component k with probability proportional to exp(a_k(β)) q(v | k)^(1−β), by a uniform `u`; `logs` are
/// log q(v | k).
fn chosen(from: &FromMixture, logs: &[f64], beta: f32, u: f64) -> u32 {
    let mut weights = [0.0; MOST_COMPONENTS];
    let weights = &mut weights[..logs.len()];
    let (_, sum) = from.exp_weights(logs, f64::from(beta), weights);
    let mut left = u * sum;
    let mut last = 0;
    for (k, weight) in weights.iter().enumerate() {
        last = k;
        left -= weight;
        if left < 0.0 {
            break;
        }
    }
    last as u32
}
