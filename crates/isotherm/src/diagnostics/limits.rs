//! The thresholds of diagnostics, which their sentences name.

/// A pair of neighbouring rungs with a swap rate below this is a gap that replicas rarely pass.
pub const STARVED_SWAP_RATE: f64 = 0.1;

/// A distance of f_up from what the swap rates predict that is more than noise.
pub const FLOW_DISTANCE: f64 = 0.2;

/// A fall of f_up over the coldest third of the gaps that leaves too little for the others.
pub const COLD_FALL: f64 = 0.5;

/// Predicted round trips per replica above which the flow is informative.
pub const ENOUGH_ROUND_TRIPS: f64 = 5.0;

/// A fall of the likelihood, as a share of its best value, that is more than fluctuation.
pub const LIKELIHOOD_FALL: f64 = 0.05;

/// A weight or bias beyond this means that learning has diverged: a unit is already certain at far smaller
/// values.
pub const LARGE_PARAMETER: f64 = 1000.0;

/// A unit whose mean probability is below this, or above 1 minus this, is idle.
pub const IDLE: f64 = 0.002;

/// Samples needed to call a unit idle.
pub const ENOUGH_SAMPLES: usize = 200;

/// A total variation distance between the mode masses of the model and of the data that is more than
/// chance.
pub const LOST_MODES: f64 = 0.2;

/// A total variation distance between the weights of clusters in the samples and in the data that matters, if it is more
/// than chance explains.
pub const CLUSTER_WEIGHTS: f64 = 0.1;

/// The same between two samplers of one model.
pub const DISAGREEMENT: f64 = 0.05;

/// Updates before which no model can be expected to have the mode masses of its data.
pub const ENOUGH_UPDATES: u64 = 1000;
