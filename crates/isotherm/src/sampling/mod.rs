//! Samples of a model, by two samplers that differ in what they start from.
//!
//! A sampler that never finds a mode knows nothing of it, however many round trips its replicas make. So half of
//! the samples come from one ladder and half from another one: with another reference where the path has
//! references, and with other first states (`second.rs`). The weights that both give to clusters of the data are
//! compared with each other and with those of the data (`weights.rs`).

mod chance;
mod ladder;
mod second;
mod weights;

use std::sync::LazyLock;

use isotherm_kernels::BitMatrix;
use isotherm_tempering::causes;
use isotherm_tempering::flow::too_few_round_trips;
use isotherm_tempering::limits as most;
use isotherm_tempering::streams::Key;
use isotherm_tempering::{Adaptation, Tempering};
use serde::{Deserialize, Serialize};

use crate::Result;
use crate::data::marginals;
use crate::diagnostics::Diagnostic;
use crate::model::Rbm;
use crate::options::{OptionSpec, Section, check_ranges};
use crate::paths::AnyEnsemble;
use crate::references::{Distribution, Reference};
use crate::section;

pub use chance::Distance;
pub use ladder::{
    FirstStates, LadderSamples, MOST_COLUMNS, SampledLadder, VisibleSamples, sample, sample_on,
};
pub use weights::{ClusterWeights, ClustersOf, PartWeights};

use ladder::{NewLadder, sample_from};
use second::{DRAWS, Plan};

section! {
    /// Options of a sampler. Each field has a setter: `SampleOptions::default().count(500).thin(20)`.
    pub struct SampleOptions in "" titled "Samples", set by SampleOptions {
        /// Number of samples.
        count: usize = 100, in 1..=u64::MAX, value "N";
        /// Steps between two samples of a column.
        thin: u64 = 10, in 1..=u64::MAX, value "STEPS";
        /// Steps before the first sample; ladders are tuned in them. 0: continue with the replicas of the run (no
        /// second sampler); a model file, or a run without a ladder, is then sampled from the first step on, by a
        /// ladder that is not tuned.
        warm_up: u64 = 1000, value "STEPS";
        /// Seed of the samples.
        seed: u64 = 1;
    }
    beside {
        /// Whether to record the rung of every replica whenever samples are taken. All samples are then of one ladder.
        traced: bool = false;
        /// Whether all samples are of one ladder.
        one_ladder: bool = false;
        /// Steps before the first sample in which the ladder of a run adapts; as many as those of a new ladder if
        /// absent.
        warm_up_of_run: Option<u64> = None;
        /// Columns of a new ladder; as many as samples if absent, within bounds.
        columns: Option<usize> = None;
        /// Gibbs steps in a step of the sampler after the warm-up.
        k: usize = 1;
    }
}

// The sampler's messages have the same names.
const _: () = {
    assert!(name::thin.is(causes::name::thin) && name::warm_up.is(causes::name::warm_up));
};

impl SampleOptions {
    /// The options, each with its name, its kind and its help text.
    pub fn table() -> &'static [OptionSpec] {
        static TABLE: LazyLock<Vec<OptionSpec>> = LazyLock::new(SampleOptions::specs);
        &TABLE
    }

    /// Steps after the warm-up, if `particles` samples are taken at a time.
    fn steps(&self, particles: usize, n_visible: usize) -> Result<u64> {
        check_ranges(self, SampleOptions::table())?;
        most::check_values(self.count, n_visible)?;
        most::check_steps(self.count.div_ceil(particles) as u64, self.thin, 0, self.warm_up)
    }

    /// Whether there is a second sampler: it has steps to warm up in, and nobody asks for one ladder.
    fn has_two_parts(&self) -> bool {
        self.count > 1 && self.warm_up > 0 && !self.one_ladder && !self.traced
    }
}

/// Where the samples of one sampler come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Origin {
    /// What its ladder starts from at β = 0.
    pub reference: LadderFrom,
    /// Its first states.
    pub start: FirstStates,
}

/// What the ladder of a sampler starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum LadderFrom {
    /// What that of the run starts from: it is the run's own.
    Run,
    /// Independent units with the marginals of the data.
    BaseRates,
    /// A mixture of products of Bernoulli distributions.
    Mixture,
    /// Another mixture, with other seeds and fewer components.
    OtherMixture,
    /// A small RBM.
    Rbm,
    /// All hidden states alike.
    UniformHidden,
    /// There is none: samples are drawn exactly.
    None,
}

/// Samples, with statistics of the ladders that they came from.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Samples {
    /// A row for each sample: those of the first part, then those of the second.
    pub v: BitMatrix,
    /// The samplers that the samples are of: one or two.
    pub parts: Vec<Part>,
    /// Round trips of all replicas after the warm-up.
    pub round_trips: u64,
    /// The weights of clusters in the samples and in the data.
    pub clusters: Option<ClusterWeights>,
}

/// The samples of one sampler.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Part {
    /// Where they come from.
    pub origin: Origin,
    /// How many there are.
    pub count: usize,
    /// The ladder.
    pub ladder: SampledLadder,
}

