//! What is asked of the sampler of a target.

use crate::MOST_RUNGS;
use crate::error::{Error, Result};

/// Bounds that keep a mistyped number from asking for years or terabytes.
const MOST_STEPS: u64 = 1 << 48;
const MOST_VALUES: usize = 1 << 36;
const MOST_REPLICA_VALUES: usize = 1 << 32;

/// What is asked of the sampler of a target. In a step every replica is swept once, and neighbours
/// on the ladder are exchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

impl TargetRequest {
    /// Times that each column gives a sample.
    pub(super) fn rounds(&self) -> u64 {
        self.samples.div_ceil(self.columns) as u64
    }

    /// Whether this can be done for `n` variables; the steps after the warm-up that it takes.
    pub(super) fn check(&self, n: usize) -> Result<u64> {
        let TargetRequest { samples, columns, warm_up, thin, rungs, log_z_steps, .. } = *self;
        let refuse = |message: String| Err(Error::config(message));
        if n == 0 {
            return refuse("a target needs at least one variable".into());
        }
        if samples == 0 && log_z_steps == 0 {
            return refuse(
                "there is nothing to do; ask for at least one sample or for steps for log Z".into(),
            );
        }
        if columns < 2 {
            return refuse(format!(
                "{columns} columns have no spread to tell errors from; ask for at least 2"
            ));
        }
        if !(2..=MOST_RUNGS).contains(&rungs) {
            return refuse(format!(
                "a ladder cannot begin with {rungs} rungs; give 2 to {MOST_RUNGS}"
            ));
        }
        if thin == 0 {
            return refuse("samples cannot be 0 steps apart; give a thin of at least 1".into());
        }
        if samples.checked_mul(n).is_none_or(|values| values > MOST_VALUES) {
            return refuse(format!(
                "{samples} samples of {n} variables are more than 2^36 values; ask for fewer samples"
            ));
        }
        // Tuning may lay as many rungs as there can be.
        let replicas = columns.checked_mul(MOST_RUNGS).and_then(|rows| rows.checked_mul(n));
        if replicas.is_none_or(|values| values > MOST_REPLICA_VALUES) {
            return refuse(format!(
                "{columns} columns of {n} variables on up to {MOST_RUNGS} rungs are more than 2^32 \
                 values; ask for fewer columns"
            ));
        }
        let steps = self.rounds().checked_mul(thin).map(|steps| steps.max(log_z_steps));
        steps
            .filter(|steps| steps.checked_add(warm_up).is_some_and(|all| all <= MOST_STEPS))
            .ok_or_else(|| {
                Error::config("warm-up, thin and steps for log Z ask for more than 2^48 steps")
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_done_is_refused_in_a_sentence() {
        let good = TargetRequest::default();
        assert_eq!(good.check(5).expect("defaults can be done"), 1000);
        let longer = TargetRequest { samples: 2001, ..good };
        assert_eq!(longer.check(5).expect("more samples can"), 1010);
        let bad = [
            (TargetRequest { samples: 0, log_z_steps: 0, ..good }, "nothing to do"),
            (TargetRequest { columns: 1, ..good }, "at least 2"),
            (TargetRequest { rungs: 1, ..good }, "1 rungs"),
            (TargetRequest { rungs: 101, ..good }, "101 rungs"),
            (TargetRequest { thin: 0, ..good }, "at least 1"),
            (TargetRequest { samples: usize::MAX, ..good }, "2^36"),
            (TargetRequest { columns: 1 << 40, ..good }, "2^32"),
            (TargetRequest { thin: u64::MAX, ..good }, "2^48"),
            (TargetRequest { warm_up: u64::MAX, ..good }, "2^48"),
        ];
        for (request, words) in bad {
            let error = request.check(5).expect_err(words);
            assert!(error.is_config() && error.to_string().contains(words), "{error}");
        }
        assert!(good.check(0).expect_err("no variables").to_string().contains("one variable"));
    }
}
