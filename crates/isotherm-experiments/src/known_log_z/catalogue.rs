//! The models, from easy to hard.

use super::KnownModel;
use super::blocks::{Glass, glasses};
use super::ferromagnet::{Pattern, ferromagnet};
use super::mixture::{Cluster, Planted, Private, planted};
use super::part::Part;

/// A model of the catalogue.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name: what it is, visible × hidden units.
    pub name: &'static str,
    /// Rows of each variant.
    pub rows: usize,
    /// How many of its parts have a heavy mode.
    withheld: usize,
    parts: fn() -> Vec<Part>,
}

impl Entry {
    /// The model.
    pub fn model(&self) -> KnownModel {
        let seed = self.name.bytes().fold(0, |seed, byte| 31 * seed % (1 << 32) + u64::from(byte));
        KnownModel::of_parts(self.name, (self.parts)(), self.withheld, seed)
    }
}

const fn entry(
    name: &'static str,
    rows: usize,
    withheld: usize,
    parts: fn() -> Vec<Part>,
) -> Entry {
    Entry { name, rows, withheld, parts }
}

/// One pattern: two modes.
fn curie_weiss(visible: usize, units: usize, field: f64, tilt: f64, seed: u64) -> Part {
    ferromagnet(visible, &[Pattern { units, field, tilt }], seed)
}

/// Patterns of equal strength.
fn hopfield(visible: usize, units: usize, field: f64, tilts: &[f64], seed: u64) -> Part {
    let pattern = |&tilt: &f64| Pattern { units, field, tilt };
    ferromagnet(visible, &tilts.iter().map(pattern).collect::<Vec<_>>(), seed)
}

/// Clusters from pairs of a weight and a field.
fn clusters(of: &[(f64, f64)]) -> Vec<Cluster> {
    of.iter().map(|&(weight, field)| Cluster { weight, field }).collect()
}

/// A mixture without weakly coupled units.
fn mixture(visible: usize, copies: usize, background: f64, of: &[(f64, f64)], seed: u64) -> Part {
    let clusters = clusters(of);
    let it =
        Planted { visible, background, clusters: &clusters, copies, differ: 0.5, private: None };
    planted(&it, seed)
}

/// A mixture with one hidden unit a cluster, and weakly coupled ones.
fn with_private(
    visible: usize,
    background: f64,
    of: &[(f64, f64)],
    private: Private,
    seed: u64,
) -> Part {
    let clusters = clusters(of);
    let private = Some(private);
    planted(
        &Planted { visible, background, clusters: &clusters, copies: 1, differ: 0.5, private },
        seed,
    )
}

/// One cluster that differs from the background in a share of the units only.
fn near(visible: usize, copies: usize, differ: f64, of: (f64, f64), seed: u64) -> Part {
    let (background, clusters) = (of.1, clusters(&[of]));
    planted(
        &Planted { visible, background, clusters: &clusters, copies, differ, private: None },
        seed,
    )
}

/// Three parts that each have a broad mode and a narrow one three nats heavier. In the first and the last, hidden units
/// are off in the narrow mode.
fn narrow_in_each(visible: usize, background: f64, field: f64, seed: u64) -> Vec<Part> {
    let heavy = 1.0 / (1.0 + libm::exp(-3.0));
    (0..3)
        .map(|i| {
            let part = mixture(visible, 12, background, &[(heavy, field)], seed + i);
            if i == 1 { part } else { part.flipped() }
        })
        .collect()
}

/// The heavy one of `k` clusters has `weight`; the others share the rest equally with the background.
fn one_heavy(k: usize, weight: f64, heavy: f64, field: f64) -> Vec<(f64, f64)> {
    let rest = (1.0 - weight) / k as f64;
    (0..k).map(|i| if i == 0 { (weight, heavy) } else { (rest, field) }).collect()
}

