//! Options checked against each other and against the width of the data.

use super::error::OptionError;
use super::memory::Sizes;
use super::{Chosen, Options, PathKind, Plan, check_ranges, ladder, name, sampler};
use crate::data::ImageShape;
use crate::error::{OptionName, Result};
use crate::negative::Persistence;
use crate::objective::penalties::Smoothness;
use crate::paths::{PathEntry, SwapOn};
use crate::references::{self, ReferenceKind};
use isotherm_tempering::Respace;

/// The largest layer that is enumerated along a run, and not only at its end.
const CHEAP_LAYER: usize = 16;

/// Catches mistyped numbers of updates, which would never end.
const MOST_STEPS: u64 = 1 << 48;

impl Options {
    /// Checks the options against each other and against the width of the data, and chooses what is absent.
    pub fn check(&self, n_visible: usize) -> Result<Plan> {
        check_ranges(self, Options::table())?;
        self.check_combinations()?;
        let path = self.choose_path(n_visible)?;
        let entry = path.entry(n_visible, self.hidden);
        let reference = self.choose_reference(path, entry)?;
        if self.sampler.swap == Some(SwapOn::Energy) {
            if !entry.has_energies {
                return Err(OptionError::SwapOnEnergy { path }.into());
            }
            if matches!(reference, ReferenceKind::Mixture | ReferenceKind::Rbm) {
                return Err(OptionError::SwapFromReference { reference }.into());
            }
        }
        let rungs = self.choose_rungs()?;
        let columns = self.choose_columns();
        let particles = self.choose_particles(columns)?;
        let bytes = self.memory(Sizes { n_visible, columns, particles, rungs })?;
        if let Some(shape) = self.shape {
            shape.check(n_visible)?;
        }
        let (optimiser, record) = (&self.optimiser, &self.record);
        let cheap = self.hidden.min(n_visible) <= CHEAP_LAYER;
        let metrics_every = record.metrics_every.unwrap_or((optimiser.updates / 200).max(1));
        let plan = Plan {
            path,
            reference,
            components: (reference == ReferenceKind::Mixture)
                .then(|| self.sampler.components.unwrap_or(references::COMPONENTS)),
            reference_hidden: (reference == ReferenceKind::Rbm).then(|| {
                self.sampler.reference_hidden.unwrap_or(references::SMALL_HIDDEN.min(self.hidden))
            }),
            swap: self.sampler.swap.unwrap_or(entry.swap),
            rungs,
            columns,
            particles,
            average: optimiser.average.unwrap_or((optimiser.updates / 20).max(1)),
            smoothness: self.choose_smoothness(n_visible)?,
            init_std: optimiser.init_std.unwrap_or((entry.init_std)(self.hidden)),
            metrics_every,
            likelihood_every: record.likelihood_every.unwrap_or((2 * metrics_every).max(1)),
            estimates_online: !cheap && record.likelihood_every != Some(0),
            bytes,
            options: self.clone(),
        };
        Ok(plan.written_out())
    }

    fn check_combinations(&self) -> Result<()> {
        let Options { sampler, ladder, optimiser, record, .. } = self;
        let algorithm = sampler.algorithm;
        let steps = optimiser.updates.checked_add(optimiser.sampling_steps);
        let wrong = if optimiser.sampling_steps > 0 && !algorithm.is_persistent() {
            OptionError::NothingToSample { algorithm }
        } else if sampler.temper_every > 1 && !algorithm.is_tempered() {
            OptionError::NeedsLadder { name: name::temper_every, value: sampler.temper_every }
        } else if steps.is_none_or(|steps| steps > MOST_STEPS) {
            OptionError::TooManySteps
        } else if ladder.burn_in >= ladder.spawn_every {
            let (burn_in, spawn_every) = (ladder.burn_in, ladder.spawn_every);
            OptionError::BurnIn { burn_in, spawn_every }
        } else if ladder.max_rungs < ladder.min_rungs {
            let (min_rungs, max_rungs) = (ladder.min_rungs, ladder.max_rungs);
            OptionError::RungBounds { min_rungs, max_rungs }
        } else if optimiser.patience.is_some() && record.likelihood_every == Some(0) {
            OptionError::PatienceUnmeasured
        } else {
            (algorithm.entry().check)(self)?;
            return (optimiser.objective.entry().check)(self);
        };
        Err(wrong.into())
    }

