//! The one error type: an opaque sentence for people, predicates for programs.

use std::fmt;
use std::path::Path;

/// What went wrong, as one sentence that names the place and the remedy.
#[derive(Debug)]
pub struct Error {
    kind: Kind,
    message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Config,
    Data,
    Io,
    Corrupt,
    NonFinite,
    TooLarge,
    Target,
}

/// `Result` with [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    fn new(kind: Kind, message: impl Into<String>) -> Error {
        Error { kind, message: message.into() }
    }

    /// An option, or a combination of options, that cannot work.
    pub fn config(message: impl Into<String>) -> Error {
        Error::new(Kind::Config, message)
    }

    /// Data that cannot be learned from as it is.
    pub fn data(message: impl Into<String>) -> Error {
        Error::new(Kind::Data, message)
    }

    /// An operation on a file or folder that the system refused.
    pub fn io(doing: &str, path: &Path, error: &std::io::Error) -> Error {
        Error::new(Kind::Io, format!("cannot {doing} {}: {error}", path.display()))
    }

    /// An operation on a run that the state of its folder forbids.
    pub fn run(message: impl Into<String>) -> Error {
        Error::new(Kind::Io, message)
    }

    /// A file of a run that is damaged.
    pub fn corrupt(message: impl Into<String>) -> Error {
        Error::new(Kind::Corrupt, message)
    }

    /// Parameters or energies that stopped being finite.
    pub fn non_finite(message: impl Into<String>) -> Error {
        Error::new(Kind::NonFinite, message)
    }

    /// A computation that would take too long or too much memory.
    pub fn too_large(message: impl Into<String>) -> Error {
        Error::new(Kind::TooLarge, message)
    }

    /// A target of one's own whose code failed.
    pub fn target(message: impl Into<String>) -> Error {
        Error::new(Kind::Target, message)
    }

    /// Whether the options are at fault.
    pub fn is_config(&self) -> bool {
        self.kind == Kind::Config
    }

    /// Whether the data are at fault.
    pub fn is_data(&self) -> bool {
        self.kind == Kind::Data
    }

    /// Whether a file or folder could not be read or written.
    pub fn is_io(&self) -> bool {
        self.kind == Kind::Io
    }

    /// Whether a file of a run is damaged.
    pub fn is_corrupt(&self) -> bool {
        self.kind == Kind::Corrupt
    }

    /// Whether learning diverged, or an energy is not a finite number.
    pub fn is_non_finite(&self) -> bool {
        self.kind == Kind::NonFinite
    }

    /// Whether the model is too large for an exact answer.
    pub fn is_too_large(&self) -> bool {
        self.kind == Kind::TooLarge
    }

    /// Whether the code of a target failed.
    pub fn is_target(&self) -> bool {
        self.kind == Kind::Target
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
