//! How much each component of a mixture counts along the path from it.
//!
//! With a [`Mixture`](crate::references::Mixture) as reference,
//!
//! π_β(v, h, z) ∝ exp(a_z(β)) q(v | z)^(1−β) exp(−β E(v, h)).
//!
//! Every choice of a_z gives a path from the mixture, where a_z(0) = log w_z, to the model, where z is independent
//! of v and h. The mass of component z on the way is exp(a_z(β)) Z_z(β), with
//! Z_z(β) = Σ_{v,h} q(v | z)^(1−β) exp(−β E(v, h)). With a_z constant, clusters whose components describe them badly
//! lose almost all of their mass at medium β, because Z_z falls there: a barrier that no rung removes. With
//!
//! a_z(β) = log w_z − log Z_z(β)
//!
//! each component keeps its weight at every β < 1, and so each cluster. log Z_z is found by thermodynamic integration:
//! d log Z_z / dβ is the mean of −E(v, h) − log q(v | z) over π_β given z. A replica measures it without leaving its
//! cluster, so it is known long before replicas have travelled. While a_z is fixed, as in `sample` and `evaluate`, its
//! errors cost swaps and nothing else. (`evaluate` has log Z_z(β) from annealing, and learns nothing: from the few
//! rungs of its ladders the integral is tens of nats off where hidden units order at a small β, and then nothing
//! swaps.) While a ladder adapts, in training and in the online estimate of log Z, a_z moves
//! with a memory of 300 steps, so that the distributions of the rungs change while they are sampled.

/// Steps over which the means are taken.
const MEMORY: f64 = 300.0;

/// Observations from which a mean is trusted. Of fewer, the mean of the hotter neighbour counts for the rest.
const ENOUGH: f64 = 2.0;

/// The log weights a_z at some inverse temperatures, and what they were computed from.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Balance {
    /// log w_z.
    of_reference: Vec<f64>,
    /// The nodes, β = 0 first and β = 1 last.
    betas: Vec<f64>,
    /// a_z at each node.
    log_weights: Vec<f64>,
    /// Sums of −E(v, h) − log q(v | z) at each node, and of their weights.
    sums: Vec<f64>,
    weights: Vec<f64>,
    /// Whether a_z is known already, and nothing is learned.
    known: bool,
}

/// A replica after a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Observed {
    /// Its rung, β = 1 first.
    pub(super) rung: usize,
    /// Its component.
    pub(super) component: usize,
    /// −E(v, h) − log q(v | z).
    pub(super) slope: f64,
}

impl Balance {
    /// a_z(β) = log w_z, as long as nothing is known.
    pub(super) fn new(of_reference: &[f64]) -> Balance {
        let none = vec![0.0; 2 * of_reference.len()];
        Balance {
            of_reference: of_reference.to_vec(),
            betas: vec![0.0, 1.0],
            log_weights: of_reference.repeat(2),
            sums: none.clone(),
            weights: none,
            known: false,
        }
    }

    /// a_z(β) = log w_z − log Z_z(β), given log Z_z at some nodes, the first β = 0 and the last β = 1: of all components
    /// at the first node, then at the next.
    pub(super) fn known(of_reference: &[f64], betas: Vec<f64>, log_z: &[f64]) -> Balance {
        let count = of_reference.len();
        let nothing = vec![0.0; log_z.len()];
        let of_node = |log_z: &[f64]| {
            let log_weights: Vec<f64> =
                of_reference.iter().zip(log_z).map(|(w, z)| w - z).collect();
            normalised(log_weights)
        };
        Balance {
            of_reference: of_reference.to_vec(),
            betas,
            log_weights: log_z.chunks_exact(count).flat_map(of_node).collect(),
            sums: nothing.clone(),
            weights: nothing,
            known: true,
        }
    }

    fn components(&self) -> usize {
        self.of_reference.len()
    }

    /// a_z(β): straight lines between the nodes.
    pub(super) fn log_weights(&self, beta: f64, out: &mut [f64]) {
        let count = self.components();
        let (left, share) = place(&self.betas, beta);
        let left = &self.log_weights[left * count..][..2 * count];
        for (k, out) in out.iter_mut().enumerate() {
            *out = left[k] + share * (left[count + k] - left[k]);
        }
    }

    /// Takes the means over the replicas of a step into account, on the ladder with these rungs, β = 1 first.
    pub(super) fn observe(&mut self, ladder: &[f64], replicas: impl Iterator<Item = Observed>) {
        if self.known {
            return;
        }
        self.move_nodes(ladder);
        let count = self.components();
        self.sums.iter_mut().chain(&mut self.weights).for_each(|x| *x *= 1.0 - 1.0 / MEMORY);
        for Observed { rung, component, slope } in replicas {
            let at = (self.betas.len() - 1 - rung) * count + component;
            self.sums[at] += slope;
            self.weights[at] += 1.0;
        }
        self.integrate();
    }

    /// Puts the nodes where the rungs are. What was seen is interpolated if their number has changed; rungs that
    /// only moved keep theirs.
    fn move_nodes(&mut self, ladder: &[f64]) {
        let betas: Vec<f64> = ladder.iter().rev().copied().collect();
        if betas.len() != self.betas.len() {
            let count = self.components();
            let between = |values: &[f64]| -> Vec<f64> {
                let at = |&beta: &f64| {
                    let (left, share) = place(&self.betas, beta);
                    let left = &values[left * count..][..2 * count];
                    (0..count).map(move |k| left[k] + share * (left[count + k] - left[k]))
                };
                betas.iter().flat_map(at).collect()
            };
            (self.sums, self.weights) = (between(&self.sums), between(&self.weights));
        }
        self.betas = betas;
    }

