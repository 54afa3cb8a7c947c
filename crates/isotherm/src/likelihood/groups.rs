//! Groups of components between which annealed particles move freely.
//!
//! Component by component, the weight of a particle is multiplied by the posterior probability of the component that it
//! began in. Where components overlap, as in a model without clusters, almost all particles end in another one, and
//! their weights vanish. So components that exchange particles form a group g with the posterior probability
//! P(g | v) = Σ_{k in g} P(k | v), by which the weights are multiplied instead, times the share of the component in
//! the group:
//!
//! f_k(v) = α_k P(g(k) | v), with Σ_{k in g} α_k = 1, so that Σ_k f_k(v) = 1 at every v.
//!
//! This is all that an unbiased sum over components needs; with every component a group of its own, f_k(v) is
//! P(k | v).

/// A group keeps at least this share of the particles that begin in it.
const KEPT: f64 = 0.8;

/// The groups of some components.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Groups {
    /// The group of each component.
    of: Vec<usize>,
    /// α of each component.
    shares: Vec<f64>,
}

impl Groups {
    /// Every component by itself.
    pub(super) fn apart(components: usize) -> Groups {
        Groups { of: (0..components).collect(), shares: vec![1.0; components] }
    }

    /// The groups by where particles ended: `ends[k][j]` is the mean of P(j | v) over those that began in component k. A
    /// component has a share in its group by its weight, and by how many of its particles it kept: those of a component
    /// that all leave, such as a wide one, are the least reliable.
    pub(super) fn by(ends: &[Vec<f64>], weights: &[f64]) -> Groups {
        let count = ends.len();
        let least = 0.1 / count as f64;
        let quality: Vec<f64> = (0..count).map(|k| weights[k] * (ends[k][k] + least)).collect();
        let mut groups = Groups::apart(count);
        loop {
            let flow = groups.flow(ends, &quality);
            let kept = |&g: &usize| flow[g][g];
            let present = (0..count).filter(|g| groups.of.contains(g));
            let Some(least) = present.min_by(|a, b| kept(a).total_cmp(&kept(b))) else { break };
            if flow[least][least] >= KEPT {
                break;
            }
            let others = (0..count).filter(|&g| g != least && flow[least][g] > 0.0);
            let to = others.max_by(|&a, &b| flow[least][a].total_cmp(&flow[least][b]));
            let Some(to) = to else { break };
            groups.of.iter_mut().filter(|g| **g == least).for_each(|g| *g = to);
        }
        let total = |g: usize| -> f64 {
            (0..count).filter(|&k| groups.of[k] == g).map(|k| quality[k]).sum()
        };
        groups.shares = (0..count).map(|k| quality[k] / total(groups.of[k])).collect();
        groups
    }

    /// The share of the particles of each group that ends in each group.
    fn flow(&self, ends: &[Vec<f64>], quality: &[f64]) -> Vec<Vec<f64>> {
        let count = ends.len();
        let mut flow = vec![vec![0.0; count]; count];
        let mut totals = vec![0.0; count];
        for k in 0..count {
            totals[self.of[k]] += quality[k];
            for (j, end) in ends[k].iter().enumerate() {
                flow[self.of[k]][self.of[j]] += quality[k] * end;
            }
        }
        for (flow, total) in flow.iter_mut().zip(totals).filter(|(_, total)| *total > 0.0) {
            flow.iter_mut().for_each(|x| *x /= total);
        }
        flow
    }

    /// Whether any component has company.
    pub(super) fn any(&self) -> bool {
        self.shares.iter().any(|&share| share < 1.0)
    }

    /// log f_k(v) of each component, given log P(k | v) of rows.
    pub(super) fn log_parts(&self, mut posteriors: Vec<f64>) -> Vec<f64> {
        let count = self.of.len();
        let mut regions = vec![0.0; count];
        for row in posteriors.chunks_exact_mut(count) {
            regions.fill(0.0);
            for (k, log) in row.iter().enumerate() {
                regions[self.of[k]] += libm::exp(*log);
            }
            for (k, log) in row.iter_mut().enumerate() {
                // A component by itself keeps the precision of its logarithm.
                if self.shares[k] < 1.0 {
                    *log = libm::log(self.shares[k] * regions[self.of[k]]);
                }
            }
        }
        posteriors
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Particles of the first two components end in either, those of the third stay, and those of the last, a wide one,
    /// end anywhere.
    fn ends() -> Vec<Vec<f64>> {
        vec![
            vec![0.5, 0.5, 0.0, 0.0],
            vec![0.4, 0.6, 0.0, 0.0],
            vec![0.0, 0.05, 0.95, 0.0],
            vec![0.2, 0.3, 0.5, 0.0],
        ]
    }

    #[test]
    fn components_that_exchange_particles_are_a_group() {
        let groups = Groups::by(&ends(), &[0.3, 0.3, 0.3, 0.1]);
        assert_eq!(groups.of[0], groups.of[1]);
        assert_ne!(groups.of[0], groups.of[2]);
        assert_eq!(groups.of[3], groups.of[2], "where most of the wide one's end");
        assert!(groups.any() && groups.shares[3] < 0.02 && groups.shares[2] > 0.98, "{groups:?}");
        let stay: Vec<Vec<f64>> =
            (0..3).map(|k| (0..3).map(|j| if j == k { 0.9 } else { 0.05 }).collect()).collect();
        assert_eq!(Groups::by(&stay, &[0.5, 0.3, 0.2]), Groups::apart(3));
    }

    #[test]
    fn the_parts_of_a_state_add_up_to_one() {
        let log = |p: [f64; 4]| p.map(libm::log).to_vec();
        let rows = [log([0.1, 0.2, 0.3, 0.4]), log([0.7, 0.1, 0.1, 0.1])].concat();
        let groups = Groups::by(&ends(), &[0.3, 0.3, 0.3, 0.1]);
        for row in groups.log_parts(rows.clone()).chunks(4) {
            let total: f64 = row.iter().map(|log| log.exp()).sum();
            assert!((total - 1.0).abs() < 1e-12, "{row:?}");
        }
        assert_eq!(Groups::apart(4).log_parts(rows.clone()), rows);
    }
}
