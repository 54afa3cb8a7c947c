//! Products over sparse bits: [`crate::affine`] without the groups that add nothing.
//!
//! A group of inputs without a one adds zero, and in pictures most groups are empty: of the pixels of
//! binarized MNIST in fives and sixes, seven in ten. And few of the sums that a table could hold are
//! needed. So the sums that are needed, the same for every output, are found first, and for each row those
//! that it adds: its *picks*. A loop with a different number of picks in every row would mispredict most
//! branches, so the rows are sorted by that number, for each word of inputs.
//!
//! The remaining sums are made and added in the order of [`crate::affine`], and leaving out zeros changes
//! none of them: both ways give the same bits, and the choice between them may rest on a guess.

use std::ops::Range;

use crate::affine::{Grouping, Operands, Split};
use crate::bits::BitRows;
use crate::cpu::Cpu;
use crate::level::{Level, per_cpu};
use crate::matrix::Tile;

/// The number of inputs from which on finding the picks pays. That many inputs are several groups in any
/// grouping, on which the treatment of a bias of −0 relies.
const WORTH_INPUTS: usize = 64;

/// The number of output tiles from which on it pays.
const WORTH_TILES: usize = 8;

/// The number of rows from which on it pays.
const WORTH_ROWS: usize = 32;

/// The number of rows by which sparsity is estimated.
const LOOKED_AT: usize = 16;

/// The largest share of nibbles with a one in rows that count as sparse. Of random bits with 16 ones in
/// 100, half the nibbles have one; somewhat beyond that both ways take the same time.
const SPARSE: f64 = 0.5;

/// Groups in a word of inputs, at most.
const MOST: usize = 16;

/// Subsets of a group, at most.
const SUBSETS: usize = 64;

/// Where the empty sum is kept, that with the bias, and the first one of weights.
const ZERO: u16 = 0;
const BIAS: u16 = 1;
const FIRST: u16 = 2;

/// Places in the table.
const TABLE: usize = FIRST as usize + MOST * SUBSETS;

/// What rows of bits pick, and the sums that they pick from.
#[derive(Default)]
pub(crate) struct Picks {
    words: Vec<WordPicks>,
    /// How the sums are made, word after word.
    made: Vec<Made>,
    /// The rows that pick something, word after word, those with equally many picks together.
    rows: Vec<u32>,
    /// Their picks, in the same order, as places in the table; until the sums of a word have places, as
    /// groups and subsets ([`Groups::subset`]).
    places: Vec<u16>,
    /// The sums of one word and one tile.
    table: Vec<Tile>,
}

/// The part of one word of inputs.
#[derive(Clone, Default)]
struct WordPicks {
    made: Range<usize>,
    /// For each number of picks, where its rows begin and where their picks do.
    first_row: [usize; MOST + 2],
    first_pick: [usize; MOST + 2],
}

/// A sum of weights: that at another place, made before it, and the weights of one more input of the
/// word.
#[derive(Clone, Copy)]
struct Made {
    of: u16,
    input: u16,
}

impl Picks {
    /// Whether a product of these rows is likely to be faster by picks.
    pub(crate) fn pay(bits: BitRows<'_>, inputs: usize, tiles: usize) -> bool {
        if inputs < WORTH_INPUTS || tiles < WORTH_TILES || bits.rows() < WORTH_ROWS {
            return false;
        }
        let ones: u32 = (0..LOOKED_AT)
            .map(|i| i * bits.rows() / LOOKED_AT)
            .flat_map(|row| (0..bits.words_per_row()).map(move |word| bits.word(row, word)))
            .map(nibbles_with_a_one)
            .sum();
        f64::from(ones) < SPARSE * (LOOKED_AT * 16 * bits.words_per_row()) as f64
    }

    /// Finds what the rows pick.
    pub(crate) fn find(&mut self, grouping: Grouping, bits: BitRows<'_>, inputs: usize) {
        self.words.clear();
        self.made.clear();
        self.rows.clear();
        self.places.clear();
        // Room for the densest rows there could be: it does not change with the bits.
        let (rows, words) = (bits.rows(), bits.words_per_row());
        self.rows.reserve(rows * words);
        self.places.reserve(rows * words * MOST);
        self.made.reserve(words * MOST * SUBSETS);
        self.words.reserve(words);
        self.table.resize(TABLE, Tile::ZERO);
        for word in 0..bits.words_per_row() {
            let groups = Groups::new(grouping, inputs - 64 * word, word == 0);
            let mut picks = self.sort(&groups, bits, word);
            picks.made = self.place_the_sums(&groups, picks.first_pick[1]);
            self.words.push(picks);
        }
    }

