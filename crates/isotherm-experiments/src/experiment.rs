//! The paper's experiment: which algorithms are trained, with which hyper-parameters and seeds.
//!
//! Five arms are the paper's (section 3): SML, SML-PT with 10, 20 and 50 rungs, SML-APT from 10.
//! Three are not: SML-APT on two other paths, and the perfect sampler. All have the same budget, the
//! same initial weights and the same grid; parameters that an arm does not have are not varied.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use isotherm::Action;
use isotherm::data::Mixture;
use isotherm::options::{Algorithm, GradientKind, LadderOptions, LrDecay, Options, PathKind};
use isotherm::paths::SwapOn;
use isotherm_run::{Config, DataOptions};

/// The learning rates of the paper.
const LEARNING_RATES: [f64; 2] = [1e-3, 1e-4];
/// The learning rates of β of the paper.
const BETA_RATES: [f64; 3] = [1e-3, 1e-4, 1e-5];

/// Updates between two likelihoods, at least: each takes as long as dozens of updates.
const FEWEST_BETWEEN: u64 = 10;

/// The data that all runs learn.
pub(super) fn data() -> Mixture {
    Mixture::new(DataOptions::default().data_seed)
}

/// How much of the experiment is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Size {
    /// Updates of each run. A fifth as many steps of sampling follow.
    pub updates: u64,
    /// Seeds 1, 2, … of each setting.
    pub seeds: u64,
}

impl Size {
    /// The paper's.
    pub const FULL: Size = Size { updates: 100_000, seeds: 5 };
    /// A tenth of the updates, two seeds.
    pub const QUICK: Size = Size { updates: 10_000, seeds: 2 };

    /// Steps of sampling after the last update.
    pub fn sampling_steps(self) -> u64 {
        self.updates / 5
    }

    /// What makes an experiment of this size.
    pub(crate) fn action(self) -> Action {
        let Size { updates, seeds } = self;
        Action::ReproduceSize { updates, seeds }
    }
}

/// An algorithm of the experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Arm {
    /// Persistent samples without tempering.
    Sml,
    /// A fixed ladder of 10 rungs.
    Pt10,
    /// A fixed ladder of 20 rungs.
    Pt20,
    /// A fixed ladder of 50 rungs.
    Pt50,
    /// The adaptive ladder on the paper's path.
    Apt,
    /// The adaptive ladder on the base-rate path.
    AptBaseRate,
    /// The adaptive ladder on the hidden-marginal path.
    AptHiddenMarginal,
    /// Exact negative samples.
    Perfect,
}

impl Arm {
    /// All of them, the paper's first.
    pub const ALL: [Arm; 8] = [
        Arm::Sml,
        Arm::Pt10,
        Arm::Pt20,
        Arm::Pt50,
        Arm::Apt,
        Arm::AptBaseRate,
        Arm::AptHiddenMarginal,
        Arm::Perfect,
    ];

    /// Its name for people.
    pub fn label(self) -> &'static str {
        match self {
            Arm::Sml => "SML",
            Arm::Pt10 => "PT-10",
            Arm::Pt20 => "PT-20",
            Arm::Pt50 => "PT-50",
            Arm::Apt => "APT",
            Arm::AptBaseRate => "APT, base-rate path",
            Arm::AptHiddenMarginal => "APT, hidden-marginal path",
            Arm::Perfect => "perfect sampler",
        }
    }

    /// Its name in the file system.
    pub fn folder(self) -> &'static str {
        match self {
            Arm::Sml => "sml",
            Arm::Pt10 => "pt-10",
            Arm::Pt20 => "pt-20",
            Arm::Pt50 => "pt-50",
            Arm::Apt => "apt",
            Arm::AptBaseRate => "apt-base-rate",
            Arm::AptHiddenMarginal => "apt-hidden-marginal",
            Arm::Perfect => "perfect",
        }
    }

    /// Whether the paper has it.
    pub fn in_paper(self) -> bool {
        self <= Arm::Apt
    }

    /// Algorithm, path and rungs at the start.
    fn sampler(self) -> (Algorithm, PathKind, Option<usize>) {
        match self {
            Arm::Sml => (Algorithm::Sml, PathKind::Joint, None),
            Arm::Pt10 => (Algorithm::Pt, PathKind::Joint, Some(10)),
            Arm::Pt20 => (Algorithm::Pt, PathKind::Joint, Some(20)),
            Arm::Pt50 => (Algorithm::Pt, PathKind::Joint, Some(50)),
            Arm::Apt => (Algorithm::Apt, PathKind::Joint, Some(10)),
            Arm::AptBaseRate => (Algorithm::Apt, PathKind::BaseRate, Some(10)),
            Arm::AptHiddenMarginal => (Algorithm::Apt, PathKind::HiddenMarginal, Some(10)),
            Arm::Perfect => (Algorithm::Exact, PathKind::Auto, None),
        }
    }

    /// What a step costs, roughly and in sweeps of a column's replica: only the estimate of the
    /// time left rests on it.
    fn cost(self) -> u64 {
        match self {
            Arm::Sml => 5,
            Arm::Pt10 => 14,
            Arm::Pt20 => 24,
            Arm::Pt50 => 54,
            Arm::Apt => 26,
            Arm::AptBaseRate => 26,
            Arm::AptHiddenMarginal => 32,
            Arm::Perfect => 120,
        }
    }

    /// The settings that are tried.
    pub fn settings(self) -> Vec<Setting> {
        let adaptive = self.sampler().0.is_adaptive();
        let of = |lr, beta_lr| Setting { arm: self, lr, beta_lr };
        LEARNING_RATES
            .into_iter()
            .flat_map(|lr| match adaptive {
                true => BETA_RATES.map(|beta_lr| of(lr, Some(beta_lr))).to_vec(),
                false => vec![of(lr, None)],
            })
            .collect()
    }
}

