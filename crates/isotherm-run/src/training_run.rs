//! A training run in memory: data, trainer and state, the rows of metrics along the way and the likelihoods
//! at the end. It knows nothing of folders; [`Session`](super::Session) runs one in a folder.

use std::time::Instant;

use serde_json::json;

use super::digests::Digests;
use super::run_data::RunData;
use super::summarise::FinalLikelihoods;
use crate::checkpoint::CheckpointError;
use crate::config::{Config, DataOptions};
use crate::record::{LadderRow, Row, Seconds};
use isotherm::data::Dataset;
use isotherm::diagnostics::{Diagnostic, Stop};
use isotherm::likelihood::online::{OnlineEstimate, OnlineLogZ};
use isotherm::likelihood::{
    Budget, Effort, KnownData, LogLikelihood, LogZMethod, LogZResult, exact, measure_given,
    online_log_likelihood,
};
use isotherm::model::Rbm;
use isotherm::options::{Chosen, FinalLikelihood, OptimiserOptions, Plan};
use isotherm::references::Reference;
use isotherm::tensors::Bundle;
use isotherm::trainer::Reach;
use isotherm::trainer::{Phase, StepInfo, TrainState, Trainer};
use isotherm::{Error, Result};
use isotherm_tempering::causes::NonFinite;

/// The version of the contents of a checkpoint, and of what an update makes of them.
const FORMAT: u64 = 5;

/// From this many terms on the likelihoods of a row take a good part of a second.
const LONG_ROW: f64 = 5e7;

/// Likelihoods along a run: of the model, of its averaged parameters, and of the latter on the validation
/// data.
#[derive(Default)]
struct Likelihoods {
    train: Option<LogLikelihood>,
    averaged: Option<LogLikelihood>,
    valid: Option<LogLikelihood>,
    /// log Z of the averaged parameters, if it is not exact.
    log_z: Option<OnlineEstimate>,
}

/// Called with the current stage and the share of it that is done.
type Progress<'a> = &'a mut dyn FnMut(&str, f64) -> bool;

/// A training run in progress.
pub struct TrainingRun {
    trainer: Trainer,
    state: TrainState,
    valid: Option<Dataset>,
    test: Option<Dataset>,
    digests: Digests,
    data_options: DataOptions,
    seconds: Seconds,
    about_data: Vec<Diagnostic>,
    /// The names of options that were chosen and have no effect.
    unused: Vec<String>,
}

impl TrainingRun {
    /// A training run before its first step. Refuses data and options that cannot work. `progress` gets what is being
    /// done before the first step, the fit of a reference, and the share of it that is done, and returns whether to go
    /// on; if not, the error is of the kind [`Kind::Interrupted`](isotherm::Kind::Interrupted).
    pub fn begin(config: &Config, data: RunData, progress: Progress) -> Result<TrainingRun> {
        let shape = config.options.shape.or_else(|| data.train.pictures());
        data.train.check_learnable(config.data.constant_columns, shape)?;
        let plan = config.check(data.train.n_visible())?;
        let begun = Instant::now();
        let reference = Reference::of(&plan, &data.train, progress)?;
        let seconds = Seconds { fit: begun.elapsed().as_secs_f64(), ..Seconds::default() };
        let state = TrainState::new(&plan, reference);
        Ok(TrainingRun { seconds, ..TrainingRun::new(config, plan, data, state) })
    }

    /// The same, with a diagnostic for those of the `chosen` options that have no effect.
    pub fn noting_unused(mut self, chosen: &Chosen) -> TrainingRun {
        let unused = self.plan().options().unused(chosen);
        self.unused = unused.into_iter().map(|name| name.to_string()).collect();
        self
    }

    /// Resumes a training run from its checkpoint. `name` is what errors call it.
    pub fn resume(
        config: &Config,
        data: RunData,
        bundle: &Bundle,
        name: &str,
    ) -> Result<TrainingRun> {
        if bundle.meta.get("format").and_then(|format| format.as_u64()) != Some(FORMAT) {
            return Err(CheckpointError::OtherVersion { run: name.to_owned() }.into());
        }
        if let Some(part) = Digests::of(&data).changed(&Digests::read(&bundle.meta)) {
            let of = data.part(if part == "data" { "train" } else { part }).map(Dataset::name);
            let (run, data) = (name.to_owned(), of.unwrap_or(part).to_owned());
            return Err(CheckpointError::DataChanged { run, data }.into());
        }
        let about_data = data.diagnose(&config.data);
        Ok(TrainingRun { about_data, ..TrainingRun::go_on(config, data, bundle, name)? })
    }

