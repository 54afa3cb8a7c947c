//! A configuration once it is checked: every choice made, every option valid.

use super::config::{Algorithm, Config, PathKind};
use super::penalties::{BLOCK, Smoothness};
use crate::data::{Binarise, ImageShape};
use crate::error::{Error, Result};
use crate::model::PerfectSampler;
use crate::paths::SwapOn;
use crate::paths::is_small;
use isotherm_tempering::{Adaptation, Respace};

/// The largest layer that is enumerated all along a run and not only at its end.
const CHEAP_LAYER: usize = 16;

/// Columns of a ladder whose particles were chosen, but not its columns.
const COLUMNS_FOR_PARTICLES: usize = 16;

/// Bounds that keep a mistyped option from asking for terabytes or for ever.
const MOST_UNITS: usize = 1 << 20;
const MOST_GIBBS_STEPS: usize = 1 << 20;
const GIB: f64 = (1u64 << 30) as f64;
const MOST_BYTES: f64 = 16.0 * GIB;

/// A checked configuration: every choice made, every option valid.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // as in `Config`
pub struct Plan {
    /// The configuration with every choice written out; what `config.toml` holds.
    pub config: Config,
    pub path: PathKind,
    pub swap: SwapOn,
    pub rungs: usize,
    pub columns: usize,
    /// Replicas at β = 1: one a column, and the spare ones.
    pub particles: usize,
    pub average: u64,
    /// The penalty on differences between neighbouring pixels, if there is one.
    pub smoothness: Option<Smoothness>,
    pub init_std: f64,
    pub metrics_every: u64,
    /// Updates between two likelihoods; 0: only at the end.
    pub likelihood_every: u64,
    /// Whether a follower tells the likelihood along the run, because enumerating is too slow.
    pub follows: bool,
    /// Bytes of memory that learning takes besides the data, about and at most.
    pub bytes: f64,
}

impl Config {
    /// Checks the options against each other and against the data's width, and fills in the rest.
    pub fn check(&self, n_visible: usize) -> Result<Plan> {
        self.check_numbers()?;
        self.check_parts()?;
        let path = self.choose_path(n_visible)?;
        let swap = self.choose_swap(path)?;
        let rungs = self.choose_rungs()?;
        let columns = self.choose_columns();
        if self.algorithm == Algorithm::Cd && columns != self.batch {
            return Err(Error::config(
                "--columns does not go with --algorithm cd, whose samples start from the batch; \
                 set --batch instead",
            ));
        }
        let particles = self.choose_particles(columns)?;
        let bytes = Config::check_memory(&self.bytes(n_visible, columns, particles, rungs))?;
        if let Some(shape) = self.shape {
            shape.check(n_visible)?;
        }
        let smaller = self.hidden.min(n_visible);
        let cheap = smaller <= CHEAP_LAYER;
        let follows = !cheap && self.likelihood_every != Some(0);
        let metrics_every = self.metrics_every.unwrap_or((self.updates / 200).max(1));
        let every = |rows: u64| (rows * metrics_every).max(1);
        let plan = Plan {
            path,
            swap,
            rungs,
            columns,
            particles,
            average: self.average.unwrap_or((self.updates / 20).max(1)),
            smoothness: self.choose_smoothness(n_visible)?,
            init_std: self.init_std.unwrap_or(match path {
                PathKind::HiddenMarginal => 0.2,
                // 0.1 for the paper's 10 hidden units, 0.014 for 500.
                _ => (0.1 / self.hidden as f64).sqrt(),
            }),
            metrics_every,
            likelihood_every: self.likelihood_every.unwrap_or(every(2)),
            follows,
            bytes,
            config: self.clone(),
        };
        Ok(plan.written_out())
    }

