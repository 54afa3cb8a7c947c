//! What most programs need: `use isotherm::prelude::*`. What extensions need is in [`seams`](crate::seams).

pub use crate::data::Dataset;
pub use crate::error::{Error, Kind, Result};
pub use crate::likelihood::LogLikelihood;
pub use crate::model::Rbm;
pub use crate::options::{Algorithm, Options, PathKind};
pub use crate::sampling::{SampleOptions, Samples, sample_model};
pub use crate::training::Training;
pub use isotherm_kernels::BitMatrix;
pub use isotherm_tempering::targets::{PerState, Quadratic, Target, TargetRequest, sample_target};
