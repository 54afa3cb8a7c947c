//! 0/1 matrices, one bit an entry.

use crate::level::{Level, per_level};

/// Bits in a word.
const WORD: usize = u64::BITS as usize;

/// A row-major 0/1 matrix; each row starts on a new word and its padding bits are zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BitMatrix {
    rows: usize,
    cols: usize,
    words_per_row: usize,
    words: Vec<u64>,
}

/// Number of 64-bit words that hold `bits` bits.
pub fn words_for(bits: usize) -> usize {
    bits.div_ceil(WORD)
}

impl BitMatrix {
    /// A matrix of zeros.
    pub fn zeros(rows: usize, cols: usize) -> BitMatrix {
        let words_per_row = words_for(cols);
        BitMatrix { rows, cols, words_per_row, words: vec![0; rows * words_per_row] }
    }

    /// A matrix from rows of 0/1 values; anything but 0 counts as 1.
    pub fn from_rows<R: AsRef<[u8]>>(cols: usize, rows: &[R]) -> BitMatrix {
        let mut bits = BitMatrix::zeros(rows.len(), cols);
        for (i, row) in rows.iter().enumerate() {
            assert_eq!(row.as_ref().len(), cols, "row {i} has the wrong length");
            for (j, &value) in row.as_ref().iter().enumerate() {
                bits.set(i, j, value != 0);
            }
        }
        bits
    }

    /// A matrix from its words, or `None` if their number or their padding does not fit.
    pub fn from_words(rows: usize, cols: usize, words: Vec<u64>) -> Option<BitMatrix> {
        let words_per_row = words_for(cols);
        if words.len() != rows.checked_mul(words_per_row)? {
            return None;
        }
        let bits = BitMatrix { rows, cols, words_per_row, words };
        let used = cols % WORD;
        let clean = used == 0
            || (0..rows).all(|i| bits.row(i).last().is_none_or(|&word| word >> used == 0));
        clean.then_some(bits)
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Number of words that hold one row.
    pub fn words_per_row(&self) -> usize {
        self.words_per_row
    }

    /// All words, row after row.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// All words, row after row. Whoever writes must keep the padding zero.
    pub fn words_mut(&mut self) -> &mut [u64] {
        &mut self.words
    }

    /// All rows, to be read by a kernel.
    pub fn as_rows(&self) -> BitRows<'_> {
        let (rows, stride) = (self.rows, self.words_per_row);
        BitRows {
            words: &self.words,
            rows,
            words_per_row: stride,
            row_stride: stride,
            word_stride: 1,
        }
    }

    /// The words of one row.
    pub fn row(&self, row: usize) -> &[u64] {
        &self.words[row * self.words_per_row..][..self.words_per_row]
    }

    /// The words of one row. Whoever writes must keep the padding zero.
    pub fn row_mut(&mut self, row: usize) -> &mut [u64] {
        &mut self.words[row * self.words_per_row..][..self.words_per_row]
    }

    /// The entry at `row`, `col`.
    pub fn get(&self, row: usize, col: usize) -> bool {
        debug_assert!(col < self.cols);
        bit(self.row(row), col)
    }

    /// Sets the entry at `row`, `col`.
    pub fn set(&mut self, row: usize, col: usize, value: bool) {
        debug_assert!(col < self.cols);
        let word = &mut self.words[row * self.words_per_row + col / WORD];
        *word = *word & !(1 << (col % WORD)) | u64::from(value) << (col % WORD);
    }

    /// The columns of the ones of a row, ascending.
    pub fn ones(&self, row: usize) -> impl Iterator<Item = usize> + '_ {
        ones(self.row(row))
    }

    /// Drops all rows; what they took is kept for rows to come.
    pub fn clear_rows(&mut self) {
        self.words.clear();
        self.rows = 0;
    }

    /// Appends one row from its words.
    pub fn push_row(&mut self, words: &[u64]) {
        assert_eq!(words.len(), self.words_per_row, "words of a row");
        self.words.extend_from_slice(words);
        self.rows += 1;
    }

    /// Appends all rows of `other`.
    pub fn append(&mut self, other: &BitMatrix) {
        assert_eq!(self.cols, other.cols, "columns of the appended rows");
        self.words.extend_from_slice(&other.words);
        self.rows += other.rows;
    }

    /// The matrix whose row `i` is row `rows[i]` of this one.
    pub fn select(&self, rows: &[usize]) -> BitMatrix {
        let words = rows.iter().flat_map(|&r| self.row(r).iter().copied()).collect();
        BitMatrix { rows: rows.len(), words, ..*self }
    }

    /// Writes the transpose of this matrix into `out`, in blocks of 64 × 64.
    pub fn transpose_into(&self, level: Level, out: &mut BitMatrix) {
        assert_eq!((out.rows, out.cols), (self.cols, self.rows), "shape of the transpose");
        for row in (0..self.rows).step_by(WORD) {
            for word in 0..self.words_per_row {
                let mut block = [0; WORD];
                for (i, bits) in block.iter_mut().enumerate().take(self.rows - row) {
                    *bits = self.words[(row + i) * self.words_per_row + word];
                }
                transpose_block(level, &mut block);
                for (j, bits) in block.iter().enumerate().take(self.cols - word * WORD) {
                    out.words[(word * WORD + j) * out.words_per_row + row / WORD] = *bits;
                }
            }
        }
    }

    /// How many ones each column holds.
    pub fn column_counts(&self) -> Vec<u64> {
        let mut counts = vec![0; self.cols];
        for row in 0..self.rows {
            for col in self.ones(row) {
                counts[col] += 1;
            }
        }
        counts
    }
}

