//! Bits × weights + bias, by subset sums.
//!
//! A row of bits selects rows of the weight matrix to add up. Six input bits can select only 64
//! different sums, so for each tile of 16 outputs the sums of every six weight rows are tabulated
//! once, and each row of bits then adds one table entry where it would have multiplied and added
//! six weight rows. A table pays for itself over the rows that share it: the more rows, the
//! larger the groups (see [`Grouping`]). The tables in use always fit in L1.

use std::cell::RefCell;
use std::mem::MaybeUninit;
use std::ops::Range;

use crate::bits::{BitRows, words_for};
use crate::cpu::Cpu;
use crate::level::{Level, per_cpu};
use crate::matrix::{LANES, Matrix, Tile};
use crate::sparse::Picks;

/// How many input bits a table covers at most.
///
/// It determines the order of the additions, so equal results need equal groupings: code that divides rows
/// into chunks chooses it once, by all rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grouping {
    /// Tables of 16 sums, for few rows.
    Four,
    /// Tables of 64 sums, for many.
    Six,
}

impl Grouping {
    /// Both of them.
    pub const ALL: [Grouping; 2] = [Grouping::Four, Grouping::Six];

    /// The faster one: small tables are made sooner, large ones are read less often.
    pub fn of(rows: usize, inputs: usize) -> Grouping {
        let cost = |tables: usize, entries: usize| {
            // Making an entry takes about as long as using two.
            tables * rows + 2 * entries
        };
        let four = Split::<4, 16>::count(inputs);
        let six = Split::<6, 6>::count(inputs);
        if cost(four.0, four.1) <= cost(six.0, six.1) { Grouping::Four } else { Grouping::Six }
    }
}

/// For every row of `bits` and the outputs in `tiles`: `out = bias + Σ_j bits_j · weights[j]`,
/// tile by tile: all rows' first tile, then all rows' second tile, ….
///
/// `weights` is inputs × outputs and `bias` the tiles of one output row, none for zero. A last column `extra`, one
/// value for each input or none at all, may stand beside the weights, its bias zero: it is the
/// lane after the last of their columns.
#[allow(clippy::too_many_arguments)]
pub fn affine_by_tiles(
    level: Level,
    grouping: Grouping,
    bits: BitRows<'_>,
    weights: &Matrix,
    extra: &[f32],
    bias: &[Tile],
    tiles: Range<usize>,
    out: &mut [Tile],
) {
    check(bits, weights, extra, bias);
    let columns = weights.cols() + usize::from(!extra.is_empty());
    assert!(tiles.end <= columns.div_ceil(LANES), "tiles of the outputs");
    assert_eq!(out.len(), bits.rows() * tiles.len(), "rows of bits and of outputs");
    if bits.rows() == 0 {
        return;
    }
    let operands = Operands { weights, extra, bias };
    with_picks(grouping, bits, weights.rows(), tiles.len(), |bits, picks| {
        product(level, grouping, &operands, bits, picks, tiles, out);
    });
}

/// [`affine_by_tiles`] of all outputs, with the outputs row by row.
pub fn affine(
    level: Level,
    grouping: Grouping,
    bits: BitRows<'_>,
    weights: &Matrix,
    bias: &[Tile],
    out: &mut [Tile],
) {
    let tiles = weights.tiles_per_row();
    assert_eq!(out.len(), bits.rows() * tiles, "rows of bits and of outputs");
    if tiles <= 1 {
        affine_by_tiles(level, grouping, bits, weights, &[], bias, 0..tiles, out);
        return;
    }
    check(bits, weights, &[], bias);
    let operands = Operands { weights, extra: &[], bias };
    let mut sums = [Tile::ZERO; ROWS];
    for (chunk, out) in out.chunks_mut(ROWS * tiles).enumerate() {
        let bits = bits.slice(chunk * ROWS, out.len() / tiles);
        let sums = &mut sums[..bits.rows()];
        with_picks(grouping, bits, weights.rows(), tiles, |bits, mut picks| {
            for tile in 0..tiles {
                let picks = picks.as_deref_mut();
                product(level, grouping, &operands, bits, picks, tile..tile + 1, sums);
                for (out, sum) in out.chunks_exact_mut(tiles).zip(&*sums) {
                    out[tile] = *sum;
                }
            }
        });
    }
}

