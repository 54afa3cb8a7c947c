//! A run in progress: steps, rows, checkpoints, and the files at its end.

use std::path::Path;
use std::time::Instant;

use serde_json::json;

use super::folder::RunFolder;
use super::run_data::RunData;
use super::summarise::{FinalLikelihoods, summarise};
use crate::checkpoint::{self, Bundle, RunLock, write_atomically};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::likelihood::{
    Budget, Effort, FoundLogZ, LogLikelihood, Way, exact, followed, measure, measure_given,
};
use crate::model::{Rbm, model_bundle};
use crate::record::{LadderRow, Row, RowLog, Seconds, Summary, Timing, leading_rows};
use crate::threads::keep_awake;
use crate::train::follower::Follower;
use crate::train::{Config, FinalLikelihood, Phase, Plan, StepInfo, TrainState, Trainer};

/// The version of the checkpoint's contents.
const FORMAT: u64 = 2;

/// Units from which on the exact likelihood takes seconds, and is announced.
const LONG_ENUMERATION: usize = 18;

/// Whoever watches a run.
pub trait Observer {
    /// A step is done.
    fn step(&mut self, state: &TrainState, plan: &Plan);

    /// A row of metrics is written.
    fn row(&mut self, row: &Row);

    /// Something worth telling happened.
    fn note(&mut self, sentence: &str);

    /// Whether the run should save and stop now.
    fn should_stop(&self) -> bool;
}

/// Likelihoods along a run: of the model, of its averaged parameters, and of the latter on the
/// validation data.
#[derive(Default)]
struct Followed {
    train: Option<LogLikelihood>,
    averaged: Option<LogLikelihood>,
    valid: Option<LogLikelihood>,
}

/// How a run ended for now.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// All steps are done.
    Finished(Box<Summary>),
    /// It was asked to stop, and saved after this many steps.
    Interrupted(u64),
}

/// Why the steps came to an end.
#[derive(PartialEq)]
enum Ended {
    Complete,
    Stopped,
}

/// A run in progress, with the sole right to write its folder.
pub struct Session {
    folder: RunFolder,
    _lock: RunLock,
    trainer: Trainer,
    state: TrainState,
    valid: Option<Dataset>,
    test: Option<Dataset>,
    digests: Digests,
    marginals: Vec<f64>,
    metrics: RowLog,
    timing: RowLog,
    seconds: Seconds,
    saved_at: Option<u64>,
}

/// Fingerprints of the parts of the data, so that a run is not resumed on others.
#[derive(PartialEq)]
struct Digests([Option<String>; 3]);

/// What a checkpoint calls them, and the options that name the data.
const DIGESTS: [(&str, &str); 3] =
    [("data_digest", "data"), ("valid_digest", "valid"), ("test_digest", "test")];

impl Digests {
    fn of(data: &RunData) -> Digests {
        let digest = |data: Option<&Dataset>| data.map(Dataset::digest);
        Digests([Some(&data.train), data.valid.as_ref(), data.test.as_ref()].map(digest))
    }

    fn read(meta: &serde_json::Value) -> Digests {
        Digests(DIGESTS.map(|(name, _)| Some(meta.get(name)?.as_str()?.to_owned())))
    }

    /// The first part that is not what it was.
    fn changed(&self, before: &Digests) -> Option<&'static str> {
        let both = self.0.iter().zip(&before.0).zip(DIGESTS);
        both.into_iter().find(|((now, before), _)| now != before).map(|(_, (_, part))| part)
    }
}

impl Session {
    /// Begins a run. Nothing is written before data and options have proved possible.
    pub fn create(out: &Path, config: &Config, replace: bool) -> Result<Session> {
        let data = RunFolder::data_of(config)?;
        data.train.check_learnable(config.constant_columns)?;
        let plan = config.check(data.train.n_visible())?;
        let state = TrainState::new(&plan, &data.train.marginals());
        let folder = RunFolder::create(out, replace)?;
        let lock = RunLock::acquire(folder.path())?;
        // Asked again under the lock: another process may have begun a run meanwhile.
        let folder = RunFolder::create(folder.path(), replace)?;
        folder.clear()?;
        folder.write_config(&plan.config)?;
        let mut session = Session::assemble(folder, lock, plan, data, state, 0)?;
        session.save()?;
        Ok(session)
    }

