//! Components for what the model holds and a mixture lacks.
//!
//! A mixture that is fitted to many rows by their likelihood has no component for a mode that few of them show, and
//! then neither samplers nor annealing see it. But r(v) = −F(v) − log q(v) tells: where the mixture is like the model,
//! r is about log Z, and where the mixture has nothing, r is far above that. So while some explored state stands out,
//! a component is added at it.

use isotherm_kernels::{BitMatrix, Matrix};

use super::free_energies::minus_free_energies;
use crate::model::{Rbm, log_odds};
use crate::paths::hidden_given;
use crate::references::Mixture;
use isotherm_tempering::streams::Key;

/// Components that are added at most.
const MOST: usize = 8;

/// How far above the median of r a state stands out, in nats.
const STANDS_OUT: f64 = 5.0;

/// States that independent Gibbs samplers reached: those of all samplers, several times.
pub(super) struct Explored<'a> {
    pub(super) rows: BitMatrix,
    model: &'a Rbm,
    /// Hidden states drawn given the rows.
    hidden: BitMatrix,
    minus_f: Vec<f64>,
    samplers: usize,
}

impl Explored<'_> {
    pub(super) fn new(model: &Rbm, rows: BitMatrix, samplers: usize, key: Key) -> Explored<'_> {
        let hidden = hidden_given(model, &rows, key);
        Explored { minus_f: minus_free_energies(model, &rows), hidden, rows, model, samplers }
    }

    /// The mixture with a component, of the average weight, at the states of each sampler that stand out. Its means are
    /// those of E[v | h] over these states, which are far closer to the means of the mode than the few states are.
    pub(super) fn cover(&self, mixture: Mixture) -> Mixture {
        let mut mixture = mixture;
        for _ in 0..MOST {
            let Some(sampler) = self.standing_out(&mixture) else { break };
            let own: Vec<usize> = (sampler..self.rows.rows()).step_by(self.samplers).collect();
            let given = self.model.visible_mean(&self.hidden.select(&own));
            let n_visible = self.rows.cols();
            let odds = (0..n_visible).map(|j| {
                let sum: f64 = (0..own.len()).map(|row| f64::from(given.row(row)[j])).sum();
                log_odds(sum / own.len() as f64) as f32
            });
            let count = mixture.components() as f64;
            let shrunk = mixture.weights().iter().map(|w| w * count / (count + 1.0));
            let weights: Vec<f64> = shrunk.chain([1.0 / (count + 1.0)]).collect();
            let mut all = mixture.log_odds().to_dense();
            all.extend(odds);
            mixture = Mixture::new(&weights, Matrix::from_dense(weights.len(), n_visible, &all));
        }
        mixture
    }

    /// The sampler of the state whose r is the highest, if that is far above the median.
    fn standing_out(&self, mixture: &Mixture) -> Option<usize> {
        let densities = mixture.log_densities(&self.rows);
        let r: Vec<f64> = self.minus_f.iter().zip(densities).map(|(f, q)| f - q).collect();
        let best = (0..r.len()).max_by(|&a, &b| r[a].total_cmp(&r[b]))?;
        let mut sorted = r.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        (r[best] > sorted[sorted.len() / 2] + STANDS_OUT).then_some(best % self.samplers)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::model::Parameters;

    /// A model with two modes, all of 40 units off or on, and explored states of both.
    fn two_modes() -> (Rbm, BitMatrix) {
        let mut parameters = Parameters::zeros(40, 8);
        for j in 0..40 {
            parameters.c.row_mut(0)[j] = -3.0;
            (0..8).for_each(|i| parameters.w.row_mut(j)[i] = 0.75);
        }
        parameters.b.row_mut(0)[..8].fill(-15.0);
        let rows: Vec<Vec<u8>> = (0..30)
            .map(|row| (0..40).map(|j| u8::from((row % 10 == 9) != (j == row))).collect())
            .collect();
        (Rbm::new(parameters), BitMatrix::from_rows(40, &rows))
    }

    #[test]
    fn a_mode_that_the_mixture_lacks_gets_a_component() {
        let (model, rows) = two_modes();
        let off = Mixture::new(&[1.0], Matrix::from_row(&[-3.0; 40]));
        let explored = Explored::new(&model, rows, 10, Key { seed: 1, step: 0 });
        let covered = explored.cover(off.clone());
        assert_eq!(covered.components(), 2);
        assert!((covered.weights()[1] - 0.5).abs() < 1e-12);
        // E[v | h] with all hidden units on: −3 + 8 · 0.75.
        assert!(covered.log_odds().row(1).iter().all(|&odds| (odds - 3.0).abs() < 0.01), "all on");
        // One that has both needs nothing more.
        assert_eq!(explored.cover(covered.clone()), covered);
    }
}
