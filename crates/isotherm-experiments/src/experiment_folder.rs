//! The folder of an experiment, and its work: all runs, then the costs, then the results.

use std::fmt::Display;
use std::fs;
use std::io;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::cost;
use super::error::ExperimentError;
use super::experiment::{Arm, Job, Size};
use super::figures::figures;
use super::page::experiment_page;
use super::results::{Cost, Results, SettingResult, best_of};
use super::runner::{Board, Ended, Watcher, check_run, on_all_cores, run_job};
use super::table::ClaimsFile;
use isotherm::{Dialect, IoError, Result};
use isotherm_report::{Replace, write_figures, write_page};
use isotherm_run::checkpoint::{RunLock, write_atomically};

/// The file that marks the folder of an experiment, and holds its size.
const MANIFEST: &str = "reproduce.toml";
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Updates of a run: fewer have no last fifth to average over, more are a mistake.
const UPDATES: RangeInclusive<u64> = 50..=1_000_000_000;
/// Seeds of a setting.
const SEEDS: RangeInclusive<u64> = 1..=1000;

/// The contents of that file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    version: String,
    updates: u64,
    seeds: u64,
}

/// What an update of APT and one of PT cost together, in the unit of a job's work.
const COST_OF_TURNS: u64 = 55;

/// The folder of an experiment, with the exclusive right to write it.
#[derive(Debug)]
pub struct ExperimentFolder {
    root: PathBuf,
    size: Size,
    _lock: RunLock,
}

impl ExperimentFolder {
    /// Opens the folder of an experiment, or makes it. An experiment that is there decides its
    /// size; `wanted` must agree with it.
    pub fn open(root: &Path, wanted: Option<Size>) -> Result<ExperimentFolder> {
        wanted.map_or(Ok(()), check_size)?;
        let manifest = root.join(MANIFEST);
        let begun = manifest.is_file();
        fs::create_dir_all(root).map_err(refused("make the folder", root))?;
        if !begun {
            refuse_other_content(root)?;
        }
        let lock = RunLock::acquire(root)?;
        let size = match begun {
            true => read_manifest(&manifest)?,
            false => write_manifest(&manifest, wanted.unwrap_or(Size::FULL))?,
        };
        if wanted.is_some_and(|wanted| wanted != size) {
            return Err(ExperimentError::OtherSize { root: root.to_owned(), size }.into());
        }
        Ok(ExperimentFolder { root: root.to_owned(), size, _lock: lock })
    }

    /// The size of the experiment.
    pub fn size(&self) -> Size {
        self.size
    }

    /// What is about to be done, in a sentence.
    pub fn describe(&self) -> String {
        let jobs = Job::all(self.size);
        let Size { updates, seeds } = self.size;
        let costs = (1..=seeds).filter(|&seed| self.cost_file(seed).is_file()).count();
        let done = jobs.iter().filter(|job| self.is_done(**job)).count() + costs;
        let all = jobs.len() as u64 + seeds;
        let what = format!("runs of {updates} updates, seeds 1 to {seeds} of each setting");
        match done {
            0 => format!("{all} {what}"),
            done => format!("continuing {}: {done} of {all} {what}", self.root.display()),
        }
    }