/// Panics if the operands do not fit together.
fn check(bits: BitRows<'_>, weights: &Matrix, extra: &[f32], bias: &[Tile]) {
    assert!(extra.is_empty() || extra.len() == weights.rows(), "inputs of the extra column");
    assert!(bias.is_empty() || bias.len() == weights.tiles_per_row(), "tiles of the bias");
    assert_eq!(bits.words_per_row(), words_for(weights.rows()), "words of {} bits", weights.rows());
}

thread_local! {
    /// Kept, so that a product allocates only while its shapes grow, or when it is the first sparse one
    /// of a thread.
    static PICKS: RefCell<Picks> = RefCell::default();

    /// The words of [`with_words_together`], kept likewise.
    static TOGETHER: RefCell<Vec<u64>> = RefCell::default();
}

/// Does some work with the same bits, each word of all rows together: a loop over rows then reads
/// them one after the other.
fn with_words_together(bits: BitRows<'_>, work: impl FnOnce(BitRows<'_>)) {
    if bits.are_by_words() {
        return work(bits);
    }
    TOGETHER.with_borrow_mut(|words| {
        words.clear();
        for word in 0..bits.words_per_row() {
            words.extend((0..bits.rows()).map(|row| bits.word(row, word)));
        }
        work(BitRows::by_words(words, bits.rows()));
    });
}

/// Does some work with the picks of these rows; or, where they do not pay, with none and with each
/// word of all rows together.
fn with_picks(
    grouping: Grouping,
    bits: BitRows<'_>,
    inputs: usize,
    tiles: usize,
    work: impl FnOnce(BitRows<'_>, Option<&mut Picks>),
) {
    if !Picks::pay(bits, inputs, tiles) {
        return with_words_together(bits, |bits| work(bits, None));
    }
    PICKS.with_borrow_mut(|picks| {
        picks.find(grouping, bits, inputs);
        work(bits, Some(picks));
    });
}

/// [`affine_by_tiles`] with operands that fit, by picks if there are some.
fn product(
    level: Level,
    grouping: Grouping,
    operands: &Operands<'_>,
    bits: BitRows<'_>,
    picks: Option<&mut Picks>,
    tiles: Range<usize>,
    out: &mut [Tile],
) {
    if operands.weights.rows() == 0 {
        for (tile, out) in tiles.zip(out.chunks_exact_mut(bits.rows())) {
            out.fill(operands.bias(tile));
        }
        return;
    }
    match (grouping, picks) {
        (Grouping::Four, None) => four(level, operands, bits, tiles, out),
        (Grouping::Six, None) => six(level, operands, bits, tiles, out),
        (_, Some(picks)) => picks.product(level, operands, tiles, out),
    }
}

/// Rows that [`affine`] sums up before it puts the sums where they belong: 32 KiB of them.
const ROWS: usize = 512;

per_cpu! {
    fn four(operands: &Operands<'_>, bits: BitRows<'_>, tiles: Range<usize>, out: &mut [Tile])
        = grouped<4, 16, 16>;
}

per_cpu! {
    fn six(operands: &Operands<'_>, bits: BitRows<'_>, tiles: Range<usize>, out: &mut [Tile])
        = grouped<6, 64, 6>;
}

/// What the bits select from.
pub(crate) struct Operands<'a> {
    weights: &'a Matrix,
    extra: &'a [f32],
    bias: &'a [Tile],
}

