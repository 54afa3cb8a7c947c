//! A few samples of a run's model, for its diagnostics and its report. They have random-number streams of
//! their own and change nothing in the run.

use isotherm_kernels::BitMatrix;

use crate::record::LadderRow;
use crate::record::diagnose::SampleFacts;
use crate::sampler::sample_checkpoint;
use isotherm::Result;
use isotherm::data::Modes;
use isotherm::diagnostics::Diagnostic;
use isotherm::model::{PerfectSampler, Rbm};
use isotherm::options::{Options, PathKind};
use isotherm::sampling::{MOST_COLUMNS, SampleOptions};
use isotherm::tensors::Bundle;
use isotherm_tempering::streams::Key;

/// Samples that are drawn where that is cheap.
const WANTED: usize = 500;
/// The most steps of the sampler.
const MOST_STEPS: usize = 2000;
/// The fewest steps in which a new ladder can be set up and used.
const FEWEST_STEPS: usize = 200;
/// The most steps between two samples of a column.
const MOST_THINNING: usize = 20;
/// Multiplications that take about a second.
const SECOND: f64 = 4e10;
/// A typical number of rungs of a new ladder.
const NEW_LADDER: usize = 25;
/// The seed of the samples: they are the same for the same run.
const SEED: u64 = 1;
/// The share of the work of learning that a run may spend on them at its end.
const SHARE_OF_LEARNING: f64 = 0.1;

/// Samples of a model.
#[derive(Clone, Debug)]
pub struct ModelSamples {
    /// A row for each.
    pub v: BitMatrix,
    /// Mean of P(h_i = 1 | v) over them, for each hidden unit.
    pub activations: Vec<f64>,
    /// Their seed.
    pub seed: u64,
    /// How the tempered sampler drew them; nothing if they are exact.
    pub tempered: Option<Tempered>,
    /// That the sampler completed too few round trips, if it did.
    pub few_round_trips: Option<Diagnostic>,
}

/// How a tempered sampler drew samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tempered {
    /// Steps before the first sample, on a ladder made for it; 0 on the run's own ladder.
    pub warm_up: u64,
    /// Steps between two samples of a particle.
    pub thin: u64,
    /// Round trips in the meantime.
    pub round_trips: u64,
}

impl ModelSamples {
    /// Independent samples, drawn exactly by enumerating the hidden states; nothing if these are too many.
    pub fn exact(model: &Rbm) -> Option<ModelSamples> {
        (model.n_hidden() <= PerfectSampler::LARGEST).then(|| {
            let v = exact_samples(model, WANTED, SEED);
            let activations = activations(model, &v);
            ModelSamples { activations, v, seed: SEED, tempered: None, few_round_trips: None }
        })
    }

