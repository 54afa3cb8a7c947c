//! Messages of a run to its observer.

use isotherm::diagnostics::Diagnostic;
use isotherm::{Action, Dialect};

/// A message to the observer of a run.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Note {
    /// A diagnostic that is raised while the run goes on, such as that it stops early.
    Raised(Diagnostic),
    /// All steps are saved, and the exact log-likelihood takes a while.
    Enumerating {
        /// Units of the layer that is summed over.
        units: usize,
        /// The folder of the run.
        run: String,
    },
    /// All steps are saved, and the estimate of the log-likelihood takes a while.
    Estimating {
        /// The folder of the run.
        run: String,
    },
}

impl Note {
    /// One sentence, in the words of a front end.
    pub fn words(&self, dialect: &dyn Dialect) -> String {
        let later = |run: &String| {
            let (stop, resume) = (Action::Stop, Action::Resume(run.clone()));
            format!(
                "({} stops here, and {} does it later)",
                dialect.action(&stop),
                dialect.action(&resume)
            )
        };
        match self {
            Note::Raised(diagnostic) => diagnostic.words(dialect),
            Note::Enumerating { units, run } => format!(
                "all steps are saved; summing over 2^{units} states for the exact log-likelihood {}",
                later(run)
            ),
            Note::Estimating { run } => {
                format!("all steps are saved; estimating the log-likelihood {}", later(run))
            }
        }
    }
}
