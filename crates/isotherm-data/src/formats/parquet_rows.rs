//! The values of a Parquet column as rows of a matrix.

use parquet::column::reader::ColumnReaderImpl;
use parquet::data_type::DataType;
use parquet::errors::ParquetError;

use isotherm::data::values::ValueProblem;

/// Rows that are decoded at a time.
const BATCH: usize = 1024;

/// The longest list that is a row.
pub(super) const LONGEST_LIST: usize = 1 << 20;

/// Takes a row, a column and a value.
pub(super) type Take<'a> = &'a mut dyn FnMut(usize, usize, f64) -> Result<(), ValueProblem>;

/// Where the next value goes.
pub(super) struct Rows<'t> {
    pub(super) row: usize,
    col: usize,
    pub(super) width: Option<usize>,
    take: Take<'t>,
}

/// Why decoding stopped. Rows are counted from 0.
pub(super) enum Stop {
    Decoder(ParquetError),
    /// A list of another length than the first one.
    List {
        row: usize,
    },
    /// A value that the visitor refused.
    Value {
        row: usize,
        value: f64,
        problem: ValueProblem,
    },
}

impl<'t> Rows<'t> {
    /// Rows of a known width, or of that of the first list.
    pub(super) fn new(width: Option<usize>, take: Take<'t>) -> Rows<'t> {
        Rows { row: 0, col: 0, width, take }
    }

    fn value(&mut self, value: f64) -> Result<(), Stop> {
        let row = self.row;
        if self.width.is_some_and(|width| self.col >= width) || self.col >= LONGEST_LIST {
            return Err(Stop::List { row });
        }
        let taken = (self.take)(row, self.col, value);
        taken.map_err(|problem| Stop::Value { row, value, problem })?;
        self.col += 1;
        Ok(())
    }

    /// Ends a row that has begun.
    pub(super) fn end_row(&mut self) -> Result<(), Stop> {
        if self.col == 0 {
            return Ok(());
        }
        if self.width.is_some_and(|width| width != self.col) {
            return Err(Stop::List { row: self.row });
        }
        self.width = Some(self.col);
        (self.row, self.col) = (self.row + 1, 0);
        Ok(())
    }
}

/// Hands over the values of a column in one row group. `full` is the definition level of a value that is
/// present.
pub(super) fn decode<T: DataType>(
    mut reader: ColumnReaderImpl<T>,
    full: i16,
    is_list: bool,
    rows: &mut Rows,
    number: impl Fn(&T::T) -> f64,
) -> Result<(), Stop> {
    let (mut values, mut defined, mut repeated) = (Vec::new(), Vec::new(), Vec::new());
    loop {
        values.clear();
        defined.clear();
        repeated.clear();
        let batch = if is_list { 1 } else { BATCH };
        let levels = (full > 0).then_some(&mut defined);
        let lists = is_list.then_some(&mut repeated);
        let (records, _, _) =
            reader.read_records(batch, levels, lists, &mut values).map_err(Stop::Decoder)?;
        if records == 0 {
            return Ok(());
        }
        let mut next = values.iter().map(&number);
        let count = if full > 0 { defined.len() } else { values.len() };
        for at in 0..count {
            if repeated.get(at).is_none_or(|&level| level == 0) {
                rows.end_row()?;
            }
            let there = defined.get(at).is_none_or(|&level| level == full);
            let value = if there { next.next() } else { Some(f64::NAN) };
            rows.value(value.unwrap_or(f64::NAN))?;
        }
    }
}