    /// Sorts the rows by how many picks they have in a word, and notes each pick by its group and
    /// its subset.
    fn sort(&mut self, groups: &Groups, bits: BitRows<'_>, word: usize) -> WordPicks {
        let mut alike = [0; MOST + 1];
        for row in 0..bits.rows() {
            alike[groups.picked(bits.word(row, word)).count_ones() as usize] += 1;
        }
        let mut picks = WordPicks::default();
        let (mut rows, mut places) = (self.rows.len(), self.places.len());
        for each in 1..=MOST {
            (picks.first_row[each], picks.first_pick[each]) = (rows, places);
            rows += alike[each];
            places += each * alike[each];
        }
        (picks.first_row[MOST + 1], picks.first_pick[MOST + 1]) = (rows, places);
        self.rows.resize(rows, 0);
        self.places.resize(places, 0);
        let (mut next_row, mut next_pick) = (picks.first_row, picks.first_pick);
        for row in 0..bits.rows() {
            let word = bits.word(row, word);
            let mut picked = groups.picked(word);
            if picked == 0 {
                continue;
            }
            let each = picked.count_ones() as usize;
            self.rows[next_row[each]] = row as u32;
            next_row[each] += 1;
            let out = &mut self.places[next_pick[each]..][..each];
            next_pick[each] += each;
            for out in out {
                *out = groups.subset(word, picked.trailing_zeros());
                picked &= picked - 1;
            }
        }
        picks
    }

    /// Finds out which sums the picks from `first_pick` on need, gives these sums places in the table, and
    /// turns the picks into places.
    fn place_the_sums(&mut self, groups: &Groups, first_pick: usize) -> Range<usize> {
        let first_made = self.made.len();
        let mut needed = [0; MOST];
        for &pick in &self.places[first_pick..] {
            needed[usize::from(pick) / SUBSETS % MOST] |= 1 << (usize::from(pick) % SUBSETS);
        }
        let mut places = [ZERO; MOST * SUBSETS];
        if groups.bias_first {
            places[0] = BIAS;
        }
        let mut place = FIRST;
        for (group, &needed) in needed.iter().enumerate() {
            let places = &mut places[group * SUBSETS..][..SUBSETS];
            let mut rest = with_what_they_are_made_of(needed) & !1;
            while rest != 0 {
                let subset = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                let highest = subset.ilog2();
                let of = places[subset ^ 1 << highest];
                self.made.push(Made { of, input: (groups.shifts[group] + highest) as u16 });
                places[subset] = place;
                place += 1;
            }
        }
        for pick in &mut self.places[first_pick..] {
            *pick = places[usize::from(*pick) % places.len()];
        }
        first_made..self.made.len()
    }

    /// The product, by what was found.
    pub(crate) fn product(
        &mut self,
        level: Level,
        operands: &Operands<'_>,
        tiles: Range<usize>,
        out: &mut [Tile],
    ) {
        let rows = out.len() / tiles.len().max(1);
        for (tile, out) in tiles.zip(out.chunks_exact_mut(rows.max(1))) {
            product_of_tile(level, self, operands, tile, out);
        }
    }
}

per_cpu! {
    fn product_of_tile(picks: &mut Picks, operands: &Operands<'_>, tile: usize, out: &mut [Tile]) = one_tile;
}

/// One tile of all rows' outputs.
#[inline(always)]
fn one_tile<C: Cpu>(picks: &mut Picks, operands: &Operands<'_>, tile: usize, out: &mut [Tile]) {
    // Where there are several groups, a bias of −0 and the zero of another make +0.
    out.fill(Tile::ZERO);
    let Picks { words, made, rows, places, table } = picks;
    assert_eq!(table.len(), TABLE, "a table for every place");
    table[usize::from(ZERO)] = Tile::ZERO;
    table[usize::from(BIAS)] = operands.bias(tile);
    for (word, picks) in words.iter().enumerate() {
        let made = &made[picks.made.clone()];
        if operands.has_extra(tile) {
            make_sums::<C>(made, |input| operands.with_extra::<C>(64 * word + input, tile), table);
        } else {
            let (weights, stride) = operands.plain_rows(64 * word, tile);
            make_sums::<C>(made, |input| C::load(&weights[input * stride]), table);
        }
        // Every number of picks has a loop of its own, with as many additions in it.
        macro_rules! add {
            ($($each:literal)*) => { $({
                let rows = &rows[picks.first_row[$each]..picks.first_row[$each + 1]];
                let places = &places[picks.first_pick[$each]..picks.first_pick[$each + 1]];
                add_picks::<C, $each>(rows, places, table, out);
            })* };
        }
        const { assert!(MOST == 16) };
        add!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16);
    }
}

