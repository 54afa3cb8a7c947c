//! Ferromagnets: groups of hidden units that pull all visible units towards a pattern or away from it.
//!
//! With one group this is the Curie–Weiss model in a random gauge ξ ∈ {−1, 1}: x_j = ξ_j a (2n/m − 1) is the field of
//! visible unit j if n of the m hidden units are on, so c_j = −ξ_j a and w_j = 2 ξ_j a / m. Because Π_j (1 + e^{x_j})
//! = Π_j e^{x_j/2} 2 cosh(x_j/2), a hidden bias of b = t/m − Σ_j w_j/2 leaves
//!
//!   Z = e^{−a Σξ/2} Σ_n C(m, n) e^{t n/m} (2 cosh(a (n/m − 1/2)))^N,
//!
//! which for t = 0 does not change if all units are flipped. For N a² > 4m it has two modes, with v near the pattern and
//! near its opposite; t makes the first e^t times as heavy. With several groups, each with its own pattern, this is a
//! Hopfield model with two modes for each choice of signs.

use rand::RngExt;

use super::Use;
use super::part::{Design, Division, Group, Part};

/// A pattern and the hidden units that carry it.
#[derive(Clone, Copy, Debug)]
pub struct Pattern {
    /// How many hidden units.
    pub units: usize,
    /// a: the field that they put on each visible unit if all are on, and its opposite if all are off.
    pub field: f64,
    /// t: the log odds of the pattern against its opposite.
    pub tilt: f64,
}

/// A ferromagnet with patterns drawn from the seed.
pub fn ferromagnet(n_visible: usize, patterns: &[Pattern], seed: u64) -> Part {
    let mut c = vec![0.0; n_visible];
    let group = |(index, &Pattern { units, field, tilt }): (usize, &Pattern)| {
        let signs = signs(n_visible, seed, index);
        let step = 2.0 * field / units as f64;
        let weights: Vec<f32> = signs.iter().map(|sign| (sign * step) as f32).collect();
        let sum: f64 = weights.iter().map(|&w| f64::from(w)).sum();
        for (c, sign) in c.iter_mut().zip(&signs) {
            *c -= (sign * field) as f32;
        }
        Group { units, bias: (tilt / units as f64 - sum / 2.0) as f32, weights }
    };
    let groups = patterns.iter().enumerate().map(group).collect();
    Part::new(Design::of_groups(c, groups), Division::Ascent)
}

/// Random signs.
pub(super) fn signs(count: usize, seed: u64, index: usize) -> Vec<f64> {
    let mut rng = Use::Patterns.stream(seed, index);
    (0..count).map(|_| if rng.random() { 1.0 } else { -1.0 }).collect()
}
