//! Joint energy and both free energies, straight from their definitions, in `f64`.
//!
//! These are the slow, obvious versions; the samplers update energies incrementally instead.

use isotherm_kernels::bits::ones;
use isotherm_kernels::scalar::softplus;

use super::Rbm;

impl Rbm {
    /// E(v, h) = −b·h − c·v − vᵀWh for one row of visible and one of hidden bits.
    pub fn energy(&self, v: &[u64], h: &[u64]) -> f64 {
        let p = self.parameters();
        let bias: f64 = ones(h).map(|i| f64::from(p.b.row(0)[i])).sum::<f64>()
            + ones(v).map(|j| f64::from(p.c.row(0)[j])).sum::<f64>();
        let coupling: f64 =
            ones(v).map(|j| ones(h).map(|i| f64::from(p.w.row(j)[i])).sum::<f64>()).sum();
        -bias - coupling
    }

    /// F(v) = −log Σ_h e^−E(v,h) = −c·v − Σ_i softplus(b_i + (Wᵀv)_i).
    pub fn free_energy_of_visible(&self, v: &[u64]) -> f64 {
        let p = self.parameters();
        let mut field: Vec<f64> = p.b.row(0).iter().map(|&b| f64::from(b)).collect();
        let mut linear = 0.0;
        for j in ones(v) {
            linear += f64::from(p.c.row(0)[j]);
            for (sum, &w) in field.iter_mut().zip(p.w.row(j)) {
                *sum += f64::from(w);
            }
        }
        -linear - field.into_iter().map(softplus).sum::<f64>()
    }

    /// F(h) = −log Σ_v e^−E(v,h) = −b·h − Σ_j softplus(c_j + (Wh)_j).
    pub fn free_energy_of_hidden(&self, h: &[u64]) -> f64 {
        let p = self.parameters();
        let linear: f64 = ones(h).map(|i| f64::from(p.b.row(0)[i])).sum();
        let terms: f64 = (0..self.n_visible())
            .map(|j| {
                let w = p.w.row(j);
                softplus(f64::from(p.c.row(0)[j]) + ones(h).map(|i| f64::from(w[i])).sum::<f64>())
            })
            .sum();
        -linear - terms
    }
}
