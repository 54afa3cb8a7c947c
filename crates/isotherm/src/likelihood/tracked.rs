//! A likelihood that is followed all along a run, from the replicas that the sampler has anyway.
//!
//! Now and then the bridges between the rungs give log Z of the model of the moment, some tenths of
//! a nat uncertain. log Z itself jumps about from one update to the next, by nats at a useful
//! learning rate, but the free energies of the data jump with it: their difference, the likelihood,
//! moves as slowly as the model learns. So log Z is carried from one observation to the next by the
//! mean free energy of some fixed rows of data, the *reference*, and what is averaged over time is
//! the likelihood of the reference.
//!
//! It is averaged over the last few hundredths of the observations, twice: twice the first average minus the
//! second keeps up with a steady trend. Each column of replicas is followed by itself and the error
//! is their spread, so that observations may depend on each other.

use super::estimate::{Estimate, spread};

/// The share of the observations so far that the average looks back over.
const MEMORY: f64 = 0.03;

/// The likelihood of the reference as each column of replicas sees it. It is part of the state of a
/// run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tracked {
    /// Observations so far.
    pub observations: u64,
    /// Their moving average, column by column.
    pub average: Vec<f64>,
    /// The moving average of that, which lags behind by as much again.
    pub lagged: Vec<f64>,
}

impl Tracked {
    /// Takes in log Z, with what each column has to do with its error, and the mean −F of the
    /// reference under the same model. What is not finite is passed over.
    pub fn observe(&mut self, log_z: f64, influences: &[f64], reference: f64) {
        if !(log_z + reference).is_finite() || !influences.iter().all(|it| it.is_finite()) {
            return;
        }
        let columns = influences.len();
        if self.average.len() != columns {
            *self = Tracked::default();
            (self.average, self.lagged) = (vec![0.0; columns], vec![0.0; columns]);
        }
        let gain = 1.0 / (1.0 + MEMORY * self.observations as f64);
        let averages = self.average.iter_mut().zip(&mut self.lagged);
        for ((average, lagged), influence) in averages.zip(influences) {
            let seen = reference - (log_z + columns as f64 * influence);
            if self.observations == 0 {
                (*average, *lagged) = (seen, seen);
            }
            *average += gain * (seen - *average);
            *lagged += gain * (*average - *lagged);
        }
        self.observations += 1;
    }

    /// The mean log-likelihood of the reference; nothing before the second observation: the
    /// first replicas are still where they began.
    pub fn of_reference(&self) -> Option<Estimate> {
        if self.observations < 2 {
            return None;
        }
        let columns = self.average.len() as f64;
        let values: Vec<f64> =
            self.average.iter().zip(&self.lagged).map(|(a, lagged)| 2.0 * a - lagged).collect();
        let mean = values.iter().sum::<f64>() / columns;
        let influences: Vec<f64> = values.iter().map(|x| (x - mean) / columns).collect();
        let (std_error, freedom) = spread(&influences);
        Some(Estimate::around(mean, std_error, freedom))
    }
}
