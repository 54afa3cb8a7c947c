//! Options that cannot work, alone or together.

use super::spec::named;
use super::value::ValueKind;
use super::{Algorithm, PathKind, ReferenceKind, name, word};
use crate::error::{Action, Cause, Dialect, Kind, OptionName};

/// Why options are refused.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[allow(missing_docs)] // the fields are the options of their names
pub enum OptionError {
    /// There is no option of this name.
    Unknown {
        name: String,
        /// The option that the name resembles.
        nearest: Option<OptionName>,
    },
    /// There is no section of this name.
    UnknownSection { name: String },
    /// An option stands in a section that is not its own.
    WrongSection {
        name: OptionName,
        /// The section that it is in.
        section: &'static str,
    },
    /// A value that the option does not take.
    NotAllowed {
        name: OptionName,
        value: String,
        /// The values that it takes.
        wanted: ValueKind,
    },
    /// An option that is for samplers with a ladder.
    NeedsLadder { name: OptionName, value: u64 },
    /// A ladder with a single rung.
    TooFewRungs,
    /// More rungs at the start than there may ever be.
    TooManyRungs { rungs: usize, max_rungs: usize },
    /// Bounds of the number of rungs in the wrong order.
    RungBounds { min_rungs: usize, max_rungs: usize },
    /// The rungs would never move.
    BurnIn { burn_in: u64, spawn_every: u64 },
    /// A path, for an algorithm that samples only at β = 1.
    PathUnused { algorithm: Algorithm },
    /// Swaps on the energy, on a path whose states have none.
    SwapOnEnergy { path: PathKind },
    /// A reference, on a path that has its own.
    ReferenceOfPath { path: PathKind },
    /// A reference, for an algorithm without a ladder.
    ReferenceUnused { algorithm: Algorithm },
    /// Swaps on the energy, from a reference with variables of its own.
    SwapFromReference { reference: ReferenceKind },
    /// An option that an algorithm does not take.
    Refused {
        /// The algorithm.
        by: Algorithm,
        name: OptionName,
        /// Why not, as a clause about the algorithm; options stand in backticks.
        why: &'static str,
    },
    /// A number that is too large for an algorithm.
    Beyond {
        /// The algorithm.
        by: Algorithm,
        name: OptionName,
        value: usize,
        /// The largest that it takes.
        most: usize,
        /// Why, as a clause about the algorithm; options stand in backticks.
        why: &'static str,
    },
    /// Fewer particles than columns.
    TooFewParticles { particles: usize, columns: usize },
    /// A sampling phase, for an algorithm that keeps no samples.
    NothingToSample { algorithm: Algorithm },
    /// Updates and sampling steps that never end.
    TooManySteps,
    /// Patience without likelihoods along the run.
    PatienceUnmeasured,
    /// A penalty on neighbours, for columns that do not form an image.
    NoNeighbours { smooth: f64, columns: usize },
    /// A penalty on neighbours that would make the updates unstable.
    TooSmooth {
        smooth: f64,
        lr: f64,
        /// The strongest.
        most: f64,
    },
    /// More memory than is allowed.
    Memory {
        gibibytes: f64,
        /// The gibibytes that are allowed.
        most: f64,
        /// What takes most of it.
        what: MemoryUse,
    },
}

/// What memory is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryUse {
    /// The parameters and their copies.
    Weights,
    /// The replicas.
    Replicas,
    /// The examples of a minibatch.
    Minibatch,
}

impl Cause for OptionError {
    fn kind(&self) -> Kind {
        Kind::Options
    }