    /// The same with other data: what was learned is kept, and the reference that the sampler uses.
    pub fn go_on(
        config: &Config,
        data: RunData,
        bundle: &Bundle,
        name: &str,
    ) -> Result<TrainingRun> {
        let n_visible = data.train.n_visible();
        let plan = config.check(n_visible)?;
        let fits = bundle
            .get::<f64>("marginals", &[n_visible])
            .and_then(|_| TrainState::take_from(bundle, &plan));
        let state = fits
            .map_err(|error: Error| CheckpointError::DoesNotFit { run: name.to_owned(), error })?;
        // What was raised at the start is about the data that learning began with.
        let mut about_data = raised_at_start(bundle);
        let mut unused = Vec::new();
        about_data.retain_mut(|it| match it {
            Diagnostic::UnusedOptions { names } => {
                unused = std::mem::take(names);
                false
            }
            // The reference says so itself.
            Diagnostic::WeakReference { .. } => false,
            _ => true,
        });
        let run = TrainingRun::new(config, plan, data, state);
        Ok(TrainingRun { unused, about_data, ..run })
    }

    fn new(config: &Config, plan: Plan, data: RunData, state: TrainState) -> TrainingRun {
        let data_options = config.data.clone();
        let digests = Digests::of(&data);
        let about_data = data.diagnose(&data_options);
        let RunData { train, valid, test } = data;
        let (trainer, seconds) = (Trainer::new(plan, train), Seconds::default());
        TrainingRun {
            trainer,
            state,
            valid,
            test,
            digests,
            data_options,
            seconds,
            about_data,
            unused: Vec::new(),
        }
    }

    /// The checkpoint: all that is needed to continue later with the same data.
    pub fn to_bundle(&self) -> Result<Bundle> {
        let mut meta = json!({ "kind": "checkpoint", "format": FORMAT });
        self.digests.write(&mut meta);
        let at_start = self.diagnostics_at_start();
        if !at_start.is_empty() {
            meta[AT_START] = json!(at_start);
        }
        let mut bundle = Bundle::new(meta);
        self.state.insert_into(&mut bundle)?;
        Ok(bundle)
    }

    /// Its configuration, with every choice written out.
    pub fn config(&self) -> Config {
        Config { options: self.plan().options().clone(), data: self.data_options.clone() }
    }

    /// The plan.
    pub fn plan(&self) -> &Plan {
        self.trainer.plan()
    }

    /// The training data.
    pub fn data(&self) -> &Dataset {
        self.trainer.data()
    }

    /// The validation data.
    pub fn valid(&self) -> Option<&Dataset> {
        self.valid.as_ref()
    }

    /// The test data.
    pub fn test(&self) -> Option<&Dataset> {
        self.test.as_ref()
    }

    /// The state.
    pub fn state(&self) -> &TrainState {
        &self.state
    }

    /// The seconds spent so far.
    pub fn seconds(&self) -> Seconds {
        self.seconds
    }

    /// Sets the seconds that were spent before it was resumed.
    pub(super) fn set_seconds(&mut self, seconds: Seconds) {
        self.seconds = seconds;
    }

    /// Continues on other data of the same width, for `updates` more updates. It starts from the best
    /// model, if there were validation data.
    pub fn learn_from(&mut self, data: RunData, updates: u64) -> Result<()> {
        let step = self.state.step();
        let options = self.plan().options().clone().updates(step + updates);
        let plan = options.check(data.train.n_visible())?;
        self.digests = Digests::of(&data);
        let RunData { train, valid, test } = data;
        (self.trainer, self.valid, self.test) = (Trainer::new(plan, train), valid, test);
        self.trainer.begin_a_pass(&self.state);
        self.state.change_plan(self.trainer.plan());
        Ok(())
    }

    /// Whether all steps are done.
    pub fn is_complete(&self) -> bool {
        self.state.step() >= self.plan().total_steps()
    }

