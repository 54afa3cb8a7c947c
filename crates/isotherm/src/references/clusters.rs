//! Clusters of data: groups of components of a [`Mixture`], so that the weights of samples can be compared with those
//! of the data.
//!
//! A mixture has more components than the data have clusters. Components are merged by Ward's method: always the two
//! whose merging adds least to the variance within groups, w_a w_b / (w_a + w_b) · |m_a − m_b|². Where clusters are
//! merged that lie apart, this jumps. The number of clusters is that with the highest jump, or one if none is high.

use std::sync::Arc;

use isotherm_kernels::{BitMatrix, scalar};
use isotherm_tempering::streams::{Key, Purpose};
use rand::seq::SliceRandom;

use super::reference::components_for;
use super::{Mixture, em};
use crate::data::some_rows;
use crate::error::Result;

/// The most clusters.
const MOST: usize = 16;

/// The rise of Ward's cost that tells clusters from components of one cluster. It is below 2 on all digits of MNIST and
/// on independent units, about 3 on NLTCS, where two clusters do no harm, and from 5 to 100 on sets of known clusters.
const JUMP: f64 = 3.0;

/// Rows that a mixture is fitted to, to find clusters: a random choice, if there are more.
pub const ROWS_FOR_CLUSTERS: usize = 3000;

/// Rows of a component, at least, in a mixture that is fitted to find clusters.
const ROWS_OF_COMPONENT: usize = 10;

/// The share of rows whose density is so low that a sample with a lower one is outside all clusters.
const LOWEST: f64 = 1e-3;

/// Rows are held out in so many parts, one after the other.
const FOLDS: usize = 5;

/// Merges that cost less than this share of what dividing a component could cost are of equal components.
const NOTHING: f64 = 1e-6;

/// Clusters of data, the heaviest first.
#[derive(Clone, Debug)]
pub struct Clusters {
    mixture: Arc<Mixture>,
    /// The cluster of each component.
    of_components: Vec<usize>,
    count: usize,
    /// log q(v) below which a row is outside all clusters.
    floor: f64,
    /// The share of the data in each cluster and, last, outside all.
    weights: Vec<f64>,
    rows: Option<usize>,
}

impl Clusters {
    /// The fewest components that show whether there are clusters.
    pub const FEWEST_COMPONENTS: usize = 8;

    /// Those of rows, by a mixture that is fitted to them here.
    pub fn of_rows(rows: &BitMatrix, key: Key) -> Result<Clusters> {
        let some = some_rows(rows, ROWS_FOR_CLUSTERS);
        let components = components_for(some.rows()).max(Clusters::FEWEST_COMPONENTS);
        let components = components.min(some.rows().div_ceil(ROWS_OF_COMPONENT)).max(2);
        let fit = em::fit(&some, components, key, &mut |_| true)?;
        Clusters::of_mixture(Arc::new(fit.mixture)).weighed_by_its_own(rows, key)
    }

    /// Those of training data, by the mixture that the ladder starts from if it has components enough to show them.
    pub fn of_data(mixture: Option<&Arc<Mixture>>, rows: &BitMatrix, key: Key) -> Result<Clusters> {
        match mixture.filter(|it| it.components() >= Clusters::FEWEST_COMPONENTS) {
            Some(mixture) => Clusters::of_mixture(mixture.clone()).weighed_by_its_own(rows, key),
            None => Clusters::of_rows(rows, key),
        }
    }

    /// Those of the data that a mixture was fitted to: its weights are theirs. Every row is in some cluster.
    pub fn of_mixture(mixture: Arc<Mixture>) -> Clusters {
        let (of_components, count) = merged(&mixture);
        let mut weights = vec![0.0; count + 1];
        of_components.iter().zip(mixture.weights()).for_each(|(&at, weight)| weights[at] += weight);
        let floor = f64::NEG_INFINITY;
        Clusters { mixture, of_components, count, floor, weights, rows: None }.ordered()
    }

    /// With the weights that these rows have, and without samples that are less likely than almost all of them. The
    /// mixture was fitted to other rows.
    #[must_use]
    pub fn weighed_by(self, rows: &BitMatrix) -> Clusters {
        let densities = self.mixture.log_densities(rows);
        self.weighed_with(rows, densities)
    }

    /// The same by the rows that the mixture was fitted to. These are more likely under it than others like them, far
    /// more if they are few. So samples are compared with rows under mixtures that were fitted without them, of as
    /// many components; with fewer rows these are, if anything, the worse ones.
    fn weighed_by_its_own(self, rows: &BitMatrix, key: Key) -> Result<Clusters> {
        let some = some_rows(rows, ROWS_FOR_CLUSTERS);
        let densities = held_out_densities(&some, self.mixture.components(), key)?;
        Ok(self.weighed_with(rows, densities))
    }

