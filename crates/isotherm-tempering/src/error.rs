//! The one error type: it holds a typed cause for programs, and words it for people.
//!
//! Each part of the library has its own causes, enums with fields that implement [`Cause`]. So `?` works
//! across all crates, a program asks for the [`Kind`] or for the cause itself, and a front end chooses
//! the [`Dialect`] of the sentence.

use std::any::Any;
use std::fmt;

use crate::words::{Dialect, Plain};

/// `Result` with [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong.
pub struct Error {
    cause: Box<dyn Cause>,
}

/// What sort of thing went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// An option, or a combination of options, that cannot work.
    Options,
    /// Data that cannot be used as they are.
    Data,
    /// A file or folder that the system refused, or whose state forbids what was asked.
    Io,
    /// A file that is damaged, or was not made for this.
    Corrupt,
    /// Parameters or energies that are not finite.
    NonFinite,
    /// A computation that would take too long or too much memory.
    TooLarge,
    /// User code, such as that of a target, failed.
    Foreign,
    /// The caller asked to stop.
    Interrupted,
}

impl Kind {
    /// Its name for programs, such as `non-finite`.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Options => "options",
            Kind::Data => "data",
            Kind::Io => "io",
            Kind::Corrupt => "corrupt",
            Kind::NonFinite => "non-finite",
            Kind::TooLarge => "too-large",
            Kind::Foreign => "foreign",
            Kind::Interrupted => "interrupted",
        }
    }
}

/// A typed reason for an [`Error`].
pub trait Cause: Any + fmt::Debug + Send + Sync {
    /// Its kind.
    fn kind(&self) -> Kind;

    /// One sentence that names the place and the remedy.
    fn words(&self, dialect: &dyn Dialect) -> String;
}

impl Error {
    /// An error with this cause.
    pub fn new(cause: impl Cause) -> Error {
        Error { cause: Box::new(cause) }
    }

    /// Its kind.
    pub fn kind(&self) -> Kind {
        self.cause.kind()
    }

    /// Its cause, if it is of this type.
    pub fn cause<C: Cause>(&self) -> Option<&C> {
        (&*self.cause as &dyn Any).downcast_ref()
    }

    /// Its cause, if it is of this type; otherwise the error again.
    pub fn into_cause<C: Cause>(self) -> std::result::Result<C, Error> {
        if self.cause::<C>().is_none() {
            return Err(self);
        }
        let cause: Box<dyn Any> = self.cause;
        Ok(*cause.downcast().expect("a cause of the type that was just asked for"))
    }

    /// One sentence that names the place and the remedy, in the words of a front end.
    pub fn words(&self, dialect: &dyn Dialect) -> String {
        self.cause.words(dialect)
    }
}

impl<C: Cause> From<C> for Error {
    fn from(cause: C) -> Error {
        Error::new(cause)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words(&Plain))
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.cause.fmt(f)
    }
}

impl std::error::Error for Error {}

/// An operation on a file or folder that the system refused.
#[derive(Debug)]
pub struct IoError {
    /// The operation, such as `read`.
    pub doing: &'static str,
    /// The file or folder.
    pub path: std::path::PathBuf,
    /// The error of the system.
    pub error: std::io::Error,
}

impl Cause for IoError {
    fn kind(&self) -> Kind {
        Kind::Io
    }

    fn words(&self, _: &dyn Dialect) -> String {
        format!("cannot {} {}: {}", self.doing, self.path.display(), self.error)
    }
}
