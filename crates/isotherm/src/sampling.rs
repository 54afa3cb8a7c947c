//! Samples of a model by a tempered sampler. The ladder adapts during the warm-up and is fixed while
//! samples are taken.

use std::sync::LazyLock;

use isotherm_kernels::BitMatrix;
use isotherm_tempering::causes;
use isotherm_tempering::flow::too_few_round_trips;
use isotherm_tempering::limits;
use isotherm_tempering::recorders::{RungTrace, Thinned};
use isotherm_tempering::streams::Key;
use isotherm_tempering::{
    Adaptation, Ensemble, Ladder, Progress, Recorder, Sampler, Spacing, StepView, Tempering,
    TemperingState, WarmUp,
};

use crate::Result;
use crate::diagnostics::Diagnostic;
use crate::model::Rbm;
use crate::options::{OptionSpec, Section, check_ranges};
use crate::paths::joint::joint;
use crate::paths::{
    AnyEnsemble, PathContext, PathKind, RbmEnsemble, SwapOn, random_hidden, temper,
};
use crate::references::Reference;
use crate::section;

/// The fewest columns of a ladder that is set up for sampling: with fewer, the swap rates say too little
/// about where its rungs should be.
const FEWEST_COLUMNS: usize = 16;
/// The most columns of such a ladder.
pub const MOST_COLUMNS: usize = 100;

/// Rungs that it begins with.
const FIRST_RUNGS: usize = 10;

section! {
    /// Options of a sampler. Each field has a setter: `SampleOptions::default().count(500).thin(20)`.
    pub struct SampleOptions in "" titled "Samples", set by SampleOptions {
        /// Number of samples.
        count: usize = 100, in 1..=u64::MAX, value "N";
        /// Steps between two samples of a column.
        thin: u64 = 10, in 1..=u64::MAX, value "STEPS";
        /// Steps before the first sample, in which the ladder adapts. A run without a ladder, or with particles
        /// off its ladder, gets a new ladder in these steps. With 0, sampling continues with the replicas of a
        /// run that has a ladder.
        warm_up: u64 = 1000, value "STEPS";
        /// Seed of the samples.
        seed: u64 = 1;
    }
    beside {
        /// Whether to record the rung of every replica whenever samples are taken.
        traced: bool = false;
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

/// Samples, with statistics of the ladder that they came from.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Samples {
    /// A row for each sample.
    pub v: BitMatrix,
    /// The rung of each replica at each time samples were taken, if that was asked for: replicas side
    /// by side.
    pub rungs: Vec<u16>,
    /// The ladder, β = 1 first.
    pub betas: Vec<f64>,
    /// Persistent particles: the number of samples taken at a time.
    pub particles: usize,
    /// Columns of the ladder.
    pub columns: usize,
    /// Round trips of all replicas after the warm-up.
    pub round_trips: u64,
    /// Round trips in the warm-up since the ladder was last respaced: they make replicas forget their
    /// initial states just as well.
    pub warm_up_trips: u64,
}

impl Samples {
    /// A diagnostic if the samples may cover only a part of the model: fewer round trips than columns, the
    /// rule by which an evaluation calls a sampler not converged, but counted from the warm-up on.
    pub fn diagnose(&self) -> Option<Diagnostic> {
        let (round_trips, columns) = (self.warm_up_trips + self.round_trips, self.columns);
        let is_doubtful = too_few_round_trips(round_trips, columns) && self.betas.len() > 1;
        is_doubtful.then_some(Diagnostic::FewRoundTrips { round_trips, columns })
    }
}

impl SampleOptions {
    /// The options, each with its name, its kind and its help text.
    pub fn table() -> &'static [OptionSpec] {
        static TABLE: LazyLock<Vec<OptionSpec>> = LazyLock::new(SampleOptions::specs);
        &TABLE
    }

    /// Steps after the warm-up, if `particles` samples are taken at a time.
    fn steps(&self, particles: usize, n_visible: usize) -> Result<u64> {
        check_ranges(self, SampleOptions::table())?;
        limits::check_values(self.count, n_visible)?;
        limits::check_steps(self.count.div_ceil(particles) as u64, self.thin, 0, self.warm_up)
    }
}

impl Rbm {
    /// Draws `count` samples, with the other [`SampleOptions`] at their defaults: see [`sample_model`].
    pub fn sample(&self, count: usize) -> Result<Samples> {
        sample_model(self, &SampleOptions::default().count(count), |_| true)
    }
}

/// Draws samples from a model about whose data nothing is known: the reference of the ladder gets the
/// marginals that a short run of Gibbs sampling shows. `progress` gets the share that is done and
/// answers whether to go on.
pub fn sample_model(
    model: &Rbm,
    options: &SampleOptions,
    progress: impl FnMut(f64) -> bool,
) -> Result<Samples> {
    options.steps(1, model.n_visible())?;
    sample(model, &marginals_of(model, options.seed)?, options, &mut [], progress)
}