impl Operands<'_> {
    /// A tile of an input's weights, the extra one among them.
    #[inline(always)]
    pub(crate) fn with_extra<C: Cpu>(&self, input: usize, tile: usize) -> C::Lanes {
        let row = self.weights.row_tiles(input).get(tile).map_or(C::load(&Tile::ZERO), C::load);
        C::put(row, self.weights.cols() % LANES, self.extra[input])
    }

    /// Whether the extra column is in this tile.
    #[inline(always)]
    pub(crate) fn has_extra(&self, tile: usize) -> bool {
        !self.extra.is_empty() && tile == self.weights.cols() / LANES
    }

    /// The weights from an input on, in a tile without the extra column: those of the first one, and how
    /// far on the next ones are.
    #[inline(always)]
    pub(crate) fn plain_rows(&self, first: usize, tile: usize) -> (&[Tile], usize) {
        let stride = self.weights.tiles_per_row();
        (&self.weights.tiles()[first * stride + tile..], stride)
    }

    #[inline(always)]
    pub(crate) fn bias(&self, tile: usize) -> Tile {
        self.bias.get(tile).copied().unwrap_or(Tile::ZERO)
    }
}

/// Tables of `ENTRIES` = 2^`GROUP` sums, of which `TABLES` cover a block of inputs: 64 bits where
/// the tables are small enough, 32 where not.
#[inline(always)]
fn grouped<C: Cpu, const GROUP: usize, const ENTRIES: usize, const TABLES: usize>(
    operands: &Operands<'_>,
    bits: BitRows<'_>,
    tiles: Range<usize>,
    out: &mut [Tile],
) {
    let mut tables = Tables::<ENTRIES, TABLES>::new();
    let (block, inputs) = (Split::<GROUP, TABLES>::BLOCK, operands.weights.rows());
    for (tile, out) in tiles.zip(out.chunks_exact_mut(bits.rows())) {
        for first in (0..inputs).step_by(block) {
            let split = Split::<GROUP, TABLES>::new((inputs - first).min(block));
            tables.make::<C, GROUP>(operands, first, &split, tile);
            if inputs - first >= block {
                let full = &Split::<GROUP, TABLES>::FULL;
                add_rows::<C, TABLES, GROUP, ENTRIES, TABLES>(&tables, full, bits, first, out);
                continue;
            }
            // The last block, its number of groups made a constant where it is small.
            macro_rules! add {
                ($($groups:literal)*) => { match split.groups {
                    $($groups => add_rows::<C, $groups, GROUP, ENTRIES, TABLES>(
                        &tables, &split, bits, first, out),)*
                    _ => add_rows::<C, ANY, GROUP, ENTRIES, TABLES>(
                        &tables, &split, bits, first, out),
                } };
            }
            add!(1 2 3);
        }
    }
}

/// Stands for a number of groups that is not known when this is compiled.
const ANY: usize = 0;

/// A block of inputs cut into groups of nearly the same size, a table for each: 32 inputs by sixes
/// are groups of 6, 6, 5, 5, 5 and 5, and 10 are 5 and 5. By fours a block is a word of 64.
pub(crate) struct Split<const GROUP: usize, const TABLES: usize> {
    pub(crate) groups: usize,
    pub(crate) sizes: [u32; TABLES],
    pub(crate) shifts: [u32; TABLES],
}

impl<const GROUP: usize, const TABLES: usize> Split<GROUP, TABLES> {
    const BLOCK: usize = if GROUP * TABLES >= 64 { 64 } else { 32 };
    const FULL: Self = Self::new(Self::BLOCK);

    #[inline(always)]
    pub(crate) const fn new(inputs: usize) -> Self {
        let groups = inputs.div_ceil(GROUP);
        let (mut sizes, mut shifts, mut at, mut k) = ([0; TABLES], [0; TABLES], 0, 0);
        while k < groups {
            sizes[k] = (inputs / groups) as u32 + if k < inputs % groups { 1 } else { 0 };
            shifts[k] = at;
            at += sizes[k];
            k += 1;
        }
        Split { groups, sizes, shifts }
    }

    /// How many tables all the inputs take, and how many entries these have.
    fn count(inputs: usize) -> (usize, usize) {
        let (blocks, last) = (inputs / Self::BLOCK, Self::new(inputs % Self::BLOCK));
        let entries = |split: &Self| split.sizes[..split.groups].iter().map(|s| 1usize << s).sum();
        let (full_entries, last_entries): (usize, usize) = (entries(&Self::FULL), entries(&last));
        (blocks * Self::FULL.groups + last.groups, blocks * full_entries + last_entries)
    }

