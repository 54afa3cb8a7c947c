//! log Z of a model that is too large to enumerate, as a bracket with a verdict.
//!
//! 1. A pilot run finds the annealing schedule, and annealing up along it gives a lower bound that
//!    rests only on exact draws from the reference.
//! 2. The evaluating sampler runs from two starts and gives estimates from its ladder. If the two do
//!    not agree, or made fewer round trips than there are replicas, it continues.
//! 3. Annealing down from the samples of each start gives upper bounds.
//! 4. The two starts are compared. If they agree, the value is BAR's, and the bracket reaches from
//!    the lower bound to the upper ones, each with its error. If not, it contains every estimate.

use isotherm_kernels::BitMatrix;
use serde::{Deserialize, Serialize};

use super::Verdict;
use super::budget::Budget;
use super::evaluating_sampler::{EvaluatingSampler, SamplerReport, SamplerResult};
use super::verdict::{have_run_long_enough, judge};
use crate::data::Dataset;
use crate::error::Result;
use crate::model::Rbm;
use crate::paths::base_rate::base_rate;
use crate::paths::{Gibbs, RbmEnsemble, SwapOn};
use isotherm_tempering::Densities;
use isotherm_tempering::causes::Interrupted;
use isotherm_tempering::evidence::annealing::{anneal, from_above, from_below};
use isotherm_tempering::evidence::annealing_schedule::AnnealingSchedule;
use isotherm_tempering::evidence::{AnnealingEffort, Pooled, anneal_in_batches};
use isotherm_tempering::evidence::{Estimate, Start};
use isotherm_tempering::streams::Key;
use isotherm_tempering::threads::keep_awake;

/// Particles of the pilot.
const PILOT: usize = 128;

/// Annealing takes at least this many times the steps of the pilot, if it may: with only two or three times
/// as many, particles end up in the wrong modes and the errors are too small.
const PILOT_STEPS: usize = 4;

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
    /// Annealing up.
    pub forward_ais: Estimate,
    /// Annealing down from the samples begun at random states, and from those begun at data.
    pub reverse_ais: [Estimate; 2],
    /// The samplers begun at random states and at data.
    pub samplers: [SamplerReport; 2],
    /// Steps of annealing, up and down from both.
    pub annealing_steps: [usize; 3],
    /// Particles of annealing, up and down from both.
    pub particles: [usize; 3],
}

/// The states that the second of the two samplers begins with.
#[derive(Clone, Copy, Debug)]
pub struct SecondStart<'a> {
    /// What they are: training data, or samples of the model where no data are known.
    pub start: Start,
    /// The states.
    pub states: &'a Dataset,
}

impl<'a> From<&'a Dataset> for SecondStart<'a> {
    fn from(training: &'a Dataset) -> SecondStart<'a> {
        SecondStart { start: Start::Data, states: training }
    }
}

/// Estimates log Z. `second` gives the reference its marginals, and the second of the two
/// samplers its start: usually the training data. `progress` is told what is going on, and the share of it that is done.
pub fn log_z<'a>(
    model: &Rbm,
    second: impl Into<SecondStart<'a>>,
    budget: &Budget,
    progress: &mut dyn FnMut(&str, f64) -> bool,
) -> Result<LogZ> {
    budget.check()?;
    let second = second.into();
    let marginals = second.states.marginals();
    keep_awake(|| Work { model, second, marginals, budget }.run(progress))
}

/// What the parts of an estimate share.
struct Work<'a> {
    model: &'a Rbm,
    second: SecondStart<'a>,
    marginals: Vec<f64>,
    budget: &'a Budget,
}

/// The parts, for their random numbers. Batches of annealing count up from these.
const OF_PILOT: u64 = 0;
const OF_SAMPLERS: [u64; 2] = [1, 2];
const OF_FORWARD: u64 = 1 << 16;
const OF_REVERSE: [u64; 2] = [2 << 16, 3 << 16];