/// Makes the sums of a word.
#[inline(always)]
fn make_sums<C: Cpu>(made: &[Made], weights: impl Fn(usize) -> C::Lanes, table: &mut [Tile]) {
    for (place, made) in made.iter().enumerate() {
        let sum = C::add(C::load(&table[usize::from(made.of)]), weights(usize::from(made.input)));
        C::store(sum, &mut table[usize::from(FIRST) + place]);
    }
}

/// Adds what rows with `EACH` picks have picked.
#[inline(always)]
fn add_picks<C: Cpu, const EACH: usize>(
    rows: &[u32],
    places: &[u16],
    table: &[Tile],
    out: &mut [Tile],
) {
    for (&row, places) in rows.iter().zip(places.as_chunks::<EACH>().0) {
        let out = &mut out[row as usize];
        let mut sum = C::load(out);
        for &place in places {
            debug_assert!(usize::from(place) < table.len());
            // SAFETY: `place_the_sums` gives out places in the table alone, and `one_tile` has seen to
            // its length. (Looking at each place again takes a tenth of the time.)
            sum = C::add(sum, C::load(unsafe { table.get_unchecked(usize::from(place)) }));
        }
        C::store(sum, out);
    }
}

/// How [`crate::affine`] cuts a word of inputs into groups.
struct Groups {
    shifts: [u32; MOST],
    sizes: [u32; MOST],
    /// Which group has its highest bit where.
    of_highest: [u8; 64],
    /// The highest bits of all groups, and all the others.
    highest: u64,
    others: u64,
    /// Whether the first group begins at the bias: it is then always picked.
    bias_first: bool,
}

impl Groups {
    /// The groups of the first word of this many inputs.
    fn new(grouping: Grouping, inputs: usize, bias_first: bool) -> Groups {
        let (mut shifts, mut sizes, mut of_highest) = ([0; MOST], [0; MOST], [0; 64]);
        let (mut highest, mut others, mut group) = (0, 0, 0);
        let mut add = |shift: u32, size: u32| {
            (shifts[group], sizes[group]) = (shift, size);
            of_highest[(shift + size - 1) as usize] = group as u8;
            highest |= 1 << (shift + size - 1);
            others |= ((1 << (size - 1)) - 1) << shift;
            group += 1;
        };
        match grouping {
            Grouping::Four => {
                let split = Split::<4, 16>::new(inputs.min(64));
                (0..split.groups).for_each(|k| add(split.shifts[k], split.sizes[k]));
            }
            Grouping::Six => {
                for first in (0..inputs.min(64)).step_by(32) {
                    let split = Split::<6, 6>::new((inputs - first).min(32));
                    let from = first as u32;
                    (0..split.groups).for_each(|k| add(from + split.shifts[k], split.sizes[k]));
                }
            }
        }
        Groups { shifts, sizes, of_highest, highest, others, bias_first }
    }

    /// The groups that a row picks from, by their highest bits: those that hold a one, for then
    /// adding ones to all lower bits carries into the highest, or it is set itself.
    #[inline(always)]
    fn picked(&self, word: u64) -> u64 {
        let bias = if self.bias_first { self.highest & self.highest.wrapping_neg() } else { 0 };
        (((word & self.others) + self.others) | word) & self.highest | bias
    }

    /// The bits of the group with its highest bit there, counted through all subsets of all groups.
    #[inline(always)]
    fn subset(&self, word: u64, highest: u32) -> u16 {
        let group = usize::from(self.of_highest[highest as usize % 64]) % MOST;
        let bits = word >> self.shifts[group] & ((1 << self.sizes[group]) - 1);
        (group * SUBSETS) as u16 | bits as u16
    }
}

/// The sum over a subset is made of that over the subset without its highest element, and so on down
/// to the empty one. Bit s of `subsets` stands for the subset whose elements are the bits of s.
fn with_what_they_are_made_of(mut subsets: u64) -> u64 {
    for element in (0..6).rev() {
        let without = 1 << element;
        subsets |= subsets >> without & ((1 << without) - 1);
    }
    subsets
}

