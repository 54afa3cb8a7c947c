//! Statistics of all values of a file, whatever they are: ranges, columns, duplicate rows.

use isotherm_kernels::stream_key;

use super::input::Input;
use super::recognise::{Format, recognise};
use super::visit;
use crate::Source;
use crate::problems::OtherArray;
use isotherm::Result;
use isotherm::data::Assumption;
use isotherm::data::values::{ValueProblem, Visitor, flattened};

/// The format of a file and its arrays.
pub(crate) struct Contents {
    pub(crate) format: Format,
    pub(crate) is_gzipped: bool,
    /// The names of its matrices; a single one without a name is `None`.
    pub(crate) arrays: Vec<Option<String>>,
    /// Its other arrays.
    pub(crate) others: Vec<OtherArray>,
}

/// The arrays of a file.
pub(crate) fn contents(source: &Source) -> Result<Contents> {
    let input = Input::new(&source.path)?;
    let format = recognise(&input)?;
    let (names, others): (Option<Vec<String>>, _) = match format {
        #[cfg(feature = "npz")]
        Format::Npz => (Some(super::npz::names(&input)?), Vec::new()),
        #[cfg(feature = "matlab")]
        Format::Matlab => {
            let names = super::matlab::names(&input)?;
            (Some(names.matrices), names.others)
        }
        _ => (None, Vec::new()),
    };
    let (arrays, others) = match (names, &source.array) {
        (_, Some(array)) => (vec![Some(array.clone())], Vec::new()),
        (Some(names), None) => (names.into_iter().map(Some).collect(), others),
        (None, None) => (vec![None], others),
    };
    Ok(Contents { format, is_gzipped: input.is_packed(), arrays, others })
}

/// Statistics of one array.
pub(crate) fn look(source: &Source) -> Result<Look> {
    let mut look = Look::default();
    visit(source, &mut look)?;
    Ok(look)
}

/// Statistics of an array.
#[derive(Clone, Debug, Default)]
pub(crate) struct Look {
    /// The type of the values, for people.
    pub(crate) kind: String,
    /// The assumption made in reading it.
    pub(crate) assumption: Option<Assumption>,
    /// The dimensions, if the file states them.
    pub(crate) dimensions: Vec<usize>,
    /// Statistics of each column.
    pub(crate) columns: Vec<Column>,
    /// A hash of each row: equal rows have equal hashes.
    pub(crate) rows: Vec<u64>,
    /// Missing values, and the place of the first.
    pub(crate) missing: u64,
    pub(crate) first_missing: Option<(usize, usize)>,
    /// Whether some value is not a whole number.
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

    fn assumed(&mut self, assumption: Assumption) {
        self.assumption = Some(assumption);
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

    fn value(
        &mut self,
        row: usize,
        col: usize,
        value: f64,
    ) -> std::result::Result<(), ValueProblem> {
        if row >= self.rows.len() {
            self.rows.resize(row + 1, 0);
        }
        if col >= self.columns.len() {
            self.columns.resize(col + 1, EMPTY);
        }
        if value != 0.0 {
            // A sum does not depend on the order of the values.
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
