//! What can go wrong in tempering, as types.

use serde::{Deserialize, Serialize};

use crate::error::{Cause, Kind};
use crate::option_names;
use crate::words::{Dialect, OptionName};

option_names! {
    /// The options of samplers that the messages name.
    pub mod name { columns, thin, warm_up }
}

/// The caller's progress function returned `false`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interrupted;

impl Cause for Interrupted {
    fn kind(&self) -> Kind {
        Kind::Interrupted
    }

    fn words(&self, _: &dyn Dialect) -> String {
        "interrupted".to_owned()
    }
}

/// `Ok` to go on, an [`Interrupted`] error otherwise: the answer of a progress function.
pub fn unless_interrupted(goes_on: bool) -> crate::error::Result<()> {
    if goes_on { Ok(()) } else { Err(Interrupted.into()) }
}

/// A figure that is not a finite number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum NonFinite {
    /// The swap ratio between two rungs.
    SwapRatio {
        /// The colder of the rungs, counted from 0 at β = 1.
        rung: usize,
        /// The step of the sampler, counted from 1.
        step: u64,
    },
    /// The weights of annealed importance sampling.
    AnnealingWeights,
    /// The energies of a model that was to be annealed.
    Energies,
    /// The energy of one state.
    Energy {
        /// The state, zeros and ones.
        state: Vec<u8>,
        /// The variable that was flipped in it, if one was.
        flipped: Option<usize>,
        /// Its energy.
        energy: f64,
    },
    /// The change of the energy when one variable is flipped.
    Field {
        /// The variable.
        variable: usize,
        /// The change.
        field: f64,
    },
    /// A coefficient of an energy.
    Coefficient,
}

impl Cause for NonFinite {
    fn kind(&self) -> Kind {
        Kind::NonFinite
    }

    fn words(&self, _: &dyn Dialect) -> String {
        const FINITE: &str =
            "every state needs a finite energy; give a large one to a state that must not occur";
        const TOO_LARGE: &str = "the model's weights are too large to be sampled or evaluated";
        match self {
            NonFinite::SwapRatio { rung, step } => format!(
                "the swap ratio between rungs {rung} and {} is not a number at step {step}: {TOO_LARGE}",
                rung + 1
            ),
            NonFinite::AnnealingWeights => {
                format!("the weights of annealed importance sampling are not finite: {TOO_LARGE}")
            }
            NonFinite::Energies => format!("the model's energies are not finite: {TOO_LARGE}"),
            NonFinite::Energy { state, flipped, energy } => {
                let flipped =
                    flipped.map_or(String::new(), |j| format!(" with variable {j} flipped"));
                format!("the energy of the state {}{flipped} is {energy}; {FINITE}", shown(state))
            }
            NonFinite::Field { variable, field } => {
                format!(
                    "the energy changes by {field} when variable {variable} is flipped; {FINITE}"
                )
            }
            NonFinite::Coefficient => {
                format!("a coefficient of the energy is not a finite number; {FINITE}")
            }
        }
    }
}

/// The beginning of a state.
fn shown(state: &[u8]) -> String {
    const SHOWN: usize = 64;
    let mut text: String = state.iter().take(SHOWN).map(|x| char::from(b'0' + x)).collect();
    if state.len() > SHOWN {
        text.push('…');
    }
    text
}

/// The reasons why an energy cannot be built.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EnergyError {
    /// There are no variables.
    NoVariables,
    /// A term that does not couple two variables.
    NotAPair {
        /// The two numbers that were given.
        pair: (usize, usize),
        /// Number of variables.
        variables: usize,
    },
    /// A matrix of the wrong size.
    NotSquare {
        /// Its name.
        name: &'static str,
        /// Its number of entries.
        entries: usize,
        /// Number of variables.
        variables: usize,
    },
    /// A spin that is coupled with itself.
    SelfCoupling {
        /// The spin.
        spin: usize,
    },
    /// A matrix of couplings that is neither symmetric nor triangular.
    NeitherSymmetricNorTriangular,
}

