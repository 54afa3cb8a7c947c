//! Minibatches as a function of the update's number, so that resuming needs no cursor.

use isotherm_kernels::BitMatrix;
use rand::seq::SliceRandom;

use super::table::Table;
use super::{Data, Dataset};
use isotherm_tempering::streams::{Key, Purpose};

/// The sequence of minibatches of a run.
#[derive(Clone, Debug)]
pub struct Minibatches {
    size: usize,
    seed: u64,
    /// The update that begins the first pass over the data.
    origin: u64,
    /// The order of the examples in `epoch`.
    order: Vec<usize>,
    epoch: Option<u64>,
}

impl Minibatches {
    /// Batches of `size` examples.
    pub fn new(size: usize, seed: u64) -> Minibatches {
        Minibatches::from_update(size, seed, 0)
    }

    /// The same, with the first pass over the data beginning at update `origin`. That pass uses every
    /// example, in an order that no earlier pass had.
    pub(crate) fn from_update(size: usize, seed: u64, origin: u64) -> Minibatches {
        Minibatches { size, seed, origin, order: Vec::new(), epoch: None }
    }

    /// The batch of an update. Fixed examples are shuffled in each epoch, which uses every one
    /// of them once, and grey ones are drawn again. A batch may span two epochs.
    pub fn at(&mut self, update: u64, data: &Dataset) -> BitMatrix {
        let mut batch = BitMatrix::zeros(0, data.n_visible());
        self.fill(update, data, &mut batch);
        batch
    }

    /// Replaces the rows of `batch` by the batch of an update.
    pub fn fill(&mut self, update: u64, data: &Dataset, batch: &mut BitMatrix) {
        match &data.0 {
            Data::Examples(table) => self.fill_from_table(update, table, batch),
            Data::Stream(density) => {
                let key = Key { seed: self.seed, step: update };
                density.draw(self.size, key, Purpose::Examples, batch);
            }
        }
    }

    fn fill_from_table(&mut self, update: u64, table: &Table, batch: &mut BitMatrix) {
        let rows = table.examples().rows() as u64;
        let first = (update - self.origin) * self.size as u64;
        // As if these had always been the data, so that no earlier pass over them had the same number.
        let passes_before = (self.origin * self.size as u64).div_ceil(rows);
        batch.clear_rows();
        for position in first..first + self.size as u64 {
            let epoch = passes_before + position / rows;
            self.shuffle_for(epoch, rows as usize);
            let example = self.order[(position % rows) as usize];
            batch.push_row(table.examples().row(example));
            if let Some(grey) = table.grey() {
                let words = batch.row_mut((position - first) as usize);
                words.fill(0);
                let key = Key { seed: self.seed, step: epoch };
                grey.draw(example, key, Purpose::DynamicBinarise, words);
            }
        }
    }

    fn shuffle_for(&mut self, epoch: u64, rows: usize) {
        if self.epoch != Some(epoch) {
            let mut rng = Key { seed: self.seed, step: epoch }.sequence(Purpose::Shuffle, 0);
            self.order.clear();
            self.order.extend(0..rows);
            self.order.shuffle(&mut rng);
            self.epoch = Some(epoch);
        }
    }
}