per_level! {
    /// Transposes 64 × 64 bits.
    fn transpose_block(block: &mut [u64; WORD]) = transpose_block_body;
}

#[inline(always)]
fn transpose_block_body(block: &mut [u64; WORD]) {
    swap_halves::<32>(block, 0x0000_0000_ffff_ffff);
    swap_halves::<16>(block, 0x0000_ffff_0000_ffff);
    swap_halves::<8>(block, 0x00ff_00ff_00ff_00ff);
    swap_halves::<4>(block, 0x0f0f_0f0f_0f0f_0f0f);
    swap_halves::<2>(block, 0x3333_3333_3333_3333);
    swap_halves::<1>(block, 0x5555_5555_5555_5555);
}

/// Swaps the upper right and the lower left quarter of every square of `2 · HALF` bits; `low` are
/// the columns in the left halves.
#[inline(always)]
fn swap_halves<const HALF: usize>(block: &mut [u64; WORD], low: u64) {
    for square in block.chunks_exact_mut(2 * HALF) {
        let (upper, lower) = square.split_at_mut(HALF);
        for (upper, lower) in upper.iter_mut().zip(lower) {
            let swapped = (*upper >> HALF ^ *lower) & low;
            *upper ^= swapped << HALF;
            *lower ^= swapped;
        }
    }
}

/// Rows of bits to be read, in one of two layouts.
#[derive(Clone, Copy, Debug)]
pub struct BitRows<'a> {
    words: &'a [u64],
    rows: usize,
    words_per_row: usize,
    row_stride: usize,
    word_stride: usize,
}

impl<'a> BitRows<'a> {
    /// The words of each row one after the other, as in a [`BitMatrix`].
    pub fn by_rows(words: &'a [u64], words_per_row: usize) -> BitRows<'a> {
        let rows = words.len().checked_div(words_per_row).unwrap_or(0);
        assert_eq!(words.len(), rows * words_per_row, "whole rows of words");
        BitRows { words, rows, words_per_row, row_stride: words_per_row, word_stride: 1 }
    }

    /// All rows' first word, then all rows' second word, ….
    pub fn by_words(words: &'a [u64], rows: usize) -> BitRows<'a> {
        let words_per_row = words.len().checked_div(rows).unwrap_or(0);
        assert_eq!(words.len(), rows * words_per_row, "whole words of rows");
        BitRows { words, rows, words_per_row, row_stride: 1, word_stride: rows }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of words that hold one row.
    pub fn words_per_row(&self) -> usize {
        self.words_per_row
    }

    /// Word `word` of row `row`.
    #[inline(always)]
    pub fn word(&self, row: usize, word: usize) -> u64 {
        self.words[row * self.row_stride + word * self.word_stride]
    }

    /// Whether each word of all rows lies together.
    pub(crate) fn are_by_words(&self) -> bool {
        self.row_stride == 1
    }

    /// Word `word` of every row, where they lie together.
    #[inline(always)]
    pub(crate) fn words_at(&self, word: usize) -> &'a [u64] {
        assert!(self.are_by_words(), "each word of all rows together");
        &self.words[word * self.word_stride..][..self.rows]
    }

    /// `rows` rows from `first` on.
    pub fn slice(&self, first: usize, rows: usize) -> BitRows<'a> {
        assert!(first + rows <= self.rows, "rows of the slice");
        let words = self.words.get(first * self.row_stride..).unwrap_or_default();
        BitRows { words, rows, ..*self }
    }
}

/// The bit at `col` of a row's words.
#[inline(always)]
pub fn bit(words: &[u64], col: usize) -> bool {
    words[col / WORD] >> (col % WORD) & 1 == 1
}

/// The positions of the ones in a row's words, ascending.
pub fn ones(words: &[u64]) -> impl Iterator<Item = usize> + '_ {
    words.iter().enumerate().flat_map(|(w, &word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            if rest == 0 {
                return None;
            }
            let at = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            Some(w * WORD + at)
        })
    })
}