    fn is_done(&self, job: Job) -> bool {
        self.place(job).join("summary.json").is_file()
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where a run lies.
    pub(super) fn place(&self, job: Job) -> PathBuf {
        self.root.join(job.setting.folder(job.seed))
    }

    /// Runs all that is not run yet.
    pub fn run(&self, watcher: &dyn Watcher) -> Result<Ended> {
        let jobs = Job::all(self.size);
        let Size { updates, seeds } = self.size;
        let all_work = jobs.iter().map(|job| job.work(self.size)).sum::<u64>();
        let of_costs = seeds * updates * COST_OF_TURNS;
        let board = Board::new(watcher, all_work + of_costs, jobs.len() + seeds as usize);
        jobs.iter().try_for_each(|&job| check_run(job, self.size, &self.place(job)))?;
        let (done, left): (Vec<Job>, Vec<Job>) =
            jobs.into_iter().partition(|job| self.is_done(*job));
        for job in done {
            board.add_found(job.work(self.size));
            board.add_run();
        }
        let run = |job| run_job(job, self.size, &self.place(job), &board);
        match on_all_cores(&left, &board, run)? {
            Ended::Done => self.measure_costs(&board),
            Ended::Interrupted => Ok(Ended::Interrupted),
        }
    }

    /// Trains APT, at its best setting, and PT in turns; a file for each seed.
    fn measure_costs(&self, board: &Board) -> Result<Ended> {
        let apt = Arm::Apt.settings().into_iter();
        let apt = apt.map(|setting| SettingResult::read(&self.root, self.size, setting));
        let apt: Vec<SettingResult> = apt.collect::<Result<_>>()?;
        let Some(apt) = best_of(apt.iter()) else { return Ok(Ended::Done) };
        let mut left = Vec::new();
        for run in &apt.runs {
            let rungs = run.trained().map_or(1, |ladder| ladder.betas.len());
            match self.cost_file(run.seed).is_file() {
                true => {
                    board.add_found(self.size.updates * COST_OF_TURNS);
                    board.add_run();
                }
                false => left.push((run.seed, rungs)),
            }
        }
        let folder = self.root.join("costs");
        fs::create_dir_all(&folder).map_err(refused("make the folder", &folder))?;
        on_all_cores(&left, board, |(seed, rungs)| {
            let goes_on = |updates| {
                board.add(updates * COST_OF_TURNS);
                !board.should_stop()
            };
            let measured = cost::measure(apt.setting, self.size, seed, rungs, goes_on)?;
            let Some(measured) = measured else { return Ok(Ended::Interrupted) };
            write_json(&self.cost_file(seed), &measured)?;
            board.add_run();
            Ok(Ended::Done)
        })
    }

    fn cost_file(&self, seed: u64) -> PathBuf {
        self.root.join("costs").join(format!("seed-{seed}.json"))
    }

    /// Writes what the runs came to: the page, the figures, and last the claims. They name commands in the words of a front
    /// end.
    pub fn publish(&self, dialect: &dyn Dialect) -> Result<ClaimsFile> {
        let results = self.results()?;
        let tables = ClaimsFile::of(&results);
        let figures = figures(&results)?;
        write_figures(&self.root.join("figures"), &figures, Replace::Anything)?;
        let page = experiment_page(&tables, &figures, dialect);
        write_page(&self.root.join("report.html"), &page)?;
        let text = tables.markdown(dialect);
        write_atomically(&self.root.join("claims.md"), |out| out.write_all(text.as_bytes()))?;
        write_json(&self.root.join("claims.json"), &tables)?;
        Ok(tables)
    }

    /// Reads what the runs came to.
    pub fn results(&self) -> Result<Results> {
        let costs = (1..=self.size.seeds).map(|seed| read_cost(&self.cost_file(seed)));
        Results::read(&self.root, self.size, costs.collect::<Result<_>>()?)
    }
}

/// What the system refused.
fn refused(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> IoError {
    let path = path.to_owned();
    move |error| IoError { doing, path, error }
}

fn unwritable(path: &Path, error: &dyn Display) -> ExperimentError {
    ExperimentError::Unwritable { path: path.to_owned(), reason: error.to_string() }
}

fn read_cost(path: &Path) -> Result<Cost> {
    let text = fs::read_to_string(path).map_err(refused("read", path))?;
    Ok(serde_json::from_str(&text).map_err(|error| ExperimentError::Cost {
        path: path.to_owned(),
        reason: error.to_string(),
    })?)
}

/// Writes a value as a JSON file, whole or not at all.
pub(super) fn write_json(path: &Path, value: &impl Serialize) -> Result<()> {
    let text = serde_json::to_string_pretty(value).map_err(|error| unwritable(path, &error))?;
    write_atomically(path, |out| writeln!(out, "{text}"))
}

fn refuse_other_content(root: &Path) -> Result<()> {
    let entries = fs::read_dir(root).map_err(refused("read", root))?;
    let visible = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .any(|name| !name.starts_with('.'));
    match visible {
        true => Err(ExperimentError::NotEmpty { root: root.to_owned() }.into()),
        false => Ok(()),
    }
}

fn check_size(size: Size) -> Result<()> {
    match UPDATES.contains(&size.updates) && SEEDS.contains(&size.seeds) {
        true => Ok(()),
        false => Err(ExperimentError::Size { updates: UPDATES, seeds: SEEDS }.into()),
    }
}

fn write_manifest(path: &Path, size: Size) -> Result<Size> {
    let Size { updates, seeds } = size;
    let manifest = Manifest { version: VERSION.to_owned(), updates, seeds };
    let text = toml::to_string(&manifest).map_err(|error| unwritable(path, &error))?;
    write_atomically(path, |out| out.write_all(text.as_bytes()))?;
    Ok(size)
}

/// The size of an experiment that this version began: the runs of another could differ.
fn read_manifest(path: &Path) -> Result<Size> {
    let text = fs::read_to_string(path).map_err(refused("read", path))?;
    let Manifest { version, updates, seeds } = toml::from_str(&text).map_err(|error| {
        let reason = error.message().replace('\n', " ");
        ExperimentError::Manifest { path: path.to_owned(), reason }
    })?;
    if version != VERSION {
        return Err(ExperimentError::OtherVersion { path: path.to_owned(), version }.into());
    }
    let size = Size { updates, seeds };
    check_size(size).map(|()| size)
}
