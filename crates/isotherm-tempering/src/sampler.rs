//! The one driver of everything that samples: it warms a ladder up, then steps it and lets recorders
//! watch. What is recorded is the recorders' affair (`recorders.rs`).

use crate::ensemble::Ensemble;
use crate::error::Result;
use crate::replicas::Replicas;
use crate::streams::Key;
use crate::{Adaptation, Tempering};

/// What becomes of the ladder while replicas warm up. Afterwards it stays as it is.
#[derive(Clone, Copy, Debug)]
pub enum WarmUp {
    /// It is laid anew in rounds, so that all gaps reject equally often.
    Tune,
    /// Its rungs move to where the flow wants them. That takes replicas that have gone round.
    FollowFlow,
    /// It adapts as it does while a model learns.
    Adapt(Adaptation),
}

/// Told the steps that are done; answers whether to go on.
pub type Progress<'a> = &'a mut dyn FnMut(u64) -> bool;

/// A ladder with its replicas, and the key of the random numbers of its next step.
#[derive(Clone, Debug)]
pub struct Sampler<E> {
    /// The replicas on their ladder.
    pub tempering: Tempering<E>,
    /// Seed and number of the next step.
    pub key: Key,
    /// Transitions of every replica in a step.
    pub k: usize,
}

/// What a recorder sees after a step.
pub struct Moment<'a, E: Ensemble> {
    /// The replicas on their ladder.
    pub tempering: &'a mut Tempering<E>,
    /// What they are sampled under.
    pub model: &'a E::Model,
    /// Seed and number of the step just done.
    pub key: Key,
    /// The number of the step within this recording, from 0 on.
    pub step: u64,
    /// How many steps are to be recorded.
    pub steps: u64,
}

impl<E: Ensemble> Moment<'_, E> {
    /// Who is where.
    pub fn replicas(&self) -> &Replicas {
        &self.tempering.state.replicas
    }
}

/// Whatever is recorded along a sampler.
pub trait Recorder<E: Ensemble> {
    /// Looks at the replicas after a step.
    fn record(&mut self, moment: &mut Moment<'_, E>) -> Result<()>;
}

impl<E: Ensemble> Sampler<E> {
    /// A sampler whose next step has this key, with one transition a step.
    pub fn new(tempering: Tempering<E>, key: Key) -> Sampler<E> {
        Sampler { tempering, key, k: 1 }
    }

    /// Warms up for `steps` steps. Returns the round trips since the ladder was laid last; the count of
    /// round trips starts again. `progress` may end it early.
    pub fn warm_up(
        &mut self,
        model: &E::Model,
        steps: u64,
        how: WarmUp,
        progress: Progress<'_>,
    ) -> Result<u64> {
        for step in 0..steps {
            if let WarmUp::Tune = how {
                self.tempering.tune_between_rounds(step, steps);
            }
            self.step(model)?;
            match &how {
                WarmUp::Tune => {}
                WarmUp::FollowFlow => self.tempering.follow_flow(step, steps),
                WarmUp::Adapt(adaptation) => {
                    self.tempering.adapt(adaptation);
                }
            }
            if !progress(step + 1) {
                break;
            }
        }
        let round_trips = self.tempering.state.flow.round_trips;
        self.tempering.state.flow.restart_count();
        Ok(round_trips)
    }

    /// Takes `steps` steps, each followed by a look of every recorder. Returns the steps done:
    /// `progress` may end it early.
    pub fn record(
        &mut self,
        model: &E::Model,
        steps: u64,
        recorders: &mut [&mut dyn Recorder<E>],
        progress: Progress<'_>,
    ) -> Result<u64> {
        for step in 0..steps {
            let key = self.key;
            self.step(model)?;
            let mut moment = Moment { tempering: &mut self.tempering, model, key, step, steps };
            for recorder in recorders.iter_mut() {
                recorder.record(&mut moment)?;
            }
            if !progress(step + 1) {
                return Ok(step + 1);
            }
        }
        Ok(steps)
    }

    fn step(&mut self, model: &E::Model) -> Result<()> {
        self.tempering.step(model, self.k, self.key)?;
        self.key.step += 1;
        Ok(())
    }
}