    fn words(&self, d: &dyn Dialect) -> String {
        let set = |name: OptionName, value: &dyn ToString| d.setting(name, &value.to_string());
        let with = |algorithm: &Algorithm| d.setting(name::algorithm, word(algorithm));
        match self {
            OptionError::Unknown { name, nearest: Some(nearest) } => {
                format!("there is no option {name:?}; did you mean {}?", d.option(*nearest))
            }
            OptionError::Unknown { name, nearest: None } => {
                let list = d.action(&Action::ListOptions);
                format!("there is no option {name:?}; {list} lists the options")
            }
            OptionError::UnknownSection { name } => {
                let list = d.action(&Action::ListOptions);
                format!("there is no section [{name}]; {list} lists the options")
            }
            OptionError::WrongSection { name, section } => match *section {
                "" => format!("{} belongs above all sections; move it there", d.option(*name)),
                section => {
                    format!("{} belongs in the section [{section}]; move it there", d.option(*name))
                }
            },
            OptionError::NotAllowed { name, value, wanted } => {
                format!("{} must be {wanted}, not {value}", d.option(*name))
            }
            OptionError::NeedsLadder { name, value } => {
                let algorithm = d.option(name::algorithm);
                format!("{} needs a tempered {algorithm}, pt or apt", set(*name, value))
            }
            OptionError::TooFewRungs => {
                format!(
                    "{} must be at least 2 with {} pt or apt",
                    d.option(name::rungs),
                    d.option(name::algorithm)
                )
            }
            OptionError::TooManyRungs { rungs, max_rungs } => {
                let (rungs, most) = (set(name::rungs, rungs), set(name::max_rungs, max_rungs));
                format!("{rungs} is more than {most}; lower the one or raise the other")
            }
            OptionError::RungBounds { min_rungs, max_rungs } => {
                let (min, max) = (set(name::min_rungs, min_rungs), set(name::max_rungs, max_rungs));
                format!("{min} is more than {max}; lower the one or raise the other")
            }
            OptionError::BurnIn { burn_in, spawn_every } => format!(
                "{} must be shorter than {}, or the rungs never move while the ladder grows",
                set(name::burn_in, burn_in),
                set(name::spawn_every, spawn_every)
            ),
            OptionError::PathUnused { algorithm } => {
                let (path, with) = (d.option(name::path), with(algorithm));
                format!("{path} cannot be combined with {with}, which samples at β = 1 only")
            }
            OptionError::SwapOnEnergy { path } => format!(
                "{} cannot be combined with {}, which has no visible units to compute an energy with; leave \
                 {} out",
                d.setting(name::swap, "energy"),
                d.setting(name::path, word(path)),
                d.option(name::swap)
            ),
            OptionError::ReferenceOfPath { path } => format!(
                "{} cannot be combined with {}, which starts from the uniform distribution; leave one of them \
                 out",
                d.option(name::reference),
                d.setting(name::path, word(path))
            ),
            OptionError::ReferenceUnused { algorithm } => {
                let (reference, with) = (d.option(name::reference), with(algorithm));
                format!("{reference} cannot be combined with {with}, which has no ladder")
            }
            OptionError::SwapFromReference { reference } => format!(
                "{} cannot be combined with {}, which has variables of its own that are summed out together with \
                 the hidden units; leave {} out",
                d.setting(name::swap, "energy"),
                d.setting(name::reference, word(reference)),
                d.option(name::swap)
            ),
            OptionError::Refused { by, name, why } => {
                format!("{} does not go with {}, {}", d.option(*name), with(by), named(why, d))
            }
            OptionError::Beyond { by, name, value, most, why } => format!(
                "{} is more than the {most} that go with {}, {}; lower it or choose another {}",
                set(*name, value),
                with(by),
                named(why, d),
                d.option(name::algorithm)
            ),
            OptionError::TooFewParticles { particles, columns } => format!(
                "{} must be at least {}, because each column has one; raise {} or lower {}",
                set(name::particles, particles),
                set(name::columns, columns),
                d.option(name::particles),
                d.option(name::columns)
            ),
            OptionError::NothingToSample { algorithm } => {
                let (steps, with) = (d.option(name::sampling_steps), with(algorithm));
                format!("{steps} cannot be combined with {with}, which keeps no samples")
            }
            OptionError::TooManySteps => {
                let (updates, steps) = (d.option(name::updates), d.option(name::sampling_steps));
                format!("{updates} and {steps} add up to more than 2^48; lower them")
            }
            OptionError::PatienceUnmeasured => format!(
                "{} needs likelihoods along the run, and {} asks for none; leave one of them out",
                d.option(name::patience),
                d.setting(name::likelihood_every, "0")
            ),
            OptionError::NoNeighbours { smooth, columns } => format!(
                "{} needs to know which of the {columns} columns are neighbours, and they do not form a \
                 square; give {}, or leave {} out",
                set(name::smooth, smooth),
                d.setting(name::shape, "WIDTHxHEIGHT"),
                d.option(name::smooth)
            ),
            OptionError::TooSmooth { smooth, lr, most } => format!(
                "{} is unstable at {}: an update would move neighbouring weights past each other; with this \
                 rate and momentum it must be below {most:.2e}",
                set(name::smooth, smooth),
                set(name::lr, lr)
            ),
            OptionError::Memory { gibibytes, most, what } => {
                let lower = match what {
                    MemoryUse::Weights => d.option(name::hidden),
                    MemoryUse::Minibatch => d.option(name::batch),
                    MemoryUse::Replicas => format!(
                        "{} (as many as {} if absent), {}, {} or {}",
                        d.option(name::columns),
                        d.option(name::batch),
                        d.option(name::particles),
                        d.option(name::rungs),
                        d.option(name::max_rungs)
                    ),
                };
                format!(
                    "this needs about {gibibytes:.0} GiB of memory, more than the {most:.0} GiB that \
                     are allowed; lower {lower}"
                )
            }
        }
    }
}
