//! A run in progress: steps, rows, checkpoints, and the files at its end.

use std::path::{Path, PathBuf};

use super::folder::RunFolder;
use super::note::Note;
use super::run_data::RunData;
use super::run_data_error::RunDataError;
use super::training_run::TrainingRun;
use crate::Config;
use crate::checkpoint::{self, RunLock};
use crate::record::{ReadRows, Row, RowLog, Summary, Timing, leading_rows, read_rows};
use isotherm::diagnostics::{Diagnostic, Stop};
use isotherm::likelihood::exact;
use isotherm::model::model_bundle;
use isotherm::options::{FinalLikelihood, Plan};
use isotherm::trainer::{Diverged, TrainState};
use isotherm::{Action, Cause, Dialect, Error, Kind, Plain, Result};
use isotherm_tempering::threads::keep_awake;

/// With this many units the exact likelihood takes seconds, and the observer is told.
const LONG_ENUMERATION: usize = 18;

/// Watches a run.
pub trait Observer {
    /// A step is done.
    fn step(&mut self, state: &TrainState, plan: &Plan);

    /// A row of metrics is written.
    fn row(&mut self, row: &Row);

    /// A message.
    fn note(&mut self, note: &Note);

    /// Whether the run should save and stop now.
    fn should_stop(&self) -> bool;

    /// How sentences name options and commands.
    fn dialect(&self) -> &dyn Dialect {
        &Plain
    }
}

/// How a session ended.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// All steps are done.
    Finished(Box<Summary>),
    /// It was asked to stop, and saved after this many steps.
    Interrupted(u64),
}

/// A run that failed after it had saved a checkpoint.
#[derive(Debug)]
pub struct RunFailed {
    /// Why it failed.
    pub error: Error,
    /// Its folder.
    pub folder: PathBuf,
    /// The step of its last checkpoint.
    pub step: u64,
}

impl Cause for RunFailed {
    fn kind(&self) -> Kind {
        self.error.kind()
    }

    fn words(&self, dialect: &dyn Dialect) -> String {
        let (error, step) = (self.error.words(dialect), self.step);
        let resume = Action::Resume(self.folder.display().to_string());
        match self.kind() {
            // It would fail again.
            Kind::NonFinite => {
                format!("{error} (the last good checkpoint, of update {step}, is kept)")
            }
            _ => format!(
                "{error} (the checkpoint of step {step} is kept: {} continues the run)",
                dialect.action(&resume)
            ),
        }
    }
}

/// Why the steps ended.
#[derive(PartialEq)]
enum Ended {
    Complete,
    Stopped,
}

/// A run in progress, with the exclusive right to write its folder.
pub struct Session {
    folder: RunFolder,
    _lock: RunLock,
    run: TrainingRun,
    metrics: RowLog,
    timing: RowLog,
    saved_at: Option<u64>,
}

impl Session {
    /// Begins a run. Nothing is written before the data and the options are checked.
    pub fn create(out: &Path, config: &Config, replace: bool) -> Result<Session> {
        let run = TrainingRun::begin(config, RunData::of(config)?, &mut |_, _| true)?;
        Session::begin(out, run, replace)
    }

    /// Begins a run with training that has not begun.
    pub fn begin(out: &Path, run: TrainingRun, replace: bool) -> Result<Session> {
        let (folder, lock) = RunFolder::begin(out, &run.config(), replace)?;
        let mut session = Session::assemble(folder, lock, run, 0)?;
        session.save()?;
        Ok(session)
    }

    /// Resumes a run; the second value says if the previous checkpoint had to be used.
    pub fn resume(path: &Path) -> Result<(Session, Option<Diagnostic>)> {
        let folder = RunFolder::open(path)?;
        let lock = RunLock::acquire(folder.path())?;
        let config = folder.read_config()?;
        let data = RunData::of(&config)
            .map_err(|error| RunDataError::Moved { error, config: folder.config() })?;
        let rows = std::fs::metadata(folder.metrics()).map_or(0, |file| file.len());
        let checkpoints = [checkpoint::CURRENT, checkpoint::PREVIOUS];
        if rows == 0 && !checkpoints.iter().any(|name| path.join(name).exists()) {
            // It was killed between its configuration and its first checkpoint: nothing is lost.
            let run = TrainingRun::begin(&config, data, &mut |_, _| true)?;
            let mut session = Session::assemble(folder, lock, run, 0)?;
            session.save()?;
            return Ok((session, None));
        }
        let loaded = checkpoint::load(path)?;
        let metrics_bytes = loaded.bundle.get::<u64>("metrics_bytes", &[1])?[0];
        let name = format!("the run {}", path.display());
        let run = TrainingRun::resume(&config, data, &loaded.bundle, &name)?;
        let step = run.state().step();
        let mut session = Session::assemble(folder, lock, run, metrics_bytes)?;
        session.saved_at = loaded.fell_back.is_none().then_some(step);
        Ok((session, loaded.fell_back.map(Diagnostic::from)))
    }

