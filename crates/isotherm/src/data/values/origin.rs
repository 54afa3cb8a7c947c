//! Where values come from, as errors name it.

use std::fmt::Display;
use std::io;
use std::path::Path;

use crate::Error;

/// The file that is being read, as its errors name it.
pub struct Origin<'a> {
    /// Its path.
    pub path: &'a Path,
    /// Length in bytes of what is read, unpacked.
    pub len: u64,
}

impl Origin<'_> {
    /// The file as a whole cannot be used.
    pub fn refuse(&self, why: impl Display) -> Error {
        Error::data(format!("{}: {why}", self.name()))
    }

    /// One place in the file cannot be used.
    pub fn refuse_at(&self, place: impl Display, why: impl Display) -> Error {
        Error::data(format!("{}, {place}: {why}", self.name()))
    }

    /// There is more than memory can hold.
    pub fn too_large(&self) -> Error {
        self.refuse("the array does not fit into memory; use fewer rows")
    }

    /// Reading on failed: the file is damaged, or the system refused.
    pub fn io(&self, error: &io::Error) -> Error {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => {
                self.refuse("the file ends too early; copy or save it again")
            }
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => {
                let why = shown(&error.to_string(), 80);
                self.refuse(format!("the file is damaged ({why}); copy or save it again"))
            }
            io::ErrorKind::FileTooLarge => {
                let why = shown(&error.to_string(), 80);
                self.refuse(format!("{why}; if that is right, unpack it first"))
            }
            _ => Error::io("read", self.path, error),
        }
    }

    /// The last part of its path.
    pub fn file_name(&self) -> String {
        self.path.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned())
    }

    /// Its path, fit for a message.
    pub fn name(&self) -> String {
        shown(&self.path.to_string_lossy(), usize::MAX)
    }
}

/// Text from outside made fit for a one-line message: at most `limit` characters, no controls.
pub fn shown(text: &str, limit: usize) -> String {
    let mut out = String::new();
    for (i, c) in text.chars().enumerate() {
        if i == limit {
            out.push('…');
            break;
        }
        if c.is_control() { out.extend(c.escape_debug()) } else { out.push(c) }
    }
    out
}
