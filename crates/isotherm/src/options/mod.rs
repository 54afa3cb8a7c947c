//! The options of training. Each is declared once, in the section that it belongs to; the command line, the
//! configuration file and Python follow from the [table](Options::table).
//!
//! ```
//! use isotherm::options::{Algorithm, Options};
//!
//! let options = Options::default().hidden(16).algorithm(Algorithm::Pt).updates(1000);
//! assert_eq!(options.optimiser.updates, 1000);
//! let plan = options.check(100)?; // for data with 100 columns
//! assert_eq!(plan.rungs(), 10);
//! # Ok::<(), isotherm::Error>(())
//! ```

mod check;
mod defaults;
mod error;
mod ladder;
mod memory;
mod optimiser;
mod plan;
mod record;
mod sampler;
mod schedule;
mod section;
mod spec;
mod value;

use std::sync::LazyLock;

use serde::Deserializer;

use crate::data::ImageShape;
use crate::error::Result;
use crate::section;
use crate::training::TrainingBuilder;

pub use crate::negative::Algorithm;
pub use crate::objective::ObjectiveKind;
pub use crate::paths::PathKind;
pub use crate::references::ReferenceKind;
pub use defaults::Pace;
pub use error::{MemoryUse, OptionError};
pub use ladder::LadderOptions;
pub use optimiser::{GradientKind, LrDecay, OptimiserOptions};
pub use plan::Plan;
pub use record::{FinalLikelihood, RecordOptions};
pub use sampler::SamplerOptions;
pub use spec::{Chosen, OptionSpec};
pub use value::{ValueKind, word};

#[doc(hidden)]
pub use isotherm_tempering::option_names;
#[doc(hidden)]
pub use spec::{Section, check_ranges, find, set};
#[doc(hidden)]
pub use value::{Number, OptionValue, Unreadable, read_in_range};

/// Bounds a mistyped number of hidden units, which would take terabytes.
const MOST_UNITS: u64 = 1 << 20;

section! {
    /// The options of training. [`Options::check`] chooses what is `None`.
    ///
    /// Every option has a method of its name that sets it, whatever section it is in. The defaults are those for
    /// the built-in data, the paper's mixture; [`Options::for_examples`] has those for other data.
    pub struct Options in "" titled "Model", set by Options and TrainingBuilder {
        /// Hidden units.
        hidden: usize = 10, in 1..=MOST_UNITS;
        /// Width and height of the images, if the examples are images (pixels row by row). Used for the pictures of
        /// the report and for `smooth`. If absent, a square is assumed where the number of columns allows one.
        shape: Option<ImageShape> = None, value "WIDTHxHEIGHT";
        /// Seed of all random numbers except those of `data-seed` and of `binarise static:SEED`.
        seed: u64 = 1;
    }
    sections {
        /// Where negative samples come from.
        sampler: SamplerOptions;
        /// The ladder of inverse temperatures, and how it adapts.
        ladder: LadderOptions;
        /// How the parameters are learned.
        optimiser: OptimiserOptions;
        /// What is written down along a run, and how often.
        record: RecordOptions;
    }
}

impl Options {
    /// All options, each with its name, its kind and its help text.
    pub fn table() -> &'static [OptionSpec] {
        static TABLE: LazyLock<Vec<OptionSpec>> = LazyLock::new(Options::specs);
        &TABLE
    }

    /// Sets an option by its name in a configuration file. `written` is the value as its writer wrote it, for the
    /// error if it is of the wrong kind.
    pub fn set<'de>(
        &mut self,
        name: &str,
        value: impl Deserializer<'de>,
        written: &str,
    ) -> Result<&'static OptionSpec> {
        set(self, Options::table(), name, value, written)
    }
}
