//! Adds a rung where f_up falls most, and removes one that is not needed.

use super::ladder::{Ladder, NARROWEST};

/// How far above the minimum the mean swap rate must stay when a rung is retired, so that it is not spawned
/// again at once.
const SLACK: f64 = 0.05;

/// A gap is starved if its swap rate is below this share of the wanted mean swap rate.
const STARVED: f64 = 0.1;

/// The gap to split, j = argmax_i |f_up(i) − f_up(i+1)|, or `None` if all gaps are too narrow.
pub(crate) fn gap_to_split(ladder: &Ladder, f_up: &[f64]) -> Option<usize> {
    let wide = |gap: &usize| ladder.betas()[*gap] - ladder.betas()[gap + 1] > 2.0 * NARROWEST;
    let drop = |gap: usize| f_up[gap] - f_up[gap + 1];
    // `max_by` keeps the last of equals; the paper's argmax keeps the first.
    (0..ladder.gaps()).rev().filter(wide).max_by(|&a, &b| drop(a).total_cmp(&drop(b)))
}

/// Whether some gap hardly ever swaps. The mean swap rate does not show it if the other rungs are close
/// together.
pub(crate) fn is_starved(rejections: &[f64], min_swap: f64) -> bool {
    rejections.iter().any(|rejection| 1.0 - rejection < STARVED * min_swap)
}

/// Whether one rung can be retired: the ladder would still swap often enough with one rung fewer. The
/// barrier Λ = Σ(1−r_i) barely depends on the number of rungs it is measured with, so N−1 gaps would accept
/// 1 − Λ/(N−1). No rung is retired while a gap is starved: the rungs are then badly spaced, not too many.
pub(crate) fn can_retire_a_rung(rejections: &[f64], min_swap: f64) -> bool {
    let gaps = rejections.len();
    let barrier: f64 = rejections.iter().sum();
    gaps > 1
        && 1.0 - barrier / (gaps - 1) as f64 >= min_swap + SLACK
        && !is_starved(rejections, min_swap)
}

/// The inner rung whose neighbours differ least in f_up and in rejection: removing it opens the smallest
/// gap.
pub(crate) fn rung_to_retire(f_up: &[f64], rejections: &[f64]) -> Option<usize> {
    let cost =
        |rung: usize| (f_up[rung - 1] - f_up[rung + 1]) + (rejections[rung - 1] + rejections[rung]);
    (1..rejections.len()).min_by(|&a, &b| cost(a).total_cmp(&cost(b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rung_is_split_off_where_the_flow_falls_steepest() {
        let ladder = Ladder::from_betas(vec![1.0, 0.8, 0.5, 0.0]).unwrap_or_else(|| unreachable!());
        assert_eq!(gap_to_split(&ladder, &[1.0, 0.9, 0.2, 0.0]), Some(1));
        // the first of equals, and never a gap without width
        assert_eq!(gap_to_split(&ladder, &[1.0, 0.6, 0.2, 0.0]), Some(0));
        let betas = vec![1.0, 0.5, 0.5 - 1.5e-6, 0.0];
        let ladder = Ladder::from_betas(betas).unwrap_or_else(|| unreachable!());
        assert_eq!(gap_to_split(&ladder, &[1.0, 0.9, 0.2, 0.0]), Some(2));
    }

    #[test]
    fn no_rung_is_spare_while_one_is_needed() {
        // Λ = 1 over 4 gaps: 3 would accept 2/3.
        assert!(can_retire_a_rung(&[0.25; 4], 0.4));
        // Λ = 2.2 over 4 gaps: 3 would accept 0.27.
        assert!(!can_retire_a_rung(&[0.55; 4], 0.4));
        // A mean of 0.75, but one gap is shut.
        assert!(!can_retire_a_rung(&[0.0, 0.0, 0.0, 0.99], 0.4));
        assert!(is_starved(&[0.0, 0.0, 0.0, 0.99], 0.4));
        assert!(!is_starved(&[0.9; 4], 0.4));
        assert!(!can_retire_a_rung(&[0.1], 0.4), "the ends stay");
    }

    #[test]
    fn the_rung_that_matters_least_is_retired() {
        let f_up = [1.0, 0.7, 0.65, 0.6, 0.0];
        assert_eq!(rung_to_retire(&f_up, &[0.5, 0.2, 0.2, 0.5]), Some(2));
        assert_eq!(rung_to_retire(&[1.0, 0.0], &[0.5]), None);
    }
}
