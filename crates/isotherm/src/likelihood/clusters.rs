//! log Z component by component: annealing from each component of a mixture to its own part of the model.
//!
//! With P(k | v) the posterior probability of component k of a mixture, Z = Σ_k Z_k, where
//! Z_k = Σ_v e^−F(v) P(k | v) is the part of component k. Particles drawn from the component q_k are
//! annealed along q_k^(1−s) e^−sF with the component *fixed*, which is the base-rate path with the log-odds of q_k as
//! base rates. No particle has to find a mode that it does not start in.
//!
//! **Up.** Let N_k be the normaliser of q_k on this path, w the weight that annealing gives a particle, and v its state
//! after the last step, in which v is drawn at β = 1. w is the ratio of the extended target, in which the
//! trajectory is run backwards from v ~ e^−F, to the forward process, so that E[w f(v)] = Σ_v e^−F(v) f(v) / N_k for
//! any f. With f = P(k | ·), E[N_k w P(k | v)] = Z_k: the estimate of each part is unbiased for a fixed number of
//! particles, and so is the sum, whose logarithm is low on average (Jensen). Here the number is chosen from the first
//! particles (`Strata::allocate`, and when to stop), which lowers the value slightly. A particle that leaves its component
//! ends with a weight multiplied by P(k | v) ≈ 0, wherever it goes.
//!
//! **Down.** For a sample v of the model, draw k from P(k | v) and anneal down to q_k, by the same trajectory the
//! other way round. Its density, with k, is that of a trajectory up from q_k times N_k w P(k | v) / Z. So, with any
//! s_k that add up to one, E[s_k / (N_k w P(k | v))] = Σ_k s_k / Z = 1/Z, and log Z is high on average. s_k ∝ Z_k, as
//! annealing up found it, leaves the least variance.
//!
//! **Groups.** Both hold with any f_k in place of P(k | ·) that add up to one at every v. The f_k are those of groups of
//! components that exchanged particles among the first ones (`groups.rs`); these particles are then left out.

use std::sync::Arc;

use isotherm_kernels::BitMatrix;
use rand::RngExt;

use super::groups::Groups;
use crate::error::Result;
use crate::model::Rbm;
use crate::paths::joint::joint;
use crate::paths::{Gibbs, GibbsPath, RbmEnsemble, SwapOn};
use crate::references::Mixture;
use isotherm_tempering::evidence::annealing::{anneal, from_above};
use isotherm_tempering::evidence::annealing_schedule::AnnealingSchedule;
use isotherm_tempering::evidence::{
    AnnealingEffort, Estimate, MORE, Pooled, Strata, anneal_in_batches, are_too_uneven,
};
use isotherm_tempering::streams::{Key, Purpose};
use isotherm_tempering::{Densities, Ensemble};

/// Particles of a pilot.
const PILOT: usize = 16;

/// Annealing takes at least this many times the steps of the pilot, if it may: with only two or three times
/// as many, particles end up in the wrong modes and the errors are too small.
const PILOT_STEPS: usize = 4;

/// β, at most, at which log Z along the way is kept.
const NODES: usize = 256;

/// The fewest particles of a component.
const FEWEST: usize = 4;

/// A component with less than this share of Z needs no better weights.
const SMALL_SHARE: f64 = 0.01;

/// No s_k is smaller than this.
const LEAST_SHARE: f64 = 1e-9;

/// Parts of an estimate that one of its kind may number, for their random numbers.
const PARTS: u64 = 1 << 24;

/// The components of a mixture, ready to be annealed.
pub(super) struct Clusters<'a> {
    model: &'a Rbm,
    mixture: Arc<Mixture>,
    seed: u64,
    /// The number of the first part, which no other estimate uses.
    first_part: u64,
    /// The schedule of each component.
    schedules: Vec<AnnealingSchedule>,
    /// Components that are pooled because they exchange particles.
    groups: Groups,
}

/// Annealing up from all components.
pub(super) struct Up {
    /// log Z.
    pub(super) estimate: Estimate,
    /// The share of each component in Z.
    pub(super) shares: Vec<f64>,
    /// The most steps.
    pub(super) steps: usize,
    /// Particles of all components.
    pub(super) particles: usize,
}

