//! Append-only files of JSON rows, one a line.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use isotherm::{Cause, Dialect, IoError, Kind, Result};

/// A file that rows are appended to. Its length at a checkpoint is part of the checkpoint: rows that a
/// killed run wrote after it are cut off before the run continues, and are written again.
#[derive(Debug)]
pub struct RowLog {
    path: PathBuf,
    file: File,
    length: u64,
}

impl RowLog {
    /// Opens the log, keeping its first `length` bytes.
    pub fn open(path: &Path, length: u64) -> Result<RowLog> {
        let failed = |error| IoError { doing: "write", path: path.to_owned(), error };
        let mut file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(path)
            .map_err(failed)?;
        let present = file.metadata().map_err(failed)?.len();
        if present < length {
            let path = path.to_owned();
            return Err(MissingRows { path, bytes: present, expected: length }.into());
        }
        file.set_len(length).map_err(failed)?;
        file.seek(SeekFrom::Start(length)).map_err(failed)?;
        Ok(RowLog { path: path.to_owned(), file, length })
    }

    /// Appends one row.
    pub fn append(&mut self, row: &impl Serialize) -> Result<()> {
        let failed = |error| IoError { doing: "write", path: self.path.clone(), error };
        let mut line = serde_json::to_vec(row).map_err(|error| failed(error.into()))?;
        line.push(b'\n');
        self.file.write_all(&line).map_err(failed)?;
        self.length += line.len() as u64;
        Ok(())
    }

    /// Makes all rows durable and returns how many bytes they take.
    pub fn sync(&mut self) -> Result<u64> {
        let failed = |error| IoError { doing: "write", path: self.path.clone(), error };
        self.file.sync_data().map_err(failed)?;
        Ok(self.length)
    }
}

/// A log that is shorter than its checkpoint says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingRows {
    /// The log.
    pub path: PathBuf,
    /// Its length in bytes.
    pub bytes: u64,
    /// Its length at the checkpoint.
    pub expected: u64,
}

impl Cause for MissingRows {
    fn kind(&self) -> Kind {
        Kind::Corrupt
    }

    fn words(&self, _: &dyn Dialect) -> String {
        let MissingRows { path, bytes, expected } = self;
        format!(
            "{} has {bytes} bytes, but had {expected} at the checkpoint; restore the file or begin the \
             run again",
            path.display()
        )
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
    /// The lines that are not rows.
    pub unreadable: Vec<BadLine>,
    /// Whether the last line is not complete: it is being written, or its writer was killed.
    pub torn: bool,
}

/// A line of a log that is not a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadLine {
    /// Its number, from 1.
    pub line: usize,
    /// Why it is not.
    pub problem: LineProblem,
}

/// Why a line of a log is not a row.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LineProblem {
    /// It holds a value that is not finite.
    NotFinite {
        /// The step of the row, where it has one.
        step: Option<u64>,
    },
    /// It is not the JSON of a row.
    NotARow {
        /// What the parser says.
        reason: String,
    },
}

impl LineProblem {
    /// JSON has no infinities and no NaN, so they are written as null: a line that is a row once there are numbers in
    /// the place of nulls has such a value.
    fn of<T: DeserializeOwned>(line: &[u8], error: &serde_json::Error) -> LineProblem {
        let mut value: Value = serde_json::from_slice(line).unwrap_or_default();
        let step = value["step"].as_u64();
        fill_nulls(&mut value);
        match serde_json::from_value::<T>(value) {
            Ok(_) => LineProblem::NotFinite { step },
            Err(_) => LineProblem::NotARow { reason: error.to_string() },
        }
    }
}

fn fill_nulls(value: &mut Value) {
    match value {
        Value::Null => *value = Value::from(0),
        Value::Array(values) => values.iter_mut().for_each(fill_nulls),
        Value::Object(fields) => fields.values_mut().for_each(fill_nulls),
        _ => {}
    }
}

impl fmt::Display for LineProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LineProblem::NotFinite { .. } => f.write_str("it holds a value that is not finite"),
            LineProblem::NotARow { reason } => f.write_str(reason),
        }
    }
}

/// Reads a log that may be damaged, or that another process is writing: returns the rows, and which
/// lines are not rows. A log that does not exist has no rows.
pub fn read_rows<T: DeserializeOwned>(path: &Path) -> Result<ReadRows<T>> {
    let bytes = match std::fs::read(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
        other => other.map_err(|error| IoError { doing: "read", path: path.to_owned(), error })?,
    };
    let mut read = ReadRows { rows: Vec::new(), unreadable: Vec::new(), torn: false };
    for (number, line) in bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
        if !line.ends_with(b"\n") {
            read.torn = true;
            break;
        }
        match serde_json::from_slice(line) {
            Ok(row) => read.rows.push(row),
            Err(error) => {
                let problem = LineProblem::of::<T>(line, &error);
                read.unreadable.push(BadLine { line: number + 1, problem });
            }
        }
    }
    Ok(read)
}
