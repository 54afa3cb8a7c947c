//! The sampler of a target: the ladder is tuned in rounds, then stays as it is while samples are
//! taken and log Z is measured.

use super::heat_bath::finite;
use super::{Target, TargetEnsemble, TargetRequest, TargetSamples};
use crate::ensemble::Densities;
use crate::error::Result;
use crate::evidence::Estimate;
use crate::recorders::RecordWork;
use crate::sampler::{Moment, Recorder, Sampler, WarmUp};
use crate::streams::Key;
use crate::{Ladder, Spacing, Tempering, TemperingState};

/// The most records for log Z: more steps than these are thinned.
const MOST_RECORDS: u64 = 1000;
/// The most work values that these may be, for many columns on many rungs.
const MOST_WORK_VALUES: u64 = 1 << 24;

/// Draws samples from exp(−E(x)) / Z and measures log Z. `progress` is told the share that is done
/// after each step and answers whether to go on; if not, the result is what was found so far.
pub fn sample_target<T: Target + ?Sized>(
    target: &T,
    request: &TargetRequest,
    mut progress: impl FnMut(f64) -> bool,
) -> Result<TargetSamples> {
    let (n, warm_up, columns) = (target.n(), request.warm_up, request.columns);
    let steps = request.check(n)?;
    let total = (warm_up + steps) as f64;
    let key = Key::of_target(request.seed);
    let ensemble = TargetEnsemble::random(n, columns * request.rungs, key);
    let state = TemperingState::new(Ladder::new(request.rungs, Spacing::Linear), columns);
    let mut sampler = Sampler::new(Tempering::new(ensemble, state), key);
    let mut going = true;
    sampler.warm_up(target, warm_up, WarmUp::Tune, &mut |step| {
        going = progress(step as f64 / total);
        going
    })?;

    let gaps = sampler.tempering.state.ladder.gaps();
    let records = (MOST_WORK_VALUES / (2 * gaps * columns) as u64).clamp(1, MOST_RECORDS);
    let every = request.log_z_steps.div_ceil(records);
    let mut work = RecordWork::new(gaps, columns, every, request.log_z_steps);
    let mut samples = RecordStates::new(request, n);
    let steps_now = if going { steps } else { 0 };
    let done = sampler.record(target, steps_now, &mut [&mut samples, &mut work], &mut |step| {
        progress((warm_up + step) as f64 / total)
    })?;

    let measured = done > 0 && request.log_z_steps > 0;
    let state = &sampler.tempering.state;
    let means: Vec<f64> = samples.cold_energies.iter().map(|sum| sum / done as f64).collect();
    let of_reference = sampler.tempering.ensemble.log_z_of_reference();
    Ok(TargetSamples {
        n,
        states: samples.states,
        energies: samples.energies,
        columns,
        steps: done,
        mean_energy: (done > 0).then(|| Estimate::of_groups(&means)),
        log_z: measured.then(|| work.values.log_z(of_reference)),
        betas: state.ladder.betas().to_vec(),
        swap_rates: state.rates.rates(),
        f_up: state.flow.seen.f_up(),
        round_trips: state.flow.round_trips,
        complete: done == steps,
    })
}

/// Samples at the cold end, every `thin` steps, and the sum of the energies there.
struct RecordStates<'a> {
    request: &'a TargetRequest,
    n: usize,
    states: Vec<u8>,
    energies: Vec<f64>,
    /// Sums over the steps, for each column.
    cold_energies: Vec<f64>,
}

impl RecordStates<'_> {
    fn new(request: &TargetRequest, n: usize) -> RecordStates<'_> {
        let cold_energies = vec![0.0; request.columns];
        RecordStates { request, n, states: Vec::new(), energies: Vec::new(), cold_energies }
    }
}

impl<T: Target + ?Sized> Recorder<TargetEnsemble<T>> for RecordStates<'_> {
    fn record(&mut self, moment: &mut Moment<'_, TargetEnsemble<T>>) -> Result<()> {
        let rows = moment.replicas().cold_rows();
        let states = &moment.tempering.ensemble.states;
        for (sum, &row) in self.cold_energies.iter_mut().zip(&rows) {
            *sum += states.energy(row);
        }
        let left = self.request.samples - self.energies.len();
        if left > 0 && (moment.step + 1).is_multiple_of(self.request.thin) {
            let first = self.energies.len();
            for &row in rows.iter().take(left) {
                self.states.extend_from_slice(states.state(row));
                self.energies.push(0.0);
            }
            // As the target gives them, without the rounding of energies that are carried along.
            let (states, energies) = (&self.states[first * self.n..], &mut self.energies[first..]);
            moment.model.energies(states, energies)?;
            finite(energies, states, self.n)?;
        }
        Ok(())
    }
}
