//! A look at all values of a file, whatever they are: ranges, columns, rows that repeat.

use isotherm_kernels::stream_key;

use super::input::Input;
use super::recognise::{Format, recognise};
use super::{matlab, npz, visit};
use crate::Source;
use isotherm::Result;
use isotherm::data::values::{Visitor, flattened};

/// What a file is, and the names of its arrays; a single nameless one is `None`.
pub(crate) struct Contents {
    /// The format, for people.
    pub(crate) format: String,
    /// The arrays that can be looked at.
    pub(crate) arrays: Vec<Option<String>>,
    /// What the others are, in words.
    pub(crate) others: Vec<String>,
}

/// The arrays of a file.
pub(crate) fn contents(source: &Source) -> Result<Contents> {
    let input = Input::new(&source.path)?;
    let format = recognise(&input)?;
    let mut others = Vec::new();
    let names = match format {
        Format::Npz => Some(npz::names(&input)?),
        Format::Matlab => {
            let names = matlab::names(&input)?;
            if source.array.is_none() {
                others = matlab::in_words(&names.others);
            }
            Some(names.matrices)
        }
        _ => None,
    };
    let arrays = match (names, &source.array) {
        (_, Some(array)) => vec![Some(array.clone())],
        (Some(names), None) => names.into_iter().map(Some).collect(),
        (None, None) => vec![None],
    };
    let packed = if input.is_packed() { ", gzipped" } else { "" };
    Ok(Contents { format: format!("{}{packed}", format.name()), arrays, others })
}

/// Looks at one array.
pub(crate) fn look(source: &Source) -> Result<Look> {
    let mut look = Look::default();
    visit(source, &mut look)?;
    Ok(look)
}

/// What has been seen of an array.
#[derive(Clone, Debug, Default)]
pub(crate) struct Look {
    /// The type of the values, for people.
    pub(crate) kind: String,
    /// What was taken for granted in reading it.
    pub(crate) note: Option<String>,
    /// The dimensions, where the file has them.
    pub(crate) dimensions: Vec<usize>,
    /// Of each column.
    pub(crate) columns: Vec<Column>,
    /// A hash of each row's values: equal rows have equal ones.
    pub(crate) rows: Vec<u64>,
    /// Values that are not there, and the place of the first.
    pub(crate) missing: u64,
    pub(crate) first_missing: Option<(usize, usize)>,
    /// Whether some value is no whole number.
    pub(crate) fractions: bool,
    /// Values that are neither 0 nor 1, and the first of them with its place.
    pub(crate) not_binary: u64,
    pub(crate) first_not_binary: Option<(usize, usize, f64)>,
    /// Values that are neither −1 nor 1.
    pub(crate) not_spins: u64,
}

/// One column.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column {
    pub(crate) smallest: f64,
    pub(crate) largest: f64,
    pub(crate) sum: f64,
}

const EMPTY: Column = Column { smallest: f64::INFINITY, largest: f64::NEG_INFINITY, sum: 0.0 };

impl Visitor for Look {
    fn kind(&mut self, kind: &str) {
        self.kind = kind.to_owned();
    }

    fn note(&mut self, note: &str) {
        self.note = Some(note.to_owned());
    }

    fn dimensions(&mut self, shape: &[usize]) -> bool {
        self.dimensions = shape.to_vec();
        let Some((rows, cols)) = flattened(shape) else { return false };
        let room = self.rows.try_reserve_exact(rows).is_ok()
            && self.columns.try_reserve_exact(cols).is_ok();
        if room {
            self.rows.resize(rows, 0);
            self.columns.resize(cols, EMPTY);
        }
        room
    }

    fn value(&mut self, row: usize, col: usize, value: f64) -> std::result::Result<(), String> {
        if row >= self.rows.len() {
            self.rows.resize(row + 1, 0);
        }
        if col >= self.columns.len() {
            self.columns.resize(col + 1, EMPTY);
        }
        if value != 0.0 {
            // A sum, so that it is the same in any order.
            let hash = stream_key(col as u64, value.to_bits(), 0, 0);
            self.rows[row] = self.rows[row].wrapping_add(hash);
        }
        if !value.is_finite() {
            self.missing += 1;
            self.first_missing.get_or_insert((row, col));
            return Ok(());
        }
        let column = &mut self.columns[col];
        column.smallest = column.smallest.min(value);
        column.largest = column.largest.max(value);
        column.sum += value;
        self.fractions |= value.fract() != 0.0;
        if value != 0.0 && value != 1.0 {
            self.not_binary += 1;
            self.first_not_binary.get_or_insert((row, col, value));
        }
        self.not_spins += u64::from(value != -1.0 && value != 1.0);
        Ok(())
    }
}
