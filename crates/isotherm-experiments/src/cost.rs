//! What APT costs beside PT with as many rungs as APT ends with: the paper's open wish is a ratio
//! of at most one. Both are trained in turns on one core, so that whatever else the machine does
//! slows both down alike.

use std::time::Instant;

use super::experiment::{Setting, Size};
use super::results::Cost;
use isotherm::Result;
use isotherm::data::Dataset;
use isotherm::options::{Algorithm, Options};
use isotherm::trainer::{TrainState, Trainer};
use isotherm_run::Config;

/// Updates of one before it is the other's turn.
const TURN: u64 = 100;

/// One of the two, with its clock.
struct Runner {
    trainer: Trainer,
    state: TrainState,
    seconds: f64,
}

impl Runner {
    fn new(options: &Options, data_seed: u64) -> Result<Runner> {
        let data = Dataset::mixture(data_seed);
        let plan = options.check(data.n_visible())?;
        let state = TrainState::new(&plan, &data.marginals());
        Ok(Runner { trainer: Trainer::new(plan, data), state, seconds: 0.0 })
    }

    fn take_turn(&mut self, updates: u64) -> Result<()> {
        let begun = Instant::now();
        for _ in 0..updates {
            self.trainer.step(&mut self.state)?;
        }
        self.seconds += begun.elapsed().as_secs_f64();
        Ok(())
    }
}

/// Trains APT at this setting and PT with `rungs` rungs in turns. `done` is called with the updates of each
/// turn and returns whether to continue; `None` if it did not until the end.
pub(super) fn measure(
    setting: Setting,
    size: Size,
    seed: u64,
    rungs: usize,
    done: impl Fn(u64) -> bool,
) -> Result<Option<Cost>> {
    let Config { options, data } = setting.config(size, seed);
    let apt = options.sampling_steps(0);
    let pt = apt.clone().algorithm(Algorithm::Pt).rungs(Some(rungs));
    let mut apt = Runner::new(&apt, data.data_seed)?;
    let mut pt = Runner::new(&pt, data.data_seed)?;
    let mut left = size.updates;
    while left > 0 {
        let turn = left.min(TURN);
        apt.take_turn(turn)?;
        pt.take_turn(turn)?;
        left -= turn;
        if !done(turn) {
            return Ok(None);
        }
    }
    Ok(Some(Cost { seed, rungs, apt: apt.seconds, pt: pt.seconds }))
}
