//! Append-only files of JSON rows, one a line.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use isotherm::{Error, Result};

/// A file that rows are appended to. Its length at a checkpoint is part of the checkpoint: what a
/// killed run had written beyond it is cut off before the run goes on, and is written again.
#[derive(Debug)]
pub struct RowLog {
    path: PathBuf,
    file: File,
    length: u64,
}

impl RowLog {
    /// Opens the log, keeping its first `length` bytes.
    pub fn open(path: &Path, length: u64) -> Result<RowLog> {
        let failed = |error| Error::io("write", path, &error);
        let mut file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(path)
            .map_err(failed)?;
        let present = file.metadata().map_err(failed)?.len();
        if present < length {
            return Err(Error::corrupt(format!(
                "{} is {present} bytes long but the checkpoint knows of {length}; restore the file \
                 or start the run anew",
                path.display()
            )));
        }
        file.set_len(length).map_err(failed)?;
        file.seek(SeekFrom::Start(length)).map_err(failed)?;
        Ok(RowLog { path: path.to_owned(), file, length })
    }

    /// Appends one row.
    pub fn append(&mut self, row: &impl Serialize) -> Result<()> {
        let failed = |error| Error::io("write", &self.path, &error);
        let mut line = serde_json::to_vec(row).map_err(|error| failed(error.into()))?;
        line.push(b'\n');
        self.file.write_all(&line).map_err(failed)?;
        self.length += line.len() as u64;
        Ok(())
    }

    /// Makes all rows durable and tells how many bytes they take.
    pub fn sync(&mut self) -> Result<u64> {
        self.file.sync_data().map_err(|error| Error::io("write", &self.path, &error))?;
        Ok(self.length)
    }
}

/// The last of a log's leading rows that all `fit`, and the bytes that those rows take.
pub fn leading_rows<T: DeserializeOwned>(
    path: &Path,
    fit: impl Fn(&T) -> bool,
) -> (Option<T>, u64) {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let (mut last, mut bytes) = (None, 0);
    for line in text.split_inclusive('\n').filter(|line| line.ends_with('\n')) {
        match serde_json::from_str(line) {
            Ok(row) if fit(&row) => last = Some(row),
            _ => break,
        }
        bytes += line.len() as u64;
    }
    (last, bytes)
}

/// What could be read of a log.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadRows<T> {
    /// The rows, in their order.
    pub rows: Vec<T>,
    /// The numbers of the lines that are no rows, from 1, with the reason of each.
    pub unreadable: Vec<(usize, String)>,
    /// Whether the last line is not complete: it is being written, or its writer was killed.
    pub torn: bool,
}

/// Reads a log that may be damaged, or that another process is writing: what is a row is read,
/// what is not is told. A log that is not there has no rows.
pub fn read_rows<T: DeserializeOwned>(path: &Path) -> Result<ReadRows<T>> {
    let bytes = match std::fs::read(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
        other => other.map_err(|error| Error::io("read", path, &error))?,
    };
    let mut read = ReadRows { rows: Vec::new(), unreadable: Vec::new(), torn: false };
    for (number, line) in bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
        if !line.ends_with(b"\n") {
            read.torn = true;
            break;
        }
        match serde_json::from_slice(line) {
            Ok(row) => read.rows.push(row),
            Err(error) => read.unreadable.push((number + 1, error.to_string())),
        }
    }
    Ok(read)
}
