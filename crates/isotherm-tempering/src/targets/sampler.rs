//! The sampler of a target: the ladder is tuned in rounds, then stays as it is while samples are
//! taken and log Z is measured.

use super::heat_bath::finite;
use super::{Target, TargetEnsemble, TargetRequest, TargetSamples};
use crate::ensemble::Densities;
use crate::error::Result;
use crate::evidence::Estimate;
use crate::recorders::{MOST_RECORDS, RecordWork, Thinned};
use crate::sampler::{Progress, Recorder, Sampler, StepView, WarmUp};
use crate::streams::Key;
use crate::{Ladder, Spacing, Tempering, TemperingState};

/// The most work values for log Z: many columns on many rungs are recorded more rarely.
const MOST_WORK_VALUES: u64 = 1 << 24;

/// Draws samples from exp(−E(x)) / Z and measures log Z. `progress` gets the share that is done
/// after each step and answers whether to go on; if not, the result is what was found so far.
pub fn sample_target<T: Target + ?Sized>(
    target: &T,
    request: &TargetRequest,
    progress: impl FnMut(f64) -> bool,
) -> Result<TargetSamples> {
    sample_target_with(target, request, &mut [], progress)
}

/// [`sample_target`] with further recorders, which see every step after the warm-up.
pub fn sample_target_with<T: Target + ?Sized>(
    target: &T,
    request: &TargetRequest,
    mut recorders: &mut [&mut dyn Recorder<TargetEnsemble<T>>],
    mut progress: impl FnMut(f64) -> bool,
) -> Result<TargetSamples> {
    let (n, warm_up, columns) = (target.n(), request.warm_up, request.columns);
    let steps = request.check(n)?;
    let progress = &mut Progress::new(warm_up + steps, &mut progress);
    let key = Key::of_target(request.seed);
    let ensemble = TargetEnsemble::random(n, columns * request.rungs, key);
    let state = TemperingState::new(Ladder::new(request.rungs, Spacing::Linear), columns);
    let mut sampler = Sampler::new(Tempering::new(ensemble, state), key);
    sampler.warm_up(target, warm_up, WarmUp::Tune, progress)?;

    let gaps = sampler.tempering.state.ladder.gaps();
    let records = (MOST_WORK_VALUES / (2 * gaps * columns) as u64).clamp(1, MOST_RECORDS);
    let mut work = Thinned::at_most(records, request.log_z_steps, RecordWork::default());
    let mut energy = ColdEnergy { sums: vec![0.0; columns] };
    let samples = RecordStates { wanted: request.samples, n, ..RecordStates::default() };
    let mut samples = Thinned::every(request.thin, samples);
    let own: &mut [&mut dyn Recorder<_>] =
        &mut [&mut energy, &mut samples, &mut work, &mut recorders];
    let done = sampler.record(target, steps, own, progress)?;

    let measured = done > 0 && request.log_z_steps > 0;
    let state = &sampler.tempering.state;
    let means: Vec<f64> = energy.sums.iter().map(|sum| sum / done as f64).collect();
    let of_reference = sampler.tempering.ensemble.log_z_of_reference();
    Ok(TargetSamples {
        n,
        states: samples.recorder.states,
        energies: samples.recorder.energies,
        columns,
        steps: done,
        mean_energy: (done > 0).then(|| Estimate::of_groups(&means)),
        log_z: measured.then(|| work.recorder.values.log_z(of_reference)),
        betas: state.ladder.betas().to_vec(),
        swap_rates: state.rates.rates(),
        f_up: state.flow.seen.f_up(),
        round_trips: state.flow.round_trips,
        complete: done == steps,
    })
}

/// The sum of the energies at the cold end, for each column.
struct ColdEnergy {
    sums: Vec<f64>,
}

impl<T: Target + ?Sized> Recorder<TargetEnsemble<T>> for ColdEnergy {
    fn record(&mut self, view: &mut StepView<'_, TargetEnsemble<T>>) -> Result<()> {
        let ensemble = &view.tempering.ensemble;
        for (sum, row) in self.sums.iter_mut().zip(view.replicas().cold_rows()) {
            *sum += ensemble.energy(row);
        }
        Ok(())
    }
}

/// States at the cold end, up to the number that is wanted.
#[derive(Default)]
struct RecordStates {
    wanted: usize,
    n: usize,
    states: Vec<u8>,
    energies: Vec<f64>,
}

impl<T: Target + ?Sized> Recorder<TargetEnsemble<T>> for RecordStates {
    fn record(&mut self, view: &mut StepView<'_, TargetEnsemble<T>>) -> Result<()> {
        let first = self.energies.len();
        for row in view.replicas().cold_rows().into_iter().take(self.wanted - first) {
            self.states.extend_from_slice(view.tempering.ensemble.state(row));
            self.energies.push(0.0);
        }
        // As the target gives them, without the rounding of energies that are carried along.
        let (states, energies) = (&self.states[first * self.n..], &mut self.energies[first..]);
        if !energies.is_empty() {
            view.model.energies(states, energies)?;
            finite(energies, states, self.n)?;
        }
        Ok(())
    }
}
