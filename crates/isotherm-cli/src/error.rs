//! What only the command line can get wrong.

use std::io;
use std::path::PathBuf;

use isotherm::{Action, Cause, Dialect, Kind, OptionName};
use isotherm_run::config;
use isotherm_tempering::option_names;

option_names! {
    /// The options that only commands have and messages name.
    pub(crate) mod name { threads, averaged, data, out, train }
}

/// A command that cannot be carried out.
#[derive(Debug)]
pub(crate) enum CliError {
    /// The threads do not start.
    Threads { reason: String },
    /// Ctrl-C cannot be listened for.
    Signals { reason: String },
    /// Standard output cannot be written.
    Output { error: io::Error },
    /// A result cannot be written as JSON.
    Json { reason: String },
    /// Data have another width than the model that is evaluated on them.
    Width { data: String, columns: usize, place: PathBuf, units: usize },
    /// There are no averaged parameters.
    NoAveraged { place: PathBuf },
    /// Training data are given for a run, which has its own.
    OwnTrainingData { run: PathBuf },
    /// The run has no such part of its data.
    NoPart { run: PathBuf, part: OptionName },
    /// The file for the samples exists.
    Exists { path: PathBuf },
    /// The file for the samples does not end in `.npy`.
    NotNpy { path: PathBuf },
    /// The file for the samples cannot be written.
    NoPlace { path: PathBuf },
}

impl Cause for CliError {
    fn kind(&self) -> Kind {
        use CliError::*;
        match self {
            Threads { .. } | Signals { .. } | OwnTrainingData { .. } | NoPart { .. } => {
                Kind::Options
            }
            NotNpy { .. } => Kind::Options,
            Width { .. } => Kind::Data,
            Output { .. } | Json { .. } | NoAveraged { .. } => Kind::Io,
            Exists { .. } | NoPlace { .. } => Kind::Io,
        }
    }

    fn words(&self, dialect: &dyn Dialect) -> String {
        let option = |name| dialect.option(name);
        match self {
            CliError::Threads { reason } => {
                format!("cannot start the threads: {reason}; lower {}", option(name::threads))
            }
            CliError::Signals { reason } => format!("cannot listen for Ctrl-C: {reason}"),
            CliError::Output { error } => format!("cannot write to standard output: {error}"),
            CliError::Json { reason } => format!("the result cannot be written as JSON: {reason}"),
            CliError::Width { data, columns, place, units } => format!(
                "{data} has {columns} columns but the model of {} has {units} visible units; evaluate \
                 it on data of the same width",
                place.display()
            ),
            CliError::NoAveraged { place } => format!(
                "{} holds no averaged parameters; leave {} out",
                place.display(),
                option(name::averaged)
            ),
            CliError::OwnTrainingData { run } => format!(
                "{} is for a model file; the run {} has its own training data",
                option(name::train),
                run.display()
            ),
            CliError::NoPart { run, part } => format!(
                "{} has no {part} data; evaluate on a file with {}, or train with {} or {}",
                run.display(),
                dialect.setting(name::data, "FILE"),
                option(*part),
                option(config::name::split)
            ),
            CliError::Exists { path } => format!(
                "{} exists; {} replaces it, {} leaves it alone",
                path.display(),
                dialect.action(&Action::Overwrite),
                dialect.action(&Action::OtherFolder)
            ),
            CliError::NotNpy { path } => format!(
                "samples are written as a NumPy array; let {} end in .npy",
                dialect.setting(name::out, &path.display().to_string())
            ),
            CliError::NoPlace { path } => format!(
                "cannot write {}: give {} a file in a folder that exists",
                path.display(),
                option(name::out)
            ),
        }
    }
}
