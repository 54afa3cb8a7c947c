//! Samples of one ladder. It adapts during the warm-up and is fixed while samples are taken.

use isotherm_kernels::BitMatrix;
use isotherm_tempering::recorders::{RungTrace, Thinned};
use isotherm_tempering::streams::Key;
use isotherm_tempering::{
    Adaptation, Ladder, Progress, Recorder, Sampler, Spacing, StepView, Tempering, TemperingState,
    WarmUp,
};
use serde::{Deserialize, Serialize};

use super::SampleOptions;
use crate::Result;
use crate::model::Rbm;
use crate::paths::{AnyEnsemble, PathContext, PathKind, random_hidden, temper, units_given};
use crate::references::Reference;

/// The fewest columns of a ladder that is set up for sampling: with fewer, the swap rates say too little
/// about where its rungs should be.
const FEWEST_COLUMNS: usize = 16;
/// The most columns of all such ladders together.
pub const MOST_COLUMNS: usize = 100;

/// Rungs that it begins with.
const FIRST_RUNGS: usize = 10;

/// Samples of one ladder, with its statistics.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LadderSamples {
    /// A row for each sample.
    pub v: BitMatrix,
    /// The ladder.
    pub ladder: SampledLadder,
}

/// A ladder that samples came from.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SampledLadder {
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
    /// Round trips in the warm-up since the ladder was last respaced, and those of a run that sampling continues with:
    /// they make replicas forget their initial states just as well.
    pub warm_up_trips: u64,
}

/// The first states of replicas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum FirstStates {
    /// Those of a run's replicas.
    Replicas,
    /// Draws of the reference.
    Reference,
    /// Training data.
    Data,
    /// Draws of a mixture that was fitted to the training data.
    Mixture,
    /// What short Gibbs sampling reached from several kinds of states.
    Reached,
    /// None: samples are drawn exactly.
    Exact,
}

/// A ladder that is yet to be tuned, and the first states of its replicas.
#[derive(Clone, Debug)]
pub(super) struct NewLadder {
    pub(super) path: PathKind,
    pub(super) reference: Reference,
    pub(super) start: FirstStates,
    /// Visible states to begin with: the reference's draws if absent.
    pub(super) states: Option<BitMatrix>,
    pub(super) seed: u64,
    /// The most columns it may have.
    pub(super) most_columns: usize,
}

/// Draws samples by a new ladder from this reference. `recorders` see every step after the
/// warm-up.
pub fn sample(
    model: &Rbm,
    reference: impl Into<Reference>,
    options: &SampleOptions,
    recorders: &mut [&mut dyn Recorder<AnyEnsemble>],
    progress: impl FnMut(f64) -> bool,
) -> Result<LadderSamples> {
    let ladder = NewLadder {
        path: PathKind::Auto,
        reference: reference.into(),
        start: FirstStates::Reference,
        states: None,
        seed: options.seed,
        most_columns: MOST_COLUMNS,
    };
    sample_from(model, &ladder, options, recorders, progress)
}

/// Draws samples by a new ladder.
pub(super) fn sample_from(
    model: &Rbm,
    NewLadder { path, reference, states, seed, most_columns, .. }: &NewLadder,
    options: &SampleOptions,
    recorders: &mut [&mut dyn Recorder<AnyEnsemble>],
    mut progress: impl FnMut(f64) -> bool,
) -> Result<LadderSamples> {
    let columns = options.columns.unwrap_or(options.count).clamp(FEWEST_COLUMNS, *most_columns);
    let steps = options.steps(columns, model.n_visible())?;
    let state = TemperingState::new(Ladder::new(FIRST_RUNGS, Spacing::Linear), columns);
    let context = PathContext::of(reference, model.n_hidden());
    let key = Key { seed: *seed, step: 0 };
    let ensemble = path.ensemble(&context);
    let units = ensemble.units();
    let tempering = match states {
        Some(states) => temper(ensemble, state, |rows| {
            let in_turn: Vec<usize> = (0..rows).map(|row| row % states.rows()).collect();
            let reference = (units, reference.distribution());
            units_given(model, &states.select(&in_turn), reference, key)
        }),
        None => {
            let mut tempering = temper(ensemble, state, |rows| random_hidden(rows, units, key));
            // Hidden units drawn by fair coins would put strong fields on v, and many replicas into the narrowest
            // modes.
            tempering.begin_at_reference(model, Key::after_training(*seed, 0))?;
            tempering
        }
    };
    let mut sampler = Sampler::new(tempering, Key::of_log_z(*seed, 1));
    let progress = &mut Progress::new(options.warm_up + steps, &mut progress);
    // The model does not change any more: its ladder is tuned in rounds.
    let trips = sampler.warm_up(model, options.warm_up, WarmUp::Tune, progress)?;
    (sampler.key, sampler.k) = (Key::after_training(*seed, 0), options.k);
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
) -> Result<LadderSamples> {
    let steps = options.steps(tempering.state().replicas().particles(), model.n_visible())?;
    // The replicas have travelled before.
    let before = tempering.state().flow().round_trips();
    tempering.restart_count();
    let mut sampler = Sampler::new(tempering, Key::after_training(options.seed, 0));
    sampler.k = options.k;
    let progress = &mut Progress::new(options.warm_up + steps, &mut progress);
    let trips = sampler.warm_up(model, options.warm_up, WarmUp::Adapt(adaptation), progress)?;
    record(model, sampler, (steps, before + trips), options, recorders, progress)
}

/// Takes samples on a fixed ladder.
fn record(
    model: &Rbm,
    mut sampler: Sampler<AnyEnsemble>,
    (steps, warm_up_trips): (u64, u64),
    options: &SampleOptions,
    mut recorders: &mut [&mut dyn Recorder<AnyEnsemble>],
    progress: &mut Progress<'_>,
) -> Result<LadderSamples> {
    let mut taken = Thinned::every(options.thin, VisibleSamples::new(model.n_visible()));
    let mut trace = options.traced.then(|| Thinned::every(options.thin, RungTrace::default()));
    let own: &mut [&mut dyn Recorder<_>] = &mut [&mut taken, &mut trace, &mut recorders];
    sampler.record(model, steps, own, progress)?;
    let v = taken.recorder.v;
    let wanted: Vec<usize> = (0..options.count.min(v.rows())).collect();
    let state = sampler.tempering.state();
    let ladder = SampledLadder {
        rungs: trace.map_or(Vec::new(), |trace| trace.recorder.rungs),
        betas: state.ladder().betas().to_vec(),
        particles: state.replicas().particles(),
        columns: state.replicas().columns(),
        round_trips: state.flow().round_trips(),
        warm_up_trips,
    };
    Ok(LadderSamples { v: v.select(&wanted), ladder })
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