impl Work<'_> {
    fn run(&self, progress: &mut dyn FnMut(&str, f64) -> bool) -> Result<LogZ> {
        let mut pilot = self.particles(PILOT);
        let schedule = AnnealingSchedule::pilot(&mut pilot, self.model, self.key(OF_PILOT))?;
        let effort = self.effort(&schedule);
        let up = self.up(&effort, &schedule, &mut |share| progress("annealing up", share))?;
        let found = self.sample(progress)?;
        let tell = &mut |share| progress("annealing down", share);
        let from_random = self.down(&effort, &schedule, &found[0].samples, OF_REVERSE[0], tell)?;
        let from_data = self.down(&effort, &schedule, &found[1].samples, OF_REVERSE[1], tell)?;
        let reverse_ais = [from_random.estimate, from_data.estimate];
        let verdict = judge(&found, &up.estimate, &reverse_ais);
        let samplers = found.map(|found| found.report);
        let (value, std_error, lower, upper) =
            enclose(verdict.estimates_agree(), &up.estimate, &reverse_ais, &samplers);
        Ok(LogZ {
            value,
            std_error,
            lower,
            upper,
            verdict,
            forward_ais: up.estimate,
            reverse_ais,
            samplers,
            annealing_steps: [up, from_random, from_data].map(|pooled| pooled.steps),
            particles: [up, from_random, from_data].map(|pooled| pooled.particles),
        })
    }

    fn key(&self, part: u64) -> Key {
        Key::of_log_z(self.budget.seed, part)
    }

    /// The effort that fits the pilot's schedule.
    fn effort(&self, schedule: &AnnealingSchedule) -> AnnealingEffort {
        let effort = self.budget.annealing;
        let wanted = (PILOT_STEPS * schedule.gaps()).min(effort.most_steps);
        AnnealingEffort { steps: effort.steps.max(wanted), ..effort }
    }

    fn up(
        &self,
        effort: &AnnealingEffort,
        schedule: &AnnealingSchedule,
        progress: &mut dyn FnMut(f64) -> bool,
    ) -> Result<Pooled> {
        let of_reference = self.path().log_z_of_reference();
        let batch = |which, steps| {
            let mut path = self.particles(effort.particles);
            let key = self.key(OF_FORWARD + which as u64);
            anneal(&mut path, self.model, &schedule.in_steps(steps), key, progress)
        };
        anneal_in_batches(effort, batch, |logs| from_below(logs, of_reference))
    }

    /// The results of the sampler from its two starts. It runs until they agree and have made enough round
    /// trips, or until the budget is used up.
    fn sample(&self, progress: &mut dyn FnMut(&str, f64) -> bool) -> Result<[SamplerResult; 2]> {
        let mut length = self.budget.sampler;
        let count = self.budget.particles_down() * self.budget.batches_down();
        let begun = |start, part| {
            let (columns, key) = (length.columns, self.key(part));
            let start = (start, self.second.states);
            EvaluatingSampler::new(self.model, &self.marginals, start, columns, key)
        };
        let mut random = begun(Start::Random, OF_SAMPLERS[0])?;
        let mut data = begun(self.second.start, OF_SAMPLERS[1])?;
        let mut longer = "";
        loop {
            let mut measure = |sampler: &mut EvaluatingSampler<'_>, start: Start| {
                let what = format!("sampling{longer} from {start}");
                let found =
                    sampler.measure(length, count, &mut [], &mut |share| progress(&what, share));
                found.and_then(|found| found.ok_or_else(|| Interrupted.into()))
            };
            let found =
                [measure(&mut random, Start::Random)?, measure(&mut data, self.second.start)?];
            match length.longer(random.steps()) {
                Some(more) if length.in_full || !have_run_long_enough(&found) => length = more,
                _ => return Ok(found),
            }
            longer = if length.in_full { " again" } else { " for longer" };
        }
    }

    /// Anneals down from batches of samples in turn; when all are used, it starts over.
    fn down(
        &self,
        effort: &AnnealingEffort,
        schedule: &AnnealingSchedule,
        samples: &BitMatrix,
        part: u64,
        progress: &mut dyn FnMut(f64) -> bool,
    ) -> Result<Pooled> {
        let most_batches = self.budget.batches_down();
        let particles = self.budget.particles_down();
        let effort = AnnealingEffort { particles, most_batches, ..*effort };
        let of_reference = self.path().log_z_of_reference();
        let batch = |which: usize, steps| {
            let first = which * effort.particles;
            let rows: Vec<usize> =
                (first..first + effort.particles).map(|row| row % samples.rows()).collect();
            let mut path = self.path();
            path.set_hidden(samples.select(&rows));
            let (key, rising) = (self.key(part + which as u64), schedule.in_steps(steps));
            let falling: Vec<f64> = rising.into_iter().rev().collect();
            anneal(&mut path, self.model, &falling, key, progress)
        };
        let columns = self.budget.sampler.columns;
        anneal_in_batches(&effort, batch, |logs| from_above(logs, columns, of_reference))
    }

    fn path(&self) -> Gibbs {
        base_rate(&self.marginals, self.model.n_hidden(), SwapOn::FreeEnergy)
    }

    /// A path with `count` particles. Their states do not matter: the first step, at β = 0, draws them.
    fn particles(&self, count: usize) -> Gibbs {
        let mut path = self.path();
        path.set_hidden(BitMatrix::zeros(count, self.model.n_hidden()));
        path
    }
}

/// The value with its error, and the ends of the bracket.
fn enclose(
    agree: bool,
    up: &Estimate,
    down: &[Estimate; 2],
    samplers: &[SamplerReport; 2],
) -> (f64, f64, f64, f64) {
    // Of each bound only the side that bounds: on the other side uneven weights make the interval too wide.
    let bounds = [up.lower, down[0].upper, down[1].upper];
    let [a, b] = [&samplers[0].bar, &samplers[1].bar];
    let mut ends = bounds.to_vec();
    ends.extend([a.lower, a.upper, b.lower, b.upper]);
    if !agree {
        ends.extend([up.value, down[0].value, down[1].value]);
        for it in samplers {
            let stones = [&it.stepping_stone_up, &it.stepping_stone_down];
            ends.extend(stones.iter().flat_map(|stone| [stone.lower, stone.upper]));
        }
    }
    let lower = ends.iter().copied().fold(f64::INFINITY, f64::min);
    let upper = ends.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if agree {
        let value = 0.5 * (a.value + b.value);
        // Half the difference of the starts is an error too.
        let error =
            (0.5 * libm::hypot(a.std_error, b.std_error)).max(0.5 * (a.value - b.value).abs());
        return (value, error, lower, upper);
    }
    // Half the bracket is 1.96 such errors.
    (0.5 * (lower + upper), 0.5 * (upper - lower) / 1.96, lower, upper)
}
