//! What the Python package `isotherm` runs on: arrays and text in, arrays and text out. All that people
//! see is in the package itself; options, rows of metrics and results cross over as JSON, as the
//! library writes them.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod arrays;
mod errors;
mod examples;
mod fit;
mod models;
mod options;
mod runs;
mod target;
mod words;
mod work;

use pyo3::prelude::*;

#[pymodule]
mod _isotherm {
    #[pymodule_export]
    use crate::errors::in_python;
    #[pymodule_export]
    use crate::examples::Examples;
    #[pymodule_export]
    use crate::fit::Fit;
    #[pymodule_export]
    use crate::models::{evaluate, sample_model};
    #[pymodule_export]
    use crate::options::options_table;
    #[pymodule_export]
    use crate::runs::{keep_run, load_model, load_run, sample_checkpoint, write_report};
    #[pymodule_export]
    use crate::target::{Quadratic, sample_target};

    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