    /// Goes on with a run; tells if it had to fall back on an earlier checkpoint.
    pub fn resume(path: &Path) -> Result<(Session, Option<String>)> {
        let folder = RunFolder::open(path)?;
        let lock = RunLock::acquire(folder.path())?;
        let config = folder.read_config()?;
        let data = RunFolder::data_of(&config).map_err(|error| {
            let place = folder.config();
            Error::data(format!(
                "{error}; if the data have moved, edit their place in {}",
                place.display()
            ))
        })?;
        let plan = config.check(data.train.n_visible())?;
        let marginals = data.train.marginals();
        let rows = std::fs::metadata(folder.metrics()).map_or(0, |file| file.len());
        let checkpoints = [checkpoint::CURRENT, checkpoint::PREVIOUS];
        if rows == 0 && !checkpoints.iter().any(|name| path.join(name).exists()) {
            // Killed between its configuration and its first checkpoint: nothing is lost.
            let state = TrainState::new(&plan, &marginals);
            let mut session = Session::assemble(folder, lock, plan, data, state, 0)?;
            session.save()?;
            return Ok((session, None));
        }
        let loaded = checkpoint::load(path)?;
        let meta = &loaded.bundle.meta;
        if meta.get("format").and_then(|format| format.as_u64()) != Some(FORMAT) {
            return Err(Error::run(format!(
                "the checkpoint of {} was written by another version of isotherm; resume it with \
                 that one",
                path.display()
            )));
        }
        if let Some(part) = Digests::of(&data).changed(&Digests::read(meta)) {
            let name = data.part(if part == "data" { "train" } else { part }).map(Dataset::name);
            return Err(Error::data(format!(
                "{} has changed since the run {} began; restore the data or begin a new run",
                name.unwrap_or(part),
                path.display()
            )));
        }
        let metrics_bytes = loaded.bundle.get::<u64>("metrics_bytes", &[1])?[0];
        let state = TrainState::take_from(&loaded.bundle, &plan, &marginals).map_err(|error| {
            Error::corrupt(format!(
                "the checkpoint of {} does not fit its config.toml ({error}); restore the file or \
                 begin a new run",
                path.display()
            ))
        })?;
        let step = state.step;
        let mut session = Session::assemble(folder, lock, plan, data, state, metrics_bytes)?;
        session.saved_at = loaded.fell_back.is_none().then_some(step);
        Ok((session, loaded.fell_back))
    }

    fn assemble(
        folder: RunFolder,
        lock: RunLock,
        plan: Plan,
        data: RunData,
        state: TrainState,
        metrics_bytes: u64,
    ) -> Result<Session> {
        let step = state.step;
        let metrics = RowLog::open(&folder.metrics(), metrics_bytes)?;
        let (clock, timing_bytes) =
            leading_rows(&folder.timing(), |timing: &Timing| timing.step <= step);
        let timing = RowLog::open(&folder.timing(), timing_bytes)?;
        Ok(Session {
            seconds: clock.map_or(Seconds::default(), |timing| timing.seconds),
            digests: Digests::of(&data),
            marginals: data.train.marginals(),
            trainer: Trainer::new(plan, data.train),
            valid: data.valid,
            test: data.test,
            folder,
            _lock: lock,
            state,
            metrics,
            timing,
            saved_at: None,
        })
    }

    /// The plan.
    pub fn plan(&self) -> &Plan {
        self.trainer.plan()
    }

    /// The data that are learned from.
    pub fn data(&self) -> &Dataset {
        self.trainer.data()
    }

    /// The data that are watched while learning.
    pub fn valid(&self) -> Option<&Dataset> {
        self.valid.as_ref()
    }

    /// The data that are kept for the end.
    pub fn test(&self) -> Option<&Dataset> {
        self.test.as_ref()
    }

    /// The state.
    pub fn state(&self) -> &TrainState {
        &self.state
    }

    /// Runs until all steps are done or the observer asks to stop.
    pub fn run(&mut self, observer: &mut dyn Observer) -> Result<Outcome> {
        self.run_on(observer).map_err(|error| self.explain(error))
    }

    fn run_on(&mut self, observer: &mut dyn Observer) -> Result<Outcome> {
        if keep_awake(|| self.steps(observer))? == Ended::Stopped {
            return Ok(Outcome::Interrupted(self.state.step));
        }
        if self.saved_at != Some(self.state.step) {
            self.save()?;
        }
        let units = exact::smaller_layer(&self.state.model);
        if (LONG_ENUMERATION..=exact::LARGEST).contains(&units) {
            observer.note(&format!(
                "all steps are saved; summing over 2^{units} states for the exact log-likelihood \
                 (Ctrl-C twice stops, `isotherm resume` does it later)"
            ));
        }
        if self.is_too_large() && self.plan().config.final_likelihood == FinalLikelihood::Estimate {
            observer.note(
                "all steps are saved; estimating the log-likelihood (Ctrl-C twice stops, `isotherm \
                 resume` does it later)",
            );
        }
        self.finish().map(|summary| Outcome::Finished(Box::new(summary)))
    }

