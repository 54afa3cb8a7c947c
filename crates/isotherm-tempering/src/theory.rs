//! What a ladder with given rejection rates does under DEO swaps when the states inside each rung
//! are drawn afresh at every step (Syed, Bouchard-Côté, Deligiannidis and Doucet 2021). The
//! difference from what is measured tells how slowly the rungs mix. Here r_i is the *rejection* rate
//! of pair i.

/// Σ R_i with R_i = r_i / (1 − r_i) over the rejection rates r_i.
fn resistance(rejections: &[f64]) -> f64 {
    rejections.iter().map(|r| r / (1.0 - r)).sum()
}

/// Round trips that one column completes in a step: 1 / (2 + 2 Σ R_i).
pub fn round_trip_rate(rejections: &[f64]) -> f64 {
    0.5 / (1.0 + resistance(rejections))
}

/// f_up on each rung: 1 − J(½ + Σ_{j<i} R_j) inside, with J = 1/(1 + Σ R); 1 and 0 at the ends.
pub fn flow(rejections: &[f64]) -> Vec<f64> {
    let current = 1.0 / (1.0 + resistance(rejections));
    let gaps = rejections.len();
    (0..=gaps)
        .map(|i| match i {
            0 => 1.0,
            i if i == gaps => 0.0,
            i => 1.0 - current * (0.5 + resistance(&rejections[..i])),
        })
        .collect()
}
