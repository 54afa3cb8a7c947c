//! log Z of a model that is too large to enumerate, as a bracket with a verdict.
//!
//! 1. **Known states**: the rows at hand, and what plain Gibbs steps find from starts far apart (`explore.rs`). Their
//!    sum of exp(−F) is a rigorous lower bound of Z.
//! 2. **Two references**: mixtures that are fitted to these states, in two ways (`two_references.rs`).
//! 3. **Up**: annealing from each component of either reference, which bounds log Z from below on average
//!    (`clusters.rs`).
//! 4. **Samplers**: tempered, from either reference, begun at draws of it and at known states of all
//!    components. If they disagree, or made fewer round trips than there are replicas, they continue. (For few hidden
//!    units the second pair is on the hidden-marginal path instead, from uniform hidden states.)
//! 5. **Down**: annealing the samples of each sampler to the components gives upper bounds.
//! 6. All of it is compared. If it agrees, the value is BAR's, and the bracket reaches from the lower bounds to
//!    the upper ones, each with its error. If not, it contains every estimate. Neither is below the floor.

use std::sync::Arc;

use isotherm_kernels::BitMatrix;
use rand::RngExt;
use serde::{Deserialize, Deserializer, Serialize};

use super::Verdict;
use super::budget::Budget;
use super::clusters::{Clusters, Up};
use super::evaluating_sampler::{EvaluatingSampler, Length, SamplerReport, SamplerResult};
use super::explore::explore;
use super::known::{KnownData, KnownStates};
use super::two_references::{two_references, with_shares};
use super::verdict::{Found, NEGLIGIBLE, have_run_long_enough, judge};
use crate::error::Result;
use crate::model::Rbm;
use crate::paths::{AnyEnsemble, PathKind, hidden_marginal, mixture, units_given};
use crate::references::{Distribution, Mixture};
use isotherm_tempering::causes::Interrupted;
use isotherm_tempering::evidence::{AnnealingEffort, Pooled};
use isotherm_tempering::evidence::{Estimate, Reason, Start, WhichReference};
use isotherm_tempering::streams::{Key, Purpose};
use isotherm_tempering::threads::keep_awake;

/// log Z with everything that it rests on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LogZ {
    /// The best single value.
    pub value: f64,
    /// Its standard error.
    pub std_error: f64,
    /// Lower end of the bracket.
    pub lower: f64,
    /// Upper end of the bracket.
    pub upper: f64,
    /// Whether to rely on it.
    pub verdict: Verdict,
    /// log Σ e^−F(v) over all known states: no log Z is below it. Absent in files of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub floor: Option<f64>,
    /// Components of either reference; none in files of earlier versions.
    #[serde(default)]
    pub components: Vec<usize>,
    /// Annealing up, component by component, from either reference. (In files of earlier versions a single estimate,
    /// from the base rates.)
    #[serde(deserialize_with = "one_or_more")]
    pub forward_ais: Vec<Estimate>,
    /// Annealing down from the samples of each sampler.
    pub reverse_ais: Vec<Estimate>,
    /// The samplers: those from the first reference, begun at random and at known states, and those from the second.
    pub samplers: Vec<SamplerReport>,
    /// Steps of annealing up, and of annealing down.
    pub annealing_steps: Vec<usize>,
    /// Particles of annealing up, and of annealing down.
    pub particles: Vec<usize>,
}

impl LogZ {
    /// The same with a value and a bracket that are not below `floor`, which no log Z is. If the value was, that is a
    /// reason against it.
    #[must_use]
    pub fn raised_to(&self, floor: f64) -> LogZ {
        let LogZ { value, lower, upper, verdict, .. } = self;
        let nats = floor - value;
        // By other states it may have been raised before.
        let before = verdict.reasons.iter().find_map(|reason| match reason {
            Reason::BelowKnownStates { nats } => Some(*nats),
            _ => None,
        });
        let verdict = match nats > NEGLIGIBLE {
            true => {
                let nats = nats + before.unwrap_or(0.0);
                verdict.clone().with(Reason::BelowKnownStates { nats })
            }
            false => verdict.clone(),
        };
        let floor = self.floor.map_or(floor, |known| known.max(floor));
        let (value, lower) = (value.max(floor), lower.max(floor));
        // What missed this much below may miss as much above.
        let upper = upper.max(if nats > 0.0 { floor + nats } else { value });
        let floor = Some(floor);
        LogZ { value, lower, upper, verdict, floor, ..self.clone() }
    }
}