    /// All steps that are left, until somebody wants to stop.
    fn steps(&mut self, observer: &mut dyn Observer) -> Result<Ended> {
        while self.state.step < self.plan().total_steps() {
            if self.has_stalled() {
                observer.note(&self.stalled());
                break;
            }
            if observer.should_stop() {
                self.save()?;
                return Ok(Ended::Stopped);
            }
            let begun = Instant::now();
            let info = self.trainer.step(&mut self.state)?;
            *self.clock_of(info.phase) += begun.elapsed().as_secs_f64();
            if let Some(row) = self.row(&info)? {
                self.metrics.append(&row)?;
                let timing = Timing { step: row.step, seconds: self.seconds };
                self.timing.append(&timing)?;
                observer.row(&row);
            }
            observer.step(&self.state, self.trainer.plan());
            if self.state.step.is_multiple_of(self.plan().config.checkpoint_every) {
                self.save()?;
            }
        }
        Ok(Ended::Complete)
    }

    /// Whether learning is to end early. That is asked where the validation data were measured.
    fn has_stalled(&self) -> bool {
        let (plan, step) = (self.plan(), self.state.step);
        step < plan.config.updates
            && plan.likelihood_every > 0
            && step % plan.likelihood_every == 0
            && self.state.has_stalled(plan.config.patience)
    }

    fn stalled(&self) -> String {
        let at = self.state.best.as_ref().map_or(0, |best| best.update);
        format!(
            "stopped after {} updates: nothing better on the validation data since update {at}",
            self.state.step
        )
    }

    /// Says of a failure what it left behind.
    fn explain(&self, error: Error) -> Error {
        let Some(step) = self.saved_at else { return error };
        let folder = self.folder.path().display();
        if error.is_non_finite() {
            Error::non_finite(format!(
                "{error} (the last good checkpoint, of update {step}, is kept)"
            ))
        } else if error.is_io() {
            Error::run(format!(
                "{error} (the checkpoint of step {step} is kept: `isotherm resume {folder}` goes on)"
            ))
        } else {
            error
        }
    }

    fn clock_of(&mut self, phase: Phase) -> &mut f64 {
        match phase {
            Phase::Train => &mut self.seconds.train,
            Phase::Sample => &mut self.seconds.sample,
        }
    }

    /// The row of the step just done, if one is due.
    fn row(&mut self, info: &StepInfo) -> Result<Option<Row>> {
        let (plan, step) = (self.trainer.plan(), self.state.step);
        let ends = step == plan.config.updates || step == plan.total_steps();
        let wanted = plan.likelihood_every > 0 && info.phase == Phase::Train;
        let measured = wanted && (step % plan.likelihood_every == 0 || step == plan.config.updates);
        if !(step % plan.metrics_every == 0 || ends || info.change.is_some() || measured) {
            return Ok(None);
        }
        let likelihoods = match measured {
            true => self.likelihoods()?,
            false => Followed::default(),
        };
        if let Some(valid) = &likelihoods.valid {
            // The last model has the benefit of the doubt about log Z.
            let last = step == self.plan().config.updates;
            let followed = self.state.follower.as_ref().and_then(|it| it.tracked.of_reference());
            let doubt = followed.filter(|_| last).map_or(0.0, |it| it.std_error);
            self.state.keep_if_best(valid.value, doubt);
        }
        Ok(Some(Row {
            step,
            phase: info.phase,
            learning_rate: info.learning_rate,
            event: info.change,
            log_likelihood: likelihoods.train,
            log_likelihood_averaged: likelihoods.averaged,
            log_likelihood_valid: likelihoods.valid,
            ladder: self.state.negative.tempering().and_then(LadderRow::of),
        }))
    }

    /// The likelihoods of the moment, where they can be had.
    fn likelihoods(&mut self) -> Result<Followed> {
        let begun = Instant::now();
        let followed = match &self.state.follower {
            Some(follower) => self.followed_by(follower),
            None => self.enumerated()?,
        };
        self.seconds.evaluate += begun.elapsed().as_secs_f64();
        Ok(followed)
    }