    fn weighed_with(mut self, rows: &BitMatrix, mut densities: Vec<f64>) -> Clusters {
        densities.sort_unstable_by(f64::total_cmp);
        let rank = (LOWEST * densities.len() as f64) as usize;
        self.floor = densities.get(rank).copied().unwrap_or(f64::NEG_INFINITY);
        self.weights = self.shares(rows);
        self.rows = Some(rows.rows());
        self.ordered()
    }

    /// The number of clusters.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The share of the data in each cluster and, last, outside all.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The number of rows that the weights were counted in, if they were.
    pub fn rows(&self) -> Option<usize> {
        self.rows
    }

    /// The mixture.
    pub fn mixture(&self) -> &Arc<Mixture> {
        &self.mixture
    }

    /// The cluster of each row: that of its most probable component. [`Clusters::count`] stands for none: the row is
    /// unlikely under every component.
    pub fn assign(&self, v: &BitMatrix) -> Vec<usize> {
        let (components, densities) = (self.mixture.assign(v), self.mixture.log_densities(v));
        let cluster = |(component, density): (usize, f64)| match density < self.floor {
            true => self.count,
            false => self.of_components[component],
        };
        components.into_iter().zip(densities).map(cluster).collect()
    }

    /// The share of rows in each cluster and, last, outside all.
    pub fn shares(&self, v: &BitMatrix) -> Vec<f64> {
        let mut counts = vec![0usize; self.count + 1];
        self.assign(v).into_iter().for_each(|cluster| counts[cluster] += 1);
        counts.into_iter().map(|count| count as f64 / v.rows().max(1) as f64).collect()
    }

    /// The heaviest cluster first.
    fn ordered(mut self) -> Clusters {
        let mut order: Vec<usize> = (0..self.count).collect();
        order.sort_by(|&a, &b| self.weights[b].total_cmp(&self.weights[a]));
        let mut place = vec![0; self.count];
        order.iter().enumerate().for_each(|(new, &old)| place[old] = new);
        self.of_components.iter_mut().for_each(|cluster| *cluster = place[*cluster]);
        let weights: Vec<f64> = order.iter().map(|&old| self.weights[old]).collect();
        self.weights[..self.count].copy_from_slice(&weights);
        self
    }
}

/// log q(v) of each row, in any order, under a mixture that was fitted to the other folds; nothing of a single row.
fn held_out_densities(rows: &BitMatrix, components: usize, key: Key) -> Result<Vec<f64>> {
    let mut order: Vec<usize> = (0..rows.rows()).collect();
    // At random, because a file may repeat itself.
    order.shuffle(&mut key.sequence(Purpose::Folds, 0));
    let size = order.len().div_ceil(FOLDS).max(1);
    let mut densities = Vec::with_capacity(order.len());
    let effort = em::Effort { iterations: em::SUFFICIENT_ITERATIONS, ..em::Effort::default() };
    for (fold, held_out) in order.chunks(size).enumerate() {
        let first = fold * size;
        let others = [&order[..first], &order[first + held_out.len()..]].concat();
        if !others.is_empty() {
            let fit = em::fit_with(effort, &rows.select(&others), components, key, &mut |_| true)?;
            densities.extend(fit.mixture.log_densities(&rows.select(held_out)));
        }
    }
    Ok(densities)
}

/// The group of each component, and how many groups there are.
fn merged(mixture: &Mixture) -> (Vec<usize>, usize) {
    let components = mixture.components();
    let merges = wards_merges(mixture);
    let groups = number_of_groups(&merges, spread_within(mixture));
    let mut group: Vec<usize> = (0..components).collect();
    for merge in &merges[..components - groups] {
        group.iter_mut().filter(|it| **it == merge.gone).for_each(|it| *it = merge.kept);
    }
    let mut names: Vec<usize> = group.clone();
    names.sort_unstable();
    names.dedup();
    (group.iter().map(|it| names.partition_point(|name| name < it)).collect(), groups)
}

/// Two groups that became one.
struct Merge {
    kept: usize,
    gone: usize,
    cost: f64,
}

