//! A part of a model whose states can be summed and drawn exactly, although it has many hidden units.
//!
//! Its hidden units are of two kinds. Those of a **group** are interchangeable: they have the same bias and
//! the same weights to all visible units of the part. Those of a **block** are connected only to the visible
//! units of that block; the blocks divide the visible units among them.
//!
//! Let n_g of the m_g units of group g be on. The energy depends on the counts n = (n_1, …, n_G) alone, and
//! given them the blocks are independent. So the sum over all visible and hidden states is
//!
//!   Z = Σ_n Π_g C(m_g, n_g) e^{b_g n_g} · Π_blocks Σ_u e^{d·u} Π_j (1 + e^{x_j + (Uu)_j}),
//!
//! with x = c + Σ_g n_g w_g, u the hidden units of the block, d their biases, U their weights, and j over
//! the block's visible units: Π_g (m_g + 1) terms instead of 2^(Σ m_g + units of all blocks). Drawn in the
//! order n, u, v, each given the ones before it, a visible state is an exact draw.

use std::ops::Range;

use isotherm_kernels::scalar::sigmoid;
use isotherm_kernels::{Level, softplus};
use libm::{exp, log};
use rand::{Rng, RngExt};

/// Hidden units with the same bias and the same weights.
#[derive(Clone, Debug)]
pub struct Group {
    /// How many.
    pub units: usize,
    /// The bias of each.
    pub bias: f32,
    /// The weights of each to the visible units of the part.
    pub weights: Vec<f32>,
}

/// Visible units, and the hidden units that are connected only to them.
#[derive(Clone, Debug)]
pub struct Block {
    /// The visible units.
    pub visible: Range<usize>,
    /// The hidden units: each with its bias and its weights to these visible units.
    pub hidden: Vec<(f32, Vec<f32>)>,
}

/// The parameters of a part.
#[derive(Clone, Debug)]
pub struct Design {
    /// The visible biases.
    pub c: Vec<f32>,
    /// The groups of interchangeable hidden units.
    pub groups: Vec<Group>,
    /// The blocks, which divide the visible units in their order.
    pub blocks: Vec<Block>,
}

impl Design {
    /// A part whose hidden units are all in groups.
    pub fn of_groups(c: Vec<f32>, groups: Vec<Group>) -> Design {
        let blocks = vec![Block { visible: 0..c.len(), hidden: Vec::new() }];
        Design { c, groups, blocks }
    }

    /// Number of hidden units.
    pub fn n_hidden(&self) -> usize {
        let in_groups: usize = self.groups.iter().map(|group| group.units).sum();
        in_groups + self.blocks.iter().map(|block| block.hidden.len()).sum::<usize>()
    }

    /// The hidden units in order, groups first: bias, first visible unit that it is connected to, weights.
    pub fn hidden_units(&self) -> impl Iterator<Item = (f32, usize, &[f32])> {
        let in_groups = self.groups.iter().flat_map(|group| {
            std::iter::repeat_n((group.bias, 0, group.weights.as_slice()), group.units)
        });
        let in_blocks = self.blocks.iter().flat_map(|block| {
            let first = block.visible.start;
            block.hidden.iter().map(move |(bias, weights)| (*bias, first, weights.as_slice()))
        });
        in_groups.chain(in_blocks)
    }
}

/// How the counts are divided into modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Division {
    /// By the maximum of their probability to which steepest ascent leads, one unit at a time.
    Ascent,
    /// Each is a mode of its own. This is for groups of one unit that choose a cluster each: those of two clusters, and
    /// none, are neighbours, but their visible states are far apart.
    Each,
}

/// A mode: some of the counts.
#[derive(Clone, Debug)]
pub struct Mode {
    /// Its probability.
    pub weight: f64,
    /// The numbers of its states.
    states: Vec<usize>,
    /// The running sums of their probabilities within the mode.
    sums: Vec<f64>,
}

/// A part with the exact weights of its states.
#[derive(Clone, Debug)]
pub struct Part {
    design: Design,
    division: Division,
    /// How far apart the numbers of two states are that differ by one unit of each group.
    strides: Vec<usize>,
    /// log of the sum over everything but the counts, of each state, without the biases of the groups.
    sums: Vec<f64>,
    log_z: f64,
    /// Heaviest first.
    modes: Vec<Mode>,
    /// The mode of each state.
    mode_of: Vec<usize>,
}