    fn enumerated(&self) -> Result<Followed> {
        let averaged = Rbm::new(self.state.averaged.clone());
        let log_z = exact::log_z(&averaged)?;
        let of_averaged = |data: &Dataset| measure_given(&averaged, log_z, data, Effort::Quick);
        Ok(Followed {
            train: Some(measure(&self.state.model, self.data(), Effort::Quick)?),
            averaged: Some(of_averaged(self.data())),
            valid: self.valid().map(of_averaged),
        })
    }

    /// log Z of the moment is −F of the reference less its likelihood.
    fn followed_by(&self, follower: &Follower) -> Followed {
        let Some(likelihood) = follower.tracked.of_reference() else {
            return Followed::default();
        };
        let averaged = Rbm::new(self.state.averaged.clone());
        let log_z = likelihood.taken_from(self.trainer.reference().mean(&averaged));
        Followed {
            train: None,
            averaged: Some(followed(&averaged, &log_z, self.data())),
            valid: self.valid().map(|data| followed(&averaged, &log_z, data)),
        }
    }

    /// Whether the model is too large for an exact likelihood.
    fn is_too_large(&self) -> bool {
        exact::smaller_layer(&self.state.model) > exact::LARGEST
    }

    /// The likelihoods of all parts of the data, where they can be had.
    fn final_likelihoods(&mut self) -> Result<FinalLikelihoods> {
        if self.is_too_large() && self.plan().config.final_likelihood == FinalLikelihood::ExactOnly
        {
            return Ok(FinalLikelihoods::default());
        }
        let begun = Instant::now();
        let [model, averaged] = self.state.result().map(|it| Rbm::new(it.clone()));
        let budget = evaluation_budget(self.plan());
        let find = |model| FoundLogZ::find(model, self.data(), Way::Auto, &budget, &mut |_, _| ());
        let (log_z, log_z_averaged) = match (find(&model), find(&averaged)) {
            // The run is complete without it.
            (Err(error), _) | (_, Err(error)) if error.is_non_finite() => {
                let failed = Some(format!("no likelihood: {error}"));
                return Ok(FinalLikelihoods { failed, ..FinalLikelihoods::default() });
            }
            (log_z, log_z_averaged) => (log_z?, log_z_averaged?),
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

    /// Writes a checkpoint. The rows that it knows of are durable before it is.
    fn save(&mut self) -> Result<()> {
        let metrics_bytes = self.metrics.sync()?;
        let mut meta = json!({ "kind": "checkpoint", "format": FORMAT });
        for ((name, _), digest) in DIGESTS.into_iter().zip(&self.digests.0) {
            if let Some(digest) = digest {
                meta[name] = json!(digest);
            }
        }
        let mut bundle = Bundle::new(meta);
        bundle.insert("metrics_bytes", &[1], &[metrics_bytes])?;
        bundle.insert("marginals", &[self.marginals.len()], &self.marginals)?;
        self.state.insert_into(&mut bundle)?;
        checkpoint::save(self.folder.path(), &bundle)?;
        self.saved_at = Some(self.state.step);
        Ok(())
    }

    /// Writes the model and the summary.
    fn finish(&mut self) -> Result<Summary> {
        let [model, averaged] = self.state.result();
        model_bundle(model, averaged)?.write(&self.folder.model())?;
        let likelihoods = self.final_likelihoods()?;
        let (plan, data) = (self.trainer.plan(), self.trainer.data());
        let summary = summarise(plan, data, &self.state, likelihoods, self.seconds);
        let text = serde_json::to_string_pretty(&summary)
            .map_err(|error| Error::run(format!("the summary cannot be written: {error}")))?;
        write_atomically(&self.folder.summary(), |out| writeln!(out, "{text}"))?;
        Ok(summary)
    }
}

/// Row steps of the samplers and of annealing that a quick evaluation of both models takes.
const QUICK_EVALUATION: f64 = 3e6;

/// How much work the likelihood at the end may be: not more than learning was, and that of a quick
/// estimate at the most.
fn evaluation_budget(plan: &Plan) -> Budget {
    let rows = plan.particles + plan.columns * (plan.rungs - 1) + plan.config.batch;
    let learning = plan.config.updates as f64 * rows as f64;
    Budget { seed: plan.config.seed, ..Budget::quick() }.scaled(learning / QUICK_EVALUATION)
}
