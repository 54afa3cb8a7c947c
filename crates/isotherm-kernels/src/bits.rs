//! 0/1 matrices, one bit an entry.

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