impl Part {
    /// Sums all states of a part.
    pub fn new(design: Design, division: Division) -> Part {
        let mut strides = Vec::new();
        let mut states = 1;
        for group in &design.groups {
            assert_eq!(group.weights.len(), design.c.len(), "weights of a group");
            strides.push(states);
            states *= group.units + 1;
        }
        let end = design.blocks.iter().fold(0, |at, block| {
            assert_eq!(block.visible.start, at, "the first visible unit of a block");
            block.visible.end
        });
        assert_eq!(end, design.c.len(), "visible units of the blocks");
        let mut part = Part {
            design,
            division,
            strides,
            sums: Vec::new(),
            log_z: 0.0,
            modes: Vec::new(),
            mode_of: Vec::new(),
        };
        part.sums = (0..states).map(|state| part.sum_given(state)).collect();
        part.weigh();
        part
    }

    /// The same part with all hidden units of its groups negated: h is on where it was off. The visible distribution
    /// stays as it is.
    #[must_use]
    pub fn flipped(self) -> Part {
        let Part { mut design, division, .. } = self;
        for group in &mut design.groups {
            let units = group.units as f32;
            design.c.iter_mut().zip(&group.weights).for_each(|(c, w)| *c += units * w);
            group.weights.iter_mut().for_each(|w| *w = -*w);
            group.bias = -group.bias;
        }
        Part::new(design, division)
    }

    /// Its parameters.
    pub fn design(&self) -> &Design {
        &self.design
    }

    /// log Z.
    pub fn log_z(&self) -> f64 {
        self.log_z
    }

    /// Its modes, heaviest first.
    pub fn modes(&self) -> &[Mode] {
        &self.modes
    }

    /// The mode to which these counts belong.
    pub fn mode_of(&self, counts: &[usize]) -> usize {
        self.mode_of[counts.iter().zip(&self.strides).map(|(n, stride)| n * stride).sum::<usize>()]
    }

    /// The same part with other biases of its groups: the log odds of the mode in which all of group g is on against
    /// that in which all groups are off become about these. log Z is then that of the biases as they are.
    #[must_use]
    pub fn with_log_odds(mut self, log_odds: &[f64]) -> Part {
        const ROUNDS: usize = 10;
        // First equal ends, then equal modes around them.
        let ends = self.strides.iter().zip(&self.design.groups);
        let ends: Vec<f64> = ends.map(|(stride, it)| self.sums[stride * it.units]).collect();
        for ((group, end), wanted) in self.design.groups.iter_mut().zip(ends).zip(log_odds) {
            group.bias = ((wanted - (end - self.sums[0])) / group.units as f64) as f32;
        }
        self.weigh();
        for _ in 0..ROUNDS {
            let missing: Vec<f64> = (0..log_odds.len())
                .map(|g| {
                    let mut counts = vec![0; log_odds.len()];
                    let off = self.mode_of(&counts);
                    counts[g] = self.design.groups[g].units;
                    let on = self.mode_of(&counts);
                    assert_ne!(on, off, "group {g} is on in one mode and off in another");
                    log_odds[g] - log(self.modes[on].weight / self.modes[off].weight)
                })
                .collect();
            for (group, missing) in self.design.groups.iter_mut().zip(missing) {
                group.bias += (missing / group.units as f64) as f32;
            }
            self.weigh();
        }
        self
    }

    /// Draws v given a mode: the counts, then the hidden units of each block, then its visible units.
    pub fn draw(&self, mode: usize, rng: &mut impl Rng) -> Vec<bool> {
        let Mode { states, sums, .. } = &self.modes[mode];
        let field = self.field(states[choose(sums, rng)]);
        let mut v = Vec::with_capacity(field.len());
        for block in &self.design.blocks {
            let field = &field[block.visible.clone()];
            let logs: Vec<f64> =
                (0..1usize << block.hidden.len()).map(|u| block.log_weight(u, field)).collect();
            let u = choose(&running_sums(&logs), rng);
            v.extend(block.field(u, field).iter().map(|&x| rng.random::<f64>() < sigmoid(x)));
        }
        v
    }

    /// n_g.
    fn count(&self, state: usize, group: usize) -> usize {
        state / self.strides[group] % (self.design.groups[group].units + 1)
    }

    /// x = c + Σ_g n_g w_g.
    fn field(&self, state: usize) -> Vec<f64> {
        let mut x: Vec<f64> = self.design.c.iter().map(|&c| f64::from(c)).collect();
        for (g, group) in self.design.groups.iter().enumerate() {
            let on = self.count(state, g) as f64;
            for (x, &w) in x.iter_mut().zip(&group.weights) {
                *x += on * f64::from(w);
            }
        }
        x
    }

    /// log of Π_g C(m_g, n_g) times the sums of the blocks.
    fn sum_given(&self, state: usize) -> f64 {
        let field = self.field(state);
        let blocks = self.design.blocks.iter().map(|block| {
            let field = &field[block.visible.clone()];
            let logs: Vec<f64> =
                (0..1usize << block.hidden.len()).map(|u| block.log_weight(u, field)).collect();
            log_sum(&logs)
        });
        let ways = self.design.groups.iter().enumerate();
        let ways = ways.map(|(g, group)| log_choose(group.units, self.count(state, g)));
        ways.chain(blocks).sum()
    }

