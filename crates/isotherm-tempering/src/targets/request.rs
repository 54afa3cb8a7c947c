//! What is asked of the sampler of a target.

use crate::MOST_RUNGS;
use crate::causes::{EnergyError, RequestError, name};
use crate::error::Result;
use crate::{limits, setters};

/// The most values of all replicas.
const LOG2_MOST_REPLICA_VALUES: u32 = 32;

/// What is asked of the sampler of a target. In a step every replica is swept once, and neighbours
/// on the ladder are exchanged. Each field has a setter: `TargetRequest::default().samples(200)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TargetRequest {
    /// Number of samples.
    pub samples: usize,
    /// Independent sets of replicas, at least two: their spread gives the errors.
    pub columns: usize,
    /// Steps in which the ladder is tuned, before anything is recorded.
    pub warm_up: u64,
    /// Steps between two samples of a column.
    pub thin: u64,
    /// Rungs of the first ladder; tuning lays as many as it takes.
    pub rungs: usize,
    /// Steps in which log Z is measured, while samples are taken; 0 for no log Z.
    pub log_z_steps: u64,
    /// Seed of all random numbers.
    pub seed: u64,
}

impl Default for TargetRequest {
    fn default() -> TargetRequest {
        TargetRequest {
            samples: 1000,
            columns: 20,
            warm_up: 1000,
            thin: 10,
            rungs: 10,
            log_z_steps: 1000,
            seed: 1,
        }
    }
}

setters! { TargetRequest {
    samples: usize,
    columns: usize,
    warm_up: u64,
    thin: u64,
    rungs: usize,
    log_z_steps: u64,
    seed: u64,
} }

impl TargetRequest {
    /// Times that each column gives a sample.
    pub(super) fn rounds(&self) -> u64 {
        self.samples.div_ceil(self.columns) as u64
    }

    /// Whether this can be done for `n` variables; the steps after the warm-up that it takes.
    pub(super) fn check(&self, n: usize) -> Result<u64> {
        let TargetRequest { samples, columns, warm_up, thin, rungs, log_z_steps, .. } = *self;
        if n == 0 {
            return Err(EnergyError::NoVariables.into());
        }
        if samples == 0 && log_z_steps == 0 {
            return Err(RequestError::NothingToDo.into());
        }
        limits::at_least(2, name::columns, columns as u64)?;
        limits::at_least(1, name::thin, thin)?;
        if !(2..=MOST_RUNGS).contains(&rungs) {
            return Err(RequestError::Rungs { value: rungs, most: MOST_RUNGS }.into());
        }
        limits::check_values(samples, n)?;
        // Tuning may lay as many rungs as there can be.
        let replicas = columns.checked_mul(MOST_RUNGS).and_then(|rows| rows.checked_mul(n));
        if replicas.is_none_or(|values| values > 1 << LOG2_MOST_REPLICA_VALUES) {
            let (rungs, log2_most) = (MOST_RUNGS, LOG2_MOST_REPLICA_VALUES);
            return Err(
                RequestError::TooManyReplicas { columns, units: n, rungs, log2_most }.into()
            );
        }
        limits::check_steps(self.rounds(), thin, log_z_steps, warm_up)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_requests_are_refused_by_kind() {
        use RequestError as R;

        let good = TargetRequest::default();
        assert_eq!(good.check(5).expect("the defaults are possible"), 1000);
        let longer = TargetRequest { samples: 2001, ..good };
        assert_eq!(longer.check(5).expect("more samples are possible"), 1010);
        let steps = R::TooManySteps { log2_most: 48 };
        let bad = [
            (TargetRequest { samples: 0, log_z_steps: 0, ..good }, R::NothingToDo),
            (
                TargetRequest { columns: 1, ..good },
                R::TooFew { name: name::columns, value: 1, least: 2 },
            ),
            (TargetRequest { rungs: 1, ..good }, R::Rungs { value: 1, most: MOST_RUNGS }),
            (TargetRequest { rungs: 101, ..good }, R::Rungs { value: 101, most: MOST_RUNGS }),
            (TargetRequest { thin: 0, ..good }, R::TooFew { name: name::thin, value: 0, least: 1 }),
            (
                TargetRequest { samples: usize::MAX, ..good },
                R::TooManyValues { samples: usize::MAX, units: 5, log2_most: 36 },
            ),
            (
                TargetRequest { columns: 1 << 40, ..good },
                R::TooManyReplicas { columns: 1 << 40, units: 5, rungs: MOST_RUNGS, log2_most: 32 },
            ),
            (TargetRequest { thin: u64::MAX, ..good }, steps.clone()),
            (TargetRequest { warm_up: u64::MAX, ..good }, steps),
        ];
        for (request, cause) in bad {
            let error = request.check(5).expect_err("an impossible request");
            assert_eq!(error.cause(), Some(&cause));
            assert_eq!(error.kind(), crate::Kind::Options);
        }
        let error = good.check(0).expect_err("no variables");
        assert_eq!(error.cause(), Some(&EnergyError::NoVariables));
    }
}
