//! The couplings of pairs, as rows that are added to fields: dense where most pairs are coupled,
//! otherwise only the neighbours, so that a lattice costs what its bonds cost.

use std::collections::BTreeMap;

/// Entries that are worth as much as one neighbour, which is found through its index.
const DENSE_PER_NEIGHBOUR: usize = 4;

/// A symmetric matrix with an empty diagonal.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Couplings {
    /// Row after row.
    Dense { n: usize, values: Vec<f64> },
    /// The neighbours of i are those from `starts[i]` up to `starts[i + 1]`.
    Sparse { starts: Vec<usize>, neighbours: Vec<(usize, f64)> },
}

impl Couplings {
    /// Of `n` variables; each pair (i, j) with i < j has its coupling.
    pub(super) fn new(n: usize, pairs: &BTreeMap<(usize, usize), f64>) -> Couplings {
        let both = || pairs.iter().flat_map(|(&(i, j), &q)| [(i, j, q), (j, i, q)]);
        if 2 * pairs.len() * DENSE_PER_NEIGHBOUR >= n * n {
            let mut values = vec![0.0; n * n];
            both().for_each(|(i, j, q)| values[i * n + j] = q);
            return Couplings::Dense { n, values };
        }
        let mut starts = vec![0; n + 1];
        both().for_each(|(i, ..)| starts[i + 1] += 1);
        (0..n).for_each(|i| starts[i + 1] += starts[i]);
        let mut sorted: Vec<(usize, usize, f64)> = both().collect();
        sorted.sort_by_key(|&(i, j, _)| (i, j));
        let neighbours = sorted.into_iter().map(|(_, j, q)| (j, q)).collect();
        Couplings::Sparse { starts, neighbours }
    }

    /// Adds `sign` times row `j` to the fields.
    pub(super) fn add(&self, j: usize, sign: f64, fields: &mut [f64]) {
        match self {
            Couplings::Dense { n, values } => {
                let row = &values[j * n..][..*n];
                fields.iter_mut().zip(row).for_each(|(field, q)| *field += sign * q);
            }
            Couplings::Sparse { starts, neighbours } => {
                for &(k, q) in &neighbours[starts[j]..starts[j + 1]] {
                    fields[k] += sign * q;
                }
            }
        }
    }

    /// Σ_k Q_jk x_k.
    pub(super) fn sum(&self, j: usize, state: &[u8]) -> f64 {
        match self {
            Couplings::Dense { n, values } => {
                values[j * n..][..*n].iter().zip(state).map(|(q, &x)| q * f64::from(x)).sum()
            }
            Couplings::Sparse { starts, neighbours } => neighbours[starts[j]..starts[j + 1]]
                .iter()
                .map(|&(k, q)| q * f64::from(state[k]))
                .sum(),
        }
    }
}