    /// Finds log Z and the modes.
    fn weigh(&mut self) {
        let biases: Vec<f64> =
            self.design.groups.iter().map(|group| f64::from(group.bias)).collect();
        let log_weight = |state| {
            let of_group = |(g, b): (usize, &f64)| b * self.count(state, g) as f64;
            self.sums[state] + biases.iter().enumerate().map(of_group).sum::<f64>()
        };
        let logs: Vec<f64> = (0..self.sums.len()).map(log_weight).collect();
        self.log_z = log_sum(&logs);
        let tops = match self.division {
            Division::Ascent => self.tops(&logs),
            Division::Each => (0..logs.len()).collect(),
        };
        let mut modes: Vec<(usize, Vec<usize>)> = Vec::new();
        let mut index = vec![usize::MAX; logs.len()];
        for (state, &top) in tops.iter().enumerate() {
            if index[top] == usize::MAX {
                index[top] = modes.len();
                modes.push((top, Vec::new()));
            }
            modes[index[top]].1.push(state);
        }
        let mode = |(_, states): (usize, Vec<usize>)| {
            let logs: Vec<f64> = states.iter().map(|&state| logs[state]).collect();
            Mode { weight: exp(log_sum(&logs) - self.log_z), sums: running_sums(&logs), states }
        };
        let mut modes: Vec<Mode> = modes.into_iter().map(mode).collect();
        modes.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        self.mode_of = vec![0; logs.len()];
        for (i, mode) in modes.iter().enumerate() {
            mode.states.iter().for_each(|&state| self.mode_of[state] = i);
        }
        self.modes = modes;
    }

    /// The maximum to which steepest ascent leads from each state.
    fn tops(&self, logs: &[f64]) -> Vec<usize> {
        let higher = |state: usize| {
            let groups = self.design.groups.iter().enumerate();
            let neighbours = groups.flat_map(|(g, group)| {
                let (on, stride) = (self.count(state, g), self.strides[g]);
                let up = (on < group.units).then_some(state + stride);
                let down = (on > 0).then(|| state - stride);
                up.into_iter().chain(down)
            });
            neighbours.fold(state, |best, it| if logs[it] > logs[best] { it } else { best })
        };
        let mut tops: Vec<usize> = (0..logs.len()).map(higher).collect();
        // Each round doubles the length of the ascents that are followed.
        loop {
            let next: Vec<usize> = tops.iter().map(|&top| tops[top]).collect();
            if next == tops {
                return tops;
            }
            tops = next;
        }
    }
}

impl Block {
    /// x + Uu of the block's visible units.
    fn field(&self, u: usize, x: &[f64]) -> Vec<f64> {
        let mut field = x.to_vec();
        for (i, (_, weights)) in self.hidden.iter().enumerate().filter(|(i, _)| u >> i & 1 == 1) {
            debug_assert_eq!(weights.len(), x.len(), "weights of hidden unit {i}");
            field.iter_mut().zip(weights).for_each(|(x, &w)| *x += f64::from(w));
        }
        field
    }

    /// d·u + Σ_j softplus(x_j + (Uu)_j).
    fn log_weight(&self, u: usize, x: &[f64]) -> f64 {
        let on = self.hidden.iter().enumerate().filter(|(i, _)| u >> i & 1 == 1);
        let biases: f64 = on.map(|(_, (bias, _))| f64::from(*bias)).sum();
        biases + softplus::softplus_sum_f64(Level::detect(), &self.field(u, x))
    }
}

/// log C(m, n).
fn log_choose(m: usize, n: usize) -> f64 {
    (0..n).map(|i| log((m - i) as f64 / (i + 1) as f64)).sum()
}

/// log Σ e^x.
fn log_sum(logs: &[f64]) -> f64 {
    let top = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    top + log(logs.iter().map(|x| exp(x - top)).sum())
}

/// The running sums of e^x, up to a factor.
fn running_sums(logs: &[f64]) -> Vec<f64> {
    let top = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut sum = 0.0;
    let add = |x: &f64| {
        sum += exp(x - top);
        sum
    };
    logs.iter().map(add).collect()
}

/// An index with a probability in proportion to what it adds to the running sums.
pub(super) fn choose(sums: &[f64], rng: &mut impl Rng) -> usize {
    let total = sums.last().copied().unwrap_or(0.0);
    let at = rng.random::<f64>() * total;
    sums.partition_point(|&sum| sum <= at).min(sums.len() - 1)
}
