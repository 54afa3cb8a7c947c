//! The states of replicas under block Gibbs sampling: hidden units, and the results of the last sweep.
//!
//! The rows are divided into blocks, one for each thread that is used (`gibbs_block.rs`). Only h of a row
//! survives a change of the rows; v and the fields are those of the last sweep.

use isotherm_kernels::affine::Grouping;
use isotherm_kernels::{BitMatrix, LANES, Tile};
use isotherm_tempering::States;

use super::HiddenStates;
use super::gibbs_block::Block;

/// What a state has of the reference, beside the model's hidden units: a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StateOfReference {
    /// Nothing.
    None,
    /// The component of a mixture.
    Component {
        /// Number of components.
        of: usize,
    },
    /// So many hidden units of an RBM, the bits of the number.
    Units(usize),
}

impl StateOfReference {
    /// Units that hold the number.
    fn units(self) -> usize {
        match self {
            StateOfReference::None => 0,
            StateOfReference::Component { of } => of.next_power_of_two().trailing_zeros() as usize,
            StateOfReference::Units(units) => units,
        }
    }

    /// The number that is meant by units in any states.
    fn number(self, bits: u32) -> u32 {
        match self {
            // Units in random states may name a component that there is not.
            StateOfReference::Component { of } => bits % of as u32,
            _ => bits,
        }
    }
}

/// Replicas under block Gibbs sampling.
#[derive(Clone, Debug)]
pub struct GibbsStates {
    n_visible: usize,
    n_hidden: usize,
    of_reference: StateOfReference,
    pub(super) blocks: Vec<Block>,
    rows: usize,
    /// Whether v and the fields are those of these rows. Checks the order of calls that
    /// [`Path`](isotherm_tempering::Path) asks for.
    pub(super) swept: bool,
}

impl GibbsStates {
    /// No replicas yet.
    pub fn new(n_visible: usize, n_hidden: usize, of_reference: StateOfReference) -> GibbsStates {
        GibbsStates { n_visible, n_hidden, of_reference, blocks: Vec::new(), rows: 0, swept: false }
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
            let (h, numbers) = self.both();
            self.set_blocks(&h, &numbers, size);
        }
    }

    /// The hidden units, and what the states have of the reference.
    fn both(&self) -> (BitMatrix, Vec<u32>) {
        let mut h = BitMatrix::zeros(self.rows, self.n_hidden);
        self.copy_hidden(&(0..self.rows).collect::<Vec<_>>(), &mut h);
        (h, self.blocks.iter().flat_map(Block::of_reference).collect())
    }

    fn set_blocks(&mut self, h: &BitMatrix, numbers: &[u32], size: usize) {
        (self.rows, self.swept) = (h.rows(), false);
        let block = |first: usize| {
            let rows = first..(first + size).min(h.rows());
            Block::new(h, (self.of_reference, numbers), rows, self.n_visible)
        };
        self.blocks = (0..h.rows()).step_by(size.max(1)).map(block).collect();
    }
}

impl States for GibbsStates {
    fn rows(&self) -> usize {
        self.rows
    }

    fn select(&mut self, rows: &[usize]) {
        let (h, numbers) = self.both();
        let of = |&row: &usize| numbers.get(row).copied();
        let numbers: Vec<u32> = rows.iter().filter_map(of).collect();
        self.set_blocks(&h.select(rows), &numbers, rows.len());
    }
}

impl HiddenStates for GibbsStates {
    fn units(&self) -> usize {
        self.n_hidden + self.of_reference.units()
    }

    fn hidden(&self) -> BitMatrix {
        let (h, numbers) = self.both();
        if self.of_reference.units() == 0 {
            return h;
        }
        let mut units = BitMatrix::zeros(self.rows, self.units());
        for (row, number) in numbers.iter().enumerate() {
            units.row_mut(row)[..h.words_per_row()].copy_from_slice(h.row(row));
            for bit in 0..self.of_reference.units() {
                units.set(row, self.n_hidden + bit, number >> bit & 1 == 1);
            }
        }
        units
    }

    fn set_hidden(&mut self, units: BitMatrix) {
        assert_eq!(units.cols(), self.units(), "units of a state");
        if self.of_reference == StateOfReference::None {
            return self.set_blocks(&units, &[], units.rows());
        }
        let mut h = BitMatrix::zeros(units.rows(), self.n_hidden);
        let mut numbers = vec![0; units.rows()];
        for (row, number) in numbers.iter_mut().enumerate() {
            for unit in units.ones(row) {
                match unit.checked_sub(self.n_hidden) {
                    None => h.set(row, unit, true),
                    Some(bit) => *number |= 1 << bit,
                }
            }
            *number = self.of_reference.number(*number);
        }
        self.set_blocks(&h, &numbers, units.rows());
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
