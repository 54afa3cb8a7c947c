//! What the runs of an experiment came to, read back from their folders.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::experiment::{Arm, Job, Setting, Size};
use super::statistics::{Estimate, mean};
use crate::data::Mixture;
use crate::error::{Error, Result};
use crate::record::{LadderRow, Row, Timing, read_rows};
use crate::train::Phase;

/// Steps that round trips are counted in.
pub(super) const MILLION: f64 = 1e6;

/// An experiment's results.
#[derive(Clone, Debug)]
pub struct Results {
    /// Its size.
    pub size: Size,
    /// Every algorithm at its best setting.
    pub arms: Vec<ArmResult>,
    /// What APT cost beside PT with as many rungs.
    pub costs: Vec<Cost>,
    /// The best mean log-likelihood that any model can have.
    pub limit: f64,
    /// The mean log-likelihood of independent pixels.
    pub independent: f64,
}

/// An algorithm at its best setting.
#[derive(Clone, Debug)]
pub struct ArmResult {
    /// The setting with the highest mean log-likelihood.
    pub setting: Setting,
    /// Its runs, by seed.
    pub runs: Vec<RunResult>,
    /// All settings with their log-likelihoods.
    pub tried: Vec<(Setting, Estimate)>,
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
        let arms = Arm::ALL.into_iter().map(|arm| ArmResult::read(root, size, arm));
        let mixture = Mixture::new(1);
        Ok(Results {
            size,
            arms: arms.collect::<Result<_>>()?,
            costs,
            limit: -mixture.entropy(),
            independent: independent_pixels(&mixture),
        })
    }

    /// The result of an algorithm; nothing if it was left out.
    pub fn arm(&self, arm: Arm) -> Option<&ArmResult> {
        self.arms.iter().find(|result| result.setting.arm == arm)
    }
}

/// The mean log-likelihood of the best model of independent pixels, −Σ_j h(P(x_j = 1)).
fn independent_pixels(mixture: &Mixture) -> f64 {
    let term = |p: f64| if p > 0.0 { p * p.ln() } else { 0.0 };
    mixture.marginals().into_iter().map(|p| term(p) + term(1.0 - p)).sum()
}

impl ArmResult {
    /// Chooses as the paper does: the best mean over the seeds.
    pub(super) fn read(root: &Path, size: Size, arm: Arm) -> Result<ArmResult> {
        let mut best: Option<ArmResult> = None;
        let mut best_mean = f64::NEG_INFINITY;
        let mut tried = Vec::new();
        for setting in arm.settings() {
            let runs: Vec<RunResult> = (1..=size.seeds)
                .map(|seed| RunResult::read(root, size, Job { setting, seed }))
                .collect::<Result<_>>()?;
            let values: Vec<f64> = runs.iter().filter_map(RunResult::log_likelihood).collect();
            let Some(estimate) = Estimate::of(&values) else { continue };
            tried.push((setting, estimate));
            if estimate.mean > best_mean {
                best_mean = estimate.mean;
                best = Some(ArmResult { setting, runs, tried: Vec::new() });
            }
        }
        let best = best.ok_or_else(|| {
            Error::run(format!(
                "no run of {} under {} has a log-likelihood; run the experiment in another folder",
                arm.label(),
                root.display()
            ))
        })?;
        Ok(ArmResult { tried, ..best })
    }

    /// A figure of every run that has it.
    pub fn each(&self, figure: impl Fn(&RunResult) -> Option<f64>) -> Vec<f64> {
        self.runs.iter().filter_map(figure).collect()
    }

    /// The run with the highest log-likelihood, whose ladder the paper shows.
    pub fn best_run(&self) -> Option<&RunResult> {
        let value = |run: &RunResult| run.log_likelihood().unwrap_or(f64::NEG_INFINITY);
        self.runs.iter().max_by(|a, b| value(a).total_cmp(&value(b)))
    }
}

impl RunResult {
    fn read(root: &Path, size: Size, job: Job) -> Result<RunResult> {
        let folder = root.join(job.setting.folder(job.seed));
        let rows = read_rows(&folder.join("metrics.jsonl"))?.rows;
        let timings = read_rows(&folder.join("timing.jsonl"))?.rows;
        Ok(RunResult { folder, seed: job.seed, updates: size.updates, rows, timings })
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
    /// single moment is noise.
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

    /// Round trips completed in a million steps of a replica, in the sampling phase.
    pub fn round_trip_rate(&self) -> Option<f64> {
        let ladder = self.sampled()?;
        let millions = ladder.replica_steps as f64 / MILLION;
        (ladder.replica_steps > 0).then(|| ladder.round_trips as f64 / millions)
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

    /// Swap rate after the last update where the rungs are closest: the bottleneck that they pool
    /// around.
    pub fn bottleneck_swap_rate(&self) -> Option<f64> {
        let ladder = self.trained()?;
        let gap = |pair: usize| ladder.betas[pair] - ladder.betas[pair + 1];
        let pair = (0..ladder.swap_rates.len()).min_by(|&a, &b| gap(a).total_cmp(&gap(b)))?;
        ladder.swap_rates[pair]
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
