//! Where values come from, as errors name it.

use std::path::Path;

use super::{ValueProblem, spelled};
use crate::Error;
use crate::data::{DataError, DataProblem, Place};

/// The name of data in messages, and the number of their first row and column there.
#[derive(Clone, Debug)]
pub struct Origin {
    name: String,
    first: usize,
}

impl Origin {
    /// A file, whose rows and columns are counted from 1.
    pub fn file(path: &Path) -> Origin {
        Origin { name: path.to_string_lossy().into_owned(), first: 1 }
    }

    /// An array in memory, whose rows and columns are counted from 0.
    pub fn memory(name: &str) -> Origin {
        Origin { name: name.to_owned(), first: 0 }
    }

    /// The place of a value, given its row and column counted from 0.
    pub fn cell(&self, row: usize, col: usize) -> Vec<Place> {
        vec![Place::Row(row + self.first), Place::Column(col + self.first)]
    }

    /// The data as a whole cannot be used.
    pub fn refuse(&self, problem: DataProblem) -> Error {
        self.refuse_at(Vec::new(), problem)
    }

    /// The data cannot be used because of one place.
    pub fn refuse_at(&self, place: Vec<Place>, problem: DataProblem) -> Error {
        DataError::new(&self.name, place, problem).into()
    }

    /// A value cannot be used.
    pub fn refuse_value(&self, place: Vec<Place>, value: f64, problem: ValueProblem) -> Error {
        self.refuse_at(place, DataProblem::Value { text: spelled(value), problem })
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