/// All merges until one group is left, the cheapest first. The costs of merges with a group that has grown follow
/// from those before (Lance and Williams 1967).
fn wards_merges(mixture: &Mixture) -> Vec<Merge> {
    let count = mixture.components();
    let (means, mut weights) = (means(mixture), mixture.weights().to_vec());
    let mut costs = vec![vec![f64::INFINITY; count]; count];
    for a in 0..count {
        for b in 0..a {
            let apart: f64 = means[a].iter().zip(&means[b]).map(|(x, y)| (x - y) * (x - y)).sum();
            costs[a][b] = weights[a] * weights[b] / (weights[a] + weights[b]) * apart;
            costs[b][a] = costs[a][b];
        }
    }
    let mut alive: Vec<usize> = (0..count).collect();
    let mut merges = Vec::with_capacity(count - 1);
    while alive.len() > 1 {
        let pairs = || alive.iter().flat_map(|&a| alive.iter().map(move |&b| (a, b)));
        let pairs = pairs().filter(|(a, b)| a < b);
        let cheapest = pairs.min_by(|x, y| costs[x.0][x.1].total_cmp(&costs[y.0][y.1]));
        let Some((kept, gone)) = cheapest else { break };
        let cost = costs[kept][gone];
        alive.retain(|&it| it != gone);
        for &other in alive.iter().filter(|&&other| other != kept) {
            let [a, b, c] = [kept, gone, other].map(|it| weights[it]);
            let with_a = (a + c) * costs[kept][other];
            let both = (with_a + (b + c) * costs[gone][other] - c * cost) / (a + b + c);
            (costs[kept][other], costs[other][kept]) = (both, both);
        }
        weights[kept] += weights[gone];
        merges.push(Merge { kept, gone, cost });
    }
    merges
}

/// P(v_j = 1 | k), a row for each component.
fn means(mixture: &Mixture) -> Vec<Vec<f64>> {
    let mean = |&odds: &f32| 1.0 / (1.0 + libm::exp(-f64::from(odds)));
    let odds = mixture.log_odds();
    (0..odds.rows()).map(|k| odds.row(k).iter().map(mean).collect()).collect()
}

/// The most that dividing a component in two could cost: its weight times the sum of its variances.
fn spread_within(mixture: &Mixture) -> f64 {
    let odds = mixture.log_odds();
    // p (1 − p) = exp(−softplus(c) − softplus(−c))
    let variance = |&odds: &f32| {
        let odds = f64::from(odds);
        libm::exp(-scalar::softplus(odds) - scalar::softplus(-odds))
    };
    let spread =
        |(k, weight): (usize, &f64)| weight * odds.row(k).iter().map(variance).sum::<f64>();
    mixture.weights().iter().enumerate().map(spread).fold(0.0, f64::max)
}

