//! The results of the runs of an experiment, read from their folders.

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::claims::AT_BOTTLENECK;
use super::error::{ExperimentError, Missing};
use super::experiment::{Arm, Job, Setting, Size, data};
use super::statistics::mean;
use isotherm::data::{KnownDensity, Mixture};
use isotherm::model::Rbm;
use isotherm::trainer::Phase;
use isotherm::{Error, Result};
use isotherm_run::record::{BadLine, LadderRow, Row, Timing, read_rows};
use isotherm_run::{RunFolder, exact_samples};

/// Exact samples of a model for its mode masses.
pub(super) const MASS_SAMPLES: usize = 2000;

/// Steps that round trips are counted in.
pub(super) const MILLION: f64 = 1e6;

/// An experiment's results.
#[derive(Clone, Debug)]
pub struct Results {
    /// Its size.
    pub size: Size,
    /// Every setting that was tried.
    pub settings: Vec<SettingResult>,
    /// What APT cost beside PT with as many rungs.
    pub costs: Vec<Cost>,
    /// The best mean log-likelihood that any model can have.
    pub limit: f64,
    /// The mean log-likelihood of independent pixels.
    pub independent: f64,
}

/// An algorithm with certain hyper-parameters.
#[derive(Clone, Debug)]
pub struct SettingResult {
    /// The setting.
    pub setting: Setting,
    /// Its runs, by seed.
    pub runs: Vec<RunResult>,
}

/// One run.
#[derive(Clone, Debug)]
pub struct RunResult {
    /// Its folder.
    pub folder: PathBuf,
    /// Its seed.
    pub seed: u64,
    /// Its updates.
    pub updates: u64,
    /// Its rows of metrics.
    pub rows: Vec<Row>,
    /// The clock at them.
    pub timings: Vec<Timing>,
}

/// APT and PT with as many rungs as APT ended with, trained in turns on one core.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// The seed of both.
    pub seed: u64,
    /// Rungs at the end of APT's training, and of PT throughout.
    pub rungs: usize,
    /// Seconds of all updates of APT.
    pub apt: f64,
    /// Seconds of all updates of PT.
    pub pt: f64,
}

impl Results {
    /// Reads the runs of a finished experiment.
    pub(super) fn read(root: &Path, size: Size, costs: Vec<Cost>) -> Result<Results> {
        let settings = Arm::ALL.into_iter().flat_map(Arm::settings);
        let settings = settings.map(|setting| SettingResult::read(root, size, setting));
        let mixture = data();
        Ok(Results {
            size,
            settings: settings.collect::<Result<_>>()?,
            costs,
            limit: -mixture.entropy(),
            independent: independent_pixels(&mixture),
        })
    }

    /// An algorithm at its best; nothing if it was left out.
    pub fn best(&self, arm: Arm) -> Option<&SettingResult> {
        best_of(self.settings.iter().filter(|result| result.setting.arm == arm))
    }

    /// Every algorithm at its best.
    pub fn bests(&self) -> impl Iterator<Item = &SettingResult> {
        Arm::ALL.into_iter().filter_map(|arm| self.best(arm))
    }
}

/// The setting that the paper would choose: the highest mean over the seeds.
pub(super) fn best_of<'a>(
    results: impl Iterator<Item = &'a SettingResult>,
) -> Option<&'a SettingResult> {
    let value = |result: &SettingResult| {
        mean(&result.each(RunResult::log_likelihood)).unwrap_or(f64::NEG_INFINITY)
    };
    results.max_by(|a, b| value(a).total_cmp(&value(b)))
}

/// The mean log-likelihood of the best model of independent pixels, −Σ_j h(P(x_j = 1)).
fn independent_pixels(mixture: &Mixture) -> f64 {
    let term = |p: f64| if p > 0.0 { p * libm::log(p) } else { 0.0 };
    mixture.marginals().into_iter().map(|p| term(p) + term(1.0 - p)).sum()
}

impl SettingResult {
    pub(super) fn read(root: &Path, size: Size, setting: Setting) -> Result<SettingResult> {
        let runs = (1..=size.seeds).map(|seed| RunResult::read(root, size, Job { setting, seed }));
        Ok(SettingResult { setting, runs: runs.collect::<Result<_>>()? })
    }

    /// A figure of every run that has it.
    pub fn each(&self, figure: impl Fn(&RunResult) -> Option<f64>) -> Vec<f64> {
        self.runs.iter().filter_map(figure).collect()
    }

    /// Round trips of every run in its sampling phase, with the millions of replica-steps.
    pub fn round_trips(&self) -> Vec<(u64, f64)> {
        self.runs.iter().filter_map(RunResult::round_trips).collect()
    }

    /// The run with the highest log-likelihood, whose ladder the paper shows.
    pub fn best_run(&self) -> Option<&RunResult> {
        let value = |run: &RunResult| run.log_likelihood().unwrap_or(f64::NEG_INFINITY);
        self.runs.iter().max_by(|a, b| value(a).total_cmp(&value(b)))
    }
}