/// Particles of a component that were annealed up.
struct Annealed {
    /// log (N_k w).
    weights: Vec<f64>,
    /// log f_k(v) at the end.
    parts: Vec<f64>,
    /// The mean of P(j | v) at the end, for each component j.
    ends: Vec<f64>,
}

impl Annealed {
    fn logs(&self) -> Vec<f64> {
        self.weights.iter().zip(&self.parts).map(|(w, p)| w + p).collect()
    }
}

impl<'a> Clusters<'a> {
    /// Finds a schedule for each component of a mixture.
    pub(super) fn new(
        model: &'a Rbm,
        mixture: Arc<Mixture>,
        (seed, first_part): (u64, u64),
        progress: &mut dyn FnMut(f64) -> bool,
    ) -> Result<Clusters<'a>> {
        let count = mixture.components();
        let groups = Groups::apart(count);
        let schedules = Vec::new();
        let mut it = Clusters { model, mixture, seed, first_part, schedules, groups };
        for k in 0..count {
            isotherm_tempering::causes::unless_interrupted(progress(k as f64 / count as f64))?;
            let mut path = it.particles(k, PILOT);
            it.schedules.push(AnnealingSchedule::pilot(&mut path, model, it.key(k as u64))?);
        }
        Ok(it)
    }

    /// Their mixture.
    pub(super) fn mixture(&self) -> &Arc<Mixture> {
        &self.mixture
    }

    fn key(&self, part: u64) -> Key {
        Key::of_log_z(self.seed, self.first_part + part)
    }

    /// The path from a component to the model, without particles yet.
    fn path(&self, k: usize) -> Gibbs {
        let (n_visible, n_hidden) = (self.model.n_visible(), self.model.n_hidden());
        let base = self.mixture.log_odds().row(k);
        GibbsPath::new(n_visible, n_hidden, base, SwapOn::FreeEnergy)
            .population(n_visible, n_hidden)
    }

    /// The same with particles. Their states do not matter: the first step, at β = 0, draws them.
    fn particles(&self, k: usize, count: usize) -> Gibbs {
        let mut path = self.path(k);
        path.set_hidden(BitMatrix::zeros(count, self.model.n_hidden()));
        path
    }

    /// log Z_k(β) of each component on its way to the model, up to a constant: at some β, the first 0 and the last 1, of
    /// all components at the first, then at the next. The components of a mixture are normalised, so that the path from it
    /// has q_k^(1−β) where that of a component by itself has this times N_k^(1−β).
    ///
    /// A pilot's particles stay in the mode that they are in, where the component may long hold more of another one.
    /// With r_j the distribution of component j at β, Z_k ≥ Z_j E[(q_k / q_j)^(1−β)] over r_j, and with r_j ≈ q_j
    /// and Jensen's inequality log Z_k ≥ log Z_j − (1 − β) KL(q_j, q_k).
    pub(super) fn along_the_way(&self) -> (Vec<f64>, Vec<f64>) {
        let pilots = || self.schedules.iter();
        let mut all: Vec<f64> = pilots().flat_map(|it| it.betas()).copied().collect();
        all.retain(|&beta| beta < 1.0);
        all.sort_unstable_by(f64::total_cmp);
        all.dedup();
        let thinned = all.iter().copied().step_by(all.len().div_ceil(NODES));
        let betas: Vec<f64> = thinned.chain([1.0]).collect();
        let count = self.schedules.len();
        let of_hidden = self.model.n_hidden() as f64 * std::f64::consts::LN_2;
        let norm = |k: usize| self.path(k).log_z_of_reference() - of_hidden;
        let norms: Vec<f64> = (0..count).map(norm).collect();
        let divergences = self.mixture.divergences();
        let at = |&beta: &f64| {
            let pilots = pilots().zip(&norms);
            let own: Vec<f64> =
                pilots.map(|(pilot, norm)| pilot.log_z(beta) + beta * norm).collect();
            let with_others = |k: usize| {
                let of = |j: usize| own[j] - (1.0 - beta) * divergences[j * count + k];
                (0..count).map(of).fold(f64::NEG_INFINITY, f64::max)
            };
            (0..count).map(with_others).collect::<Vec<f64>>()
        };
        let log_z = betas.iter().flat_map(at).collect();
        (betas, log_z)
    }

    /// `steps`, or as many more as the pilot of a component asks for.
    fn steps_of(&self, k: usize, steps: usize, effort: &AnnealingEffort) -> usize {
        steps.max((PILOT_STEPS * self.schedules[k].gaps()).min(effort.most_steps))
    }

    /// log Z by annealing up. Every component has the same number of first particles; the others, batch by batch, go
    /// where they lower the error most.
    pub(super) fn up(
        &mut self,
        effort: &AnnealingEffort,
        progress: &mut dyn FnMut(f64) -> bool,
    ) -> Result<Up> {
        let count = self.mixture.components();
        let batches = effort.most_batches as f64;
        let first = (effort.particles / (2 * count)).max(FEWEST);
        let mut steps: Vec<usize> =
            (0..count).map(|k| self.steps_of(k, effort.steps, effort)).collect();
        let mut part = PARTS;
        let mut of_first =
            self.first(first, &steps, &mut part, &mut |share| progress(0.25 * share / batches))?;
        let ends: Vec<Vec<f64>> = of_first.iter().map(|it| it.ends.clone()).collect();
        self.groups = Groups::by(&ends, self.mixture.weights());
        if self.groups.any() {
            of_first = self.first(first, &steps, &mut part, &mut |share| {
                progress((0.25 + 0.25 * share) / batches)
            })?;
        }
        let mut strata = Strata::new(count);
        for (k, annealed) in of_first.iter().enumerate() {
            strata.extend(k, &annealed.logs());
        }
        for k in 0..count {
            while strata.shares()[k] >= SMALL_SHARE
                && are_too_uneven(&of_first[k].weights)
                && steps[k].saturating_mul(MORE) <= effort.most_steps
            {
                steps[k] *= MORE;
                let share = 0.5 / batches;
                of_first[k] = self.anneal(k, first, steps[k], part, &mut || progress(share))?;
                strata.clear(k);
                strata.extend(k, &of_first[k].logs());
                part += 1;
            }
        }
        for batch in 0..effort.most_batches {
            if batch > 0 && strata.log_sum().std_error <= effort.error {
                break;
            }
            let more = strata.allocate((effort.particles / 2).max(FEWEST));
            for (k, more) in more.into_iter().enumerate().filter(|&(_, more)| more > 0) {
                let within = 0.5 + 0.5 * k as f64 / count as f64;
                let share = (batch as f64 + within) / batches;
                let annealed = self.anneal(k, more, steps[k], part, &mut || progress(share))?;
                strata.extend(k, &annealed.logs());
                part += 1;
            }
        }
        let steps = steps.into_iter().max().unwrap_or(0);
        let (estimate, shares) = (strata.log_sum(), strata.shares());
        Ok(Up { estimate, shares, steps, particles: strata.particles() })
    }

    /// The first particles of every component.
    fn first(
        &self,
        count: usize,
        steps: &[usize],
        part: &mut u64,
        progress: &mut dyn FnMut(f64) -> bool,
    ) -> Result<Vec<Annealed>> {
        let mut found = Vec::with_capacity(steps.len());
        for (k, &of_k) in steps.iter().enumerate() {
            let share = k as f64 / steps.len() as f64;
            found.push(self.anneal(k, count, of_k, *part, &mut || progress(share))?);
            *part += 1;
        }
        Ok(found)
    }

    /// Anneals particles of a component up to the model.
    fn anneal(
        &self,
        k: usize,
        count: usize,
        steps: usize,
        part: u64,
        progress: &mut dyn FnMut() -> bool,
    ) -> Result<Annealed> {
        let (mut path, key) = (self.particles(k, count), self.key(part));
        let schedule = self.schedules[k].in_steps(steps);
        let mut weights = anneal(&mut path, self.model, &schedule, key, &mut |_| progress())?;
        let of_component = path.log_z_of_reference();
        weights.iter_mut().for_each(|weight| *weight += of_component);
        // The states that the posterior is taken at: one step on, so that annealing down can begin with a step.
        path.sweep(self.model, &vec![1.0; count], 1, Key { step: steps as u64, ..key })?;
        let components = self.mixture.components();
        let posteriors = self.mixture.log_posteriors(&path.states.visible_states());
        let mut ends = vec![0.0; components];
        for of_row in posteriors.chunks_exact(components) {
            ends.iter_mut()
                .zip(of_row)
                .for_each(|(end, log)| *end += libm::exp(*log) / count as f64);
        }
        let parts = self.groups.log_parts(posteriors);
        let parts = parts.chunks_exact(components).map(|of_row| of_row[k]).collect();
        Ok(Annealed { weights, parts, ends })
    }

    /// log Z by annealing down from samples of the model, given as hidden states; sample i is of group i mod `groups`.
    /// `shares` are those that annealing up found. The second value is the visible states of the samples.
    pub(super) fn down(
        &self,
        samples: &BitMatrix,
        (groups, which): (usize, u64),
        shares: &[f64],
        effort: &AnnealingEffort,
        progress: &mut dyn FnMut(f64) -> bool,
    ) -> Result<(Pooled, BitMatrix)> {
        let first_part = (2 + which) * PARTS;
        let (v, h) = self.after_a_step(samples, self.key(first_part))?;
        let (components, posteriors) = self.draw_components(&v, self.key(first_part));
        let floored = shares.iter().map(|share| share.max(LEAST_SHARE));
        let total: f64 = floored.clone().sum();
        let log_shares: Vec<f64> = floored.map(|share| libm::log(share / total)).collect();
        let mut part = first_part + 1;
        let batch = |which: usize, steps: usize| {
            let rows: Vec<usize> = (0..effort.particles)
                .map(|i| (which * effort.particles + i) % samples.rows())
                .collect();
            let mut logs = vec![0.0; rows.len()];
            for (k, log_share) in log_shares.iter().enumerate() {
                let of_k: Vec<usize> =
                    (0..rows.len()).filter(|&at| components[rows[at]] == k).collect();
                if of_k.is_empty() {
                    continue;
                }
                let states: Vec<usize> = of_k.iter().map(|&at| rows[at]).collect();
                let mut path = self.path(k);
                path.set_hidden(h.select(&states));
                let rising = self.schedules[k].in_steps(self.steps_of(k, steps, effort));
                let falling: Vec<f64> = rising.into_iter().rev().collect();
                let share = k as f64 / log_shares.len() as f64;
                let key = self.key(part);
                let tell = &mut |_| progress(share);
                let weights = anneal(&mut path, self.model, &falling, key, tell)?;
                part += 1;
                let known = log_share - path.log_z_of_reference();
                for (&at, weight) in of_k.iter().zip(weights) {
                    logs[at] = weight + known - posteriors[rows[at]];
                }
            }
            Ok(logs)
        };
        let pooled = anneal_in_batches(effort, batch, |logs| from_above(logs, groups, 0.0))?;
        Ok((pooled, v))
    }

    /// v given hidden states, and h given v.
    fn after_a_step(&self, samples: &BitMatrix, key: Key) -> Result<(BitMatrix, BitMatrix)> {
        let (n_visible, n_hidden) = (self.model.n_visible(), self.model.n_hidden());
        let mut gibbs = joint(n_visible, n_hidden, SwapOn::FreeEnergy);
        gibbs.set_hidden(samples.clone());
        let cold = vec![1.0; samples.rows()];
        gibbs.sweep(self.model, &cold, 1, key)?;
        let v = gibbs.states.visible_states();
        gibbs.resample(self.model, &cold, key);
        Ok((v, gibbs.hidden()))
    }

    /// A component of each row, drawn from f_k(v), and the logarithm of that probability.
    fn draw_components(&self, v: &BitMatrix, key: Key) -> (Vec<usize>, Vec<f64>) {
        let (rng, count) = (&mut key.sequence(Purpose::Mixture, 0), self.mixture.components());
        let posteriors = self.groups.log_parts(self.mixture.log_posteriors(v));
        let draw = |of_row: &[f64]| {
            let mut left: f64 = rng.random();
            let drawn = of_row.iter().position(|&log| {
                left -= libm::exp(log);
                left < 0.0
            });
            let k = drawn.unwrap_or_else(|| most_probable(of_row));
            (k, of_row[k])
        };
        posteriors.chunks_exact(count).map(draw).unzip()
    }
}