impl Cause for EnergyError {
    fn kind(&self) -> Kind {
        Kind::Options
    }

    fn words(&self, _: &dyn Dialect) -> String {
        match self {
            EnergyError::NoVariables => "an energy needs at least one variable".to_owned(),
            EnergyError::NotAPair { pair: (i, j), variables } => format!(
                "the term ({i}, {j}) does not couple two of the {variables} variables; a pair is two \
                 different numbers from 0 to {}",
                variables.saturating_sub(1)
            ),
            EnergyError::NotSquare { name, entries, variables } => format!(
                "{name} has {entries} entries, and {variables} variables need {variables} × {variables}"
            ),
            EnergyError::SelfCoupling { spin } => format!(
                "J couples spin {spin} with itself, which is a constant; leave the diagonal empty"
            ),
            EnergyError::NeitherSymmetricNorTriangular => {
                "J is neither symmetric nor triangular, so that the coupling of a pair is not defined; \
                 give the same number both ways, or one triangle"
                    .to_owned()
            }
        }
    }
}

/// A request that a sampler cannot fulfil.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RequestError {
    /// Neither samples nor log Z are asked for.
    NothingToDo,
    /// A number below the least that makes sense.
    TooFew {
        /// Its name.
        name: OptionName,
        /// What was given.
        value: u64,
        /// The least.
        least: u64,
    },
    /// A number of initial rungs that is out of range.
    Rungs {
        /// What was given.
        value: usize,
        /// The most.
        most: usize,
    },
    /// More samples than can be counted or held.
    TooManyValues {
        /// Samples that are asked for.
        samples: usize,
        /// Units or variables of each.
        units: usize,
        /// log₂ of the most values that are allowed.
        log2_most: u32,
    },
    /// More replicas than can be held.
    TooManyReplicas {
        /// Columns that are asked for.
        columns: usize,
        /// Variables of each replica.
        units: usize,
        /// Rungs that a column may have.
        rungs: usize,
        /// log₂ of the most values that are allowed.
        log2_most: u32,
    },
    /// More steps than can be counted.
    TooManySteps {
        /// log₂ of the most steps that are allowed.
        log2_most: u32,
    },
}

impl Cause for RequestError {
    fn kind(&self) -> Kind {
        Kind::Options
    }

    fn words(&self, dialect: &dyn Dialect) -> String {
        match self {
            RequestError::NothingToDo => {
                "there is nothing to do; ask for at least one sample or for steps for log Z"
                    .to_owned()
            }
            RequestError::TooFew { name, value, least } => {
                format!("{} must be at least {least}", dialect.setting(*name, &value.to_string()))
            }
            RequestError::Rungs { value, most } => {
                format!("a ladder cannot begin with {value} rungs; give 2 to {most}")
            }
            RequestError::TooManyValues { samples, units, log2_most } => format!(
                "{samples} samples of {units} units are more than 2^{log2_most} values; ask for fewer \
                 samples"
            ),
            RequestError::TooManyReplicas { columns, units, rungs, log2_most } => format!(
                "{columns} columns of {units} variables on up to {rungs} rungs are more than \
                 2^{log2_most} values; ask for fewer columns"
            ),
            RequestError::TooManySteps { log2_most } => format!(
                "{} and {} ask for more than 2^{log2_most} steps",
                dialect.option(name::warm_up),
                dialect.option(name::thin)
            ),
        }
    }
}

/// User code, such as the energy of a target, failed.
#[derive(Debug)]
pub struct ForeignError(pub Box<dyn std::error::Error + Send + Sync>);

impl Cause for ForeignError {
    fn kind(&self) -> Kind {
        Kind::Foreign
    }

    fn words(&self, _: &dyn Dialect) -> String {
        self.0.to_string()
    }
}
