//! What the sampler of a target found, and whether to rely on it.

use crate::evidence::work_values::LadderLogZ;
use crate::evidence::{Basis, Estimate, Reason, Verdict};
use crate::flow::too_few_round_trips;

/// A difference below this many nats is ignored, whatever the errors.
const NEGLIGIBLE: f64 = 0.05;
/// A larger standard error of log Z, in nats, is reported.
const LARGE_ERROR: f64 = 1.0;

/// Samples of a target, log Z, and statistics of the ladder.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TargetSamples {
    /// Number of variables.
    pub n: usize,
    /// The samples, a row of `n` zeros and ones for each. Sample i is of column i mod `columns`;
    /// columns are independent of each other, the samples of one are not.
    pub states: Vec<u8>,
    /// The energy of each sample, as the target gives it.
    pub energies: Vec<f64>,
    /// Independent columns.
    pub columns: usize,
    /// Steps after the warm-up.
    pub steps: u64,
    /// The mean energy at the cold end over all these steps; nothing if there were none.
    pub mean_energy: Option<Estimate>,
    /// log Z; nothing if no step was measured.
    pub log_z: Option<LadderLogZ>,
    /// The inverse temperatures of the ladder, cold end first.
    pub betas: Vec<f64>,
    /// How often neighbours on the ladder were exchanged, for each gap; nothing where it was never
    /// tried.
    pub swap_rates: Vec<Option<f64>>,
    /// The share of the replicas on each rung that come from the cold end: it should fall evenly
    /// from 1 to 0.
    pub f_up: Vec<Option<f64>>,
    /// Round trips between the ends of the ladder that all replicas completed after the warm-up.
    pub round_trips: u64,
    /// Whether all that was asked for was done; if not, `progress` said to stop.
    pub complete: bool,
}

impl TargetSamples {
    /// The samples, one by one.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        self.states.chunks_exact(self.n)
    }

    /// Whether there is a reason against these figures. A sampler that never found a mode cannot know of
    /// it, so the absence of reasons is no proof.
    pub fn verdict(&self) -> Verdict {
        let (round_trips, columns, steps) = (self.round_trips, self.columns, self.steps);
        let mut reasons = Vec::new();
        if too_few_round_trips(round_trips, columns) {
            reasons.push(Reason::FewRoundTrips { start: None, round_trips, steps, columns });
        }
        if let Some(LadderLogZ { up, down, bar }) = &self.log_z {
            // Up is too low and down too high if neighbouring rungs hold different states, but never the
            // other way round.
            if bar.upper + NEGLIGIBLE < up.lower || down.upper + NEGLIGIBLE < bar.lower {
                let [up, down, bar] = [up, down, bar].map(|estimate| estimate.value);
                reasons.push(Reason::WrongOrder { up, down, bar });
            }
            if bar.std_error > LARGE_ERROR {
                reasons.push(Reason::LargeError { std_error: bar.std_error });
            }
        }
        Verdict::new(Basis::OneSampler { round_trips }, reasons)
    }
}