fn one_or_more<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Estimate>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum OneOrMore {
        One(Estimate),
        More(Vec<Estimate>),
    }
    Ok(match OneOrMore::deserialize(from)? {
        OneOrMore::One(estimate) => vec![estimate],
        OneOrMore::More(estimates) => estimates,
    })
}

/// Estimates log Z. `data` give the references their components, the samplers their known states, and the value its floor.
/// `progress` is told what is going on, and the share of it that is done.
pub fn log_z<'a>(
    model: &Rbm,
    data: impl Into<KnownData<'a>>,
    budget: &Budget,
    progress: &mut dyn FnMut(&str, f64) -> bool,
) -> Result<LogZ> {
    budget.check()?;
    let data = data.into();
    keep_awake(|| Work { model, data, budget }.run(progress))
}

/// What the parts of an estimate share.
struct Work<'a> {
    model: &'a Rbm,
    data: KnownData<'a>,
    budget: &'a Budget,
}

/// The parts, for their random numbers. The components of a reference count up from theirs.
const OF_DATA: u64 = 1;
const OF_EXPLORATION: [u64; 2] = [2, 3];
const OF_FITS: [u64; 2] = [4, 5];
const OF_SAMPLERS: [[u64; 2]; 2] = [[6, 7], [8, 9]];
const OF_CLUSTERS: [u64; 2] = [1 << 32, 2 << 32];

const BOTH: [WhichReference; 2] = [WhichReference::First, WhichReference::Second];

