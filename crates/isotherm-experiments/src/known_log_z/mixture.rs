//! Planted mixtures: a background, in which all groups are off, and a cluster for each group, in which all of its
//! units are on.
//!
//! An RBM is always a mixture of products, one for each hidden state, with weights in proportion to e^{b·h + Σ_j
//! softplus(x_j)}. Here c is the field of the background and c + m w_k that of cluster k. At a unit where the fields a and
//! −a' of two clusters have opposite signs and that of the background is small, the hidden state that has both loses about
//! min(a, a') nats, because softplus is convex; where they have the same sign it loses nothing. So two clusters with
//! independent patterns exclude each other if their fields are above 2 and that of the background well below. The hidden
//! states between clusters therefore have little weight, but all are summed. Biases that give the clusters about the
//! wanted weights are found by a few corrections; the weights that result are known exactly.
//!
//! The visible units may also be divided into blocks with hidden units of their own, weakly coupled.

use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};

use super::Use;
use super::ferromagnet::signs;
use super::part::{Block, Design, Division, Group, Part};

/// A cluster.
#[derive(Clone, Copy, Debug)]
pub struct Cluster {
    /// About its probability; the background has the rest.
    pub weight: f64,
    /// The size of the field on each visible unit: a unit differs from the cluster's pattern with probability σ(−field).
    pub field: f64,
}

/// Weakly coupled hidden units that see few visible units.
#[derive(Clone, Copy, Debug)]
pub struct Private {
    /// Visible units of a block.
    pub visible: usize,
    /// Hidden units of a block.
    pub hidden: usize,
    /// Standard deviation of their weights.
    pub std: f64,
}

/// A planted mixture.
#[derive(Clone, Copy, Debug)]
pub struct Planted<'a> {
    /// Visible units.
    pub visible: usize,
    /// The size of the background's field.
    pub background: f64,
    /// The clusters.
    pub clusters: &'a [Cluster],
    /// Hidden units of each cluster.
    pub copies: usize,
    /// The share of units in which the pattern of a cluster differs from that of the background: one half if they
    /// are independent.
    pub differ: f64,
    /// Hidden units beside those of the clusters.
    pub private: Option<Private>,
}

/// A planted mixture with patterns drawn from the seed.
pub fn planted(it: &Planted<'_>, seed: u64) -> Part {
    let pattern = signs(it.visible, seed, 0);
    let (blocks, shift) = blocks(it, seed);
    let background: Vec<f64> = pattern.iter().map(|sign| sign * it.background).collect();
    let group = |(k, cluster): (usize, &Cluster)| {
        let mut rng = Use::Clusters.stream(seed, k);
        let weights = pattern.iter().zip(&background).map(|(sign, from)| {
            let sign = if rng.random::<f64>() < it.differ { -sign } else { *sign };
            ((sign * cluster.field - from) / it.copies as f64) as f32
        });
        Group { units: it.copies, bias: 0.0, weights: weights.collect() }
    };
    let groups = it.clusters.iter().enumerate().map(group).collect();
    let c = background.iter().zip(shift).map(|(x, shift)| (x - shift) as f32).collect();
    let rest = 1.0 - it.clusters.iter().map(|cluster| cluster.weight).sum::<f64>();
    let log_odds: Vec<f64> =
        it.clusters.iter().map(|cluster| libm::log(cluster.weight / rest)).collect();
    let division = if it.copies == 1 { Division::Each } else { Division::Ascent };
    Part::new(Design { c, groups, blocks }, division).with_log_odds(&log_odds)
}

/// The blocks, and the mean field that their hidden units put on each visible unit.
fn blocks(it: &Planted<'_>, seed: u64) -> (Vec<Block>, Vec<f64>) {
    let mut shift = vec![0.0; it.visible];
    let Some(Private { visible, hidden, std }) = it.private else {
        return (vec![Block { visible: 0..it.visible, hidden: Vec::new() }], shift);
    };
    let mut rng = Use::Private.stream(seed, 0);
    let mut blocks = Vec::new();
    for first in (0..it.visible).step_by(visible) {
        let range = first..it.visible.min(first + visible);
        let mut unit = || {
            let normal =
                range.clone().map(|_| std * Distribution::<f64>::sample(&StandardNormal, &mut rng));
            let weights: Vec<f32> = normal.map(|x| x as f32).collect();
            for (shift, &w) in shift[range.clone()].iter_mut().zip(&weights) {
                *shift += 0.5 * f64::from(w);
            }
            (-0.5 * weights.iter().sum::<f32>(), weights)
        };
        let hidden = (0..hidden).map(|_| unit()).collect();
        blocks.push(Block { visible: range, hidden });
    }
    (blocks, shift)
}
