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

use crate::references::MOST_COMPONENTS;

/// Steps over which the means are taken.
const MEMORY: f64 = 300.0;

/// Observations from which a mean is trusted. Of fewer, the mean of the hotter neighbour counts for the rest.
const ENOUGH: f64 = 2.0;

/// How far numbers in a file may be from what they should be.
const ROUNDING: f64 = 1e-6;

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
            let mut log_weights: Vec<f64> =
                of_reference.iter().zip(log_z).map(|(w, z)| w - z).collect();
            normalise(&mut log_weights);
            log_weights
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
        self.between(&self.log_weights, beta, out);
    }

    /// The values of all components at β, from those at the nodes.
    fn between(&self, values: &[f64], beta: f64, out: &mut [f64]) {
        let count = self.components();
        let (left, share) = place(&self.betas, beta);
        let left = &values[left * count..][..2 * count];
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

    /// Puts the nodes where the rungs are. Rungs that drift keep what they have seen: interpolating at every step would
    /// blur it. It is interpolated if their number has changed, or if one of them is now nearer to where another was.
    fn move_nodes(&mut self, ladder: &[f64]) {
        let betas = ladder.iter().rev().copied();
        let stays = |(node, beta): (usize, f64)| {
            let (left, share) = place(&self.betas, beta);
            left + usize::from(share > 0.5) == node
        };
        if ladder.len() != self.betas.len() || !betas.clone().enumerate().all(stays) {
            let count = self.components();
            let moved = |values: &[f64]| -> Vec<f64> {
                let mut moved = vec![0.0; ladder.len() * count];
                let nodes = moved.chunks_exact_mut(count).zip(betas.clone());
                nodes.for_each(|(out, beta)| self.between(values, beta, out));
                moved
            };
            (self.sums, self.weights) = (moved(&self.sums), moved(&self.weights));
        }
        self.betas.clear();
        self.betas.extend(betas);
    }

    /// a_z(β) = log w_z − ∫ d log Z_z from 0 to β, by the trapezoidal rule. At β = 1 states do not tell to which
    /// component they belong, so the last slope is that of the rung before.
    fn integrate(&mut self) {
        let (count, nodes) = (self.components(), self.betas.len());
        // On the stack, because this is a part of every step.
        let (mut before, mut slopes) = ([0.0; MOST_COMPONENTS], [0.0; MOST_COMPONENTS]);
        self.log_weights.resize(nodes * count, 0.0);
        self.log_weights[..count].copy_from_slice(&self.of_reference);
        for node in 0..nodes {
            before.copy_from_slice(&slopes);
            if node + 1 < nodes {
                self.slopes(node, &mut slopes[..count]);
            }
            if node == 0 {
                continue;
            }
            let half = 0.5 * (self.betas[node] - self.betas[node - 1]);
            let (hotter, own) = self.log_weights[(node - 1) * count..].split_at_mut(count);
            let own = &mut own[..count];
            for k in 0..count {
                own[k] = hotter[k] - half * (before[k] + slopes[k]);
            }
            normalise(own);
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

    /// Goes on from such numbers; whether they fit. The ends are known: draws of the reference come from a_z(0), and at
    /// β = 1 the weights exp(a_z) add up to one, which is never computed.
    pub(super) fn set_values(&mut self, values: &[f64]) -> bool {
        let count = self.components();
        if !values.len().is_multiple_of(3 * count + 1) || !values.iter().all(|x| x.is_finite()) {
            return false;
        }
        let nodes: Vec<&[f64]> = values.chunks_exact(3 * count + 1).collect();
        let [first, .., last] = &nodes[..] else { return false };
        let part = |at: usize| nodes.iter().flat_map(move |it| it[at..][..count].iter());
        let total: f64 = last[1..][..count].iter().map(|&a| libm::exp(a)).sum();
        let is_near = |(a, b): (&f64, &f64)| (a - b).abs() < ROUNDING;
        let fits = (first[0], last[0]) == (0.0, 1.0)
            && nodes.windows(2).all(|pair| pair[0][0] < pair[1][0])
            && first[1..].iter().zip(&self.of_reference).all(is_near)
            && (total - 1.0).abs() < ROUNDING
            && part(1 + 2 * count).all(|&weight| weight >= 0.0);
        if fits {
            self.betas = nodes.iter().map(|it| it[0]).collect();
            self.log_weights = part(1).copied().collect();
            self.sums = part(1 + count).copied().collect();
            self.weights = part(1 + 2 * count).copied().collect();
        }
        fits
    }
}

/// Log weights of a sum of one: terms that all components share change nothing but the size of the numbers.
fn normalise(log_weights: &mut [f64]) {
    let largest = log_weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let total: f64 = log_weights.iter().map(|a| libm::exp(a - largest)).sum();
    let log_total = largest + libm::log(total);
    log_weights.iter_mut().for_each(|a| *a -= log_total);
}

/// The node below β, and how far towards the next one β is.
fn place(nodes: &[f64], beta: f64) -> (usize, f64) {
    let left = nodes.partition_point(|&node| node <= beta).clamp(1, nodes.len() - 1) - 1;
    (left, (beta - nodes[left]) / (nodes[left + 1] - nodes[left]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A step on a ladder where the slope of component 1 is 20 β² above that of component 0.
    fn see(balance: &mut Balance, ladder: &[f64]) {
        let warm = ladder.iter().enumerate().skip(1);
        let replicas: Vec<Observed> = warm
            .flat_map(|(rung, beta)| {
                let of = move |component| {
                    let slope = 20.0 * beta * beta * component as f64;
                    Observed { rung, component, slope }
                };
                [of(0), of(1)]
            })
            .collect();
        balance.observe(ladder, replicas.into_iter());
    }

    fn difference(balance: &Balance, beta: f64) -> f64 {
        let mut log_weights = [0.0; 2];
        balance.log_weights(beta, &mut log_weights);
        log_weights[1] - log_weights[0]
    }

    const LADDER: [f64; 6] = [1.0, 0.8, 0.6, 0.4, 0.2, 0.0];

    fn learned() -> Balance {
        let mut balance = Balance::new(&[0.5_f64.ln(); 2]);
        (0..1000).for_each(|_| see(&mut balance, &LADDER));
        balance
    }

    /// The slopes belong to inverse temperatures: on another ladder they are those of the places of its rungs, whether
    /// it has as many rungs or not. The difference is −20 β³/3. Between nodes that are 0.2 apart, straight lines are at
    /// most 0.2 above 20 β², which up to β = 0.5 comes to 0.1; the trapezoidal rule adds less than 0.07.
    #[test]
    fn another_ladder_takes_the_slopes_of_its_own_places() {
        for ladder in [&[1.0, 0.5, 0.3, 0.2, 0.1, 0.0][..], &[1.0, 0.5, 0.3, 0.1, 0.0]] {
            let mut balance = learned();
            see(&mut balance, ladder);
            for &beta in &ladder[1..] {
                let (found, wanted) = (difference(&balance, beta), -20.0 * beta.powi(3) / 3.0);
                assert!((found - wanted).abs() < 0.2, "{ladder:?} β = {beta}: {found}, {wanted}");
            }
        }
    }

    /// Interpolating at every step of a slow drift would blur the slopes.
    #[test]
    fn rungs_that_drift_keep_what_they_have_seen() {
        let (mut still, mut drifting) = (learned(), learned());
        see(&mut still, &LADDER);
        let moved = LADDER.map(|beta| beta + 0.01 * (beta * (1.0 - beta)));
        see(&mut drifting, &moved);
        assert_eq!(still.weights, drifting.weights);
    }

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