    /// Checks that the parts of the data do not contradict each other.
    pub fn check_parts(&self) -> Result<()> {
        if self.split.is_some() && self.data.is_none() {
            return Err(Error::config(
                "--split needs a file of data to cut; name one, or leave it out",
            ));
        }
        if self.binarise != Binarise::AsIs
            && [&self.data, &self.valid, &self.test].into_iter().all(Option::is_none)
        {
            return Err(Error::config(format!(
                "--binarise {} needs a file of data; the mixture is 0 and 1 already",
                self.binarise
            )));
        }
        if self.drop.is_some() && self.data.is_none() {
            return Err(Error::config("--drop needs a file of data to leave columns out of"));
        }
        let held_out = self.valid.is_some() || self.split.is_some_and(|split| split.valid > 0.0);
        if self.patience.is_some() && !held_out {
            return Err(Error::config(
                "--patience needs validation data to see whether learning still helps; give --valid \
                 or --split",
            ));
        }
        if self.patience.is_some() && self.likelihood_every == Some(0) {
            return Err(Error::config(
                "--patience needs likelihoods along the run, and --likelihood-every 0 asks for none; \
                 leave one of them out",
            ));
        }
        let Some(split) = self.split else { return Ok(()) };
        let twice = [
            ("valid", split.valid, self.valid.is_some()),
            ("test", split.test, self.test.is_some()),
        ];
        match twice.into_iter().find(|&(_, share, file)| share > 0.0 && file) {
            Some((part, ..)) => Err(Error::config(format!(
                "--split {split} and --{part} both say what {part} is; give the share to train, or \
                 leave --{part} out"
            ))),
            None => Ok(()),
        }
    }

