//! Some of many rows, chosen at random.

use isotherm_kernels::BitMatrix;
use isotherm_tempering::streams::{Key, Purpose};
use rand::Rng;
use rand::seq::index;

/// What chooses rows where it should always be the same ones. They are chosen at random, because every n-th row is a
/// poor choice where a file repeats itself: it may hold one kind of row only.
fn always_the_same() -> impl Rng {
    Key { seed: 0, step: 0 }.sequence(Purpose::SomeRows, 0)
}

/// The numbers of `count` of so many rows, or of all, in their order. Always the same ones.
pub(crate) fn some_of(rows: usize, count: usize) -> Vec<usize> {
    numbers_by(&mut always_the_same(), rows, count)
}

/// At most `count` of the rows, in their order, chosen at random and always the same ones.
pub fn some_rows(rows: &BitMatrix, count: usize) -> BitMatrix {
    some_rows_by(&mut always_the_same(), rows, count)
}

/// At most `count` of the rows, in their order, chosen by these random numbers.
pub(crate) fn some_rows_by(rng: &mut impl Rng, rows: &BitMatrix, count: usize) -> BitMatrix {
    if count >= rows.rows() {
        return rows.clone();
    }
    rows.select(&numbers_by(rng, rows.rows(), count))
}

fn numbers_by(rng: &mut impl Rng, rows: usize, count: usize) -> Vec<usize> {
    if count >= rows {
        return (0..rows).collect();
    }
    let mut chosen = index::sample(rng, rows, count).into_vec();
    chosen.sort_unstable();
    chosen
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
