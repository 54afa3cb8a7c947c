//! The native part of the Python package `isotherm`: arrays and dictionaries in and out. All that
//! users see is in the package itself.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod arrays;
mod diagnostics;
mod errors;
mod examples;
mod fit;
mod models;
mod options;
mod runs;
mod target;
mod values;
mod words;
mod work;

use pyo3::prelude::*;

#[pymodule]
mod _isotherm {
    #[pymodule_export]
    use crate::diagnostics::words_of;
    #[pymodule_export]
    use crate::examples::Examples;
    #[pymodule_export]
    use crate::fit::Fit;
    #[pymodule_export]
    use crate::models::{evaluate, largest_enumerated, sample_model};
    #[pymodule_export]
    use crate::options::{options_table, sample_table, shape_of, target_defaults, threshold_of};
    #[pymodule_export]
    use crate::runs::{keep_run, load_model, load_run, sample_checkpoint, write_report};
    #[pymodule_export]
    use crate::target::{Quadratic, sample_target};

    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