    /// Bytes that learning takes besides the data, by what they depend on. In f64, so that nothing
    /// overflows.
    fn bytes(
        &self,
        n_visible: usize,
        columns: usize,
        particles: usize,
        rungs: usize,
    ) -> [(f64, &'static str); 3] {
        let most_rungs = if self.algorithm == Algorithm::Apt { self.max_rungs } else { rungs };
        let units = (n_visible + self.hidden) as f64;
        // Model (both ways round), average, velocity and gradient twice; the best model and its average, and one
        // that may prove better; the follower's model; and all that goes into a checkpoint once more while it
        // is written.
        const ARRAYS: f64 = 6.0 + 4.0 + 2.0 + 8.0;
        // A few rows beside: sums over blocks of pixels, of the penalties.
        let rows = ARRAYS * n_visible as f64 + (n_visible / BLOCK + 2) as f64;
        let weights = 4.0 * rows * self.hidden as f64;
        // Both fields of a replica, its bits and its generator; the two sides of the gradient.
        let rows = columns as f64 * most_rungs as f64 + (particles - columns) as f64;
        // Those at β = 1 have a block of their own where the ladder rests in between.
        let apart = if self.temper_every > 1 { particles as f64 } else { 0.0 };
        let replicas = (rows + apart) * (5.0 * units + 300.0);
        let batch = self.batch as f64 * 10.0 * units;
        [
            (weights, "--hidden"),
            (
                replicas,
                "--columns (as many as --batch if absent), --particles, --rungs or --max-rungs",
            ),
            (batch, "--batch"),
        ]
    }

    /// Refuses what would take more memory than any machine that this is meant for has.
    fn check_memory(parts: &[(f64, &str)]) -> Result<f64> {
        let total: f64 = parts.iter().map(|(bytes, _)| bytes).sum();
        let worst = parts.iter().max_by(|a, b| a.0.total_cmp(&b.0));
        match worst {
            Some((_, option)) if total > MOST_BYTES => Err(Error::config(format!(
                "this needs about {:.0} GiB of memory, more than the {:.0} GiB that are allowed; lower \
                 {option}",
                total / GIB,
                MOST_BYTES / GIB
            ))),
            _ => Ok(total),
        }
    }

    fn check_numbers(&self) -> Result<()> {
        let positive = [
            ("hidden", self.hidden as u64),
            ("k", self.k as u64),
            ("temper-every", self.temper_every),
            ("batch", self.batch as u64),
            ("updates", self.updates),
            ("columns", self.columns.unwrap_or(1) as u64),
            ("particles", self.particles.unwrap_or(1) as u64),
            ("spawn-every", self.spawn_every),
            ("checkpoint-every", self.checkpoint_every),
            ("metrics-every", self.metrics_every.unwrap_or(1)),
            ("average", self.average.unwrap_or(1)),
            ("patience", self.patience.unwrap_or(1)),
        ];
        if let Some((name, _)) = positive.iter().find(|(_, value)| *value == 0) {
            return Err(Error::config(format!("--{name} must be at least 1")));
        }
        if self.hidden > MOST_UNITS {
            let hidden = self.hidden;
            return Err(Error::config(format!(
                "--hidden {hidden} is more than the {MOST_UNITS} that are allowed; lower it"
            )));
        }
        if self.k > MOST_GIBBS_STEPS {
            return Err(Error::config(format!(
                "--k {} is more than the {MOST_GIBBS_STEPS} that are allowed; lower it",
                self.k
            )));
        }
        if let (Some(name), true) = (self.keeps_no_samples(), self.sampling_steps > 0) {
            return Err(Error::config(format!(
                "--sampling-steps does not go with --algorithm {name}, which keeps no samples"
            )));
        }
        if self.temper_every > 1 && !self.tempered() {
            return Err(Error::config(format!(
                "--temper-every {} needs a tempered --algorithm, pt or apt",
                self.temper_every
            )));
        }
        if self.algorithm == Algorithm::Exact && self.k > 1 {
            return Err(Error::config(
                "--k does not go with --algorithm exact, whose samples need no Gibbs steps",
            ));
        }
        let largest = PerfectSampler::LARGEST;
        if self.algorithm == Algorithm::Exact && self.hidden > largest {
            return Err(Error::config(format!(
                "--algorithm exact enumerates the hidden states, and {} hidden units are more than \
                 the {largest} that it can; lower --hidden or choose another --algorithm",
                self.hidden
            )));
        }
        if self.updates.checked_add(self.sampling_steps).is_none_or(|steps| steps > 1 << 48) {
            return Err(Error::config("--updates and --sampling-steps add up to more than 2^48"));
        }
        // TOML's integers end at 2^63.
        if self.seed.max(self.data_seed) > i64::MAX as u64 {
            return Err(Error::config("--seed and --data-seed must be below 2^63"));
        }
        let ranges = [
            ("lr", self.lr, 0.0..=1e38),
            ("momentum", self.momentum, 0.0..=0.999_999),
            ("weight-decay", self.weight_decay, 0.0..=1.0),
            ("l1", self.l1, 0.0..=1.0),
            ("smooth", self.smooth, 0.0..=1.0),
            ("beta-lr", self.beta_lr, 0.0..=1.0),
            ("min-swap", self.min_swap, 0.0..=0.95),
            ("init-std", self.init_std.unwrap_or(0.0), 0.0..=100.0),
        ];
        for (name, value, range) in ranges {
            if !range.contains(&value) {
                return Err(Error::config(format!(
                    "--{name} must be a number from {:?} to {:?}, not {value:?}",
                    range.start(),
                    range.end()
                )));
            }
        }
        if self.burn_in >= self.spawn_every {
            return Err(Error::config(format!(
                "--burn-in {} must be shorter than --spawn-every {}, or the rungs never move while \
                 the ladder grows",
                self.burn_in, self.spawn_every
            )));
        }
        if self.min_rungs < 2 || self.max_rungs < self.min_rungs {
            return Err(Error::config(format!(
                "--min-rungs {} and --max-rungs {} must be at least 2 and in this order",
                self.min_rungs, self.max_rungs
            )));
        }
        Ok(())
    }

    /// Steps of the whole ladder in the first so many steps.
    pub fn ladder_steps(&self, steps: u64) -> u64 {
        let updates = steps.min(self.updates);
        updates.div_ceil(self.temper_every.max(1)) + (steps - updates)
    }

    /// The name of an algorithm that keeps no samples from one update to the next.
    fn keeps_no_samples(&self) -> Option<&'static str> {
        match self.algorithm {
            Algorithm::Cd => Some("cd"),
            Algorithm::Exact => Some("exact"),
            Algorithm::Sml | Algorithm::Pt | Algorithm::Apt => None,
        }
    }

