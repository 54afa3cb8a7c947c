//! How a message names what its reader can do.
//!
//! The library's errors and diagnostics are kinds with fields. Their sentences are written once, beside
//! the kinds, and mention options and actions only through a [`Dialect`]: the command line says
//! `--min-swap 0.4` where Python says `min_swap=0.4`. A front end implements the trait in one place.

/// The names that a front end gives to options and actions.
pub trait Dialect {
    /// An option, under the name that it has in a configuration file: `min-swap`.
    fn option(&self, name: &str) -> String;

    /// An option together with a value.
    fn setting(&self, name: &str, value: &str) -> String;

    /// Something that the reader can do.
    fn action(&self, action: &Action) -> String;
}

/// What a message may advise its reader to do.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Action {
    /// Estimate the likelihood with more effort.
    Evaluate,
    /// Look at what a file holds.
    Inspect,
    /// List the options.
    ListOptions,
    /// Go on with the run in a folder.
    Resume(String),
    /// Go on with the experiment in a folder.
    Reproduce(String),
    /// Do the experiment of a size in a new folder.
    ReproduceSize {
        /// Updates of each run.
        updates: u64,
        /// Seeds of each setting.
        seeds: u64,
    },
    /// Do once more what has just failed.
    Again,
    /// Stop at once.
    Stop,
    /// Do a run again with this configuration file.
    Repeat(String),
    /// Begin a run in a folder.
    Train,
    /// Replace what is in a folder.
    Overwrite,
    /// Choose another folder.
    OtherFolder,
    /// Give data to validate on.
    GiveValidation,
    /// Give data to evaluate on.
    GiveData,
}

/// The dialect of whoever calls the library from Rust: options under their own names.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plain;

impl Dialect for Plain {
    fn option(&self, name: &str) -> String {
        format!("`{name}`")
    }

    fn setting(&self, name: &str, value: &str) -> String {
        format!("`{name} = {value}`")
    }

    fn action(&self, action: &Action) -> String {
        match action {
            Action::Evaluate => "an evaluation".to_owned(),
            Action::Inspect => "an inspection of the file".to_owned(),
            Action::ListOptions => "the documentation of the options".to_owned(),
            Action::Resume(run) => format!("resuming {run}"),
            Action::Reproduce(folder) => format!("reproducing in {folder}"),
            Action::ReproduceSize { updates, seeds } => {
                format!("an experiment of {updates} updates and {seeds} seeds")
            }
            Action::Again => "try again".to_owned(),
            Action::Stop => "stopping".to_owned(),
            Action::Repeat(config) => format!("training with {config}"),
            Action::Train => "training".to_owned(),
            Action::Overwrite => "overwriting".to_owned(),
            Action::OtherFolder => "another folder".to_owned(),
            Action::GiveValidation => "give validation data".to_owned(),
            Action::GiveData => "give other data".to_owned(),
        }
    }
}
