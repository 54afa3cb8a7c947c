//! Samples of a model by a tempered sampler: the ladder adapts while the replicas warm up and stays
//! as it is while samples are taken.

use std::sync::LazyLock;

use isotherm_kernels::BitMatrix;
use isotherm_tempering::causes::{self, RequestError};
use isotherm_tempering::recorders::RungTrace;
use isotherm_tempering::streams::Key;
use isotherm_tempering::{
    Adaptation, Ensemble, Ladder, Moment, Recorder, Sampler, Spacing, Tempering, TemperingState,
    WarmUp,
};

use crate::Result;
use crate::diagnostics::Diagnostic;
use crate::model::Rbm;
use crate::options::{OptionSpec, Section, check_ranges};
use crate::paths::joint::joint;
use crate::paths::{AnyEnsemble, RbmEnsemble, SwapOn, automatic, random_hidden};
use crate::section;

/// The fewest and the most columns of a ladder that is laid for sampling: few would tell little of where
/// its rungs should be.
const FEWEST_COLUMNS: usize = 16;
/// The most columns of such a ladder.
pub const MOST_COLUMNS: usize = 100;

/// Rungs that it begins with.
const FIRST_RUNGS: usize = 10;

/// Bounds that keep a mistyped option from asking for years or terabytes.
const LOG2_MOST_STEPS: u32 = 48;
const LOG2_MOST_VALUES: u32 = 36;