/// All models.
pub const CATALOGUE: &[Entry] = &[
    entry("curie-weiss-weak-40x30", 500, 1, || vec![curie_weiss(40, 30, 2.0, 1.0, 1)]),
    entry("curie-weiss-60x40", 500, 1, || vec![curie_weiss(60, 40, 3.0, 1.0, 2)]),
    entry("curie-weiss-100x50", 300, 1, || vec![curie_weiss(100, 50, 4.0, 2.0, 3)]),
    entry("curie-weiss-strong-200x100", 500, 1, || vec![curie_weiss(200, 100, 6.0, 4.0, 4)]),
    entry("hopfield-2-80x40", 500, 1, || vec![hopfield(80, 20, 3.0, &[1.0, 1.0], 5)]),
    entry("hopfield-2-150x60", 1000, 1, || vec![hopfield(150, 30, 3.0, &[2.0, 1.0], 6)]),
    entry("hopfield-3-100x30", 500, 1, || vec![hopfield(100, 10, 3.0, &[1.0, 0.5, 0.5], 7)]),
    entry("narrow-in-broad-60x30", 500, 1, || vec![mixture(60, 30, 0.5, &[(0.5, 5.0)], 8)]),
    entry("narrow-in-broad-100x30", 500, 1, || vec![mixture(100, 30, 1.0, &[(0.9, 6.0)], 9)]),
    entry("narrow-in-broad-200x60", 300, 1, || vec![mixture(200, 60, 1.0, &[(0.99, 6.0)], 10)]),
    entry("runaway-100x40", 500, 1, || vec![mixture(100, 40, 1.5, &[(0.999, 5.0)], 11)]),
    entry("mixture-4-60x40", 500, 1, || {
        vec![mixture(60, 10, 0.5, &one_heavy(4, 0.4, 3.0, 3.0), 12)]
    }),
    entry("mixture-4-100x32", 400, 1, || {
        vec![mixture(100, 8, 0.5, &one_heavy(4, 0.5, 5.0, 2.5), 13)]
    }),
    entry("mixture-4-200x40", 1000, 1, || {
        vec![mixture(200, 10, 1.0, &one_heavy(4, 0.8, 5.0, 4.0), 14)]
    }),
    entry("mixture-6-80x30", 500, 1, || {
        vec![mixture(80, 5, 0.5, &one_heavy(6, 0.6, 4.0, 3.0), 15)]
    }),
    entry("mixture-8-120x38", 500, 1, || {
        let private = Private { visible: 8, hidden: 2, std: 0.5 };
        vec![with_private(120, 0.5, &one_heavy(8, 0.5, 4.0, 3.0), private, 16)]
    }),
    entry("mixture-12-100x37", 1000, 1, || {
        let private = Private { visible: 4, hidden: 1, std: 0.5 };
        vec![with_private(100, 0.5, &one_heavy(12, 0.3, 3.5, 3.5), private, 17)]
    }),
    entry("mixture-16-200x56", 1000, 1, || {
        let private = Private { visible: 5, hidden: 1, std: 0.5 };
        let weights = [
            0.3, 0.15, 0.1, 0.08, 0.07, 0.06, 0.05, 0.04, 0.03, 0.025, 0.02, 0.02, 0.015, 0.01,
            0.01, 0.005,
        ];
        vec![with_private(200, 0.0, &weights.map(|weight| (weight, 3.0)), private, 29)]
    }),
    entry("strong-and-weak-150x40", 500, 1, || {
        vec![mixture(150, 10, 0.0, &one_heavy(4, 0.8, 7.0, 2.2), 30)]
    }),
    entry("strong-and-weak-100x60", 500, 1, || {
        vec![mixture(100, 20, 0.0, &one_heavy(3, 0.6, 8.0, 2.5), 31)]
    }),
    entry("strong-and-weak-80x40", 500, 1, || {
        vec![mixture(80, 20, 0.0, &one_heavy(2, 0.5, 8.0, 2.5), 32)]
    }),
    entry("strong-and-weak-200x90", 500, 1, || {
        vec![mixture(200, 30, 0.0, &one_heavy(3, 0.7, 4.0, 2.0), 33)]
    }),
    entry("broad-around-narrow-150x50", 500, 1, || vec![mixture(150, 50, 1.5, &[(0.3, 8.0)], 34)]),
    entry("near-60x36", 500, 1, || vec![near(60, 36, 0.3, (0.6, 3.0), 18)]),
    entry("near-100x30", 500, 1, || vec![near(100, 30, 0.2, (0.7, 5.0), 19)]),
    entry("blocks-4-48x32", 500, 1, || {
        glasses(4, Glass { visible: 12, hidden: 8, std: 1.0, tilt: 0.5 }, 20)
    }),
    entry("blocks-sharp-4-60x40", 500, 4, || {
        glasses(4, Glass { visible: 15, hidden: 10, std: 1.5, tilt: 1.0 }, 21)
    }),
    entry("blocks-6-90x60", 500, 3, || {
        glasses(6, Glass { visible: 15, hidden: 10, std: 1.5, tilt: 1.0 }, 22)
    }),
    entry("blocks-10-200x100", 1000, 5, || {
        glasses(10, Glass { visible: 20, hidden: 10, std: 1.5, tilt: 1.0 }, 23)
    }),
    entry("blocks-wide-3-120x36", 500, 3, || {
        glasses(3, Glass { visible: 40, hidden: 12, std: 2.0, tilt: 1.0 }, 35)
    }),
    entry("blocks-ferromagnetic-4-120x48", 500, 4, || {
        (0..4).map(|index| curie_weiss(30, 12, 5.0, 0.5, 36 + index)).collect()
    }),
    entry("narrow-in-each-300x36", 3000, 3, || narrow_in_each(100, 0.3, 4.5, 40)),
    entry("narrow-in-each-360x36", 3000, 3, || narrow_in_each(120, 0.3, 4.0, 43)),
    entry("narrow-in-each-480x36", 3000, 3, || narrow_in_each(160, 0.3, 3.5, 46)),
    entry("ferromagnet-and-mixture-120x60", 500, 2, || {
        vec![
            curie_weiss(60, 30, 4.0, 1.0, 24),
            mixture(60, 10, 0.5, &one_heavy(3, 0.6, 5.0, 3.0), 25),
        ]
    }),
    entry("mixture-and-blocks-100x44", 500, 1, || {
        let mut parts = vec![mixture(70, 8, 0.5, &one_heavy(3, 0.7, 5.0, 3.0), 26)];
        parts.extend(glasses(2, Glass { visible: 15, hidden: 10, std: 1.0, tilt: 0.5 }, 27));
        parts
    }),
];