/// An algorithm with its hyper-parameters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Setting {
    /// The algorithm.
    pub arm: Arm,
    /// The learning rate.
    pub lr: f64,
    /// The learning rate of β, where there is one.
    pub beta_lr: Option<f64>,
}

/// A run of the experiment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Job {
    /// What is run.
    pub setting: Setting,
    /// With which seed.
    pub seed: u64,
}

impl Setting {
    /// The options of its run with this seed: the paper's plain gradient and constant rate.
    pub fn config(self, size: Size, seed: u64) -> Config {
        let (algorithm, path, rungs) = self.arm.sampler();
        let sampling_steps = if algorithm.is_persistent() { size.sampling_steps() } else { 0 };
        let options = Options::default()
            .algorithm(algorithm)
            .path(path)
            .rungs(rungs)
            .updates(size.updates)
            .sampling_steps(sampling_steps)
            // The same start for all: the default of the hidden-marginal path is another.
            .init_std(Some(0.1))
            // Off the paper's path the default swaps on free energies.
            .swap((path == PathKind::BaseRate).then_some(SwapOn::Energy))
            .lr(self.lr)
            .lr_decay(LrDecay::Constant)
            .gradient(GradientKind::Plain)
            .beta_lr(self.beta_lr.unwrap_or(LadderOptions::default().beta_lr))
            .seed(seed)
            .likelihood_every(Some((size.updates / 100).max(FEWEST_BETWEEN)))
            // A run is repeated from its last checkpoint, and writing one takes a few milliseconds.
            .checkpoint_every((size.updates / 20).max(1));
        Config::from(options)
    }

    /// Where its run with this seed lies in the folder of the experiment.
    pub fn folder(self, seed: u64) -> PathBuf {
        let mut setting = format!("lr-{:e}", self.lr);
        if let Some(beta_lr) = self.beta_lr {
            setting.push_str(&format!("_beta-lr-{beta_lr:e}"));
        }
        let arm = PathBuf::from("runs").join(self.arm.folder());
        arm.join(setting).join(format!("seed-{seed}"))
    }
}

impl Job {
    /// All runs of the experiment, the costly ones first: then no core is left waiting for long.
    pub fn all(size: Size) -> Vec<Job> {
        let settings: Vec<Setting> = Arm::ALL.into_iter().flat_map(Arm::settings).collect();
        let mut jobs: Vec<Job> = settings
            .into_iter()
            .flat_map(|setting| (1..=size.seeds).map(move |seed| Job { setting, seed }))
            .collect();
        jobs.sort_by_key(|job| (std::cmp::Reverse(job.setting.arm.cost()), job.seed));
        jobs
    }

    /// Its steps times what one costs.
    pub fn work(self, size: Size) -> u64 {
        let config = self.setting.config(size, self.seed);
        config.options.total_steps() * self.cost_of_step()
    }

    /// What a step of it costs, roughly.
    pub fn cost_of_step(self) -> u64 {
        self.setting.arm.cost()
    }
}
