//! One writer per run.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use isotherm::{Cause, Dialect, Kind, Result};

/// The exclusive right to write the folder of a run, held until it is dropped or the process ends in
/// any way.
///
/// The lock is the system's advisory lock on the file `.lock`. That file is left behind on purpose:
/// removing it would let two writers hold a lock on two files of that name.
#[derive(Debug)]
pub struct RunLock {
    _file: File,
}

impl RunLock {
    /// Takes the lock of a folder that exists; fails at once if another process holds it.
    pub fn acquire(folder: &Path) -> Result<RunLock> {
        let path = folder.join(".lock");
        let opened = File::options().create(true).truncate(false).write(true).open(&path);
        let file = match opened {
            Ok(file) => file,
            Err(error) => return Err(LockError::NotOpened { path, error }.into()),
        };
        match file.try_lock() {
            Ok(()) => Ok(RunLock { _file: file }),
            Err(TryLockError::WouldBlock) => {
                Err(LockError::Held { folder: folder.to_owned() }.into())
            }
            Err(TryLockError::Error(error)) => Err(LockError::NoLocks { path, error }.into()),
        }
    }
}

/// A folder that cannot be locked.
#[derive(Debug)]
#[non_exhaustive]
pub enum LockError {
    /// Another process holds the lock.
    Held {
        /// The folder.
        folder: PathBuf,
    },
    /// The file of the lock cannot be opened.
    NotOpened {
        /// That file.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// The file system refuses to lock it.
    NoLocks {
        /// The file of the lock.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
}

impl Cause for LockError {
    fn kind(&self) -> Kind {
        Kind::Io
    }

    fn words(&self, _: &dyn Dialect) -> String {
        match self {
            LockError::Held { folder } => format!(
                "{} is being written by another isotherm; wait for it to end or choose another folder",
                folder.display()
            ),
            LockError::NotOpened { path, error } => format!(
                "cannot open {}: {error}; check that the folder exists and can be written",
                path.display()
            ),
            LockError::NoLocks { path, error } => format!(
                "cannot lock {}: {error}; put the run on a file system with file locks, such as a \
                 local disk",
                path.display()
            ),
        }
    }
}