    fn tempered(&self) -> bool {
        matches!(self.algorithm, Algorithm::Pt | Algorithm::Apt)
    }

    fn choose_path(&self, n_visible: usize) -> Result<PathKind> {
        match (self.keeps_no_samples(), self.path) {
            (Some(_), PathKind::Auto | PathKind::Joint) => return Ok(PathKind::Joint),
            (Some(name), _) => {
                return Err(Error::config(format!(
                    "--path does not go with --algorithm {name}, which samples at β = 1 only"
                )));
            }
            (None, _) => {}
        }
        match (self.algorithm, self.path) {
            (Algorithm::Sml, PathKind::Auto) => Ok(PathKind::Joint),
            (_, PathKind::Auto) if is_small(n_visible, self.hidden) => Ok(PathKind::HiddenMarginal),
            (_, PathKind::Auto) => Ok(PathKind::BaseRate),
            (_, path) => Ok(path),
        }
    }

    fn choose_swap(&self, path: PathKind) -> Result<SwapOn> {
        match (path, self.swap) {
            (PathKind::HiddenMarginal, Some(SwapOn::Energy)) => Err(Error::config(
                "--swap energy does not go with --path hidden-marginal, which has no visible units \
                 to compute an energy with; leave --swap out",
            )),
            (PathKind::Joint, None) => Ok(SwapOn::Energy),
            (_, swap) => Ok(swap.unwrap_or(SwapOn::FreeEnergy)),
        }
    }

    fn choose_smoothness(&self, n_visible: usize) -> Result<Option<Smoothness>> {
        let (strength, lr) = (self.smooth, self.lr);
        if strength == 0.0 {
            return Ok(None);
        }
        let shape = self.shape.or_else(|| ImageShape::guess(n_visible)).ok_or_else(|| {
            Error::config(format!(
                "--smooth {strength} needs to know which of the {n_visible} columns are neighbours, \
                 and they make no square; give --shape WIDTHxHEIGHT, or leave --smooth out"
            ))
        })?;
        let most = self.most_smoothness();
        if strength > most {
            return Err(Error::config(format!(
                "--smooth {strength} at --lr {lr} would draw neighbouring weights beyond each other; \
                 with this rate and momentum it must be below {most:.2e}"
            )));
        }
        Ok(Some(Smoothness { shape, strength }))
    }

    /// Without a ladder every particle is a column of its own; on one, a few columns serve many.
    fn choose_columns(&self) -> usize {
        let few = |particles: usize| particles.min(COLUMNS_FOR_PARTICLES);
        self.columns.unwrap_or(match (self.algorithm, self.particles) {
            (Algorithm::Sml, Some(particles)) => particles,
            (Algorithm::Pt | Algorithm::Apt, Some(particles)) => few(particles),
            _ => self.batch,
        })
    }

    /// At least one a column.
    fn choose_particles(&self, columns: usize) -> Result<usize> {
        match self.particles {
            _ if !self.tempered() => Ok(columns),
            Some(particles) if particles < columns => Err(Error::config(format!(
                "--particles {particles} are fewer than --columns {columns}, of which each has one; \
                 raise --particles or lower --columns"
            ))),
            particles => Ok(particles.unwrap_or(columns)),
        }
    }

