//! Runs the jobs of the experiment over all cores. What is finished stays finished: a job whose
//! summary is there is not run again, one that was interrupted goes on from its checkpoint.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use super::experiment::{Job, Size};
use isotherm::options::Plan;
use isotherm::train::TrainState;
use isotherm::{Error, Result};
use isotherm_run::record::Row;
use isotherm_run::{Config, Observer, Outcome, RunData, RunFolder, Session};

/// Steps between two looks at the clock and at the wish to stop.
const LOOK_EVERY: u64 = 64;

/// Whoever watches an experiment. It is told from several threads.
pub trait Watcher: Sync {
    /// This much of the work is done, and this many of the runs.
    fn progress(&self, done: Progress);

    /// Something worth telling happened.
    fn note(&self, sentence: &str);

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

/// Whether an experiment came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// All of it is done.
    Done,
    /// It was asked to stop and goes on when it is called again.
    Interrupted,
}

/// The jobs, and how far they are.
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
                pool.map_err(|error| Error::run(format!("cannot start a thread: {error}")))?;
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
    let planned = config.check(data.train.n_visible())?.options;
    match folder.read_config()? == (Config { options: planned, ..config }) {
        true => Ok(()),
        false => Err(Error::run(format!(
            "{} holds a run with other options than this experiment's; remove that folder and \
             repeat the command",
            place.display()
        ))),
    }
}

/// Runs a job that is not finished to its end, or until everyone should stop.
pub(super) fn run_job(job: Job, size: Size, place: &Path, board: &Board) -> Result<Ended> {
    let in_place = |error| {
        Error::run(format!(
            "the run {}: {error} (in an experiment: the same command goes on; if it cannot, remove \
             that folder first)",
            place.display()
        ))
    };
    let mut session = match RunFolder::open(place) {
        Ok(_) => {
            let (session, fell_back) = Session::resume(place).map_err(in_place)?;
            if let Some(sentence) = fell_back {
                board.watcher.note(&sentence);
            }
            session
        }
        Err(_) => {
            let config = job.setting.config(size, job.seed);
            Session::create(place, &config, false).map_err(in_place)?
        }
    };
    let cost = job.cost_of_step();
    board.add_found(session.course().state().step * cost);
    let mut watch = JobWatch { board, cost, seen: session.course().state().step };
    match session.run(&mut watch).map_err(in_place)? {
        Outcome::Finished(_) => {
            board.add((session.course().state().step - watch.seen) * cost);
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
        if state.step >= self.seen + LOOK_EVERY {
            self.board.add((state.step - self.seen) * self.cost);
            self.seen = state.step;
        }
    }

    fn row(&mut self, _row: &Row) {}

    fn note(&mut self, _sentence: &str) {}

    fn should_stop(&self) -> bool {
        self.board.should_stop()
    }
}