/// All rows of a log. A row that cannot be read would bias what is computed from the others.
fn whole<T: DeserializeOwned>(folder: &Path, log: &'static str) -> Result<Vec<T>> {
    let read = read_rows(&folder.join(log))?;
    match read.unreadable.into_iter().next() {
        None if !read.torn => Ok(read.rows),
        None => Err(incomplete(folder, Missing::End { log })),
        Some(BadLine { line, problem }) => {
            Err(incomplete(folder, Missing::Row { log, line, problem }))
        }
    }
}

fn incomplete(folder: &Path, missing: Missing) -> Error {
    ExperimentError::Incomplete { folder: folder.to_owned(), missing }.into()
}

impl RunResult {
    fn read(root: &Path, size: Size, job: Job) -> Result<RunResult> {
        let folder = root.join(job.setting.folder(job.seed));
        let rows = whole(&folder, "metrics.jsonl")?;
        let timings = whole(&folder, "timing.jsonl")?;
        let run = RunResult { folder, seed: job.seed, updates: size.updates, rows, timings };
        match run.log_likelihood() {
            Some(_) => Ok(run),
            None => Err(incomplete(&run.folder, Missing::LogLikelihood)),
        }
    }

    /// Its model.
    pub fn model(&self) -> Result<Rbm> {
        Ok(RunFolder::open(&self.folder)?.read_model()?.0.model)
    }

    /// Total variation distance of its model's mode masses from those of the data, by exact samples;
    /// nothing if the model cannot be read.
    pub fn mode_distance(&self) -> Option<f64> {
        let mixture = data();
        let masses = self.mode_masses(&mixture).ok()?;
        Some(mixture.known_modes().distance(&masses))
    }

    /// The share of its model's exact samples that belong to each mode, and to none.
    pub(super) fn mode_masses(&self, mixture: &Mixture) -> Result<Vec<f64>> {
        let v = exact_samples(&self.model()?, MASS_SAMPLES, self.seed);
        Ok(mixture.known_modes().masses(&v))
    }

    /// Mean log-likelihood between two shares of the updates, such as (0.8, 1.0).
    pub fn log_likelihood_between(&self, from: f64, to: f64) -> Option<f64> {
        let (from, to) = (from * self.updates as f64, to * self.updates as f64);
        let within = |row: &&Row| (row.step as f64) > from && row.step as f64 <= to;
        let values: Vec<f64> = self
            .rows
            .iter()
            .filter(within)
            .filter_map(|row| Some(row.log_likelihood.as_ref()?.value))
            .collect();
        mean(&values)
    }

    /// Mean log-likelihood over the last fifth of the updates: with a constant learning rate a
    /// single view is noise.
    pub fn log_likelihood(&self) -> Option<f64> {
        self.log_likelihood_between(0.8, 1.0)
    }

    /// The ladder after the last update.
    pub fn trained(&self) -> Option<&LadderRow> {
        let row = self.rows.iter().rev().find(|row| row.phase == Phase::Train)?;
        row.ladder.as_ref()
    }

    /// The ladder after the sampling phase, with the round trips of that phase.
    pub fn sampled(&self) -> Option<&LadderRow> {
        self.rows.last().filter(|row| row.phase == Phase::Sample)?.ladder.as_ref()
    }

    /// Rungs after the last update.
    pub fn rungs(&self) -> Option<f64> {
        Some(self.trained()?.betas.len() as f64)
    }

    /// The paper's return time after the last update: the sum of a column's counters.
    pub fn return_time(&self) -> Option<f64> {
        Some(self.trained()?.return_time_sum)
    }

    /// Round trips completed in the sampling phase, and the millions of replica-steps they took.
    pub fn round_trips(&self) -> Option<(u64, f64)> {
        let ladder = self.sampled()?;
        Some((ladder.round_trips, ladder.replica_steps as f64 / MILLION))
    }

    /// How far f_up is from linear in the rung's index, at worst, after the last update.
    pub fn flow_deviation(&self) -> Option<f64> {
        let f_up = &self.trained()?.f_up;
        let last = f_up.len() as f64 - 1.0;
        let linear = |rung: usize| 1.0 - rung as f64 / last;
        let off =
            f_up.iter().enumerate().filter_map(|(i, f)| Some((f.as_ref()? - linear(i)).abs()));
        off.reduce(f64::max)
    }

    /// Mean swap rate, after the last update, of the pairs where the rungs are closest: the
    /// bottleneck that they pool around.
    pub fn bottleneck_swap_rate(&self) -> Option<f64> {
        let ladder = self.trained()?;
        let gap = |pair: &usize| ladder.betas[*pair] - ladder.betas[pair + 1];
        let mut pairs: Vec<usize> = (0..ladder.swap_rates.len()).collect();
        pairs.sort_by(|a, b| gap(a).total_cmp(&gap(b)));
        let rates = pairs.iter().take(AT_BOTTLENECK).filter_map(|&pair| ladder.swap_rates[pair]);
        mean(&rates.collect::<Vec<f64>>())
    }

    /// Mean swap rate after the last update.
    pub fn swap_rate(&self) -> Option<f64> {
        Some(self.trained()?.swap_rate)
    }

    /// Seconds that the updates took.
    pub fn seconds(&self) -> Option<f64> {
        Some(self.timings.last()?.seconds.train)
    }
}
