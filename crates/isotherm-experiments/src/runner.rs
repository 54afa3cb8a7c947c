//! Runs the jobs of the experiment on all cores. A job that has its summary is not run again; one
//! that was interrupted continues from its checkpoint.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use super::error::ExperimentError;
use super::experiment::{Job, Size};
use isotherm::Result;
use isotherm::diagnostics::Diagnostic;
use isotherm::options::Plan;
use isotherm::trainer::TrainState;
use isotherm_run::record::Row;
use isotherm_run::{Config, Note, Observer, Outcome, RunData, RunFolder, Session};

/// Steps between two reports of progress.
const LOOK_EVERY: u64 = 64;

/// Watches an experiment, and is called from several threads.
pub trait Watcher: Sync {
    /// Some work is done.
    fn progress(&self, done: Progress);

    /// Something is raised about the run in a folder, such as that it continues from its previous checkpoint.
    fn raised(&self, run: &Path, diagnostic: &Diagnostic);

    /// Whether to save and stop now.
    fn should_stop(&self) -> bool;
}

/// How far an experiment is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Work done, in the unit of `all_work`.
    pub work: u64,
    /// As much of it as this call has done.
    pub fresh: u64,
    /// All work.
    pub all_work: u64,
    /// Runs done.
    pub runs: usize,
    /// All runs.
    pub all_runs: usize,
}

/// How an experiment ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// All of it is done.
    Done,
    /// It was asked to stop, and continues when it is called again.
    Interrupted,
}

/// The progress of all jobs.
pub(super) struct Board<'a> {
    watcher: &'a dyn Watcher,
    all_work: u64,
    all_runs: usize,
    work: AtomicU64,
    fresh: AtomicU64,
    runs: AtomicUsize,
    failed: AtomicBool,
}

impl<'a> Board<'a> {
    pub(super) fn new(watcher: &'a dyn Watcher, all_work: u64, all_runs: usize) -> Board<'a> {
        Board {
            watcher,
            all_work,
            all_runs,
            work: AtomicU64::new(0),
            fresh: AtomicU64::new(0),
            runs: AtomicUsize::new(0),
            failed: AtomicBool::new(false),
        }
    }

    /// Adds work that is done.
    pub(super) fn add(&self, work: u64) {
        self.fresh.fetch_add(work, Ordering::Relaxed);
        self.add_found(work);
    }

    /// Adds work that an earlier call had done.
    pub(super) fn add_found(&self, work: u64) {
        self.work.fetch_add(work, Ordering::Relaxed);
        self.tell();
    }

    /// Adds a run that is done.
    pub(super) fn add_run(&self) {
        self.runs.fetch_add(1, Ordering::Relaxed);
        self.tell();
    }

    fn tell(&self) {
        self.watcher.progress(Progress {
            work: self.work.load(Ordering::Relaxed),
            fresh: self.fresh.load(Ordering::Relaxed),
            all_work: self.all_work,
            runs: self.runs.load(Ordering::Relaxed),
            all_runs: self.all_runs,
        });
    }

    /// Whether everyone should stop: asked to, or because a job failed.
    pub(super) fn should_stop(&self) -> bool {
        self.failed.load(Ordering::Relaxed) || self.watcher.should_stop()
    }
}

/// Takes the jobs one after another on as many threads as the current pool has, a single thread
/// for each: small models gain nothing from more, and independent runs gain all.
pub(super) fn on_all_cores<J: Copy + Sync>(
    jobs: &[J],
    board: &Board,
    work: impl Fn(J) -> Result<Ended> + Sync,
) -> Result<Ended> {
    let next = AtomicUsize::new(0);
    let failure = Mutex::new(None);
    let worker = || {
        while let Some(&job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            if board.should_stop() {
                return;
            }
            if let Err(error) = work(job) {
                board.failed.store(true, Ordering::Relaxed);
                if let Ok(mut first) = failure.lock() {
                    first.get_or_insert(error);
                }
            }
        }
    };
    let threads = rayon::current_num_threads().min(jobs.len());
    std::thread::scope(|scope| -> Result<()> {
        for _ in 0..threads {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
            let pool =
                pool.map_err(|error| ExperimentError::Thread { reason: error.to_string() })?;
            scope.spawn(move || pool.install(worker));
        }
        Ok(())
    })?;
    match failure.into_inner().ok().flatten() {
        Some(error) => Err(error),
        None if board.should_stop() => Ok(Ended::Interrupted),
        None => Ok(Ended::Done),
    }
}

/// Refuses the folder of a run that is not the job's: edited, or of another version's defaults.
pub(super) fn check_run(job: Job, size: Size, place: &Path) -> Result<()> {
    let Ok(folder) = RunFolder::open(place) else { return Ok(()) };
    let config = job.setting.config(size, job.seed);
    let data = RunData::of(&config)?;
    let planned = config.check(data.train.n_visible())?.options().clone();
    match folder.read_config()? == (Config { options: planned, ..config }) {
        true => Ok(()),
        false => Err(ExperimentError::OtherOptions { folder: place.to_owned() }.into()),
    }
}

/// Runs a job that is not finished to its end, or until everyone should stop.
pub(super) fn run_job(job: Job, size: Size, place: &Path, board: &Board) -> Result<Ended> {
    let in_place = |error| ExperimentError::Run { folder: place.to_owned(), error };
    let mut session = match RunFolder::open(place) {
        Ok(_) => {
            let (session, fell_back) = Session::resume(place).map_err(in_place)?;
            if let Some(fell_back) = fell_back {
                board.watcher.raised(place, &fell_back);
            }
            session
        }
        Err(_) => {
            let config = job.setting.config(size, job.seed);
            Session::create(place, &config, false).map_err(in_place)?
        }
    };
    let cost = job.cost_of_step();
    board.add_found(session.training().state().step() * cost);
    let mut watch = JobWatch { board, cost, seen: session.training().state().step() };
    match session.run(&mut watch).map_err(in_place)? {
        Outcome::Finished(_) => {
            board.add((session.training().state().step() - watch.seen) * cost);
            board.add_run();
            Ok(Ended::Done)
        }
        Outcome::Interrupted(_) => Ok(Ended::Interrupted),
    }
}

/// Watches one run for the board.
struct JobWatch<'a> {
    board: &'a Board<'a>,
    cost: u64,
    seen: u64,
}

impl Observer for JobWatch<'_> {
    fn step(&mut self, state: &TrainState, _plan: &Plan) {
        if state.step() >= self.seen + LOOK_EVERY {
            self.board.add((state.step() - self.seen) * self.cost);
            self.seen = state.step();
        }
    }

    fn row(&mut self, _row: &Row) {}

    fn note(&mut self, _note: &Note) {}

    fn should_stop(&self) -> bool {
        self.board.should_stop()
    }
}
