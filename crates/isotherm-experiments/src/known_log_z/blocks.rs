//! Blocks: small RBMs with strong random weights, each enumerated, to be put side by side.
//!
//! With W ~ N(0, std²), c_j = −Σ_i w_ij/2 and b_i = −Σ_j w_ij/2 the energy does not change if all units are flipped: in
//! units of ±1 this is the bipartite Sherrington–Kirkpatrick model without a field. At a large std it is a spin
//! glass with several sharp modes; a random field on the hidden units tilts them. Every hidden unit is a group of its
//! own, so that the states of the part are the 2^n_h hidden states.

use rand_distr::{Distribution, StandardNormal};

use super::Use;
use super::part::{Design, Division, Group, Part};

/// A block.
#[derive(Clone, Copy, Debug)]
pub struct Glass {
    /// Visible units.
    pub visible: usize,
    /// Hidden units.
    pub hidden: usize,
    /// Standard deviation of the weights.
    pub std: f64,
    /// Standard deviation of the field on the hidden units.
    pub tilt: f64,
}

/// Blocks with weights drawn from the seed.
pub fn glasses(count: usize, it: Glass, seed: u64) -> Vec<Part> {
    (0..count).map(|index| glass(it, seed, index)).collect()
}

fn glass(it: Glass, seed: u64, index: usize) -> Part {
    let mut rng = Use::Glasses.stream(seed, index);
    let mut normal = |std: f64| {
        let x: f64 = StandardNormal.sample(&mut rng);
        (std * x) as f32
    };
    let mut c = vec![0.0; it.visible];
    let mut groups = Vec::new();
    for _ in 0..it.hidden {
        let weights: Vec<f32> = (0..it.visible).map(|_| normal(it.std)).collect();
        c.iter_mut().zip(&weights).for_each(|(c, w)| *c -= 0.5 * w);
        let bias = normal(it.tilt) - 0.5 * weights.iter().sum::<f32>();
        groups.push(Group { units: 1, bias, weights });
    }
    Part::new(Design::of_groups(c, groups), Division::Ascent)
}
