//! Pairwise energies: QUBO and Ising models.

use std::collections::BTreeMap;

use super::couplings::Couplings;
use super::{LocalFields, Target};
use crate::causes::{EnergyError, NonFinite};
use crate::error::Result;

/// E(x) = offset + Σ_i a_i x_i + Σ_{i<j} Q_ij x_i x_j.
#[derive(Clone, Debug, PartialEq)]
pub struct Quadratic {
    offset: f64,
    linear: Vec<f64>,
    couplings: Couplings,
}

impl Quadratic {
    /// From the offset, the a_i, and terms (i, j, Q_ij) of pairs in any order. The terms of a pair
    /// that is named more than once, either way round, are added.
    pub fn new(offset: f64, linear: Vec<f64>, terms: &[(usize, usize, f64)]) -> Result<Quadratic> {
        let n = linear.len();
        if n == 0 {
            return Err(EnergyError::NoVariables.into());
        }
        let mut pairs = BTreeMap::new();
        for &(i, j, q) in terms {
            if i == j || i.max(j) >= n {
                return Err(EnergyError::NotAPair { pair: (i, j), variables: n }.into());
            }
            *pairs.entry((i.min(j), i.max(j))).or_insert(0.0) += q;
        }
        if [offset].iter().chain(&linear).chain(pairs.values()).any(|x| !x.is_finite()) {
            return Err(NonFinite::Coefficient.into());
        }
        let couplings = Couplings::new(n, &pairs);
        Ok(Quadratic { offset, linear, couplings })
    }

    /// E(x) = xᵀ Q x = Σ_i Σ_j Q_ij x_i x_j from a matrix of n × n entries, row after row. The diagonal
    /// is what single variables cost, because x² = x. The two triangles are added: a pair costs
    /// Q_ij + Q_ji, that is Q_ij if the matrix is upper triangular, twice as much if it is symmetric.
    pub fn from_qubo(n: usize, q: &[f64]) -> Result<Quadratic> {
        is_square(n, q, "Q")?;
        let linear = (0..n).map(|i| q[i * n + i]).collect();
        Quadratic::new(0.0, linear, &off_diagonal(n, q))
    }

    /// E = −Σ J_ij s_i s_j − Σ_i h_i s_i in spins s = 2x − 1, from the h_i and terms (i, j, J_ij),
    /// each bond named once; what is named more than once is added.
    pub fn from_ising(bonds: &[(usize, usize, f64)], h: &[f64]) -> Result<Quadratic> {
        // s_i s_j = 4 x_i x_j − 2 x_i − 2 x_j + 1.
        let mut offset: f64 = h.iter().sum();
        let mut linear: Vec<f64> = h.iter().map(|h| -2.0 * h).collect();
        for &(i, j, coupling) in bonds {
            offset -= coupling;
            for end in [i, j] {
                // One that is out of range is refused below.
                linear.get_mut(end).into_iter().for_each(|a| *a += 2.0 * coupling);
            }
        }
        let terms: Vec<_> = bonds.iter().map(|&(i, j, coupling)| (i, j, -4.0 * coupling)).collect();
        Quadratic::new(offset, linear, &terms)
    }

    /// [`from_ising`](Quadratic::from_ising) with a matrix of n × n couplings, n being the number of
    /// the h_i. The sum is over pairs i < j, each counted once: the matrix may be symmetric or
    /// have one empty triangle, and means the same. The diagonal must be empty.
    pub fn from_ising_matrix(couplings: &[f64], h: &[f64]) -> Result<Quadratic> {
        let n = h.len();
        is_square(n, couplings, "J")?;
        if let Some(i) = (0..n).find(|i| couplings[i * n + i] != 0.0) {
            return Err(EnergyError::SelfCoupling { spin: i }.into());
        }
        let all = off_diagonal(n, couplings);
        let (upper, lower): (Vec<_>, Vec<_>) = all.into_iter().partition(|&(i, j, _)| i < j);
        let symmetric = || upper.iter().all(|&(i, j, x)| couplings[j * n + i] == x);
        match (upper.is_empty(), lower.is_empty()) {
            (_, true) => Quadratic::from_ising(&upper, h),
            (true, false) => Quadratic::from_ising(&lower, h),
            _ if upper.len() == lower.len() && symmetric() => Quadratic::from_ising(&upper, h),
            _ => Err(EnergyError::NeitherSymmetricNorTriangular.into()),
        }
    }

    /// The energy of one state.
    pub fn energy(&self, state: &[u8]) -> f64 {
        let mut energy = self.offset;
        for (j, (&x, a)) in state.iter().zip(&self.linear).enumerate() {
            if x != 0 {
                energy += a + 0.5 * self.couplings.sum(j, state);
            }
        }
        energy
    }

    /// E(x with x_j = 1) − E(x with x_j = 0).
    fn field(&self, j: usize, state: &[u8]) -> f64 {
        self.linear[j] + self.couplings.sum(j, state)
    }
}

impl Target for Quadratic {
    fn n(&self) -> usize {
        self.linear.len()
    }

    fn energies(&self, states: &[u8], energies: &mut [f64]) -> Result<()> {
        for (energy, state) in energies.iter_mut().zip(states.chunks_exact(self.n())) {
            *energy = self.energy(state);
        }
        Ok(())
    }

    fn flip_changes(
        &self,
        j: usize,
        states: &mut [u8],
        _energies: &[f64],
        changes: &mut [f64],
    ) -> Result<()> {
        for (change, state) in changes.iter_mut().zip(states.chunks_exact(self.n())) {
            let field = self.field(j, state);
            *change = if state[j] == 0 { field } else { -field };
        }
        Ok(())
    }

    fn local_fields(&self) -> Option<&dyn LocalFields> {
        Some(self)
    }
}

impl LocalFields for Quadratic {
    fn begin(&self, state: &[u8], fields: &mut [f64]) -> f64 {
        fields.copy_from_slice(&self.linear);
        let on = || (0..state.len()).filter(|&j| state[j] != 0);
        on().for_each(|j| self.couplings.add(j, 1.0, fields));
        // Each pair is in the fields of both.
        self.offset + on().map(|j| 0.5 * (self.linear[j] + fields[j])).sum::<f64>()
    }

    fn follow(&self, state: &[u8], j: usize, fields: &mut [f64]) {
        self.couplings.add(j, if state[j] == 0 { -1.0 } else { 1.0 }, fields);
    }
}

fn is_square(n: usize, matrix: &[f64], name: &'static str) -> Result<()> {
    match n.checked_mul(n) == Some(matrix.len()) {
        true => Ok(()),
        false => {
            let entries = matrix.len();
            Err(EnergyError::NotSquare { name, entries, variables: n }.into())
        }
    }
}

/// The entries off the diagonal that are not zero.
fn off_diagonal(n: usize, matrix: &[f64]) -> Vec<(usize, usize, f64)> {
    let places = (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).filter(|(i, j)| i != j);
    places.map(|(i, j)| (i, j, matrix[i * n + j])).filter(|&(.., x)| x != 0.0).collect()
}
