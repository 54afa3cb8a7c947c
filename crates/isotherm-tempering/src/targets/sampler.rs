//! The sampler of a target: the ladder is tuned in rounds, then stays as it is while samples are
//! taken and log Z is measured.

use super::path::finite;
use super::{Target, TargetPath, TargetRequest, TargetSamples};
use crate::error::Result;
use crate::evidence::Estimate;
use crate::evidence::work_values::Crossings;
use crate::path::Weighted;
use crate::streams::Clock;
use crate::{Ladder, Spacing, Tempering, TemperingState};

/// The most records for log Z: more steps than these are thinned.
const MOST_RECORDS: u64 = 1000;
/// The most numbers that these may be, for many columns on many rungs.
const MOST_CROSSINGS: u64 = 1 << 24;

/// Draws samples from exp(−E(x)) / Z and measures log Z. `progress` is told the share that is done
/// after each step and answers whether to go on; if not, there is what was found so far.
pub fn sample_target<T: Target + ?Sized>(
    target: &T,
    request: &TargetRequest,
    mut progress: impl FnMut(f64) -> bool,
) -> Result<TargetSamples> {
    let (n, warm_up, columns) = (target.n(), request.warm_up, request.columns);
    let steps = request.check(n)?;
    let total = (warm_up + steps) as f64;
    let clock = Clock::of_target(request.seed);
    let path = TargetPath::random(n, columns * request.rungs, clock);
    let ladder = Ladder::new(request.rungs, Spacing::Linear);
    let mut tempering = Tempering::new(path, TemperingState::new(ladder, columns));
    let mut going = true;
    tempering.warm_up(target, warm_up, clock, &mut |step| {
        going = progress(step as f64 / total);
        going
    })?;

    let mut record = Record::new(request, n, tempering.state.ladder.gaps());
    let mut done = 0;
    while going && done < steps {
        tempering.step(target, 1, Clock { step: warm_up + done, ..clock })?;
        record.take(target, &tempering, done)?;
        done += 1;
        going = progress((warm_up + done) as f64 / total);
    }
    Ok(record.finish(&tempering, done, done == steps))
}

/// What is taken down while the ladder stays as it is.
struct Record<'a> {
    request: &'a TargetRequest,
    n: usize,
    states: Vec<u8>,
    energies: Vec<f64>,
    /// Sums over the steps, for each column.
    cold_energies: Vec<f64>,
    crossings: Crossings,
    /// Steps between two records for log Z.
    every: u64,
}

impl Record<'_> {
    fn new(request: &TargetRequest, n: usize, gaps: usize) -> Record<'_> {
        let columns = request.columns;
        let records = (MOST_CROSSINGS / (2 * gaps * columns) as u64).clamp(1, MOST_RECORDS);
        Record {
            request,
            n,
            states: Vec::new(),
            energies: Vec::new(),
            cold_energies: vec![0.0; columns],
            crossings: Crossings::new(gaps, columns),
            every: request.log_z_steps.div_ceil(records),
        }
    }

    /// Takes down what a step shows, steps counted from 0 after the warm-up.
    fn take<T: Target + ?Sized>(
        &mut self,
        target: &T,
        tempering: &Tempering<TargetPath<T>>,
        step: u64,
    ) -> Result<()> {
        let path = &tempering.path;
        let cold = tempering.state.replicas.cold_rows();
        for (sum, &row) in self.cold_energies.iter_mut().zip(&cold) {
            *sum += path.energy(row);
        }
        if step < self.request.log_z_steps && step.is_multiple_of(self.every) {
            self.crossings.record(tempering);
        }
        let left = self.request.samples - self.energies.len();
        if left > 0 && (step + 1).is_multiple_of(self.request.thin) {
            let first = self.energies.len();
            for &row in cold.iter().take(left) {
                self.states.extend_from_slice(path.state(row));
                self.energies.push(0.0);
            }
            // What the target says of them, without the rounding of energies carried along.
            let (states, energies) = (&self.states[first * self.n..], &mut self.energies[first..]);
            target.energies(states, energies)?;
            finite(energies, states, self.n)?;
        }
        Ok(())
    }

    fn finish<T: Target + ?Sized>(
        self,
        tempering: &Tempering<TargetPath<T>>,
        steps: u64,
        complete: bool,
    ) -> TargetSamples {
        let state = &tempering.state;
        let means: Vec<f64> = self.cold_energies.iter().map(|sum| sum / steps as f64).collect();
        let measured = steps > 0 && self.request.log_z_steps > 0;
        TargetSamples {
            n: self.n,
            states: self.states,
            energies: self.energies,
            columns: self.request.columns,
            steps,
            mean_energy: (steps > 0).then(|| Estimate::of_groups(&means)),
            log_z: measured.then(|| self.crossings.log_z(tempering.path.log_z_at_the_hot_end())),
            betas: state.ladder.betas().to_vec(),
            swap_rates: state.rates.rates(),
            f_up: state.flow.seen.f_up(),
            round_trips: state.flow.round_trips,
            complete,
        }
    }
}