/// The number of groups at the highest relative jump of the cost. `within` stands for the cost of a merge before the
/// first one. Merges of equal components cost nothing and do not count: any cost is infinitely more.
fn number_of_groups(merges: &[Merge], within: f64) -> usize {
    let merges = &merges[merges.partition_point(|merge| merge.cost <= NOTHING * within)..];
    let components = merges.len() + 1;
    // The cost of the merge that leaves `groups` groups.
    let cost = |groups: usize| match groups == components {
        true => within,
        false => merges[components - groups - 1].cost,
    };
    let jump = |groups: usize| cost(groups - 1) / cost(groups).max(f64::MIN_POSITIVE);
    let jumps = (2..=components.min(MOST)).map(|groups| (groups, jump(groups)));
    let highest = jumps.max_by(|a, b| a.1.total_cmp(&b.1));
    highest.filter(|&(_, jump)| jump >= JUMP).map_or(1, |(groups, _)| groups)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use isotherm_kernels::Matrix;

    const KEY: Key = Key { seed: 7, step: 0 };

    /// `count` far products of 200 units, their weights falling by a quarter each.
    fn far_products(count: usize) -> Mixture {
        let mut odds = Matrix::zeros(count, 200);
        for k in 0..count {
            for (j, odds) in odds.row_mut(k).iter_mut().enumerate() {
                // Squares modulo a prime look random.
                *odds = if (j * j * (k + 2) + j * (3 * k + 1)) % 211 < 105 { 2.2 } else { -2.2 };
            }
        }
        let weights: Vec<f64> = (0..count).map(|k| 0.75f64.powi(k as i32)).collect();
        Mixture::new(&weights, odds)
    }

    /// Each product is a cluster, whatever the number of components: samples of the products are assigned as the true
    /// posterior assigns them, and the weights are those of the draws.
    #[test]
    fn far_products_are_clusters() {
        for count in [2, 3, 9] {
            let truth = far_products(count);
            let (rows, drawn) = truth.draw(3000, KEY);
            let clusters = Clusters::of_rows(&rows, KEY).unwrap();
            assert_eq!(clusters.count(), count);
            let (fresh, of_fresh) = truth.draw(2000, Key { seed: 8, step: 0 });
            let assigned = clusters.assign(&fresh);
            // Clusters and products are both ordered by weight; of two with nearly the same one, the order may differ.
            let mut together = vec![vec![0; count + 1]; count];
            of_fresh.iter().zip(&assigned).for_each(|(&k, &cluster)| together[k][cluster] += 1);
            let right: usize =
                together.iter().map(|row| row.iter().max().copied().unwrap_or(0)).sum();
            assert!(right > 1960, "{count}: {together:?}");
            let mut counts: Vec<f64> = (0..count)
                .map(|k| drawn.iter().filter(|&&it| it == k).count() as f64 / 3000.0)
                .collect();
            counts.sort_by(|a, b| b.total_cmp(a));
            for (weight, share) in clusters.weights().iter().zip(&counts) {
                // A thousandth is outside, by the definition of the floor, and few are on the wrong side.
                assert!((weight - share).abs() < 0.005, "{:?} {counts:?}", clusters.weights());
            }
        }
    }

    #[test]
    fn independent_units_and_a_single_row_are_one_cluster() {
        let one = Mixture::new(&[1.0], Matrix::from_row(&[0.4; 100]));
        for rows in [40, 400, 3000] {
            let (rows, _) = one.draw(rows, KEY);
            assert_eq!(Clusters::of_rows(&rows, KEY).unwrap().count(), 1);
        }
        let equal = BitMatrix::from_rows(3, &[[1, 0, 1]; 20]);
        let clusters = Clusters::of_rows(&equal, KEY).unwrap();
        assert_eq!((clusters.count(), clusters.weights()), (1, &[1.0, 0.0][..]));
    }

    /// Two kinds of rows and nothing between: as many components as clusters.
    #[test]
    fn two_patterns_are_two_clusters() {
        let rows = [[1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1]].repeat(100);
        let clusters = Clusters::of_rows(&BitMatrix::from_rows(6, &rows), KEY).unwrap();
        assert_eq!(clusters.count(), 2);
        let third = 1.0 / 3.0;
        assert!((clusters.weights()[1] - third).abs() < 1e-12, "{:?}", clusters.weights());
    }

    /// A component that is there twice is one component, and no sign of clusters.
    #[test]
    fn equal_components_are_one() {
        for count in [1, 3, 9] {
            let (rows, _) = far_products(count).draw(3000, KEY);
            let fitted = em::fit(&rows, 30, KEY, &mut |_| true).unwrap().mixture;
            let odds = [fitted.log_odds().to_dense(), fitted.log_odds().row(0).to_vec()].concat();
            let weights = [fitted.weights(), &fitted.weights()[..1]].concat();
            let odds = Matrix::from_dense(weights.len(), 200, &odds);
            let twice = Mixture::new(&weights, odds);
            for mixture in [fitted, twice] {
                assert_eq!(Clusters::of_mixture(Arc::new(mixture)).count(), count);
            }
        }
    }

    /// A row that no product can be expected to give is outside; without rows nothing is.
    #[test]
    fn unlikely_rows_are_outside() {
        let truth = far_products(3);
        let (rows, _) = truth.draw(2000, KEY);
        let clusters = Clusters::of_rows(&rows, KEY).unwrap();
        let mut far = rows.select(&[0, 1]);
        (0..200).filter(|j| j % 3 == 0).for_each(|j| {
            let bit = far.get(1, j);
            far.set(1, j, !bit);
        });
        let assigned = clusters.assign(&far);
        assert!(assigned[0] < 3 && assigned[1] == 3, "{assigned:?}");
        assert!(Clusters::of_mixture(Arc::new(truth)).assign(&far).iter().all(|&it| it < 3));
    }

    /// The costs of merges are Ward's: against the increase of the variance within groups, computed from the groups.
    #[test]
    fn costs_are_the_increase_of_the_variance_within() {
        let mixture = far_products(6);
        let means = means(&mixture);
        let within = |group: &[usize]| -> f64 {
            let weight: f64 = group.iter().map(|&k| mixture.weights()[k]).sum();
            let unit = |j: usize| {
                let mean = group.iter().map(|&k| mixture.weights()[k] * means[k][j]).sum::<f64>();
                let apart = |&k: &usize| (means[k][j] - mean / weight).powi(2);
                group.iter().map(|k| mixture.weights()[*k] * apart(k)).sum::<f64>()
            };
            (0..200).map(unit).sum()
        };
        let mut groups: Vec<Vec<usize>> = (0..6).map(|k| vec![k]).collect();
        for Merge { kept, gone, cost } in wards_merges(&mixture) {
            let (a, b) = (groups[kept].clone(), std::mem::take(&mut groups[gone]));
            let both = [a.clone(), b.clone()].concat();
            let increase = within(&both) - within(&a) - within(&b);
            assert!((cost - increase).abs() < 1e-9, "{cost} {increase}");
            groups[kept] = both;
        }
    }
}