    /// One step, and the row of metrics if one is due. `goes_on` is asked while the likelihoods of the row are
    /// enumerated; if it returns `false`, the step is done but its row is lost, and the error is of the kind
    /// [`Kind::Interrupted`](isotherm::Kind::Interrupted).
    pub fn step(&mut self, goes_on: &mut dyn FnMut() -> bool) -> Result<Option<Row>> {
        let begun = Instant::now();
        let info = self.trainer.step(&mut self.state)?;
        *self.clock_of(info.phase) += begun.elapsed().as_secs_f64();
        self.row(&info, goes_on)
    }

    /// Whether the row of the next step has likelihoods that take long to enumerate.
    pub(super) fn enumerates_next(&self) -> bool {
        self.measures_at(self.state.step() + 1)
            && self.state.online().is_none()
            && exact::terms(self.state.model()) > LONG_ROW
    }

    /// Whether likelihoods are measured after this number of updates.
    fn measures_at(&self, updates: u64) -> bool {
        let (every, last) =
            (self.plan().likelihood_every(), self.plan().options().optimiser.updates);
        every > 0 && updates <= last && (updates.is_multiple_of(every) || updates == last)
    }

    /// Whether training should stop early.
    pub fn has_stalled(&self) -> bool {
        let OptimiserOptions { updates, patience, .. } = self.plan().options().optimiser;
        self.state.step() < updates && self.state.has_stalled(patience)
    }

    /// The diagnostic of a run that has stopped, or would stop now, before its last update.
    pub fn stopped_early(&self) -> Option<Diagnostic> {
        let optimiser = &self.plan().options().optimiser;
        let (updates, of, patience) = (self.state.step(), optimiser.updates, optimiser.patience);
        let because = match self.state.best() {
            Some(best) if self.state.has_stalled(patience) => {
                Stop::Patience { best: best.highest_at() }
            }
            _ => Stop::Interrupted,
        };
        (updates < of).then_some(Diagnostic::StoppedEarly { updates, of, because })
    }

    /// What is raised when the run begins: about its data, and options without effect.
    pub fn diagnostics_at_start(&self) -> Vec<Diagnostic> {
        let names = self.unused.clone();
        let unused = (!names.is_empty()).then_some(Diagnostic::UnusedOptions { names });
        let weak = self.state.reference().diagnose();
        self.about_data.iter().cloned().chain(unused).chain(weak).collect()
    }

    fn clock_of(&mut self, phase: Phase) -> &mut f64 {
        match phase {
            Phase::Train => &mut self.seconds.train,
            Phase::Sample => &mut self.seconds.sample,
        }
    }

    /// The row of the step just done, if one is due.
    fn row(&mut self, info: &StepInfo, goes_on: &mut dyn FnMut() -> bool) -> Result<Option<Row>> {
        let (plan, step) = (self.trainer.plan(), self.state.step());
        let ends = step == plan.options().optimiser.updates || step == plan.total_steps();
        let measured = info.phase == Phase::Train && self.measures_at(step);
        if !(step % plan.metrics_every() == 0 || ends || info.change.is_some() || measured) {
            return Ok(None);
        }
        let likelihoods = match measured {
            true => self.likelihoods(goes_on)?,
            false => Likelihoods::default(),
        };
        let plan = self.plan();
        let reach =
            Reach { measurements: plan.reach(), is_last: step == plan.options().optimiser.updates };
        if let Some(valid) = &likelihoods.valid {
            // All measurements are on the same examples, so only log Z is uncertain.
            let error = likelihoods.log_z.map_or(0.0, |log_z| log_z.estimate.std_error);
            self.state.keep_if_best(valid.value, error, reach);
        }
        Ok(Some(Row {
            step,
            phase: info.phase,
            learning_rate: info.learning_rate,
            event: info.change,
            log_likelihood: likelihoods.train,
            log_likelihood_averaged: likelihoods.averaged,
            log_likelihood_valid: likelihoods.valid,
            log_z_averaged: likelihoods.log_z,
            ladder: self.state.negative().ladder().and_then(LadderRow::of),
        }))
    }

    /// The current likelihoods, if they can be measured.
    fn likelihoods(&mut self, goes_on: &mut dyn FnMut() -> bool) -> Result<Likelihoods> {
        let begun = Instant::now();
        let likelihoods = match self.state.online() {
            Some(online) => self.estimated_online(online),
            None => self.enumerated(goes_on)?,
        };
        self.seconds.evaluate += begun.elapsed().as_secs_f64();
        Ok(likelihoods)
    }

