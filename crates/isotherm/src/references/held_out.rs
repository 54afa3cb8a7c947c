//! Whether the data have clusters, and a mixture tells more about them than their marginals: what `auto` decides by.
//!
//! Far clusters are what a ladder from independent units cannot reach. Where there are none, a mixture is a worse start,
//! however well it describes the data: on binarized MNIST and Caltech Silhouettes with 500 hidden units it cost likelihood.

use std::fmt;
use std::sync::Arc;

use isotherm_kernels::BitMatrix;
use isotherm_tempering::streams::Key;
use serde::{Deserialize, Serialize};

use super::{Clusters, Mixture, components_for, em};
use crate::data::{Dataset, some_of, some_rows};

/// Examples that are looked at.
const EXAMPLES: usize = 3000;

/// One of so many is held out, chosen at random: files may repeat themselves.
const HELD_OUT: usize = 5;

/// Components at most: enough to see clusters.
const COMPONENTS: usize = 32;

/// How well examples are described by a mixture and by independent units that were fitted to other examples: mean
/// log-likelihoods, in nats.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeldOut {
    /// Examples that were held out.
    pub examples: usize,
    /// The mixture, with at most 32 components.
    pub mixture: f64,
    /// Independent units with the marginals: a mixture of one component.
    pub base_rates: f64,
    /// Clusters of the components of that mixture.
    pub clusters: usize,
}

impl HeldOut {
    /// Fits both to four of five examples, and measures them on the others. Nothing for a stream, and for too few
    /// examples to hold some out.
    pub fn of(data: &Dataset) -> Option<HeldOut> {
        let key = Key { seed: 0, step: 0 };
        let rows = data.bits()?;
        let rows = some_rows(rows, EXAMPLES);
        let held_out = some_of(rows.rows(), rows.rows() / HELD_OUT);
        let others: Vec<usize> =
            (0..rows.rows()).filter(|row| held_out.binary_search(row).is_err()).collect();
        let (fitted, measured) = (rows.select(&others), rows.select(&held_out));
        if measured.rows() == 0 {
            return None;
        }
        let fit = |components| {
            let fit = em::fit(&fitted, components, key, &mut |_| true).ok()?;
            Some((mean_log_likelihood(&fit.mixture, &measured), fit.mixture))
        };
        let components = components_for(fitted.rows()).min(COMPONENTS);
        let ((mixture, of_rows), (base_rates, _)) = (fit(components)?, fit(1)?);
        let clusters = Clusters::of_mixture(Arc::new(of_rows)).count();
        Some(HeldOut { examples: measured.rows(), mixture, base_rates, clusters })
    }

    /// Whether there are clusters, and the mixture describes the examples better.
    pub fn favours_a_mixture(&self) -> bool {
        self.clusters > 1 && self.mixture > self.base_rates
    }
}

impl fmt::Display for HeldOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let HeldOut { examples, mixture, base_rates, clusters } = self;
        let s = if *clusters == 1 { "" } else { "s" };
        write!(
            f,
            "{clusters} cluster{s} of data; mean log-likelihood of {examples} held-out examples {mixture:.2} nats by a mixture, {base_rates:.2} by \
             independent units"
        )
    }
}

fn mean_log_likelihood(mixture: &Mixture, rows: &BitMatrix) -> f64 {
    mixture.log_densities(rows).iter().sum::<f64>() / rows.rows() as f64
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use isotherm_kernels::Matrix;

    use super::*;

    fn drawn(weights: &[f64], odds: &[&[f32]], rows: usize) -> Dataset {
        let mut matrix = Matrix::zeros(odds.len(), odds[0].len());
        odds.iter().enumerate().for_each(|(k, odds)| matrix.row_mut(k).copy_from_slice(odds));
        let (rows, _) = Mixture::new(weights, matrix).draw(rows, Key { seed: 1, step: 0 });
        Dataset::from_bits(rows).unwrap()
    }

    /// The entropy of a fair coin is log 2; its estimate from n rows loses about 1/2n.
    #[test]
    fn independent_units_need_no_mixture() {
        let found = HeldOut::of(&drawn(&[1.0], &[&[0.0; 40]], 2000)).unwrap();
        assert!(!found.favours_a_mixture(), "{found}");
        assert_eq!(found.examples, 400);
        assert!((found.base_rates + 40.0 * std::f64::consts::LN_2).abs() < 0.05, "{found}");
    }

    #[test]
    fn clusters_do_even_one_of_two_percent() {
        let data = drawn(&[0.98, 0.02], &[&[2.0; 40], &[-2.0; 40]], 2000);
        let found = HeldOut::of(&data).unwrap();
        assert!(found.favours_a_mixture(), "{found}");
    }

    /// Files that list prototypes in turn, where every n-th row is of one kind only.
    #[test]
    fn the_order_of_a_file_does_not_matter() {
        for period in [2, 5] {
            let prototypes: Vec<Vec<u8>> = (0..period)
                .map(|k| (0..40).map(|j| u8::from(j * 7 % 11 * (k + 3) % 5 < 2)).collect())
                .collect();
            let rows: Vec<Vec<u8>> = (0..3000)
                .map(|row| {
                    let mut bits = prototypes[row % period].clone();
                    bits[row * 13 % 40] ^= 1;
                    bits
                })
                .collect();
            let found = HeldOut::of(&Dataset::from_rows(&rows).unwrap()).unwrap();
            assert!(found.favours_a_mixture(), "{period}: {found}");
        }
    }

    #[test]
    fn a_handful_of_examples_tells_nothing() {
        assert_eq!(HeldOut::of(&drawn(&[1.0], &[&[0.0; 4]], 4)), None);
    }
}