    /// Those of the given options that have no effect beside the others.
    pub fn unused<'a>(&self, options: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
        const ADAPTATION: [&str; 7] =
            ["respace", "beta-lr", "min-swap", "min-rungs", "max-rungs", "spawn-every", "burn-in"];
        let fixed = self.algorithm == Algorithm::Apt && self.respace == Respace::Fixed;
        let is_unused = |name: &str| match name {
            "beta-lr" if fixed => true,
            name if ADAPTATION.contains(&name) => self.algorithm != Algorithm::Apt,
            "spacing" | "swap" => !self.tempered(),
            "particles" if self.algorithm == Algorithm::Sml => self.columns.is_some(),
            "particles" => self.keeps_no_samples().is_some(),
            _ => false,
        };
        options.filter(|name| is_unused(name)).collect()
    }

    fn choose_rungs(&self) -> Result<usize> {
        if !self.tempered() {
            return match self.rungs {
                None | Some(1) => Ok(1),
                Some(rungs) => Err(Error::config(format!(
                    "--rungs {rungs} needs a tempered --algorithm, pt or apt"
                ))),
            };
        }
        let rungs = self.rungs.unwrap_or(10);
        if rungs < 2 {
            return Err(Error::config("--rungs must be at least 2 with --algorithm pt or apt"));
        }
        if self.algorithm == Algorithm::Apt && rungs > self.max_rungs {
            return Err(Error::config(format!(
                "--rungs {rungs} is more than --max-rungs {}",
                self.max_rungs
            )));
        }
        Ok(rungs)
    }
}

impl Config {
    /// How a ladder adapts by these options.
    pub fn adaptation(&self) -> Adaptation {
        Adaptation {
            respace: self.respace,
            beta_lr: self.beta_lr,
            min_swap: self.min_swap,
            min_rungs: self.min_rungs,
            max_rungs: self.max_rungs,
            spawn_every: self.spawn_every,
            burn_in: self.burn_in,
        }
    }
}

impl Plan {
    /// How the ladder adapts, if it does.
    pub fn adaptation(&self) -> Option<Adaptation> {
        (self.config.algorithm == Algorithm::Apt).then(|| self.config.adaptation())
    }

    /// Whether the count of round trips begins anew before this step: for the last fifth of the
    /// updates, so that it tells of the model as it is at the end, and for the sampling phase.
    pub fn counts_anew(&self, step: u64) -> bool {
        let updates = self.config.updates;
        step == updates - updates / 5 || step == updates
    }

    /// Looks on either side of a model that tell how good it is on validation data: none where they are exact, and
    /// fewer where there are few of them.
    pub fn reach(&self) -> usize {
        let looks = self.config.updates.checked_div(self.likelihood_every).unwrap_or(0);
        if self.follows { (looks / 25).min(4) as usize } else { 0 }
    }

    /// Whether a step is one of the whole ladder: every so many updates, and while sampling.
    pub fn tempers(&self, step: u64) -> bool {
        step >= self.config.updates || step.is_multiple_of(self.config.temper_every)
    }

    /// Whether a step of the whole ladder is still to come, from this step on.
    pub fn tempers_again(&self, step: u64) -> bool {
        let Config { updates, temper_every, .. } = self.config;
        let next = step.next_multiple_of(temper_every).min(step.max(updates));
        next < self.total_steps()
    }

    /// Replicas at β = 1 beyond one a column.
    pub fn spare(&self) -> usize {
        self.particles - self.columns
    }

    /// Updates and sampling steps together.
    pub fn total_steps(&self) -> u64 {
        self.config.updates + self.config.sampling_steps
    }

    fn written_out(mut self) -> Plan {
        let c = &mut self.config;
        c.path = self.path;
        c.swap = Some(self.swap);
        c.rungs = Some(self.rungs);
        c.columns = Some(self.columns);
        c.particles = Some(self.particles);
        c.average = Some(self.average);
        c.init_std = Some(self.init_std);
        c.metrics_every = Some(self.metrics_every);
        c.likelihood_every = Some(self.likelihood_every);
        self
    }
}
