//! Bounds that keep a mistyped number from asking for years or terabytes.

use crate::causes::RequestError;
use crate::error::Result;
use crate::words::OptionName;

const LOG2_MOST_STEPS: u32 = 48;
const LOG2_MOST_VALUES: u32 = 36;

/// Refuses fewer than `least`.
pub fn at_least(least: u64, name: OptionName, value: u64) -> Result<()> {
    match value < least {
        true => Err(RequestError::TooFew { name, value, least }.into()),
        false => Ok(()),
    }
}

/// Refuses more values than can be stored: `samples` samples of `units` units.
pub fn check_values(samples: usize, units: usize) -> Result<()> {
    match samples.checked_mul(units).is_some_and(|values| values <= 1 << LOG2_MOST_VALUES) {
        true => Ok(()),
        false => {
            let log2_most = LOG2_MOST_VALUES;
            Err(RequestError::TooManyValues { samples, units, log2_most }.into())
        }
    }
}

/// The steps that take `rounds` samples at a distance of `thin` steps, at least `least`; refused if they
/// and the warm-up are too many.
pub fn check_steps(rounds: u64, thin: u64, least: u64, warm_up: u64) -> Result<u64> {
    let fits =
        |steps: &u64| steps.checked_add(warm_up).is_some_and(|all| all <= 1 << LOG2_MOST_STEPS);
    let steps = rounds.checked_mul(thin).map(|steps| steps.max(least));
    let too_many = RequestError::TooManySteps { log2_most: LOG2_MOST_STEPS };
    steps.filter(fits).ok_or_else(|| too_many.into())
}
