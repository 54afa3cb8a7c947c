//! The thresholds of diagnostics, which their sentences name.

/// A pair of neighbouring rungs with a swap rate below this is a gap that replicas rarely pass.
pub const STARVED_SWAP_RATE: f64 = 0.1;

/// A distance of f_up from what the swap rates predict that is more than noise.
pub const FLOW_DISTANCE: f64 = 0.2;

/// A fall of f_up over the coldest third of the gaps that leaves too little for the others.
pub const COLD_FALL: f64 = 0.5;

/// Predicted round trips of one replica from which on the flow of all replicas is informative.
pub const ENOUGH_ROUND_TRIPS: f64 = 5.0;

/// A fall of the likelihood, as a share of its best value, that is no fluctuation.
pub const LIKELIHOOD_FALL: f64 = 0.05;

/// A weight or bias beyond this makes no unit any more certain: learning has diverged.
pub const LARGE_PARAMETER: f64 = 1000.0;

/// A unit whose mean probability is below this, or above 1 minus this, is idle.
pub const IDLE: f64 = 0.002;

/// Samples from which on a mean probability tells anything about idle units.
pub const ENOUGH_SAMPLES: usize = 200;

/// A total variation distance of the model's mode masses from the data's that is no accident.
pub const LOST_MODES: f64 = 0.2;

/// Updates before which no model can be expected to have the mode masses of its data.
pub const ENOUGH_UPDATES: u64 = 1000;
