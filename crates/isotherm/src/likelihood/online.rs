//! The online estimate of log Z: a small tempered sampler of the averaged model, beside the one that
//! trains.
//!
//! Each measurement consists of BAR between its rungs, which gives log Z, and an importance step from the
//! model of the last measurement, which gives the change of log Z; a Kalman filter combines the two.
//!
//! The replicas of the training cannot be used. Each update lowers the probability of exactly the states
//! they are in, so they are always where the model has too little mass: on the mixture, BAR between their
//! rungs overestimated the likelihood by nats. The averaged parameters, which are the result of a run, have
//! no such memory of single states, and change so slowly that a sweep every 20 updates is enough.

use isotherm_kernels::{BitMatrix, stream_key};
use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::likelihood::{
    Estimate, KalmanFilter, log_mean_by_column, quick_minus_free_energies_of_hidden,
};
use crate::model::{Parameters, Rbm};
use crate::options::Plan;
use crate::paths::{AnyEnsemble, PathContext, PathKind, random_hidden, temper};
use crate::references::Reference;
use isotherm_tempering::evidence::work_values::WorkValues;
use isotherm_tempering::recorders::RecordWork;
use isotherm_tempering::streams::{Key, Purpose};
use isotherm_tempering::{
    Adaptation, Densities, Ladder, Progress, Respace, Sampler, Spacing, TemperingState,
};

/// Updates between two measurements.
const EVERY: u64 = 20;

/// Columns of the sampler; their spread gives the error.
pub const COLUMNS: usize = 16;

const FIRST_RUNGS: usize = 16;

/// Its ladder adapts within hundreds of steps, not within thousands like that of the training.
const ADAPTATION: Adaptation = Adaptation {
    respace: Respace::Rejection,
    beta_lr: 0.02,
    min_swap: 0.4,
    min_rungs: 4,
    max_rungs: 60,
    spawn_every: 25,
    burn_in: 10,
};

/// An online estimate of log Z of the averaged parameters, and what it rests on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct OnlineEstimate {
    /// log Z and its standard error, by the spread of the columns.
    #[serde(flatten)]
    pub estimate: Estimate,
    /// Columns of the sampler.
    pub columns: usize,
    /// Round trips of its replicas so far. Before each column has made one, the spread does not show what
    /// all columns share from their initial states.
    pub round_trips: u64,
}

/// The sampler and its measurements so far; part of the state of a run.
pub struct OnlineLogZ {
    /// Replicas of the averaged model.
    pub sampler: Sampler<AnyEnsemble>,
    /// −F(h) of the replicas at the cold end, one for each column, under the model of the last measurement;
    /// empty before the first.
    pub minus_f: Vec<f64>,
    /// The filter of log Z.
    pub filter: KalmanFilter,
}

impl OnlineLogZ {
    /// An estimate with replicas in random states that has seen nothing yet, if the plan asks for one.
    pub fn new(plan: &Plan, reference: &Reference) -> Option<OnlineLogZ> {
        plan.estimates_online.then(|| {
            let (n_hidden, key) = (plan.options.hidden, key(plan.options.seed, 0));
            let state = TemperingState::new(Ladder::new(FIRST_RUNGS, Spacing::Linear), COLUMNS);
            let context = PathContext::of(reference, n_hidden);
            let ensemble = PathKind::Auto.ensemble(&context);
            let units = ensemble.units();
            let tempering = temper(ensemble, state, |rows| random_hidden(rows, units, key));
            let mut sampler = Sampler::new(tempering, key);
            sampler.adaptation = Some(ADAPTATION);
            OnlineLogZ { sampler, minus_f: Vec::new(), filter: KalmanFilter::default() }
        })
    }

    /// Takes a step and a measurement, if one is due at this update.
    pub fn update(&mut self, averaged: &Parameters, seed: u64, update: u64) -> Result<()> {
        if !update.is_multiple_of(EVERY) {
            return Ok(());
        }
        let model = Rbm::new(averaged.clone());
        let step = self.importance_step(&model);
        let mut work = RecordWork::default();
        self.sampler.key = key(seed, update);
        self.sampler.record(&model, 1, &mut [&mut work], &mut Progress::unreported())?;
        self.minus_f = self.minus_free_energies(&model);
        let bridges = self.bridges(&work.values);
        self.filter.update(&step, bridges.as_deref());
        Ok(())
    }

    /// log Z of the current averaged model: the last estimate and an importance step from it.
    pub fn log_z(&self, averaged: &Rbm) -> Option<OnlineEstimate> {
        let estimate = self.filter.after(&self.importance_step(averaged))?;
        let round_trips = self.sampler.tempering.state().flow().round_trips();
        Some(OnlineEstimate { estimate, columns: COLUMNS, round_trips })
    }

    /// The change of log Z since the last measurement, for each column: the mean weight of samples of the
    /// model then, log mean exp(F_then(h) − F_now(h)).
    fn importance_step(&self, model: &Rbm) -> Vec<f64> {
        if self.minus_f.is_empty() {
            return Vec::new();
        }
        let now = self.minus_free_energies(model);
        let logs: Vec<f64> = now.iter().zip(&self.minus_f).map(|(now, then)| now - then).collect();
        log_mean_by_column(&logs)
    }

    /// −F(h) of the replicas at the cold end, one for each column.
    fn minus_free_energies(&self, model: &Rbm) -> Vec<f64> {
        let mut h = BitMatrix::zeros(COLUMNS, model.n_hidden());
        let mut rows = Vec::with_capacity(COLUMNS);
        self.sampler.tempering.state().replicas().cold_rows_into(&mut rows);
        self.sampler.tempering.ensemble().copy_hidden(&rows, &mut h);
        quick_minus_free_energies_of_hidden(model, &h)
    }

    /// log Z by BAR between the rungs, for each column; `None` if the states on neighbouring rungs hardly
    /// overlap.
    fn bridges(&self, work: &WorkValues) -> Option<Vec<f64>> {
        let (climb, influences) = work.bennett()?;
        let log_z = self.sampler.tempering.ensemble().log_z_of_reference() + climb;
        Some(influences.iter().map(|influence| log_z + COLUMNS as f64 * influence).collect())
    }

    /// Discards all measurements, for a model that has changed abruptly.
    pub fn reset(&mut self) {
        (self.minus_f, self.filter) = (Vec::new(), KalmanFilter::default());
        self.sampler.tempering.restart_count();
    }
}

/// A key whose streams differ from those of the training.
fn key(seed: u64, update: u64) -> Key {
    Key { seed: stream_key(seed, Purpose::OnlineLogZ.number(), 0, 0), step: update }
}