impl Work<'_> {
    fn run(&self, progress: &mut dyn FnMut(&str, f64) -> bool) -> Result<LogZ> {
        let data = self.data.rows(self.model.n_visible(), self.key(OF_DATA));
        let mut known = KnownStates::new(self.model, &data);
        let mixtures = self.references(&data, &mut known, progress)?;
        let effort = &self.budget.annealing;
        let (mut clusters, mut ups) = (Vec::new(), Vec::new());
        for ((mixture, part), which) in mixtures.into_iter().zip(OF_CLUSTERS).zip(BOTH) {
            let parts = (self.budget.seed, part);
            let of_each = &mut |share| progress("finding schedules for annealing", share);
            let mut it = Clusters::new(self.model, Arc::new(mixture), parts, of_each)?;
            let what = format!("annealing up component by component, {which}");
            ups.push(it.up(effort, &mut |share| progress(&what, share))?);
            clusters.push(it);
        }
        let sampled = self.sample(&clusters, &ups, &known, progress)?;
        let mut downs: Vec<Pooled> = Vec::new();
        for (of_reference, (clusters, up)) in sampled.iter().zip(clusters.iter().zip(&ups)) {
            for (found, which) in of_reference.iter().zip(0..) {
                let tell = &mut |share| progress("annealing down component by component", share);
                let groups = (found.report.columns, which);
                let effort = self.effort_down();
                let (down, v) = clusters.down(&found.samples, groups, &up.shares, &effort, tell)?;
                known.add(&v);
                downs.push(down);
            }
        }
        Ok(self.conclude(&clusters, &ups, sampled, &downs, known.floor()))
    }

    fn key(&self, part: u64) -> Key {
        Key::of_log_z(self.budget.seed, part)
    }

    /// Half of the particles and batches of annealing up: there are twice as many samplers as references.
    fn effort_down(&self) -> AnnealingEffort {
        let particles = self.budget.particles_down();
        let most_batches = self.budget.batches_down();
        AnnealingEffort { particles, most_batches, ..self.budget.annealing }
    }

    /// The two references, fitted to the data and to what is found from starts far apart.
    fn references(
        &self,
        data: &BitMatrix,
        known: &mut KnownStates<'_>,
        progress: &mut dyn FnMut(&str, f64) -> bool,
    ) -> Result<[Mixture; 2]> {
        let (marginals, particles) = (self.data.marginals(), self.budget.annealing.particles);
        let keys = OF_EXPLORATION.map(|part| self.key(part));
        let tell = &mut |share| progress("exploring from starts far apart", share);
        let found = explore(self.model, known, &marginals, particles, keys, tell)?;
        let keys = OF_FITS.map(|part| self.key(part));
        let tell = &mut |share| progress("fitting references", share);
        two_references(data, &found, &marginals, particles, keys, tell)
    }

    /// The results of the samplers from either reference and both starts. They run until they agree and have made
    /// enough round trips, or until the budget is used up.
    fn sample(
        &self,
        clusters: &[Clusters<'_>],
        ups: &[Up],
        known: &KnownStates<'_>,
        progress: &mut dyn FnMut(&str, f64) -> bool,
    ) -> Result<[[SamplerResult; 2]; 2]> {
        let mut length = self.budget.sampler;
        let count = self.budget.particles_down() * self.budget.batches_down();
        let begin = |at: usize| {
            let mixture = Arc::new(with_shares(clusters[at].mixture(), &ups[at].shares));
            let reference = (&mixture, &clusters[at]);
            self.begin(BOTH[at], reference, known, OF_SAMPLERS[at].map(|part| self.key(part)))
        };
        let [mut first, mut second] = [begin(0)?, begin(1)?];
        let mut longer = "";
        loop {
            let mut both = |samplers: &mut _, which| {
                let tell = &mut |start, share| {
                    progress(&format!("sampling{longer} from {start}, {which}"), share)
                };
                measure(samplers, which, (length, count), tell)
            };
            let found = [both(&mut first, BOTH[0])?, both(&mut second, BOTH[1])?];
            match length.longer(first[0].steps()) {
                Some(more) if length.in_full || !have_run_long_enough(&found) => length = more,
                _ => return Ok(found),
            }
            longer = if length.in_full { " again" } else { " for longer" };
        }
    }

    /// The samplers from a reference, begun at draws of it and at known states.
    fn begin(
        &self,
        which: WhichReference,
        (reference, clusters): (&Arc<Mixture>, &Clusters<'_>),
        known: &KnownStates<'_>,
        [of_random, of_known]: [Key; 2],
    ) -> Result<[EvaluatingSampler<'_>; 2]> {
        let (model, columns) = (self.model, self.budget.sampler.columns);
        let path = || self.path(which, reference, clusters);
        let units = |rows| known_units(model, known, path().units(), reference, rows, of_known);
        Ok([
            EvaluatingSampler::from_reference(model, path(), columns, of_random)?,
            EvaluatingSampler::from_states(model, path(), columns, of_known, units),
        ])
    }

    /// The path of a reference's samplers. If there are few hidden units, the second is the hidden-marginal path, which
    /// has a reference of its own.
    fn path(
        &self,
        which: WhichReference,
        reference: &Arc<Mixture>,
        clusters: &Clusters<'_>,
    ) -> AnyEnsemble {
        let (n_visible, n_hidden) = (self.model.n_visible(), self.model.n_hidden());
        let few = PathKind::automatic(n_visible, n_hidden) == PathKind::HiddenMarginal;
        match which {
            WhichReference::Second if few => {
                Box::new(hidden_marginal::hidden_marginal(n_visible, n_hidden))
            }
            _ => {
                let (betas, log_z) = clusters.along_the_way();
                let known = (betas, log_z.as_slice());
                Box::new(mixture::from_balanced_mixture(reference.clone(), n_hidden, known))
            }
        }
    }

    /// The value, the bracket and the verdict.
    fn conclude(
        &self,
        clusters: &[Clusters<'_>],
        ups: &[Up],
        sampled: [[SamplerResult; 2]; 2],
        downs: &[Pooled],
        floor: f64,
    ) -> LogZ {
        let found: Vec<Found<'_>> = sampled
            .iter()
            .zip(ups.iter().zip(downs.chunks_exact(2)))
            .map(|(samplers, (up, downs))| Found {
                samplers,
                up: up.estimate,
                downs: [downs[0].estimate, downs[1].estimate],
            })
            .collect();
        let verdict = judge(&found, self.data.origin);
        let (value, std_error, lower, upper) = enclose(&verdict, &found);
        let log_z = LogZ {
            value,
            std_error,
            lower,
            upper,
            verdict,
            floor: None,
            components: clusters.iter().map(|it| it.mixture().components()).collect(),
            forward_ais: ups.iter().map(|up| up.estimate).collect(),
            reverse_ais: downs.iter().map(|down| down.estimate).collect(),
            annealing_steps: steps_of(ups, downs),
            particles: particles_of(ups, downs),
            samplers: sampled.into_iter().flatten().map(|found| found.report).collect(),
        };
        log_z.raised_to(floor)
    }
}

fn steps_of(ups: &[Up], downs: &[Pooled]) -> Vec<usize> {
    ups.iter().map(|up| up.steps).chain(downs.iter().map(|down| down.steps)).collect()
}

fn particles_of(ups: &[Up], downs: &[Pooled]) -> Vec<usize> {
    ups.iter().map(|up| up.particles).chain(downs.iter().map(|down| down.particles)).collect()
}

/// What the samplers from a reference, begun at draws of it and at known states, find.
fn measure(
    [random, known]: &mut [EvaluatingSampler<'_>; 2],
    reference: WhichReference,
    (length, samples): (Length, usize),
    progress: &mut dyn FnMut(Start, f64) -> bool,
) -> Result<[SamplerResult; 2]> {
    let mut of = |sampler: &mut EvaluatingSampler<'_>, start| -> Result<SamplerResult> {
        let found =
            sampler.measure(length, samples, &mut [], &mut |share| progress(start, share))?;
        let mut found = found.ok_or(Interrupted)?;
        found.report.reference = Some(reference);
        Ok(found)
    };
    Ok([of(random, Start::Random)?, of(known, Start::Known)?])
}

/// Units of replicas on a path, `rows` of them: known states, as many of every component, with their components where
/// the path has them.
fn known_units(
    model: &Rbm,
    known: &KnownStates<'_>,
    units_of_path: usize,
    reference: &Arc<Mixture>,
    rows: usize,
    key: Key,
) -> BitMatrix {
    let mut of_clusters = vec![Vec::new(); reference.components()];
    let components = reference.assign(known.rows());
    components.iter().enumerate().for_each(|(row, &k)| of_clusters[k].push(row));
    of_clusters.retain(|states| !states.is_empty());
    let rng = &mut key.sequence(Purpose::Start, 0);
    let chosen: Vec<usize> = (0..rows)
        .map(|_| {
            let cluster = &of_clusters[rng.random_range(0..of_clusters.len())];
            cluster[rng.random_range(0..cluster.len())]
        })
        .collect();
    let reference = Distribution::Mixture(reference.clone());
    units_given(model, &known.rows().select(&chosen), (units_of_path, &reference), key)
}

/// The value with its error, and the ends of the bracket.
fn enclose(verdict: &Verdict, found: &[Found<'_>]) -> (f64, f64, f64, f64) {
    let agree = verdict.estimates_agree();
    let reports: Vec<&SamplerReport> =
        found.iter().flat_map(|it| it.samplers).map(|it| &it.report).collect();
    let mut ends = Vec::new();
    for it in found {
        // Of each bound only the side that bounds: on the other side uneven weights make the interval too wide.
        ends.push(it.up.lower);
        ends.extend(it.downs.map(|down| down.upper));
        if !agree {
            ends.push(it.up.value);
            ends.extend(it.downs.map(|down| down.value));
        }
    }
    for it in &reports {
        ends.extend([it.bar.lower, it.bar.upper]);
        if !agree {
            let stones = [&it.stepping_stone_up, &it.stepping_stone_down];
            ends.extend(stones.iter().flat_map(|stone| [stone.lower, stone.upper]));
        }
    }
    let lower = ends.iter().copied().fold(f64::INFINITY, f64::min);
    let upper = ends.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if !verdict.estimates_differ() {
        let count = reports.len() as f64;
        let value = reports.iter().map(|it| it.bar.value).sum::<f64>() / count;
        let squares: f64 = reports.iter().map(|it| it.bar.std_error.powi(2)).sum();
        // Half the largest difference is an error too.
        let apart = super::verdict::apart(reports.iter().map(|it| it.bar.value));
        let error = (squares.sqrt() / count).max(0.5 * apart);
        return (value, error, lower, upper);
    }
    // Half the bracket is 1.96 such errors.
    (0.5 * (lower + upper), 0.5 * (upper - lower) / 1.96, lower, upper)
}
