//! The one driver of everything that samples: it warms a ladder up, then takes steps and shows each of them
//! to recorders. What is recorded is up to the [`Recorder`]s (`recorders.rs`).

use crate::ensemble::Ensemble;
use crate::error::Result;
use crate::replicas::Replicas;
use crate::streams::Key;
use crate::{Adaptation, Tempering};

/// What happens to the ladder while replicas warm up.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum WarmUp {
    /// It is replaced in rounds, so that all gaps reject equally often.
    Tune,
    /// Its rungs move to where the flow wants them, which takes replicas that have made round trips.
    FollowFlow,
    /// It adapts as in training.
    Adapt(Adaptation),
}

/// How long a sampler runs.
#[derive(Clone, Copy, Debug)]
pub struct RunLength {
    /// Steps before anything is recorded.
    pub warm_up: u64,
    /// What happens to the ladder in them.
    pub how: WarmUp,
    /// Recorded steps after them.
    pub steps: u64,
}

/// What a run did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ran {
    /// Recorded steps. They are fewer than were asked for if the run was stopped.
    pub steps: u64,
    /// Round trips in the warm-up since the ladder was last replaced.
    pub warm_up_trips: u64,
}

/// The share of all steps that is done. It is reported after every step; the answer is whether to go on.
pub struct Progress<'a> {
    total: u64,
    done: u64,
    stopped: bool,
    report: Option<&'a mut dyn FnMut(f64) -> bool>,
}

impl<'a> Progress<'a> {
    /// Of `total` steps.
    pub fn new(total: u64, report: &'a mut dyn FnMut(f64) -> bool) -> Progress<'a> {
        Progress { total, done: 0, stopped: false, report: Some(report) }
    }

    /// Reports to nobody and never stops.
    pub fn unreported() -> Progress<'a> {
        Progress { total: 0, done: 0, stopped: false, report: None }
    }

    fn step(&mut self) {
        self.done += 1;
        if let Some(report) = &mut self.report {
            self.stopped = !report(self.done as f64 / self.total as f64);
        }
    }
}

/// A ladder with its replicas, and the key of the random numbers of its next step.
#[derive(Clone, Debug)]
pub struct Sampler<E> {
    /// The replicas on their ladder.
    pub tempering: Tempering<E>,
    /// Seed and number of the next step.
    pub key: Key,
    /// Transitions of every replica in a step.
    pub k: usize,
    /// How the ladder adapts after each recorded step; without it the ladder stays as it is. Either way it
    /// is what [`WarmUp`] says in a warm-up.
    pub adaptation: Option<Adaptation>,
}

/// What a recorder sees after a step.
#[non_exhaustive]
pub struct StepView<'a, E: Ensemble> {
    /// The replicas on their ladder.
    pub tempering: &'a mut Tempering<E>,
    /// The model that they are sampled under.
    pub model: &'a E::Model,
    /// Seed and number of the step just done.
    pub key: Key,
    /// The number of the step within this recording, from 0 on.
    pub step: u64,
    /// How many steps are to be recorded.
    pub steps: u64,
}

impl<E: Ensemble> StepView<'_, E> {
    /// Which replica is on which rung.
    pub fn replicas(&self) -> &Replicas {
        &self.tempering.state.replicas
    }
}

/// Records something along a sampler.
pub trait Recorder<E: Ensemble> {
    /// Prepares for a recording of `steps` steps on the ladder as it is after the warm-up.
    fn begin(&mut self, tempering: &Tempering<E>, steps: u64) {
        let _ = (tempering, steps);
    }

    /// Records what it wants of the replicas after a step.
    fn record(&mut self, view: &mut StepView<'_, E>) -> Result<()>;
}

impl<E: Ensemble> Sampler<E> {
    /// A sampler whose next step has this key, with one transition a step.
    pub fn new(tempering: Tempering<E>, key: Key) -> Sampler<E> {
        Sampler { tempering, key, k: 1, adaptation: None }
    }

    /// Warms up, then records. `progress` gets the share that is done after each step and answers whether to
    /// go on; a run that is stopped in its warm-up records nothing.
    pub fn run(
        &mut self,
        model: &E::Model,
        RunLength { warm_up, how, steps }: RunLength,
        recorders: &mut [&mut dyn Recorder<E>],
        progress: &mut dyn FnMut(f64) -> bool,
    ) -> Result<Ran> {
        let progress = &mut Progress::new(warm_up + steps, progress);
        let warm_up_trips = self.warm_up(model, warm_up, how, progress)?;
        let steps = self.record(model, steps, recorders, progress)?;
        Ok(Ran { steps, warm_up_trips })
    }

    /// Warms up for `steps` steps, or until it is stopped. Returns the round trips since the ladder was last
    /// replaced; the count of round trips starts again.
    pub fn warm_up(
        &mut self,
        model: &E::Model,
        steps: u64,
        how: WarmUp,
        progress: &mut Progress<'_>,
    ) -> Result<u64> {
        for step in 0..steps {
            if progress.stopped {
                break;
            }
            if let WarmUp::Tune = how {
                self.tempering.tune_between_rounds(step, steps);
            }
            self.step(model)?;
            match &how {
                WarmUp::Tune => self.tempering.learn(),
                WarmUp::FollowFlow => {
                    self.tempering.learn();
                    self.tempering.follow_flow(step, steps);
                }
                WarmUp::Adapt(adaptation) => {
                    self.tempering.adapt(adaptation);
                }
            }
            progress.step();
        }
        let round_trips = self.tempering.state.flow.round_trips;
        self.tempering.state.flow.restart_count();
        Ok(round_trips)
    }

    /// Takes `steps` steps and shows each of them to every recorder, unless it is stopped before. Returns
    /// the steps done.
    pub fn record(
        &mut self,
        model: &E::Model,
        steps: u64,
        recorders: &mut [&mut dyn Recorder<E>],
        progress: &mut Progress<'_>,
    ) -> Result<u64> {
        for recorder in recorders.iter_mut() {
            recorder.begin(&self.tempering, steps);
        }
        for step in 0..steps {
            if progress.stopped {
                return Ok(step);
            }
            let key = self.key;
            self.step(model)?;
            let mut view = StepView { tempering: &mut self.tempering, model, key, step, steps };
            for recorder in recorders.iter_mut() {
                recorder.record(&mut view)?;
            }
            if let Some(adaptation) = &self.adaptation {
                self.tempering.adapt(adaptation);
            }
            progress.step();
        }
        Ok(steps)
    }

    fn step(&mut self, model: &E::Model) -> Result<()> {
        self.tempering.step(model, self.k, self.key)?;
        self.key.step += 1;
        Ok(())
    }
}
