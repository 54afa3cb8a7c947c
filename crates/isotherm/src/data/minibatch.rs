//! Minibatches as a function of the update's number, so that resuming needs no cursor.

use isotherm_kernels::BitMatrix;
use rand::seq::SliceRandom;

use super::{Dataset, Mixture, Table};
use crate::streams::{Clock, Purpose};

/// The sequence of minibatches of a run.
#[derive(Clone, Debug)]
pub struct Minibatches {
    size: usize,
    seed: u64,
    /// The order of the examples in `epoch`.
    order: Vec<usize>,
    epoch: Option<u64>,
}

impl Minibatches {
    /// Batches of `size` examples.
    pub fn new(size: usize, seed: u64) -> Minibatches {
        Minibatches { size, seed, order: Vec::new(), epoch: None }
    }

    /// The batch of an update. A table is shuffled anew each epoch and every example is used
    /// exactly once in it; a batch may straddle two epochs.
    pub fn at(&mut self, update: u64, data: &Dataset) -> BitMatrix {
        match data {
            Dataset::Mixture(mixture) => self.of_mixture(update, mixture),
            Dataset::Table(table) => self.of_table(update, table),
        }
    }

    fn of_mixture(&self, update: u64, mixture: &Mixture) -> BitMatrix {
        mixture.examples(self.size, Clock { seed: self.seed, step: update })
    }

    fn of_table(&mut self, update: u64, table: &Table) -> BitMatrix {
        let rows = table.examples.rows() as u64;
        let first = update * self.size as u64;
        let chosen: Vec<usize> = (first..first + self.size as u64)
            .map(|position| {
                self.shuffle_for(position / rows, rows as usize);
                self.order[(position % rows) as usize]
            })
            .collect();
        table.examples.select(&chosen)
    }

    fn shuffle_for(&mut self, epoch: u64, rows: usize) {
        if self.epoch != Some(epoch) {
            let mut rng = Clock { seed: self.seed, step: epoch }.sequence(Purpose::Shuffle, 0);
            self.order = (0..rows).collect();
            self.order.shuffle(&mut rng);
            self.epoch = Some(epoch);
        }
    }
}