section! {
    /// What is asked of a sampler.
    pub struct SampleOptions in "" titled "Samples", set by SampleOptions {
        /// Number of samples.
        count: usize = 100, in 1..=u64::MAX, value "N";
        /// Steps between two samples of a column.
        thin: u64 = 10, in 1..=u64::MAX, value "STEPS";
        /// Steps before the first sample. In them the ladder adapts, or a new one is laid where a run has no
        /// ladder or has particles beside it. With 0, the replicas of a run with a ladder go on as they are.
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

/// Samples, with what is known of the ladder that they came from.
#[derive(Clone, Debug)]
pub struct Samples {
    /// A row for each sample.
    pub v: BitMatrix,
    /// The rung of each replica at each time samples were taken, if that was asked for: replicas side
    /// by side.
    pub rungs: Vec<u16>,
    /// The ladder, β = 1 first.
    pub betas: Vec<f64>,
    /// Persistent particles: samples that were taken at a time.
    pub particles: usize,
    /// Columns of the ladder.
    pub columns: usize,
    /// Round trips of all replicas after the warm-up.
    pub round_trips: u64,
    /// Round trips in the warm-up, since the ladder was laid last: they forget where the replicas began
    /// just as well.
    pub warm_up_trips: u64,
}

impl Samples {
    /// Why the samples may not be the model's, if there is a doubt: fewer round trips than columns, as
    /// where an evaluation doubts its samplers, but counted from the warm-up on.
    pub fn diagnose(&self) -> Option<Diagnostic> {
        let (round_trips, columns) = (self.warm_up_trips + self.round_trips, self.columns);
        let is_doubtful = round_trips < columns as u64 && self.betas.len() > 1;
        is_doubtful.then_some(Diagnostic::FewRoundTrips { round_trips, columns })
    }
}

impl SampleOptions {
    /// The options, each with its name, its kind and its help text.
    pub fn table() -> &'static [OptionSpec] {
        static TABLE: LazyLock<Vec<OptionSpec>> = LazyLock::new(SampleOptions::specs);
        &TABLE
    }

    /// Steps after the warm-up, with so many samples at a time.
    fn steps(&self, particles: usize, n_visible: usize) -> Result<u64> {
        check_ranges(self, SampleOptions::table())?;
        if self.count.checked_mul(n_visible).is_none_or(|values| values > 1 << LOG2_MOST_VALUES) {
            let (samples, log2_most) = (self.count, LOG2_MOST_VALUES);
            let units = n_visible;
            return Err(RequestError::TooManyValues { samples, units, log2_most }.into());
        }
        let rounds = self.count.div_ceil(particles) as u64;
        let fits = |steps: &u64| {
            let all = steps.checked_add(self.warm_up);
            all.is_some_and(|all| all <= 1 << LOG2_MOST_STEPS)
        };
        let too_many = RequestError::TooManySteps { log2_most: LOG2_MOST_STEPS };
        rounds.checked_mul(self.thin).filter(fits).ok_or_else(|| too_many.into())
    }
}

/// Draws samples from a model about whose data nothing is known: the reference of the ladder gets the
/// marginals that a short run of Gibbs sampling shows. `progress` is told the share that is done and
/// answers whether to go on.
pub fn sample_model(
    model: &Rbm,
    options: &SampleOptions,
    progress: impl FnMut(f64) -> bool,
) -> Result<Samples> {
    options.steps(1, model.n_visible())?;
    sample(model, &marginals_of(model, options.seed)?, options, progress)
}

/// Draws samples by a ladder that is laid for it, its reference at these marginals.
pub fn sample(
    model: &Rbm,
    marginals: &[f64],
    options: &SampleOptions,
    mut progress: impl FnMut(f64) -> bool,
) -> Result<Samples> {
    let columns = options.columns.unwrap_or(options.count).clamp(FEWEST_COLUMNS, MOST_COLUMNS);
    let steps = options.steps(columns, model.n_visible())?;
    let state = TemperingState::new(Ladder::new(FIRST_RUNGS, Spacing::Linear), columns);
    let mut ensemble = automatic(marginals, model.n_hidden());
    let key = Key { seed: options.seed, step: 0 };
    ensemble.set_hidden(random_hidden(state.replicas.rows(), model.n_hidden(), key));
    let mut tempering = Tempering::new(ensemble, state);
    // From the reference: hidden units by coins would put strong fields on v, and many replicas into the
    // narrowest modes.
    tempering.begin_at_reference(model, Key::after_training(options.seed, 0))?;
    let mut sampler = Sampler::new(tempering, Key::of_log_z(options.seed, 1));
    let (total, mut going) = ((options.warm_up + steps) as f64, true);
    // The model does not change any more: its ladder is tuned in rounds.
    let trips = sampler.warm_up(model, options.warm_up, WarmUp::Tune, &mut |step| {
        going = progress(step as f64 / total);
        going
    })?;
    sampler.key = Key::after_training(options.seed, 0);
    sampler.k = options.k;
    let steps = if going { steps } else { 0 };
    let warm_up = options.warm_up;
    let progress = &mut |step| progress((warm_up + step) as f64 / total);
    record(model, sampler, (steps, trips), options, progress)
}

/// Draws samples by a ladder that goes on, such as that of a run. It adapts in the warm-up.
pub fn sample_on(
    model: &Rbm,
    mut tempering: Tempering<AnyEnsemble>,
    adaptation: Adaptation,
    options: &SampleOptions,
    mut progress: impl FnMut(f64) -> bool,
) -> Result<Samples> {
    let steps = options.steps(tempering.state.replicas.particles(), model.n_visible())?;
    tempering.state.flow.restart_count();
    let mut sampler = Sampler::new(tempering, Key::after_training(options.seed, 0));
    sampler.k = options.k;
    let (total, mut going) = ((options.warm_up + steps) as f64, true);
    let how = WarmUp::Adapt(adaptation);
    let trips = sampler.warm_up(model, options.warm_up, how, &mut |step| {
        going = progress(step as f64 / total);
        going
    })?;
    let steps = if going { steps } else { 0 };
    let warm_up = options.warm_up;
    let progress = &mut |step| progress((warm_up + step) as f64 / total);
    record(model, sampler, (steps, trips), options, progress)
}

/// Takes samples while the ladder stays as it is.
fn record(
    model: &Rbm,
    mut sampler: Sampler<AnyEnsemble>,
    (steps, warm_up_trips): (u64, u64),
    options: &SampleOptions,
    progress: &mut dyn FnMut(u64) -> bool,
) -> Result<Samples> {
    let particles = sampler.tempering.state.replicas.particles();
    let mut taken = VisibleSamples::new(particles, model.n_visible(), options.thin);
    let mut trace = RungTrace::new(options.thin);
    let mut recorders: Vec<&mut dyn Recorder<AnyEnsemble>> = vec![&mut taken];
    if options.traced {
        recorders.push(&mut trace);
    }
    sampler.record(model, steps, &mut recorders, progress)?;
    let wanted: Vec<usize> = (0..options.count.min(taken.v.rows())).collect();
    let state = &sampler.tempering.state;
    Ok(Samples {
        v: taken.v.select(&wanted),
        rungs: trace.rungs,
        betas: state.ladder.betas().to_vec(),
        particles,
        columns: state.replicas.columns(),
        round_trips: state.flow.round_trips,
        warm_up_trips,
    })
}

/// The visible units of all persistent particles, every `thin` steps.
struct VisibleSamples {
    v: BitMatrix,
    now: BitMatrix,
    thin: u64,
}

impl VisibleSamples {
    fn new(particles: usize, n_visible: usize, thin: u64) -> VisibleSamples {
        let now = BitMatrix::zeros(particles, n_visible);
        VisibleSamples { v: BitMatrix::zeros(0, n_visible), now, thin }
    }
}

impl Recorder<AnyEnsemble> for VisibleSamples {
    fn record(&mut self, moment: &mut Moment<'_, AnyEnsemble>) -> Result<()> {
        if (moment.step + 1).is_multiple_of(self.thin) {
            let (model, key, now) = (moment.model, moment.key, &mut self.now);
            moment.tempering.at_the_cold_end(|ensemble, rows| {
                ensemble.visible(model, rows, key, now);
            });
            self.v.append(&self.now);
        }
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
