//! What an extension needs: `use isotherm::seams::*`, beside the [prelude](crate::prelude).
//!
//! | seam | trait | trains or samples by |
//! |---|---|---|
//! | where negative samples come from | [`NegativeSampler`] | [`with_negative`](crate::training::TrainingBuilder::with_negative) |
//! | what is maximised | [`Objective`] | [`with_objective`](crate::training::TrainingBuilder::with_objective) |
//! | what lies between the reference and the model | [`Path`], [`Explorer`] and [`VisibleUnits`], [`HiddenStates`]: a [`Population`] of them is an [`RbmEnsemble`] | [`Tempered::with_ensemble`], [`Sampler`] |
//! | what is recorded along a sampler | [`Recorder`] | [`Sampler::record`] |
//!
//! Random numbers come from the [`Key`] that a step hands out: a stream for each [`Purpose`] and row, so that results
//! depend neither on threads nor on interruptions. What a sampler or an objective must keep goes into the
//! [`Bundle`] of a checkpoint, and [`TrainState::restore`] brings it back.

pub use crate::kernels::{LaneRng, Matrix, Tile, affine::Grouping};
pub use crate::model::Parameters;
pub use crate::negative::{AfterStep, NegativeSampler, Tempered};
pub use crate::objective::{Centering, Objective};
pub use crate::options::Plan;
pub use crate::paths::{
    AnyEnsemble, HiddenStates, PathContext, PathKind, RbmEnsemble, SwapOn, VisibleUnits,
    random_hidden, temper,
};
pub use crate::tempering::engine::Change;
pub use crate::tempering::recorders::{ColdLogDensity, RecordWork, RungTrace};
pub use crate::tempering::streams::{Key, Purpose};
pub use crate::tempering::{
    Densities, Ensemble, Explorer, Ladder, Path, Population, Recorder, Sampler, Spacing, States,
    StepView, Tempering, TemperingState, WarmUp,
};
pub use crate::tensors::Bundle;
pub use crate::trainer::{StepInfo, TrainState, Trainer};