    /// What they show, to be diagnosed. `modes` are those of the data, where they are known.
    pub fn facts(&self, modes: Option<Modes<'_>>) -> SampleFacts<'_> {
        SampleFacts {
            count: self.v.rows(),
            activations: &self.activations,
            mode_distance: modes.map(|modes| modes.distance(&modes.masses(&self.v))),
            few_round_trips: self.few_round_trips.as_ref(),
        }
    }

    /// Samples by the tempered sampler, in about a second: the run's own, if it has a ladder, or a new one. `progress` is told the share that is done.
    pub fn of_checkpoint(
        options: &Options,
        checkpoint: &Bundle,
        model: &Rbm,
        ladder: Option<&LadderRow>,
        progress: &mut dyn FnMut(f64) -> bool,
    ) -> Result<ModelSamples> {
        let work = Work::of(options, ladder, model.n_visible());
        ModelSamples::draw(&work, SECOND, (options, checkpoint), model, progress)
    }

    /// The same at the end of a run, in a small share of the time of training; `None` if that is too little
    /// for useful samples.
    pub(super) fn after_learning(
        options: &Options,
        checkpoint: &Bundle,
        model: &Rbm,
        ladder: Option<&LadderRow>,
        progress: &mut dyn FnMut(f64) -> bool,
    ) -> Result<Option<ModelSamples>> {
        let work = Work::of(options, ladder, model.n_visible());
        let budget = SECOND.min(SHARE_OF_LEARNING * work.of_learning(options));
        if ladder.is_none() && budget < FEWEST_STEPS as f64 * work.of_step() {
            return Ok(None);
        }
        ModelSamples::draw(&work, budget, (options, checkpoint), model, progress).map(Some)
    }

    fn draw(
        work: &Work,
        budget: f64,
        (options, checkpoint): (&Options, &Bundle),
        model: &Rbm,
        progress: &mut dyn FnMut(f64) -> bool,
    ) -> Result<ModelSamples> {
        let request = work.request(budget);
        let mut samples = sample_checkpoint(options, checkpoint, &request, false, progress)?;
        // The run's own replicas have travelled before.
        samples.warm_up_trips += work.trips_of_run;
        let few_round_trips = samples.diagnose();
        let (round_trips, v) = (samples.round_trips, samples.v);
        let SampleOptions { warm_up, thin, .. } = request;
        let tempered = Some(Tempered { warm_up, thin, round_trips });
        let activations = activations(model, &v);
        Ok(ModelSamples { activations, v, seed: SEED, tempered, few_round_trips })
    }
}

/// Independent, exact samples of a model with a small hidden layer.
pub fn exact_samples(model: &Rbm, count: usize, seed: u64) -> BitMatrix {
    let mut sampler = PerfectSampler::new(model.n_visible(), model.n_hidden());
    let mut samples = BitMatrix::zeros(count, model.n_visible());
    sampler.visible(model, Key::after_training(seed, 0), &mut samples);
    samples
}

/// Mean of P(h_i = 1 | v) over samples, for each hidden unit.
fn activations(model: &Rbm, v: &BitMatrix) -> Vec<f64> {
    let (mean, count) = (model.hidden_mean(v), v.rows());
    (0..model.n_hidden())
        .map(|unit| (0..count).map(|row| f64::from(mean.row(row)[unit])).sum::<f64>())
        .map(|sum| sum / count.max(1) as f64)
        .collect()
}

/// The work of a run's sampler, in multiplications.
struct Work {
    own_ladder: bool,
    /// Round trips on the run's own ladder.
    trips_of_run: u64,
    columns: usize,
    /// Particles off the ladder.
    off_ladder: usize,
    replicas: usize,
    /// Of a sweep of one replica.
    sweep: f64,
}

impl Work {
    fn of(options: &Options, ladder: Option<&LadderRow>, n_visible: usize) -> Work {
        let rungs = ladder.map(|ladder| ladder.betas.len());
        let columns = match rungs {
            Some(_) => options.sampler.columns.unwrap_or(options.optimiser.batch).clamp(1, 1000),
            None => MOST_COLUMNS,
        };
        let path = rungs.map_or(PathKind::Auto, |_| options.sampler.path);
        let off_ladder =
            rungs.map_or(0, |_| options.sampler.particles.unwrap_or(0).saturating_sub(columns));
        let replicas = columns * rungs.unwrap_or(NEW_LADDER) + off_ladder;
        let product = (n_visible * (options.hidden + 10) * options.sampler.k) as f64;
        let sweep = product * path.entry(n_visible, options.hidden).cost;
        Work {
            own_ladder: rungs.is_some(),
            trips_of_run: ladder.map_or(0, |it| it.round_trips),
            columns,
            off_ladder,
            replicas,
            sweep,
        }
    }

    fn of_step(&self) -> f64 {
        self.replicas as f64 * self.sweep
    }

    /// The work of all updates: their batches, and their replicas.
    fn of_learning(&self, options: &Options) -> f64 {
        let replicas = match self.own_ladder {
            true => self.replicas,
            false => options.optimiser.batch,
        };
        let rows =
            options.optimiser.batch + replicas / options.sampler.temper_every.max(1) as usize;
        options.optimiser.updates as f64 * rows as f64 * self.sweep
    }

    /// As many samples as fit the budget.
    fn request(&self, budget: f64) -> SampleOptions {
        let steps = ((budget / self.of_step()) as usize).clamp(2, MOST_STEPS);
        // The replicas of a tempered run are in equilibrium; those of a new ladder are not yet.
        let warm_up = if self.own_ladder { 0 } else { steps / 2 };
        let steps = steps - warm_up;
        let particles = self.columns + self.off_ladder;
        let rounds = WANTED.div_ceil(particles).min(steps);
        SampleOptions::default()
            .count(WANTED.min(rounds * particles))
            .thin((steps / rounds).clamp(1, MOST_THINNING) as u64)
            .warm_up(warm_up as u64)
            .seed(SEED)
    }
}