    fn enumerated(&self, goes_on: &mut dyn FnMut() -> bool) -> Result<Likelihoods> {
        let mut enumerate = |model: &Rbm| exact::log_z_with_progress(model, &mut |_| goes_on());
        let averaged = Rbm::new(self.state.averaged().clone());
        let (log_z, of_model) = (enumerate(&averaged)?, enumerate(self.state.model())?);
        let of_averaged = |data: &Dataset| measure_given(&averaged, log_z, data, Effort::Quick);
        Ok(Likelihoods {
            train: Some(measure_given(self.state.model(), of_model, self.data(), Effort::Quick)),
            averaged: Some(of_averaged(self.data())),
            valid: self.valid().map(of_averaged),
            log_z: None,
        })
    }

    fn estimated_online(&self, online: &OnlineLogZ) -> Likelihoods {
        let averaged = Rbm::new(self.state.averaged().clone());
        let Some(log_z) = online.log_z(&averaged) else { return Likelihoods::default() };
        Likelihoods {
            train: None,
            averaged: Some(online_log_likelihood(&averaged, &log_z.estimate, self.data())),
            valid: self.valid().map(|data| online_log_likelihood(&averaged, &log_z.estimate, data)),
            log_z: Some(log_z),
        }
    }

    /// Whether the model is too large for an exact likelihood.
    pub fn is_too_large(&self) -> bool {
        exact::smaller_layer(self.state.model()) > exact::LARGEST
    }

    /// The likelihoods of all parts of the data, if they can be measured.
    pub(super) fn final_likelihoods(&mut self, progress: Progress) -> Result<FinalLikelihoods> {
        if self.is_too_large()
            && self.plan().options().record.final_likelihood == FinalLikelihood::ExactOnly
        {
            return Ok(FinalLikelihoods::default());
        }
        let begun = Instant::now();
        let [model, averaged] = self.state.result().map(|it| Rbm::new(it.clone()));
        let budget = evaluation_budget(self.plan());
        let held_out = self.valid().into_iter().chain(self.test());
        let known = KnownData::training(self.data()).and(held_out);
        let mut find =
            |model| LogZResult::find(model, known.clone(), LogZMethod::Auto, &budget, progress);
        let found = find(&model).and_then(|log_z| Ok((log_z, find(&averaged)?)));
        let (log_z, log_z_averaged) = match found.map_err(Error::into_cause::<NonFinite>) {
            Ok(found) => found,
            // The run is complete without it.
            Err(Ok(cause)) => {
                return Ok(FinalLikelihoods { failed: Some(cause), ..FinalLikelihoods::default() });
            }
            Err(Err(error)) => return Err(error),
        };
        let of = |data: &Dataset| {
            let raw = log_z.likelihood(&model, data);
            let averaged = log_z_averaged.likelihood(&averaged, data);
            (Some(raw), Some(averaged))
        };
        let train = of(self.data());
        let valid = self.valid().map(of).unwrap_or_default();
        let test = self.test().map(of).unwrap_or_default();
        self.seconds.evaluate += begun.elapsed().as_secs_f64();
        Ok(FinalLikelihoods { train, valid, test, failed: None })
    }
}

/// The part of a checkpoint's metadata that holds what was raised when the run began, so that reports of a run that is
/// not finished have it.
const AT_START: &str = "diagnostics";

/// What was raised when the run of a checkpoint began.
pub fn raised_at_start(checkpoint: &Bundle) -> Vec<Diagnostic> {
    let recorded = checkpoint.meta.get(AT_START).cloned().unwrap_or_default();
    serde_json::from_value(recorded).unwrap_or_default()
}

/// The work of a quick evaluation of both models, in steps of single rows.
const QUICK_EVALUATION: f64 = 3e6;

/// The budget of the likelihood at the end: at most the work of the training, and at most a quick estimate.
fn evaluation_budget(plan: &Plan) -> Budget {
    let ladder =
        (plan.columns() * (plan.rungs() - 1)) as f64 / plan.options().sampler.temper_every as f64;
    let rows = (plan.particles() + plan.options().optimiser.batch) as f64 + ladder;
    let learning = plan.options().optimiser.updates as f64 * rows;
    Budget { seed: plan.options().seed, ..Budget::quick() }.scaled(learning / QUICK_EVALUATION)
}