    fn assemble(
        folder: RunFolder,
        lock: RunLock,
        mut run: TrainingRun,
        metrics_bytes: u64,
    ) -> Result<Session> {
        let step = run.state().step();
        let metrics = RowLog::open(&folder.metrics(), metrics_bytes)?;
        let (clock, timing_bytes) =
            leading_rows(&folder.timing(), |timing: &Timing| timing.step <= step);
        let timing = RowLog::open(&folder.timing(), timing_bytes)?;
        if let Some(Timing { seconds, .. }) = clock {
            run.set_seconds(seconds);
        }
        Ok(Session { folder, _lock: lock, run, metrics, timing, saved_at: None })
    }

    /// The training.
    pub fn training(&self) -> &TrainingRun {
        &self.run
    }

    /// Runs until all steps are done or the observer asks to stop.
    pub fn run(&mut self, observer: &mut dyn Observer) -> Result<Outcome> {
        self.folder.remove_stopped();
        self.run_on(observer).map_err(|error| self.explain(error))
    }

    fn run_on(&mut self, observer: &mut dyn Observer) -> Result<Outcome> {
        if keep_awake(|| self.steps(observer))? == Ended::Stopped {
            return Ok(Outcome::Interrupted(self.saved_at.unwrap_or(self.run.state().step())));
        }
        if self.saved_at != Some(self.run.state().step()) {
            self.save()?;
        }
        let run = self.folder.path().display().to_string();
        let units = exact::smaller_layer(self.run.state().model());
        let estimates =
            self.run.plan().options().record.final_likelihood == FinalLikelihood::Estimate;
        if (LONG_ENUMERATION..=exact::LARGEST).contains(&units) {
            observer.note(&Note::Enumerating { units, run });
        } else if self.run.is_too_large() && estimates {
            observer.note(&Note::Estimating { run });
        }
        match self.finish(observer) {
            Err(error) if error.kind() == Kind::Interrupted => {
                Ok(Outcome::Interrupted(self.run.state().step()))
            }
            summary => summary.map(|summary| Outcome::Finished(Box::new(summary))),
        }
    }

    /// All remaining steps, or those until the observer asks to stop.
    fn steps(&mut self, observer: &mut dyn Observer) -> Result<Ended> {
        while !self.run.is_complete() {
            if self.run.has_stalled() {
                if let Some(stopped) = self.run.stopped_early() {
                    observer.note(&Note::Raised(stopped));
                }
                break;
            }
            if observer.should_stop() {
                self.save()?;
                return Ok(Ended::Stopped);
            }
            // The likelihood of a row can take seconds. If it is interrupted, the run continues from here.
            if self.run.enumerates_next() && self.saved_at != Some(self.run.state().step()) {
                self.save()?;
            }
            let row = match self.run.step(&mut || !observer.should_stop()) {
                Err(error) if error.kind() == Kind::Interrupted => return Ok(Ended::Stopped),
                row => row?,
            };
            if let Some(row) = row {
                self.metrics.append(&row)?;
                self.timing.append(&Timing { step: row.step, seconds: self.run.seconds() })?;
                observer.row(&row);
            }
            observer.step(self.run.state(), self.run.plan());
            let every = self.run.plan().options().record.checkpoint_every;
            if self.run.state().step().is_multiple_of(every) {
                self.save()?;
            }
        }
        Ok(Ended::Complete)
    }

    /// Adds to a failure which checkpoint the run can continue from, and records one that would come again.
    fn explain(&self, error: Error) -> Error {
        if let (Some(updates), Some(&Diverged { update, lr })) = (self.saved_at, error.cause()) {
            let of = self.run.plan().options().optimiser.updates;
            let because = Stop::Diverged { update, lr };
            let stopped = Diagnostic::StoppedEarly { updates, of, because };
            // The error itself matters more.
            let _ = self.folder.write_stopped(&stopped);
        }
        match (self.saved_at, error.kind()) {
            (Some(step), Kind::NonFinite | Kind::Io) => {
                let folder = self.folder.path().to_owned();
                RunFailed { error, folder, step }.into()
            }
            _ => error,
        }
    }

    /// Writes a checkpoint. The rows before it are made durable first.
    fn save(&mut self) -> Result<()> {
        let metrics_bytes = self.metrics.sync()?;
        let mut bundle = self.run.to_bundle()?;
        bundle.insert("metrics_bytes", &[1], &[metrics_bytes])?;
        checkpoint::save(self.folder.path(), &bundle)?;
        self.saved_at = Some(self.run.state().step());
        Ok(())
    }

    /// Writes the model and the summary.
    fn finish(&mut self, observer: &mut dyn Observer) -> Result<Summary> {
        let [model, averaged] = self.run.state().result();
        checkpoint::write(
            &model_bundle(model, averaged, self.run.state().reference())?,
            &self.folder.model(),
        )?;
        let ReadRows { rows, unreadable, .. } = read_rows(&self.folder.metrics())?;
        let summary = self.run.summarise(&rows, &unreadable, observer.dialect(), &mut |_, _| {
            !observer.should_stop()
        })?;
        self.folder.write_summary(&summary)?;
        Ok(summary)
    }
}
