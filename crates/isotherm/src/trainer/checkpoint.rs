//! The state of a run as named tensors, and back. Whatever must return bit for bit is a tensor.

use super::best::{Best, Candidate, Measurements};
use super::state::TrainState;
use crate::error::Result;
use crate::likelihood::online::{COLUMNS, OnlineLogZ};
use crate::model::{Parameters, Rbm};
use crate::options::Plan;
use crate::references::Reference;
use crate::tensors::Bundle;
use crate::tensors::{insert_tempering, take_tempering};
use isotherm_tempering::evidence::kalman::{KalmanFilter, Variances};

impl TrainState {
    /// Adds the state to a bundle.
    pub fn insert_into(&self, bundle: &mut Bundle) -> Result<()> {
        self.reference.insert_into(bundle)?;
        bundle.insert("step", &[1], &[self.step])?;
        self.model.parameters().insert_into(bundle, "")?;
        self.averaged.insert_into(bundle, "averaged.")?;
        self.velocity.insert_into(bundle, "velocity.")?;
        self.objective.save(bundle)?;
        if let Some(OnlineLogZ { sampler, minus_f, filter }) = &self.online {
            insert_tempering(&sampler.tempering, "follower.", bundle)?;
            if !minus_f.is_empty() {
                bundle.insert("follower.weights", &[COLUMNS], minus_f)?;
            }
            let KalmanFilter { updates, log_z, variances } = filter;
            bundle.insert("follower.looks", &[1], &[*updates])?;
            bundle.insert("follower.log_z", &[log_z.len()], log_z)?;
            let Variances { log_z, step, bridges } = *variances;
            bundle.insert("follower.variances", &[3], &[log_z, step, bridges])?;
        }
        if let Some(best) = &self.best {
            best.kept.insert_into(bundle, "best.")?;
            if let Some(candidate) = &best.candidate {
                candidate.insert_into(bundle, "candidate.")?;
            }
            let looks = &best.measurements;
            bundle.insert("looks.recent", &[looks.recent.len()], &looks.recent)?;
            bundle.insert("looks.means", &[2], &[looks.std_error, looks.highest])?;
            let Measurements { since_candidate, highest_at, judged_at, last_at, .. } = *looks;
            let counts = [since_candidate, highest_at, judged_at, last_at];
            bundle.insert("looks.counts", &[4], &counts)?;
        }
        self.negative.save(bundle)
    }

    /// The state in a bundle, with the sampler and the objective of the plan.
    pub fn take_from(bundle: &Bundle, plan: &Plan) -> Result<TrainState> {
        let mut state = TrainState::new(plan, &Reference::take_from(bundle)?);
        state.restore(bundle)?;
        Ok(state)
    }

    /// Puts a state before its first update into that in a bundle, its sampler and its objective included.
    pub fn restore(&mut self, bundle: &Bundle) -> Result<()> {
        let (n_visible, n_hidden) = (self.model.n_visible(), self.model.n_hidden());
        let parameters = |prefix| Parameters::take_from(bundle, prefix, n_visible, n_hidden);
        self.step = one(bundle, "step")?;
        self.model = Rbm::new(parameters("")?);
        self.averaged = parameters("averaged.")?;
        self.velocity = parameters("velocity.")?;
        self.objective.restore(bundle)?;
        // A checkpoint of an older version has none: the estimate starts again.
        if let Some(online) = &mut self.online
            && bundle.tensors.contains_key("follower.looks")
        {
            let updates = one(bundle, "follower.looks")?;
            let variances: Vec<f64> = bundle.get("follower.variances", &[3])?;
            let (log_z, step, bridges) = (variances[0], variances[1], variances[2]);
            let filter = KalmanFilter {
                updates,
                log_z: bundle.get("follower.log_z", &[if updates > 0 { COLUMNS } else { 0 }])?,
                variances: Variances { log_z, step, bridges },
            };
            take_tempering(bundle, "follower.", &mut online.sampler.tempering)?;
            if updates > 0 || bundle.tensors.contains_key("follower.weights") {
                online.minus_f = bundle.get("follower.weights", &[COLUMNS])?;
            }
            online.filter = filter;
        }
        if bundle.tensors.contains_key("best.update") {
            let units = (n_visible, n_hidden);
            let recent = bundle.tensor("looks.recent")?.shape().first().copied().unwrap_or(0);
            let means: Vec<f64> = bundle.get("looks.means", &[2])?;
            let counts: Vec<u64> = bundle.get("looks.counts", &[4])?;
            let waits = bundle.tensors.contains_key("candidate.update");
            self.best = Some(Box::new(Best {
                kept: Candidate::take_from(bundle, "best.", units)?,
                candidate: waits
                    .then(|| Candidate::take_from(bundle, "candidate.", units))
                    .transpose()?,
                measurements: Measurements {
                    recent: bundle.get("looks.recent", &[recent])?,
                    std_error: means[0],
                    highest: means[1],
                    since_candidate: counts[0],
                    highest_at: counts[1],
                    judged_at: counts[2],
                    last_at: counts[3],
                },
            }));
        }
        self.negative.restore(bundle)
    }
}

impl Candidate {
    /// Adds a model that is kept, the names prefixed.
    fn insert_into(&self, bundle: &mut Bundle, prefix: &str) -> Result<()> {
        bundle.insert(&format!("{prefix}update"), &[1], &[self.update])?;
        bundle.insert(&format!("{prefix}log_likelihood"), &[1], &[self.log_likelihood])?;
        self.model.insert_into(bundle, prefix)?;
        self.averaged.insert_into(bundle, &format!("{prefix}averaged."))
    }

    /// The same back, given the numbers of visible and hidden units.
    fn take_from(
        bundle: &Bundle,
        prefix: &str,
        (n_visible, n_hidden): (usize, usize),
    ) -> Result<Candidate> {
        let parameters = |prefix: &str| Parameters::take_from(bundle, prefix, n_visible, n_hidden);
        Ok(Candidate {
            update: one(bundle, &format!("{prefix}update"))?,
            log_likelihood: bundle.get(&format!("{prefix}log_likelihood"), &[1])?[0],
            model: parameters(prefix)?,
            averaged: parameters(&format!("{prefix}averaged."))?,
        })
    }
}

fn one(bundle: &Bundle, name: &str) -> Result<u64> {
    let values: Vec<u64> = bundle.get(name, &[1])?;
    Ok(values[0])
}