fn most_probable(logs: &[f64]) -> usize {
    (0..logs.len()).fold(0, |best, k| if logs[k] > logs[best] { k } else { best })
}

#[cfg(test)]
mod tests {
    use isotherm_kernels::Matrix;

    use super::*;
    use crate::likelihood::exact;
    use crate::model::{Initial, Parameters, PerfectSampler};
    use crate::paths::hidden_given;
    use crate::references::log_sum_exp;

    fn effort(particles: usize, steps: usize) -> AnnealingEffort {
        AnnealingEffort { particles, most_batches: 1, steps, most_steps: steps, error: 0.1 }
    }

    fn mixture(n_visible: usize, components: usize) -> Mixture {
        let odds = |i: usize| 2.0 * libm::sinf((i * i + 3 * i) as f32);
        let odds: Vec<f32> = (0..components * n_visible).map(odds).collect();
        let weights: Vec<f64> = (1..=components).map(|k| k as f64).collect();
        Mixture::new(&weights, Matrix::from_dense(components, n_visible, &odds))
    }

    fn clusters<'a>(rbm: &'a Rbm, mixture: Mixture, seed: u64) -> Clusters<'a> {
        Clusters::new(rbm, Arc::new(mixture), (seed, 0), &mut |_| true).expect("finite")
    }

    /// Samples of the model, drawn exactly, as hidden states.
    fn samples(rbm: &Rbm, count: usize, seed: u64) -> BitMatrix {
        let key = Key { seed, step: 0 };
        let mut v = BitMatrix::zeros(count, rbm.n_visible());
        PerfectSampler::new(rbm.n_visible(), rbm.n_hidden()).visible(rbm, key, &mut v);
        hidden_given(rbm, &v, key)
    }

    /// Both ways are right for any mixture and any schedule, even one of eight steps: within four standard errors of
    /// thousands of particles, and the shares are those of the enumerated model.
    #[test]
    fn the_sum_over_the_clusters_is_z() {
        let rbm = Initial { n_hidden: 6, std: 1.0, seed: 4 }.model(&[0.4; 8]);
        let truth = exact::log_z(&rbm).expect("few units");
        let mut it = clusters(&rbm, mixture(8, 3), 5);
        it.schedules = vec![AnnealingSchedule::linear(8); 3];
        let up = it.up(&effort(20_000, 8), &mut |_| true).expect("finite");
        let off = (up.estimate.value - truth) / up.estimate.std_error;
        assert!(up.estimate.std_error < 0.03 && off.abs() < 4.0, "{off} {:?}", up.estimate);

        let states = BitMatrix::from_words(256, 8, (0..256).collect()).expect("a word a state");
        let log_p = exact::log_probabilities(&rbm, truth, &states);
        let parts = it.groups.log_parts(it.mixture.log_posteriors(&states));
        for (k, share) in up.shares.iter().enumerate() {
            let of_k = log_p.iter().zip(parts.chunks_exact(3));
            let wanted: f64 = of_k.map(|(log_p, of_row)| (log_p + of_row[k]).exp()).sum();
            assert!((share - wanted).abs() < 0.05, "{k}: {share} for {wanted}");
        }

        let samples = samples(&rbm, 20_000, 6);
        let effort = effort(20_000, 8);
        let tell = &mut |_| true;
        // s_k are free: any that add up to one will do.
        for shares in [up.shares.clone(), vec![0.1, 0.8, 0.1]] {
            let (down, v) = it.down(&samples, (20_000, 0), &shares, &effort, tell).expect("finite");
            let off = (down.estimate.value - truth) / down.estimate.std_error;
            assert!(off.abs() < 4.0 && v.rows() == 20_000, "{off} {:?}", down.estimate);
            assert!(down.estimate.std_error < 0.1, "{:?}", down.estimate);
        }
    }

    /// log Z_k(β) on the way of a component that is alone, up to a constant, against the sum over all states, for hidden
    /// units that are strongly coupled and order at a small β. The mean slope over 16 particles is 0.03 / 4 off in each step,
    /// of which there are some hundred, and the errors of some ten steps are alike: 0.03 / 4 · √1000 or about 0.2 nats.
    #[test]
    fn log_z_along_the_way_is_that_of_the_component() {
        let rbm = Initial { n_hidden: 6, std: 4.0, seed: 4 }.model(&[0.4; 8]);
        let (c, b) = (rbm.parameters().c.row(0), rbm.parameters().b.row(0));
        let states = BitMatrix::from_words(256, 8, (0..256).collect()).expect("a word a state");
        for k in 0..3 {
            let odds = Matrix::from_row(mixture(8, 3).log_odds().row(k));
            let it = clusters(&rbm, Mixture::new(&[1.0], odds), 5);
            let (betas, log_z) = it.along_the_way();
            assert!(betas[0] == 0.0 && betas[betas.len() - 1] == 1.0 && betas.is_sorted());
            assert!(betas.len() <= NODES + 1 && log_z.len() == betas.len());
            let logs_q = it.mixture.log_densities(&states);
            let truth = |beta: f64| {
                let of_state = |row: usize| {
                    let on = |j: &usize| states.get(row, *j);
                    let visible: f64 = (0..8).filter(on).map(|j| f64::from(c[j])).sum();
                    let softplus = |i: usize| {
                        let weights = |j: usize| f64::from(rbm.parameters().w.row(j)[i]);
                        let field: f64 = (0..8).filter(on).map(weights).sum();
                        isotherm_kernels::scalar::softplus(beta * (f64::from(b[i]) + field))
                    };
                    let hidden: f64 = (0..6).map(softplus).sum();
                    (1.0 - beta) * logs_q[row] + beta * visible + hidden
                };
                log_sum_exp((0..256).map(of_state))
            };
            for (beta, at_beta) in betas.iter().zip(&log_z) {
                let (found, wanted) = (at_beta - log_z[0], truth(*beta) - truth(0.0));
                assert!((found - wanted).abs() < 0.3, "{k} at {beta}: {found} for {wanted}");
            }
        }
    }

    /// A ferromagnet with two wells, all visible units on and all off: no annealing from the component of one well finds
    /// the other, and that from its own component does.
    #[test]
    fn a_mode_that_plain_annealing_misses_is_counted() {
        let (n_visible, n_hidden) = (24, 24);
        // Every hidden unit is on if most visible ones are, and pulls all of these.
        let (j, count) = (0.5f32, n_visible as f32);
        let rbm = Rbm::new(Parameters {
            w: Matrix::from_dense(n_visible, n_hidden, &vec![j; n_visible * n_hidden]),
            b: Matrix::from_row(&vec![-j * count / 2.0; n_hidden]),
            // Off a little more likely than on.
            c: Matrix::from_row(&vec![-j * count / 2.0 - 0.05; n_visible]),
        });
        let truth = exact::log_z(&rbm).expect("few units");
        let odds: Vec<f32> = [-4.0, 4.0].iter().flat_map(|&x| vec![x; n_visible]).collect();
        let both = Mixture::new(&[0.9, 0.1], Matrix::from_dense(2, n_visible, &odds));
        let off_only = Mixture::new(&[1.0], Matrix::from_dense(1, n_visible, &odds[..n_visible]));
        let of = |mixture| {
            let mut it = clusters(&rbm, mixture, 1);
            it.up(&effort(200, 200), &mut |_| true).expect("finite").estimate
        };
        let (one, two) = (of(off_only), of(both));
        println!("{truth}: {one:?}, {two:?}");
        assert!(one.value < truth - 0.15, "a mode is missing: {one:?} for {truth}");
        assert!((two.value - truth).abs() < 4.0 * two.std_error.max(0.002), "{two:?} for {truth}");
    }
}
