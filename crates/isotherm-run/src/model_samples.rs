//! A few samples of a run's model, for its diagnostics and its report. They have random-number streams of
//! their own and change nothing in the run.

use std::borrow::Cow;

use isotherm_kernels::BitMatrix;

use crate::record::LadderRow;
use crate::record::diagnose::SampleFacts;
use crate::sampler::{rows_of, sample_checkpoint};
use isotherm::Result;
use isotherm::data::{Dataset, Modes, some_rows};
use isotherm::diagnostics::Diagnostic;
use isotherm::model::{PerfectSampler, Rbm};
use isotherm::options::{Options, PathKind};
use isotherm::references::{Clusters, Reference};
use isotherm::sampling::{ClusterWeights, ClustersOf, MOST_COLUMNS, SampleOptions};
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
/// The share, and the most, that a second sampler may take beside that, to compare the two.
const SHARE_OF_SECOND: f64 = 0.05;
const MOST_OF_SECOND: f64 = 4.0 * SECOND;
/// Columns of the second sampler.
const COLUMNS_OF_SECOND: usize = 16;
/// The fewest rows in which clusters are looked for.
const FEWEST_ROWS: usize = 50;
/// Components that rows are compared with to find clusters, at most, and how often: in a fit to all rows, and in
/// shorter ones to four fifths of them, five times.
const WORK_OF_ROW: f64 = 30.0 * 2.0 * (60.0 + 4.0 * 20.0);

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
    /// The weights of clusters in them and in the data, if they were compared.
    pub clusters: Option<ClusterWeights>,
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
            let (tempered, few_round_trips, clusters) = (None, None, None);
            ModelSamples { activations, v, seed: SEED, tempered, few_round_trips, clusters }
        })
    }

    /// The same at the end of a run, with the weights of clusters.
    pub(super) fn exact_after_learning(
        model: &Rbm,
        options: &Options,
        data: &Dataset,
        reference: &Reference,
    ) -> Option<ModelSamples> {
        let mut samples = ModelSamples::exact(model)?;
        let rows = rows_for_clusters(options, data);
        samples.clusters = rows.and_then(|rows| {
            let key = Key { seed: SEED, step: 0 };
            let clusters = Clusters::of_data(reference.mixture(), &rows, key).ok()?;
            Some(ClusterWeights::of_independent(&clusters, ClustersOf::Data, &samples.v))
        });
        Some(samples)
    }

    /// What they show, to be diagnosed. `modes` are those of the data, where they are known.
    pub fn facts(&self, modes: Option<Modes<'_>>) -> SampleFacts<'_> {
        SampleFacts {
            count: self.v.rows(),
            activations: &self.activations,
            mode_distance: modes.map(|modes| modes.distance(&modes.masses(&self.v))),
            few_round_trips: self.few_round_trips.as_ref(),
            clusters: self.clusters.as_ref(),
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
        let request = work.request(SECOND).one_ladder(true);
        ModelSamples::draw(&request, (options, checkpoint), None, model, progress)
    }

    /// The same at the end of a run, in a small share of the time of training; `None` if that is too little
    /// for useful samples. If there is time for it, a second sampler draws half of them, and the weights of clusters
    /// are compared.
    pub(super) fn after_learning(
        options: &Options,
        checkpoint: &Bundle,
        model: &Rbm,
        (ladder, data): (Option<&LadderRow>, &Dataset),
        progress: &mut dyn FnMut(f64) -> bool,
    ) -> Result<Option<ModelSamples>> {
        let work = Work::of(options, ladder, model.n_visible());
        let budget = SECOND.min(SHARE_OF_LEARNING * work.of_learning(options));
        if ladder.is_none() && budget < FEWEST_STEPS as f64 * work.of_step() {
            return Ok(None);
        }
        let rows = rows_for_clusters(options, data);
        let mut request = work.request(budget).one_ladder(true);
        if let (Some(_), Some(steps)) = (&rows, work.steps_of_second(options)) {
            let of_first = request.warm_up;
            request = request.one_ladder(false).columns(Some(COLUMNS_OF_SECOND));
            request = request.warm_up_of_run(Some(of_first)).warm_up(steps / 2);
            // The second sampler has fewer particles, and takes more rounds for as many samples.
            let rounds = (request.count / 2).div_ceil(COLUMNS_OF_SECOND) as u64;
            request.thin = request.thin.min((steps / 2 / rounds).max(1));
        }
        let run = (options, checkpoint);
        ModelSamples::draw(&request, run, rows.as_deref(), model, progress).map(Some)
    }

    fn draw(
        request: &SampleOptions,
        (options, checkpoint): (&Options, &Bundle),
        rows: Option<&BitMatrix>,
        model: &Rbm,
        progress: &mut dyn FnMut(f64) -> bool,
    ) -> Result<ModelSamples> {
        let samples = sample_checkpoint(options, checkpoint, rows, request, false, progress)?;
        let few_round_trips = samples.parts.iter().find_map(|part| part.ladder.few_round_trips());
        let (round_trips, clusters, v) = (samples.round_trips, samples.clusters, samples.v);
        let SampleOptions { warm_up, thin, warm_up_of_run, .. } = *request;
        let warm_up = warm_up_of_run.unwrap_or(warm_up);
        let tempered = Some(Tempered { warm_up, thin, round_trips });
        let activations = activations(model, &v);
        Ok(ModelSamples { activations, v, seed: SEED, tempered, few_round_trips, clusters })
    }
}

/// Rows of the data in which clusters are looked for, as many as that is a small share of learning; nothing where too
/// few are left, or the modes of the data are known without them.
fn rows_for_clusters<'a>(options: &Options, data: &'a Dataset) -> Option<Cow<'a, BitMatrix>> {
    if data.modes().is_some() {
        return None;
    }
    let learning = Work::of(options, None, data.n_visible()).of_learning(options);
    let affordable = SHARE_OF_LEARNING * learning / (WORK_OF_ROW * data.n_visible() as f64);
    let rows = rows_of(data);
    match affordable as usize {
        ..FEWEST_ROWS => None,
        most if most < rows.rows() => Some(Cow::Owned(some_rows(&rows, most))),
        _ => Some(rows),
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
        Work { own_ladder: rungs.is_some(), columns, off_ladder, replicas, sweep }
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

    /// The steps of a second sampler on a new ladder, if it has enough of them.
    fn steps_of_second(&self, options: &Options) -> Option<u64> {
        let budget = MOST_OF_SECOND.min(SHARE_OF_SECOND * self.of_learning(options));
        let step = (COLUMNS_OF_SECOND * NEW_LADDER) as f64 * self.sweep;
        let steps = ((budget / step) as usize).min(MOST_STEPS);
        (steps >= FEWEST_STEPS).then_some(steps as u64)
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