/// Draws samples by a new ladder from this reference. `recorders` see every step after the
/// warm-up.
pub fn sample(
    model: &Rbm,
    reference: impl Into<Reference>,
    options: &SampleOptions,
    recorders: &mut [&mut dyn Recorder<AnyEnsemble>],
    mut progress: impl FnMut(f64) -> bool,
) -> Result<Samples> {
    let columns = options.columns.unwrap_or(options.count).clamp(FEWEST_COLUMNS, MOST_COLUMNS);
    let steps = options.steps(columns, model.n_visible())?;
    let state = TemperingState::new(Ladder::new(FIRST_RUNGS, Spacing::Linear), columns);
    let reference = reference.into();
    let context = PathContext::of(&reference, model.n_hidden());
    let key = Key { seed: options.seed, step: 0 };
    let ensemble = PathKind::Auto.ensemble(&context);
    let units = ensemble.units();
    let mut tempering = temper(ensemble, state, |rows| random_hidden(rows, units, key));
    // From the reference: hidden units drawn by fair coins would put strong fields on v, and many replicas
    // into the narrowest modes.
    tempering.begin_at_reference(model, Key::after_training(options.seed, 0))?;
    let mut sampler = Sampler::new(tempering, Key::of_log_z(options.seed, 1));
    let progress = &mut Progress::new(options.warm_up + steps, &mut progress);
    // The model does not change any more: its ladder is tuned in rounds.
    let trips = sampler.warm_up(model, options.warm_up, WarmUp::Tune, progress)?;
    (sampler.key, sampler.k) = (Key::after_training(options.seed, 0), options.k);
    record(model, sampler, (steps, trips), options, recorders, progress)
}

/// Draws samples by a ladder that exists, such as that of a run. It adapts in the warm-up. `recorders` see
/// every step after it.
pub fn sample_on(
    model: &Rbm,
    mut tempering: Tempering<AnyEnsemble>,
    adaptation: Adaptation,
    options: &SampleOptions,
    recorders: &mut [&mut dyn Recorder<AnyEnsemble>],
    mut progress: impl FnMut(f64) -> bool,
) -> Result<Samples> {
    let steps = options.steps(tempering.state().replicas().particles(), model.n_visible())?;
    tempering.restart_count();
    let mut sampler = Sampler::new(tempering, Key::after_training(options.seed, 0));
    sampler.k = options.k;
    let progress = &mut Progress::new(options.warm_up + steps, &mut progress);
    let trips = sampler.warm_up(model, options.warm_up, WarmUp::Adapt(adaptation), progress)?;
    record(model, sampler, (steps, trips), options, recorders, progress)
}

/// Takes samples on a fixed ladder.
fn record(
    model: &Rbm,
    mut sampler: Sampler<AnyEnsemble>,
    (steps, warm_up_trips): (u64, u64),
    options: &SampleOptions,
    mut recorders: &mut [&mut dyn Recorder<AnyEnsemble>],
    progress: &mut Progress<'_>,
) -> Result<Samples> {
    let mut taken = Thinned::every(options.thin, VisibleSamples::new(model.n_visible()));
    let mut trace = options.traced.then(|| Thinned::every(options.thin, RungTrace::default()));
    let own: &mut [&mut dyn Recorder<_>] = &mut [&mut taken, &mut trace, &mut recorders];
    sampler.record(model, steps, own, progress)?;
    let v = taken.recorder.v;
    let wanted: Vec<usize> = (0..options.count.min(v.rows())).collect();
    let state = sampler.tempering.state();
    Ok(Samples {
        v: v.select(&wanted),
        rungs: trace.map_or(Vec::new(), |trace| trace.recorder.rungs),
        betas: state.ladder().betas().to_vec(),
        particles: state.replicas().particles(),
        columns: state.replicas().columns(),
        round_trips: state.flow().round_trips(),
        warm_up_trips,
    })
}

/// Records the visible units of all persistent particles.
#[derive(Clone, Debug)]
pub struct VisibleSamples {
    /// A row for each sample: all particles of the first record, then all of the next.
    pub v: BitMatrix,
    now: BitMatrix,
}

impl VisibleSamples {
    /// A recorder of states with this number of visible units.
    pub fn new(n_visible: usize) -> VisibleSamples {
        let none = BitMatrix::zeros(0, n_visible);
        VisibleSamples { v: none.clone(), now: none }
    }
}

impl Recorder<AnyEnsemble> for VisibleSamples {
    fn begin(&mut self, tempering: &Tempering<AnyEnsemble>, _: u64) {
        let particles = tempering.state().replicas().particles();
        self.now = BitMatrix::zeros(particles, self.v.cols());
    }

    fn record(&mut self, view: &mut StepView<'_, AnyEnsemble>) -> Result<()> {
        let (model, key, now) = (view.model, view.key, &mut self.now);
        view.tempering.at_the_cold_end(|ensemble, rows| ensemble.visible(model, rows, key, now));
        self.v.append(now);
        Ok(())
    }
}

/// P(v_j = 1) as independent Gibbs samplers from random states see it.
fn marginals_of(model: &Rbm, seed: u64) -> Result<Vec<f64>> {
    const ROWS: usize = 200;
    const STEPS: usize = 200;
    let key = Key::of_log_z(seed, 0);
    let mut gibbs = joint(model.n_visible(), model.n_hidden(), SwapOn::Energy);
    gibbs.set_hidden(random_hidden(ROWS, model.n_hidden(), key));
    gibbs.sweep(model, &[1.0; ROWS], STEPS, key)?;
    let counts = gibbs.states.visible_states().column_counts();
    Ok(counts.into_iter().map(|count| count as f64 / ROWS as f64).collect())
}
