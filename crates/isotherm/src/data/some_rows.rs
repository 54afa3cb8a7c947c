//! Some of many rows, chosen at random.

use isotherm_kernels::BitMatrix;
use isotherm_tempering::streams::{Key, Purpose};
use rand::seq::index;

/// The numbers of `count` of so many rows, or of all, in their order. Always the same ones. They are chosen at random,
/// because every n-th row is a poor choice where a file repeats itself: it may hold one kind of row only.
pub(crate) fn some_of(rows: usize, count: usize) -> Vec<usize> {
    if count >= rows {
        return (0..rows).collect();
    }
    let rng = &mut Key { seed: 0, step: 0 }.sequence(Purpose::SomeRows, 0);
    let mut chosen = index::sample(rng, rows, count).into_vec();
    chosen.sort_unstable();
    chosen
}

/// At most `count` of the rows, in their order, chosen at random and always the same ones.
pub fn some_rows(rows: &BitMatrix, count: usize) -> BitMatrix {
    if count >= rows.rows() {
        return rows.clone();
    }
    rows.select(&some_of(rows.rows(), count))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of a file that repeats itself with any short period have equal shares within five standard errors.
    #[test]
    fn rows_of_every_kind_are_among_them() {
        for period in 2..10 {
            let mut counts = vec![0.0; period];
            some_of(6000, 3000).into_iter().for_each(|row| counts[row % period] += 1.0);
            let mean = 3000.0 / period as f64;
            assert!(
                counts.iter().all(|count: &f64| (count - mean).abs() < 5.0 * mean.sqrt()),
                "{counts:?}"
            );
        }
    }

    #[test]
    fn they_keep_their_order_and_none_comes_twice() {
        let chosen = some_of(100, 40);
        assert!(chosen.len() == 40 && chosen.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(some_of(3, 5), [0, 1, 2]);
    }
}
