//! How a message names what its reader can do.
//!
//! The library's errors and diagnostics are kinds with fields. Their sentences are written once, beside
//! the kinds, and mention options and actions only through a [`Dialect`]: the command line says
//! `--min-swap 0.4` where Python says `min_swap=0.4`. A front end implements the trait in one place.

use std::fmt;

/// The name of an option as a configuration file has it: `min-swap`.
///
/// The declaration of an option makes the constant of its name ([`option_names!`](crate::option_names)), so code
/// that names an option no longer compiles once that option is renamed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OptionName(&'static str);

impl OptionName {
    /// A name that is written out, such as one in a help text.
    pub const fn new(name: &'static str) -> OptionName {
        OptionName(name)
    }

    /// The text of the name.
    pub const fn as_str(self) -> &'static str {
        self.0
    }

    /// Whether two constants are the same name, for assertions at compile time.
    pub const fn is(self, other: OptionName) -> bool {
        let (a, b) = (self.0.as_bytes(), other.0.as_bytes());
        let mut same = a.len() == b.len();
        let mut i = 0;
        while same && i < a.len() {
            same = a[i] == b[i];
            i += 1;
        }
        same
    }
}

impl fmt::Display for OptionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// Declares a module of names of options: `name::min_swap` is the name `min-swap`.
#[macro_export]
macro_rules! option_names {
    ($(#[$about:meta])* $visibility:vis mod $module:ident { $($field:ident),+ $(,)? } $($others:item)*) => {
        $(#[$about])*
        #[allow(non_upper_case_globals)]
        $visibility mod $module {
            $(
                #[doc = concat!("The name of `", stringify!($field), "`.")]
                pub const $field: $crate::OptionName = {
                    const FIELD: &str = stringify!($field);
                    const BYTES: [u8; FIELD.len()] = $crate::words::kebab(FIELD);
                    $crate::OptionName::new(match ::std::str::from_utf8(&BYTES) {
                        Ok(name) => name,
                        Err(_) => panic!("a name is text"),
                    })
                };
            )+
            $($others)*
        }
    };
}

/// A field's name as options are written: `min_swap` is `min-swap`.
#[doc(hidden)]
pub const fn kebab<const N: usize>(field: &str) -> [u8; N] {
    let (bytes, mut name) = (field.as_bytes(), [0; N]);
    let mut i = 0;
    while i < N {
        name[i] = if bytes[i] == b'_' { b'-' } else { bytes[i] };
        i += 1;
    }
    name
}

/// The names that a front end gives to options and actions.
pub trait Dialect {
    /// An option.
    fn option(&self, name: OptionName) -> String;

    /// An option together with a value.
    fn setting(&self, name: OptionName, value: &str) -> String;

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

/// The dialect for callers from Rust: options under their own names.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plain;

impl Dialect for Plain {
    fn option(&self, name: OptionName) -> String {
        format!("`{name}`")
    }

    fn setting(&self, name: OptionName, value: &str) -> String {
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