/// How many of the sixteen fours of bits in a word are not zero.
fn nibbles_with_a_one(word: u64) -> u32 {
    let pairs = word | word >> 1;
    ((pairs | pairs >> 2) & 0x1111_1111_1111_1111).count_ones()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BitMatrix;

    const INPUTS: usize = 150;

    /// The ones of row `r` at the multiples of `r + spacing`.
    fn rows(count: usize, spacing: usize) -> BitMatrix {
        let mut bits = BitMatrix::zeros(count, INPUTS);
        for r in 0..count {
            (0..INPUTS).step_by(r + spacing).for_each(|j| bits.set(r, j, true));
        }
        bits
    }

    /// Which inputs a row adds up in a word, group by group as it picks them; that of the bias holds none.
    fn added(picks: &Picks, word: usize, row: usize) -> Vec<Vec<usize>> {
        let WordPicks { made, first_row, first_pick, .. } = &picks.words[word];
        let made = &picks.made[made.clone()];
        let inputs_of = |mut sum: u16| {
            let mut inputs = vec![];
            while let Some(of) = sum.checked_sub(FIRST) {
                let Made { of, input } = made[usize::from(of)];
                assert!(of < sum, "made after what it is made of");
                inputs.push(64 * word + usize::from(input));
                sum = of;
            }
            inputs.reverse();
            inputs
        };
        let mut found = vec![];
        for each in 1..=MOST {
            let rows = &picks.rows[first_row[each]..first_row[each + 1]];
            let places = &picks.places[first_pick[each]..first_pick[each + 1]];
            for (&at, places) in rows.iter().zip(places.chunks_exact(each)) {
                if at as usize == row {
                    assert!(found.is_empty(), "row {row} twice");
                    found = places.iter().map(|&place| inputs_of(place)).collect();
                }
            }
        }
        found
    }

    #[test]
    fn every_one_is_added_once_in_the_order_of_the_inputs() {
        let mut picks = Picks::default();
        for bits in [rows(70, 1), rows(1, 1), rows(70, 40), BitMatrix::zeros(3, INPUTS)] {
            for (grouping, most) in [(Grouping::Four, 4), (Grouping::Six, 6)] {
                picks.find(grouping, bits.as_rows(), INPUTS);
                for row in 0..bits.rows() {
                    let groups: Vec<Vec<usize>> =
                        (0..bits.words_per_row()).flat_map(|w| added(&picks, w, row)).collect();
                    let ones: Vec<usize> = bits.ones(row).collect();
                    assert_eq!(groups.concat(), ones, "row {row}");
                    let empty = groups.iter().filter(|group| group.is_empty()).count();
                    assert_eq!(empty, usize::from(groups[0].is_empty()), "only the bias is empty");
                    assert!(groups.iter().all(|group| group.len() <= most));
                }
            }
        }
    }

    #[test]
    fn no_sum_is_made_that_is_not_needed() {
        let mut picks = Picks::default();
        let one_row = BitMatrix::from_rows(
            INPUTS,
            &[(0..INPUTS).map(|j| u8::from(j % 2 == 0)).collect::<Vec<u8>>()],
        );
        picks.find(Grouping::Six, one_row.as_rows(), INPUTS);
        assert_eq!(picks.made.len(), one_row.ones(0).count());
    }

    #[test]
    fn sums_are_made_of_sums() {
        assert_eq!(with_what_they_are_made_of(0), 0);
        assert_eq!(with_what_they_are_made_of(1 << 0b101), 1 << 0b101 | 1 << 0b001 | 1);
        let chain = 1 << 63 | 1 << 31 | 1 << 15 | 1 << 7 | 1 << 3 | 1 << 1 | 1;
        assert_eq!(with_what_they_are_made_of(1 << 63), chain);
        assert_eq!(with_what_they_are_made_of(u64::MAX), u64::MAX);
    }

    #[test]
    fn picks_pay_for_sparse_rows_and_many_outputs() {
        let pay = |bits: &BitMatrix, tiles| Picks::pay(bits.as_rows(), INPUTS, tiles);
        assert!(pay(&rows(64, 20), 8));
        assert!(!pay(&rows(64, 20), 1), "one tile of outputs");
        assert!(!pay(&rows(8, 20), 8), "eight rows");
        let ones = BitMatrix::from_rows(INPUTS, &vec![vec![1; INPUTS]; 64]);
        assert!(!pay(&ones, 8), "nothing but ones");
    }
}
