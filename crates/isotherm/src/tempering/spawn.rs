//! One rung more where the flow falls steepest, or one fewer where it is not needed.

use super::ladder::Ladder;

/// A gap narrower than this is never split: the rungs would be the same distribution.
const NARROWEST: f64 = 1e-5;

/// How far above the minimum the mean swap rate must stay for a rung to be let go, so that a
/// retired rung is not spawned again at once.
const SLACK: f64 = 0.05;

/// A gap starves when it swaps less often than this share of the mean swap rate that is wanted.
const STARVED: f64 = 0.1;

/// The gap to split, j = argmax_i |f_up(i) − f_up(i+1)|, or `None` if all gaps are too narrow.
pub fn gap_to_split(ladder: &Ladder, f_up: &[f64]) -> Option<usize> {
    let wide = |gap: &usize| ladder.betas()[*gap] - ladder.betas()[gap + 1] > NARROWEST;
    let drop = |gap: usize| f_up[gap] - f_up[gap + 1];
    // `max_by` keeps the last of equals; the paper's argmax keeps the first.
    (0..ladder.gaps()).rev().filter(wide).max_by(|&a, &b| drop(a).total_cmp(&drop(b)))
}

/// Whether some gap hardly ever swaps. The mean swap rate does not see it where the other rungs
/// are close together.
pub fn is_starved(rejections: &[f64], min_swap: f64) -> bool {
    rejections.iter().any(|rejection| 1.0 - rejection < STARVED * min_swap)
}

/// Whether the ladder would still swap often enough with one rung fewer. The barrier Λ = Σ(1−r_i)
/// barely depends on how many rungs it is measured with, so N−1 gaps would accept 1 − Λ/(N−1).
/// While any gap swaps less than half as often as the mean should, no rung is to spare: the rungs
/// are badly spaced, not too many.
pub fn can_spare_a_rung(rejections: &[f64], min_swap: f64) -> bool {
    let gaps = rejections.len();
    let barrier: f64 = rejections.iter().sum();
    gaps > 1
        && 1.0 - barrier / (gaps - 1) as f64 >= min_swap + SLACK
        && rejections.iter().all(|rejection| 1.0 - rejection >= 0.5 * min_swap)
}

/// The inner rung whose neighbours differ least in f_up and in rejection: letting it go opens the
/// smallest gap.
pub fn rung_to_retire(f_up: &[f64], rejections: &[f64]) -> Option<usize> {
    let cost =
        |rung: usize| (f_up[rung - 1] - f_up[rung + 1]) + (rejections[rung - 1] + rejections[rung]);
    (1..rejections.len()).min_by(|&a, &b| cost(a).total_cmp(&cost(b)))
}