    /// a_z(β) = log w_z − ∫ d log Z_z from 0 to β, by the trapezoidal rule. At β = 1 states do not tell to which
    /// component they belong, so the last slope is that of the rung before.
    fn integrate(&mut self) {
        let (count, nodes) = (self.components(), self.betas.len());
        let mut slopes = vec![0.0; count];
        let mut before = vec![0.0; count];
        let mut log_weights = self.of_reference.clone();
        self.log_weights.clear();
        self.log_weights.extend_from_slice(&self.of_reference);
        for node in 0..nodes {
            before.copy_from_slice(&slopes);
            if node + 1 < nodes {
                self.slopes(node, &mut slopes);
            }
            if node == 0 {
                continue;
            }
            let half = 0.5 * (self.betas[node] - self.betas[node - 1]);
            for k in 0..count {
                log_weights[k] -= half * (before[k] + slopes[k]);
            }
            log_weights = normalised(log_weights);
            self.log_weights.extend_from_slice(&log_weights);
        }
    }

    /// The slopes of log Z_z at a node, less their mean; `slopes` holds those of the hotter node.
    fn slopes(&self, node: usize, slopes: &mut [f64]) {
        let count = self.components();
        let (sums, weights) = (&self.sums[node * count..], &self.weights[node * count..]);
        let all: f64 = weights[..count].iter().sum();
        if all == 0.0 {
            return;
        }
        let mean = sums[..count].iter().sum::<f64>() / all;
        for (k, slope) in slopes.iter_mut().enumerate() {
            let missing = (ENOUGH - weights[k]).max(0.0);
            *slope = (sums[k] - weights[k] * mean + missing * *slope) / (weights[k] + missing);
        }
    }

    /// What was learned, as numbers: for each node its β, then a_z, sums and weights of all components.
    pub(super) fn to_values(&self) -> Vec<f64> {
        let count = self.components();
        let of = |values: &'_ [f64], node: usize| values[node * count..][..count].to_vec();
        let node = |node: usize| {
            let parts = [&self.log_weights, &self.sums, &self.weights];
            [vec![self.betas[node]], parts.map(|part| of(part, node)).concat()].concat()
        };
        (0..self.betas.len()).flat_map(node).collect()
    }

    /// Goes on from such numbers; whether they fit.
    pub(super) fn set_values(&mut self, values: &[f64]) -> bool {
        let count = self.components();
        let nodes: Vec<&[f64]> = values.chunks(3 * count + 1).collect();
        let rises = nodes.windows(2).all(|pair| pair[0][0] < pair[1][0]);
        let fits = values.len().is_multiple_of(3 * count + 1)
            && nodes.len() >= 2
            && nodes[0][0] == 0.0
            && nodes[nodes.len() - 1][0] == 1.0
            && rises;
        if fits {
            let part = |first: usize| nodes.iter().flat_map(move |it| it[first..][..count].iter());
            self.betas = nodes.iter().map(|it| it[0]).collect();
            self.log_weights = part(1).copied().collect();
            self.sums = part(1 + count).copied().collect();
            self.weights = part(1 + 2 * count).copied().collect();
        }
        fits
    }
}

/// Log weights of a sum of one: terms that all components share change nothing but the size of the numbers.
fn normalised(mut log_weights: Vec<f64>) -> Vec<f64> {
    let largest = log_weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let total: f64 = log_weights.iter().map(|a| libm::exp(a - largest)).sum();
    let log_total = largest + libm::log(total);
    log_weights.iter_mut().for_each(|a| *a -= log_total);
    log_weights
}

/// The node below β, and how far towards the next one β is.
fn place(nodes: &[f64], beta: f64) -> (usize, f64) {
    let left = nodes.partition_point(|&node| node <= beta).clamp(1, nodes.len() - 1) - 1;
    (left, (beta - nodes[left]) / (nodes[left + 1] - nodes[left]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two components of which one gains two nats on the way, half of them in the first tenth: each keeps its weight.
    #[test]
    fn components_of_known_log_z_keep_their_weights() {
        let weights = [0.25, 0.75];
        let of_reference = weights.map(libm::log);
        let log_z = [0.0, 0.0, 1.0, 0.0, 2.0, 0.0];
        let mut balance = Balance::known(&of_reference, vec![0.0, 0.1, 1.0], &log_z);
        let masses = |balance: &Balance, beta: f64, gained: f64| {
            let mut out = [0.0; 2];
            balance.log_weights(beta, &mut out);
            let masses = [libm::exp(out[0] + gained), libm::exp(out[1])];
            masses.map(|mass| mass / (masses[0] + masses[1]))
        };
        for (beta, gained) in [(0.0, 0.0), (0.05, 0.5), (0.1, 1.0), (0.55, 1.5)] {
            let kept = masses(&balance, beta, gained);
            assert!((kept[0] - weights[0]).abs() < 1e-12, "{beta}: {kept:?}");
        }
        // What replicas show does not change it.
        let before = balance.clone();
        let replica = Observed { rung: 1, component: 0, slope: 10.0 };
        balance.observe(&[1.0, 0.5, 0.0], std::iter::repeat_n(replica, 5));
        assert_eq!(balance, before);
    }
}
