//! Whether a mixture tells more about the data than their marginals: what `auto` decides by.

use std::fmt;

use isotherm_kernels::BitMatrix;
use isotherm_tempering::streams::Key;
use serde::{Deserialize, Serialize};

use super::{Mixture, components_for, em, evenly};
use crate::data::Dataset;
use crate::error::Result;
use crate::tensors::Bundle;

/// Examples that are looked at.
const EXAMPLES: usize = 3000;

/// One of so many is held out.
const HELD_OUT: usize = 5;

/// Components at most: enough to see whether there are any clusters.
const COMPONENTS: usize = 16;

/// The name of the tensor that holds it.
const NAME: &str = "reference.held_out";

/// How well examples are described by a mixture and by independent units that were fitted to other examples: mean
/// log-likelihoods, in nats.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeldOut {
    /// Examples that were held out.
    pub examples: usize,
    /// The mixture, with at most 16 components.
    pub mixture: f64,
    /// Independent units with the marginals: a mixture of one component.
    pub base_rates: f64,
}

impl HeldOut {
    /// Fits both to four of five examples, and measures them on the others. Nothing for a stream, and for too few
    /// examples to hold some out.
    pub fn of(data: &Dataset) -> Option<HeldOut> {
        let key = Key { seed: 0, step: 0 };
        let rows = data.bits()?;
        let rows = evenly(rows, EXAMPLES);
        let of = |held_out| {
            let of_part = |row: &usize| (row % HELD_OUT == HELD_OUT - 1) == held_out;
            rows.select(&(0..rows.rows()).filter(of_part).collect::<Vec<_>>())
        };
        let (fitted, measured) = (of(false), of(true));
        if measured.rows() == 0 {
            return None;
        }
        let mean = |components| {
            let fit = em::fit(&fitted, components, key, &mut |_| true).ok()?;
            Some(mean_log_likelihood(&fit.mixture, &measured))
        };
        let components = components_for(fitted.rows()).min(COMPONENTS);
        let (mixture, base_rates) = (mean(components)?, mean(1)?);
        Some(HeldOut { examples: measured.rows(), mixture, base_rates })
    }

    /// Whether the mixture describes the examples better.
    pub fn favours_a_mixture(&self) -> bool {
        self.mixture > self.base_rates
    }

    /// Adds it to a checkpoint.
    pub(super) fn insert_into(&self, bundle: &mut Bundle) -> Result<()> {
        bundle.insert(NAME, &[3], &[self.examples as f64, self.mixture, self.base_rates])
    }

    /// That of a checkpoint; earlier versions wrote none.
    pub(super) fn take_from(bundle: &Bundle) -> Result<Option<HeldOut>> {
        if !bundle.tensors.contains_key(NAME) {
            return Ok(None);
        }
        let values: Vec<f64> = bundle.get(NAME, &[3])?;
        let [examples, mixture, base_rates] = [values[0], values[1], values[2]];
        Ok(Some(HeldOut { examples: examples as usize, mixture, base_rates }))
    }
}

impl fmt::Display for HeldOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let HeldOut { examples, mixture, base_rates } = self;
        write!(
            f,
            "{examples} held-out examples have {mixture:.2} nats under a mixture, {base_rates:.2} under base rates"
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

    #[test]
    fn a_handful_of_examples_tells_nothing() {
        assert_eq!(HeldOut::of(&drawn(&[1.0], &[&[0.0; 4]], 4)), None);
    }
}