    /// The bits of group `k` in a word.
    #[inline(always)]
    pub(crate) fn index(&self, word: u64, k: usize) -> usize {
        (word >> self.shifts[k]) as usize & ((1 << self.sizes[k]) - 1)
    }
}

/// Tables of subset sums of one tile. They are filled before every use, so they are not cleared when they
/// are allocated.
struct Tables<const ENTRIES: usize, const TABLES: usize> {
    sums: [[MaybeUninit<Tile>; ENTRIES]; TABLES],
}

impl<const ENTRIES: usize, const TABLES: usize> Tables<ENTRIES, TABLES> {
    #[inline(always)]
    fn new() -> Self {
        // SAFETY: an array of `MaybeUninit` needs no initialisation. (Spelt out as an array it is
        // copied together from uninitialised pieces, all 24 KiB of it.)
        Tables { sums: unsafe { MaybeUninit::uninit().assume_init() } }
    }

    /// For each group of the block from `first` on, the sums of all subsets of its weight rows:
    /// entry `s` sums the rows whose bit is set in `s`. The first table of all begins at the bias,
    /// every other one at zero.
    #[inline(always)]
    fn make<C: Cpu, const GROUP: usize>(
        &mut self,
        operands: &Operands<'_>,
        first: usize,
        split: &Split<GROUP, TABLES>,
        tile: usize,
    ) {
        let bias = if first == 0 { operands.bias(tile) } else { Tile::ZERO };
        if operands.has_extra(tile) {
            let weights = |input| operands.with_extra::<C>(first + input, tile);
            self.sum_up::<C, GROUP>(split, bias, weights);
        } else {
            let (weights, stride) = operands.plain_rows(first, tile);
            self.sum_up::<C, GROUP>(split, bias, |input| C::load(&weights[input * stride]));
        }
    }

    #[inline(always)]
    fn sum_up<C: Cpu, const GROUP: usize>(
        &mut self,
        split: &Split<GROUP, TABLES>,
        bias: Tile,
        weights: impl Fn(usize) -> C::Lanes,
    ) {
        for k in 0..split.groups {
            let table = &mut self.sums[k];
            table[0].write(if k == 0 { bias } else { Tile::ZERO });
            for bit in 0..split.sizes[k] as usize {
                let row = weights(split.shifts[k] as usize + bit);
                let (without, with) = table.split_at_mut(1 << bit);
                for (without, with) in without.iter().zip(with) {
                    // SAFETY: the entries below 1 << bit have just been written.
                    let sum = C::add(C::load(unsafe { without.assume_init_ref() }), row);
                    C::store(sum, with.write(Tile::ZERO));
                }
            }
        }
    }

    /// Entry `index` of table `k`.
    #[inline(always)]
    fn entry<C: Cpu>(&self, k: usize, index: usize) -> C::Lanes {
        // SAFETY: `make` writes as many entries of a table as its group has subsets, and an index
        // is a subset of the group.
        C::load(unsafe { self.sums[k][index & (ENTRIES - 1)].assume_init_ref() })
    }
}

/// Adds one entry of each of the tables to every row; the first block sets the rows instead.
#[inline(always)]
fn add_rows<
    C: Cpu,
    const GROUPS: usize,
    const GROUP: usize,
    const ENTRIES: usize,
    const TABLES: usize,
>(
    tables: &Tables<ENTRIES, TABLES>,
    split: &Split<GROUP, TABLES>,
    bits: BitRows<'_>,
    first: usize,
    out: &mut [Tile],
) {
    let groups = if GROUPS == ANY { split.groups } else { GROUPS.min(TABLES) };
    let sum = |word: u64, mut sum: C::Lanes, from: usize| {
        for k in from..groups {
            sum = C::add(sum, tables.entry::<C>(k, split.index(word, k)));
        }
        sum
    };
    let rows = out.iter_mut().zip(bits.words_at(first / 64));
    if first == 0 {
        for (out, &word) in rows {
            C::store(sum(word, tables.entry::<C>(0, split.index(word, 0)), 1), out);
        }
    } else {
        for (out, &word) in rows {
            C::store(sum(word >> (first % 64), C::load(out), 0), out);
        }
    }
}