impl Samples {
    /// What to know before trusting the samples: that a ladder made fewer round trips than it has columns, the
    /// rule by which an evaluation calls a sampler not converged, but counted from the warm-up on; that the two samplers
    /// disagree; and that the clusters have other weights than in the data.
    pub fn diagnose(&self) -> Vec<Diagnostic> {
        let few = self.parts.iter().find_map(|part| part.ladder.few_round_trips());
        let of_weights = self.clusters.iter().flat_map(ClusterWeights::diagnose);
        few.into_iter().chain(of_weights).collect()
    }
}

impl SampledLadder {
    /// That the samples may cover only a part of the model, if there were few round trips.
    pub fn few_round_trips(&self) -> Option<Diagnostic> {
        let (round_trips, columns) = (self.warm_up_trips + self.round_trips, self.columns);
        let is_doubtful = too_few_round_trips(round_trips, columns) && self.betas.len() > 1;
        is_doubtful.then_some(Diagnostic::FewRoundTrips { round_trips, columns })
    }
}

/// What is known of a model's training, beside the model.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Known<'a> {
    /// The reference of its ladder.
    pub reference: Option<Reference>,
    /// Its training data.
    pub rows: Option<&'a BitMatrix>,
}

impl<'a> Known<'a> {
    /// With this reference.
    #[must_use]
    pub fn reference(self, reference: Reference) -> Known<'a> {
        Known { reference: Some(reference), ..self }
    }

    /// With these training data.
    #[must_use]
    pub fn rows(self, rows: Option<&'a BitMatrix>) -> Known<'a> {
        Known { rows, ..self }
    }

    /// What the file of a model tells: the mixture or the small RBM that its ladder started from, if it did.
    pub fn of_distribution(distribution: &Distribution) -> Known<'a> {
        let marginals = match distribution {
            Distribution::BaseRates => return Known::default(),
            Distribution::Mixture(mixture) => mixture.marginals(),
            Distribution::Rbm(small) => marginals(&small.draw(DRAWS, Key { seed: 0, step: 0 })),
        };
        let reference = Reference::from(&marginals).with(distribution.clone());
        Known::default().reference(reference)
    }
}

impl Rbm {
    /// Draws `count` samples of a model about which nothing else is known: see [`sample_model`].
    pub fn sample(&self, count: usize) -> Result<Samples> {
        sample_model(self, &Known::default(), &SampleOptions::default().count(count), |_| true)
    }
}

/// Draws samples from a model without the replicas of its training. Of what is not known, short Gibbs sampling
/// from several kinds of states gives an idea; modes that none of them reached, and that no ladder finds, are then not
/// seen. `progress` gets the share that is done and answers whether to go on.
pub fn sample_model(
    model: &Rbm,
    known: &Known<'_>,
    options: &SampleOptions,
    progress: impl FnMut(f64) -> bool,
) -> Result<Samples> {
    draw(model, None, known, options, progress)
}

/// The same with the ladder of a run and its replicas, which the first half of the samples continue with.
pub fn sample_run(
    model: &Rbm,
    run: (Tempering<AnyEnsemble>, Adaptation),
    known: &Known<'_>,
    options: &SampleOptions,
    progress: impl FnMut(f64) -> bool,
) -> Result<Samples> {
    draw(model, Some(run), known, options, progress)
}

fn draw(
    model: &Rbm,
    run: Option<(Tempering<AnyEnsemble>, Adaptation)>,
    known: &Known<'_>,
    options: &SampleOptions,
    mut progress: impl FnMut(f64) -> bool,
) -> Result<Samples> {
    options.steps(1, model.n_visible())?;
    let Plan { first, second, clusters, of } = Plan::new(model, run, known, options)?;
    let (of_first, of_second) = match &second {
        Some(_) => (options.count.div_ceil(2), options.count / 2),
        None => (options.count, 0),
    };
    let share = of_first as f64 / options.count as f64;
    let mut goes_on = true;
    let mut told = |done: f64| {
        goes_on = goes_on && progress(done);
        goes_on
    };
    let request = options.clone().count(of_first);
    let (origin, drawn) = first.draw(model, &request, |done| told(share * done))?;
    let mut drawn = vec![(origin, drawn)];
    if let Some(second) = second {
        let request = options.clone().count(of_second);
        let it = second.draw(model, &request, |done| told(share + (1.0 - share) * done))?;
        drawn.push(it);
    }
    let mut v = BitMatrix::zeros(0, model.n_visible());
    drawn.iter().for_each(|(_, part)| v.append(&part.v));
    // A mixture of what short Gibbs sampling found has the weights of nothing: the samples are all there is.
    let clusters = clusters.map(|clusters| match of {
        ClustersOf::Samples if v.rows() > 0 => clusters.weighed_by(&v),
        _ => clusters,
    });
    let clusters = clusters.filter(|_| v.rows() > 0);
    let clusters = clusters.map(|clusters| ClusterWeights::of(&clusters, of, &drawn));
    let part = |(origin, LadderSamples { v, ladder })| Part { origin, count: v.rows(), ladder };
    let parts: Vec<Part> = drawn.into_iter().map(part).collect();
    let round_trips = parts.iter().map(|part| part.ladder.round_trips).sum();
    Ok(Samples { v, parts, round_trips, clusters })
}
