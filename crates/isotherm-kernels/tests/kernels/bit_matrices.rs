//! Bit matrices against vectors of bytes.

use isotherm_kernels::bits::{BitRows, bit, ones, words_for};
use isotherm_kernels::{BitMatrix, Level};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::common::*;

fn model(rows: usize, cols: usize, seed: u64) -> Vec<Vec<u8>> {
    let mut data = Inputs::new(seed);
    (0..rows).map(|_| data.bytes(cols)).collect()
}

fn assert_equal(bits: &BitMatrix, model: &[Vec<u8>], cols: usize) {
    assert_eq!((bits.rows(), bits.cols()), (model.len(), cols));
    assert_eq!(bits.words().len(), model.len() * words_for(cols));
    for (i, row) in model.iter().enumerate() {
        let want: Vec<usize> = (0..cols).filter(|&j| row[j] != 0).collect();
        assert_eq!(bits.ones(i).collect::<Vec<_>>(), want);
        assert_eq!(ones(bits.row(i)).collect::<Vec<_>>(), want);
        for (j, &value) in row.iter().enumerate() {
            assert_eq!(bits.get(i, j), value != 0, "{i}, {j}");
            assert_eq!(bit(bits.row(i), j), value != 0, "{i}, {j}");
        }
        assert_bits_padded(bits.row(i), cols);
    }
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn transposes(rows in size(), cols in size(), seed: u64) {
        let bits = Inputs::new(seed).bits(rows, cols);
        for level in Level::available() {
            // Old values of the target must all be overwritten.
            let mut transpose = Inputs::new(!seed).bits(cols, rows);
            bits.transpose_into(level, &mut transpose);
            for i in 0..rows {
                for j in 0..cols {
                    prop_assert_eq!(transpose.get(j, i), bits.get(i, j), "{}, {}", i, j);
                }
            }
            for j in 0..cols {
                assert_bits_padded(transpose.row(j), rows);
            }
        }
    }

    #[test]
    fn rows_are_read_in_either_layout(rows in row_count(), cols in size(), seed: u64) {
        let bits = Inputs::new(seed).bits(rows, cols);
        let words = bits.words_per_row();
        let by_words: Vec<u64> =
            (0..words).flat_map(|w| (0..rows).map(move |r| (r, w))).map(|(r, w)| bits.row(r)[w])
                .collect();
        let ways =
            [bits.as_rows(), BitRows::by_rows(bits.words(), words), BitRows::by_words(&by_words, rows)];
        for way in ways {
            prop_assert_eq!((way.rows(), way.words_per_row()), (rows, words));
            let rest = way.slice(rows / 2, rows - rows / 2);
            for r in 0..rows {
                for w in 0..words {
                    prop_assert_eq!(way.word(r, w), bits.row(r)[w]);
                    if r >= rows / 2 {
                        prop_assert_eq!(rest.word(r - rows / 2, w), bits.row(r)[w]);
                    }
                }
            }
        }
    }

    #[test]
    fn matches_its_model(rows in row_count(), cols in size(), seed: u64) {
        let mut model = model(rows, cols, seed);
        let bits = BitMatrix::from_rows(cols, &model);
        assert_equal(&bits, &model, cols);

        let counts: Vec<u64> =
            (0..cols).map(|j| model.iter().map(|row| u64::from(row[j])).sum()).collect();
        prop_assert_eq!(bits.column_counts(), counts);

        let picks = [rows - 1, 0, rows / 2, 0];
        let picked: Vec<Vec<u8>> = picks.iter().map(|&i| model[i].clone()).collect();
        assert_equal(&bits.select(&picks), &picked, cols);
        assert_equal(&bits.select(&[]), &[], cols);

        let mut longer = bits.clone();
        longer.append(&bits.select(&picks));
        longer.push_row(bits.row(0));
        let first = model[0].clone();
        model.extend(picked);
        model.push(first);
        assert_equal(&longer, &model, cols);
        prop_assert_eq!(
            BitMatrix::from_words(longer.rows(), cols, longer.words().to_vec()),
            Some(longer.clone())
        );

        longer.clear_rows();
        assert_equal(&longer, &[], cols);
        longer.push_row(bits.row(rows - 1));
        assert_equal(&longer, &model[rows - 1..rows], cols);
    }

    #[test]
    fn set_writes_one_entry(
        cols in size(),
        seed: u64,
        writes in vec((0..3usize, 0..1000usize, any::<bool>()), 0..50),
    ) {
        let mut model = model(3, cols, seed);
        let mut bits = BitMatrix::from_rows(cols, &model);
        for (row, col, value) in writes {
            bits.set(row, col % cols, value);
            model[row][col % cols] = u8::from(value);
        }
        assert_equal(&bits, &model, cols);
    }
}

#[test]
fn any_byte_but_zero_counts_as_one() {
    assert_equal(&BitMatrix::from_rows(3, &[[0, 2, 255]]), &[vec![0, 1, 1]], 3);
}

#[test]
fn from_words_checks_the_padding() {
    for cols in SIZES {
        let words = words_for(cols);
        let full: Vec<u64> = BitMatrix::from_rows(cols, &vec![vec![1; cols]; 2]).words().to_vec();
        assert!(BitMatrix::from_words(2, cols, full.clone()).is_some());
        for row in 0..2 {
            for col in cols..words * 64 {
                let mut dirty = full.clone();
                dirty[row * words + col / 64] |= 1 << (col % 64);
                assert_eq!(BitMatrix::from_words(2, cols, dirty), None, "{col} of {cols}");
            }
        }
        for wrong in [0, words, 2 * words + 1] {
            assert_eq!(BitMatrix::from_words(2, cols, vec![0; wrong]), None, "{wrong} words");
        }
    }
    // A file may claim anything: the product of these would overflow.
    assert_eq!(BitMatrix::from_words(1 << 63, 65, vec![]), None);
    assert_eq!(BitMatrix::from_words(usize::MAX, usize::MAX, vec![0; 4]), None);
}

#[test]
fn empty_matrices() {
    assert_equal(&BitMatrix::zeros(0, 65), &[], 65);
    assert_equal(&BitMatrix::zeros(3, 0), &[vec![], vec![], vec![]], 0);
    assert_eq!(BitMatrix::from_words(3, 0, vec![]), Some(BitMatrix::zeros(3, 0)));
    assert_eq!(BitMatrix::zeros(3, 0).column_counts(), []);
    assert_eq!(BitMatrix::zeros(0, 3).column_counts(), [0, 0, 0]);
}
