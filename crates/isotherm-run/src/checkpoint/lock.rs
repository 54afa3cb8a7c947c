//! One writer per run.

use std::fs::{File, TryLockError};
use std::path::Path;

use isotherm::{Error, Result};

/// The exclusive right to write the folder of a run, held until it is dropped or the process ends,
/// however it ends.
///
/// The lock is the system's advisory one on the file `.lock`. That file stays behind on purpose:
/// removing it would let two writers hold a lock on two files of that name.
#[derive(Debug)]
pub struct RunLock {
    _file: File,
}

impl RunLock {
    /// Takes the lock of a folder that exists; fails at once when another holds it.
    pub fn acquire(folder: &Path) -> Result<RunLock> {
        let path = folder.join(".lock");
        let file = File::options().create(true).truncate(false).write(true).open(&path).map_err(
            |error| {
                Error::run(format!(
                    "cannot open {}: {error}; check that the folder exists and can be written",
                    path.display()
                ))
            },
        )?;
        match file.try_lock() {
            Ok(()) => Ok(RunLock { _file: file }),
            Err(TryLockError::WouldBlock) => Err(Error::run(format!(
                "{} is being written by another isotherm; wait for it to end or choose another \
                 folder",
                folder.display()
            ))),
            Err(TryLockError::Error(error)) => Err(Error::run(format!(
                "cannot lock {}: {error}; put the run on a file system with file locks, such as a \
                 local disk",
                path.display()
            ))),
        }
    }
}
