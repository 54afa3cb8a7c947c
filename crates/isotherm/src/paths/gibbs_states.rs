//! The states of replicas under block Gibbs sampling: hidden units, and the results of the last sweep.
//!
//! The rows are divided into blocks, one for each thread that is used (`gibbs_block.rs`). Only h of a row
//! survives a change of the rows; v and the fields are those of the last sweep.

use isotherm_kernels::affine::Grouping;
use isotherm_kernels::{BitMatrix, LANES, Tile};
use isotherm_tempering::States;

use super::HiddenStates;
use super::gibbs_block::Block;

/// Replicas under block Gibbs sampling.
#[derive(Clone, Debug)]
pub struct GibbsStates {
    n_visible: usize,
    n_hidden: usize,
    /// Components of the reference, if it is a mixture, or 0.
    components: usize,
    pub(super) blocks: Vec<Block>,
    rows: usize,
    /// Whether v and the fields are those of these rows. Checks the order of calls that
    /// [`Path`](isotherm_tempering::Path) asks for.
    pub(super) swept: bool,
}

impl GibbsStates {
    /// No replicas yet. `components` are those of a reference that is a mixture, or 0.
    pub fn new(n_visible: usize, n_hidden: usize, components: usize) -> GibbsStates {
        GibbsStates { n_visible, n_hidden, components, blocks: Vec::new(), rows: 0, swept: false }
    }

    /// Units that hold the number of a component.
    fn component_units(&self) -> usize {
        self.components.max(1).next_power_of_two().trailing_zeros() as usize
    }

    /// The visible units after the last sweep.
    pub fn visible_states(&self) -> BitMatrix {
        let mut v = BitMatrix::zeros(self.rows, self.n_visible);
        for row in 0..self.rows {
            let (block, at) = self.find(row);
            block.copy_visible(at, v.row_mut(row));
        }
        v
    }

    /// The block that a row is in, and its place there.
    pub(super) fn find(&self, row: usize) -> (&Block, usize) {
        let size = self.blocks[0].rows();
        (&self.blocks[row / size], row % size)
    }

    pub(super) fn assert_swept(&self) {
        assert!(self.swept, "states are evaluated after a sweep");
    }

    /// How hidden fields are summed up: by all rows, so that sums do not depend on the number of threads.
    pub(super) fn to_hidden(&self) -> Grouping {
        Grouping::of(self.rows, self.n_visible)
    }

    /// Cuts the rows into blocks of this size, unless they are so already. Of a row's state this
    /// keeps h, which is all that a sweep starts from.
    pub(super) fn cut(&mut self, size: usize) {
        if self.blocks.first().is_none_or(|block| block.rows() != size.min(self.rows)) {
            let (h, components) = self.both();
            self.set_blocks(&h, &components, size);
        }
    }

    /// The hidden units, and the components of a mixture.
    fn both(&self) -> (BitMatrix, Vec<u32>) {
        let mut h = BitMatrix::zeros(self.rows, self.n_hidden);
        self.copy_hidden(&(0..self.rows).collect::<Vec<_>>(), &mut h);
        (h, self.blocks.iter().flat_map(Block::components).copied().collect())
    }

    fn set_blocks(&mut self, h: &BitMatrix, components: &[u32], size: usize) {
        (self.rows, self.swept) = (h.rows(), false);
        let block = |first: usize| {
            let rows = first..(first + size).min(h.rows());
            Block::new(h, components, rows, self.n_visible)
        };
        self.blocks = (0..h.rows()).step_by(size.max(1)).map(block).collect();
    }
}

impl States for GibbsStates {
    fn rows(&self) -> usize {
        self.rows
    }

    fn select(&mut self, rows: &[usize]) {
        let (h, components) = self.both();
        let of = |&row: &usize| components.get(row).copied();
        let components: Vec<u32> = rows.iter().filter_map(of).collect();
        self.set_blocks(&h.select(rows), &components, rows.len());
    }
}

impl HiddenStates for GibbsStates {
    fn units(&self) -> usize {
        self.n_hidden + self.component_units()
    }

    fn hidden(&self) -> BitMatrix {
        let (h, components) = self.both();
        if self.component_units() == 0 {
            return h;
        }
        let mut units = BitMatrix::zeros(self.rows, self.units());
        for (row, component) in components.iter().enumerate() {
            units.row_mut(row)[..h.words_per_row()].copy_from_slice(h.row(row));
            for bit in 0..self.component_units() {
                units.set(row, self.n_hidden + bit, component >> bit & 1 == 1);
            }
        }
        units
    }

    fn set_hidden(&mut self, units: BitMatrix) {
        assert_eq!(units.cols(), self.units(), "units of a state");
        if self.components == 0 {
            return self.set_blocks(&units, &[], units.rows());
        }
        let mut h = BitMatrix::zeros(units.rows(), self.n_hidden);
        let mut components = vec![0; units.rows()];
        for (row, component) in components.iter_mut().enumerate() {
            for unit in units.ones(row) {
                match unit.checked_sub(self.n_hidden) {
                    None => h.set(row, unit, true),
                    Some(bit) => *component |= 1 << bit,
                }
            }
            // Units in random states may name a component that there is not.
            *component %= self.components as u32;
        }
        self.set_blocks(&h, &components, units.rows());
    }

    fn copy_hidden(&self, rows: &[usize], out: &mut BitMatrix) {
        for (i, &row) in rows.iter().enumerate() {
            let (block, at) = self.find(row);
            block.copy_hidden(at, out.row_mut(i));
        }
    }

    fn put_hidden(&mut self, rows: &[usize], h: &BitMatrix) {
        let size = self.blocks.first().map_or(1, Block::rows);
        for (i, &row) in rows.iter().enumerate() {
            self.blocks[row / size].put_hidden(row % size, h.row(i));
        }
        self.swept = false;
    }

    fn hidden_fields(&self, rows: &[usize], grouping: Grouping, out: &mut [Tile]) -> bool {
        self.assert_swept();
        let has = grouping == self.to_hidden();
        if has {
            let tiles = self.n_hidden.div_ceil(LANES);
            assert_eq!(out.len(), rows.len() * tiles, "one row of fields for each sample");
            for (&row, out) in rows.iter().zip(out.chunks_exact_mut(tiles)) {
                let (block, at) = self.find(row);
                let (fields, stride) = block.hidden_field(at);
                for (out, field) in out.iter_mut().zip(fields.iter().step_by(stride)) {
                    *out = *field;
                }
            }
        }
        has
    }
}