    /// Samples that are at β = 1 only are on the joint path by name.
    fn choose_path(&self, n_visible: usize) -> Result<PathKind> {
        let algorithm = self.sampler.algorithm;
        match self.sampler.path {
            PathKind::Auto if !algorithm.is_tempered() => Ok(PathKind::Joint),
            PathKind::Auto if self.sampler.reference != ReferenceKind::Auto => {
                Ok(PathKind::BaseRate)
            }
            PathKind::Auto => Ok(PathKind::automatic(n_visible, self.hidden)),
            PathKind::Joint => Ok(PathKind::Joint),
            _ if !algorithm.is_persistent() => Err(OptionError::PathUnused { algorithm }.into()),
            path => Ok(path),
        }
    }

    /// Only a path that takes references has one of several.
    fn choose_reference(&self, path: PathKind, entry: &PathEntry) -> Result<ReferenceKind> {
        let (reference, algorithm) = (self.sampler.reference, self.sampler.algorithm);
        match reference {
            ReferenceKind::Auto if entry.takes_references => Ok(ReferenceKind::BaseRate),
            ReferenceKind::Auto => Ok(ReferenceKind::Auto),
            _ if !algorithm.is_tempered() => Err(OptionError::ReferenceUnused { algorithm }.into()),
            _ if entry.takes_references => Ok(reference),
            _ => Err(OptionError::ReferenceOfPath { path }.into()),
        }
    }

    fn choose_rungs(&self) -> Result<usize> {
        let (rungs, max_rungs) = (self.ladder.rungs, self.ladder.max_rungs);
        match (self.sampler.algorithm.entry().persistence, rungs) {
            (Persistence::Ladder { adapts: true }, rungs)
                if rungs.unwrap_or(ladder::absent::rungs) > max_rungs =>
            {
                let rungs = rungs.unwrap_or(ladder::absent::rungs);
                Err(OptionError::TooManyRungs { rungs, max_rungs }.into())
            }
            (Persistence::Ladder { .. }, Some(0 | 1)) => Err(OptionError::TooFewRungs.into()),
            (Persistence::Ladder { .. }, rungs) => Ok(rungs.unwrap_or(ladder::absent::rungs)),
            (_, None | Some(1)) => Ok(1),
            (_, Some(rungs)) => {
                Err(OptionError::NeedsLadder { name: name::rungs, value: rungs as u64 }.into())
            }
        }
    }

    /// Without a ladder every particle is a column of its own; with one, a few columns serve many
    /// particles.
    fn choose_columns(&self) -> usize {
        let (algorithm, batch) = (self.sampler.algorithm, self.optimiser.batch);
        self.sampler.columns.unwrap_or(
            match (algorithm.entry().persistence, self.sampler.particles) {
                (Persistence::Particles, Some(particles)) => particles,
                (Persistence::Ladder { .. }, Some(particles)) => {
                    particles.min(sampler::absent::columns)
                }
                _ => batch,
            },
        )
    }

    /// At least one in each column.
    fn choose_particles(&self, columns: usize) -> Result<usize> {
        match self.sampler.particles {
            _ if !self.sampler.algorithm.is_tempered() => Ok(columns),
            Some(particles) if particles < columns => {
                Err(OptionError::TooFewParticles { particles, columns }.into())
            }
            particles => Ok(particles.unwrap_or(columns)),
        }
    }

    fn choose_smoothness(&self, n_visible: usize) -> Result<Option<Smoothness>> {
        let (smooth, lr) = (self.optimiser.smooth, self.optimiser.lr);
        if smooth == 0.0 {
            return Ok(None);
        }
        let shape = self.shape.or_else(|| ImageShape::guess(n_visible));
        let shape = shape.ok_or(OptionError::NoNeighbours { smooth, columns: n_visible })?;
        let most = self.most_smoothness();
        if smooth > most {
            return Err(OptionError::TooSmooth { smooth, lr, most }.into());
        }
        Ok(Some(Smoothness { shape, strength: smooth }))
    }

    /// The chosen options that have no effect in this combination.
    pub fn unused(&self, chosen: &Chosen) -> Vec<OptionName> {
        let algorithm = self.sampler.algorithm;
        let fixed = algorithm.is_adaptive() && self.ladder.respace == Respace::Fixed;
        let is_unused = |option: &OptionName| match *option {
            name::beta_lr if fixed => true,
            name::respace | name::beta_lr | name::min_swap | name::min_rungs | name::max_rungs => {
                !algorithm.is_adaptive()
            }
            name::spawn_every | name::burn_in => !algorithm.is_adaptive(),
            name::spacing | name::swap => !algorithm.is_tempered(),
            name::components => self.sampler.reference != ReferenceKind::Mixture,
            name::reference_hidden => self.sampler.reference != ReferenceKind::Rbm,
            name::particles if algorithm.entry().persistence == Persistence::Particles => {
                self.sampler.columns.is_some()
            }
            name::particles => !algorithm.is_persistent(),
            _ => false,
        };
        chosen.names().filter(is_unused).collect()
    }
}
