//! Replacing a file whole: a sibling is written and made durable, then renamed over the target.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::ErrorKind::{InvalidInput, NotFound, Unsupported};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use isotherm::{IoError, Result};

/// Writes a file so that a reader, or a crash at any view, finds either the earlier contents or the
/// new ones, never a mixture.
///
/// The bytes go to `.NAME.partial` beside the target first. A failure removes that file again; one
/// that a killed process left behind is replaced by the next write. A symbolic link is followed:
/// the file it points at is replaced and the link stays. Two writers of one target must exclude
/// each other, as [`RunLock`](super::RunLock) does for the folder of a run.
pub fn write_atomically(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<()> {
    let written = write_on(&Disk::real(), path, fill);
    Ok(written.map_err(|error| IoError { doing: "write", path: path.to_owned(), error })?)
}

pub(super) fn write_on(
    disk: &Disk,
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    Staged::write(disk, path, fill)?.commit()
}

/// Contents that are complete and durable under a temporary name, waiting to be renamed.
pub(super) struct Staged<'a> {
    disk: &'a Disk,
    partial: PathBuf,
    target: PathBuf,
}

impl<'a> Staged<'a> {
    /// Writes the new contents of `path` beside it.
    pub(super) fn write(
        disk: &'a Disk,
        path: &Path,
        fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<Staged<'a>> {
        let staged = Staged::new(disk, path)?;
        let write = || {
            let file = disk.create(&staged.partial)?;
            let mut out = BufWriter::with_capacity(disk.chunk, Sink { disk, file });
            fill(&mut out)?;
            out.flush()?;
            disk.sync(&out.get_ref().file)
        };
        write().map_err(untouched)?;
        Ok(staged)
    }

    /// Makes the new contents of `path` a second name of the complete file `source`.
    pub(super) fn link(disk: &'a Disk, source: &Path, path: &Path) -> io::Result<Staged<'a>> {
        let staged = Staged::new(disk, path)?;
        disk.link(&resolve(source)?, &staged.partial)?;
        Ok(staged)
    }

    fn new(disk: &'a Disk, path: &Path) -> io::Result<Staged<'a>> {
        let target = resolve(path)?;
        let Some(name) = target.file_name() else {
            return Err(io::Error::new(InvalidInput, "this is not a file's name"));
        };
        let mut hidden = OsString::from(".");
        hidden.push(name);
        hidden.push(".partial");
        let partial = target.with_file_name(hidden);
        // A leftover must go, not be truncated: it may be a second name of a good checkpoint.
        disk.remove(&partial).map_err(untouched)?;
        Ok(Staged { disk, partial, target })
    }

    /// Renames the new contents over the target and makes that durable.
    pub(super) fn commit(self) -> io::Result<()> {
        self.disk.rename(&self.partial, &self.target).map_err(untouched)?;
        self.disk.sync_folder(&self.target).map_err(|error| {
            remark(
                error,
                "the new file is in place, but a power failure may undo it; check the disk",
            )
        })
    }
}

impl Drop for Staged<'_> {
    /// Clears the temporary name. After a rename it is gone already, unless both names were one
    /// file: then the system leaves both in place. A name that stays is replaced next time.
    fn drop(&mut self) {
        let _ = self.disk.remove(&self.partial);
    }
}

fn untouched(error: io::Error) -> io::Error {
    remark(error, "the earlier contents are untouched; remove the cause and try again")
}

fn remark(error: io::Error, remark: &str) -> io::Error {
    io::Error::new(error.kind(), format!("{error} ({remark})"))
}

/// Follows symbolic links by hand, because the file at their end need not exist yet.
fn resolve(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_path_buf();
    for _ in 0..40 {
        match fs::read_link(&path) {
            Ok(next) => path = path.parent().unwrap_or(Path::new("")).join(next),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::new(InvalidInput, "its symbolic links lead nowhere"))
}

/// The file system, with a question asked before each step so that a test can refuse it.
pub(super) struct Disk {
    /// The most bytes written in one step.
    pub(super) chunk: usize,
    pub(super) before: Box<dyn Fn(&'static str) -> io::Result<()>>,
}

impl Disk {
    pub(super) fn real() -> Disk {
        Disk { chunk: 1 << 20, before: Box::new(|_| Ok(())) }
    }

    fn create(&self, path: &Path) -> io::Result<File> {
        (self.before)("create")?;
        File::create_new(path)
    }

    fn sync(&self, file: &File) -> io::Result<()> {
        (self.before)("sync")?;
        file.sync_all()
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        (self.before)("rename")?;
        fs::rename(from, to)
    }

    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        (self.before)("link")?;
        fs::hard_link(from, to)
    }

    /// Removes a file; one that is not there is fine.
    fn remove(&self, path: &Path) -> io::Result<()> {
        (self.before)("remove")?;
        match fs::remove_file(path) {
            Err(error) if error.kind() != NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Makes the names in the folder of `path` durable; only Unix can and need be asked to.
    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        (self.before)("sync folder")?;
        if cfg!(unix) {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            match File::open(folder.unwrap_or(Path::new(".")))?.sync_all() {
                // Some network file systems cannot sync a folder; there is nothing more to ask.
                Err(error) if matches!(error.kind(), InvalidInput | Unsupported) => {}
                result => result?,
            }
        }
        Ok(())
    }
}

/// A file whose every write is a step of the disk.
struct Sink<'a> {
    disk: &'a Disk,
    file: File,
}

impl Write for Sink<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (self.disk.before)("write")?;
        self.file.write(&bytes[..bytes.len().min(self.disk.chunk)])
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
