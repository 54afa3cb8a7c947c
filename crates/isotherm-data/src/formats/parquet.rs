//! Parquet files: a column of numbers or booleans is one variable, a column of lists of one length is
//! several.

use std::fs::File;

use parquet::basic::{ConvertedType, LogicalType, Type as Physical};
use parquet::column::reader::ColumnReader;
use parquet::errors::ParquetError;
use parquet::file::properties::ReaderProperties;
use parquet::file::reader::FileReader;
use parquet::file::serialized_reader::{ReadOptionsBuilder, SerializedFileReader};
use parquet::schema::types::ColumnDescriptor;

use super::guard::guarded;
use super::input::Input;
use super::origin::Origin;
use super::parquet_rows::{LONGEST_LIST, Rows, Stop, Take, decode};
use super::{check_width, parquet_pages};
use crate::problems::{ColumnNames, FileProblem, ParquetProblem};
use isotherm::data::values::{Visitor, spelled};
use isotherm::data::{Assumption, LeftOut, Place};
use isotherm::{Error, Result};

/// Visits all columns, one after the other.
pub(super) fn read(input: &Input, left_out: &LeftOut, visitor: &mut dyn Visitor) -> Result<()> {
    let origin = &input.origin;
    let file = input.open_seekable()?;
    parquet_pages::check_footer(origin, &file)?;
    let decoded = guarded(|| {
        let table = Table::open(input, file, left_out)?;
        // Decoded twice: the number of rows that the file claims may be wrong, and room is made for them.
        let mut counted = Vec::new();
        for &column in &table.columns {
            counted.push(table.visit(column, None, &mut |_, _, _| Ok(()))?);
        }
        let (rows, cols) = table.check_shape(&counted)?;
        visitor.kind(&table.kind());
        if table.has_index {
            visitor.assumed(Assumption::PandasIndex);
        }
        if !visitor.dimensions(&[rows, cols]) {
            return Err(origin.too_large());
        }
        let mut first = 0;
        for (&column, &(_, width)) in table.columns.iter().zip(&counted) {
            table.visit(column, Some(width), &mut |row, col, value| {
                visitor.value(row, first + col, value)
            })?;
            first += width;
        }
        Ok(())
    });
    decoded.unwrap_or_else(|| Err(origin.refuse(ParquetProblem::Undecodable)))
}

/// A file whose pages have been checked.
struct Table<'a> {
    origin: &'a Origin<'a>,
    reader: SerializedFileReader<File>,
    /// The columns that are variables, by their numbers in the file.
    columns: Vec<usize>,
    /// Whether there is a column that is not a variable because it numbers the rows.
    has_index: bool,
    /// The most bytes that the file may unpack to.
    most: u64,
}

impl<'a> Table<'a> {
    fn open(input: &'a Input, file: File, left_out: &LeftOut) -> Result<Table<'a>> {
        let origin = &input.origin;
        let pages = file.try_clone().map_err(|error| origin.io(error))?;
        // Without the old kinds of LZ4, which unpack to more than they claim.
        let properties = ReaderProperties::builder().set_backward_compatible_lz4(false).build();
        let options = ReadOptionsBuilder::new().with_reader_properties(properties).build();
        let reader = SerializedFileReader::new_with_options(file, options)
            .map_err(|error| failed(origin, &error))?;
        let schema = reader.metadata().file_metadata().schema_descr();
        let (index, columns): (Vec<usize>, Vec<usize>) = (0..schema.num_columns())
            .partition(|&column| is_index(&schema.column(column).path().string()));
        let has_index = !index.is_empty();
        let columns = without(origin, left_out, columns, |column| {
            schema.column(column).path().parts().first().cloned().unwrap_or_default()
        })?;
        let table = Table { origin, reader, columns, has_index, most: input.most_unpacked() };
        if table.columns.is_empty() || table.reader.metadata().file_metadata().num_rows() < 1 {
            return Err(origin.refuse(FileProblem::NoValues));
        }
        for &column in &table.columns {
            table.check_type(column)?;
        }
        table.check_pages(&pages)?;
        Ok(table)
    }

    /// Checks what the pages claim, each by itself and all together.
    fn check_pages(&self, pages: &File) -> Result<()> {
        let mut total = 0u64;
        for (number, group) in self.reader.metadata().row_groups().iter().enumerate() {
            for &column in &self.columns {
                let refuse = |problem: ParquetProblem| {
                    let place = vec![Place::RowGroup(number + 1), self.place(column)];
                    Err(self.origin.refuse_at(place, problem))
                };
                let Some(chunk) = group.columns().get(column) else {
                    return refuse(ParquetProblem::NoSuchColumn);
                };
                let values = parquet_pages::check(self.origin, pages, number, chunk)?;
                let is_list = self.descriptor(column).max_rep_level() > 0;
                let rows = u64::try_from(group.num_rows()).unwrap_or(0);
                if is_list && values > rows.saturating_mul(LONGEST_LIST as u64) {
                    return refuse(ParquetProblem::TooManyInLists { values, rows });
                }
                // A list is decoded as a whole, with two levels of two bytes for each value.
                let each = if is_list { parquet_pages::width(chunk) + 4 } else { 1 };
                total = total.saturating_add(values.saturating_mul(each));
                if total > self.most {
                    return refuse(ParquetProblem::TooManyValues { values });
                }
            }
        }
        Ok(())
    }

    fn descriptor(&self, column: usize) -> &ColumnDescriptor {
        self.reader.metadata().file_metadata().schema_descr().columns()[column].as_ref()
    }

    fn place(&self, column: usize) -> Place {
        Place::NamedColumn(self.descriptor(column).path().string())
    }

    fn refuse_column(&self, column: usize, problem: ParquetProblem) -> Error {
        self.origin.refuse_at(vec![self.place(column)], problem)
    }

    /// The types of the columns, for people.
    fn kind(&self) -> String {
        let mut types: Vec<String> = (self.columns.iter())
            .map(|&column| self.descriptor(column).physical_type().to_string().to_lowercase())
            .collect();
        types.sort();
        types.dedup();
        format!("Parquet, {}", types.join(" and "))
    }

    fn check_type(&self, column: usize) -> Result<()> {
        let descriptor = self.descriptor(column);
        let refuse = |problem| Err(self.refuse_column(column, problem));
        match descriptor.physical_type() {
            Physical::BOOLEAN
            | Physical::INT32
            | Physical::INT64
            | Physical::FLOAT
            | Physical::DOUBLE => {}
            _ => return refuse(ParquetProblem::NotNumbers),
        }
        let plain = match (descriptor.logical_type_ref(), descriptor.converted_type()) {
            (Some(LogicalType::Integer(_)), _) => true,
            (Some(_), _) => false,
            (None, converted) => converted == ConvertedType::NONE || is_integer(converted),
        };
        if !plain {
            return refuse(ParquetProblem::NotPlainNumbers);
        }
        if descriptor.max_rep_level() > 1 {
            return refuse(ParquetProblem::NestedLists);
        }
        Ok(())
    }

    /// Rows and columns of all, which must agree.
    fn check_shape(&self, counted: &[(usize, usize)]) -> Result<(usize, usize)> {
        let rows = counted[0].0;
        if let Some(column) = counted.iter().position(|&(count, _)| count != rows) {
            let problem = ParquetProblem::Rows { rows: counted[column].0, expected: rows };
            return Err(self.refuse_column(self.columns[column], problem));
        }
        let cols = counted.iter().map(|&(_, width)| width).sum::<usize>();
        // A row takes at least eight bytes in memory, whatever the rule.
        let needed = (rows as u64).saturating_mul(8 + cols as u64);
        match rows {
            0 => Err(self.origin.refuse(FileProblem::NoValues)),
            _ if needed > self.most => {
                Err(self.origin.refuse(ParquetProblem::TooManyRows { rows, columns: cols }))
            }
            _ => Ok((rows, cols)),
        }
    }

    /// Hands over the values of one column; returns its rows and its width, which is 1 or the length
    /// of its lists.
    fn visit(&self, column: usize, width: Option<usize>, take: Take) -> Result<(usize, usize)> {
        let descriptor = self.descriptor(column);
        let full = descriptor.max_def_level();
        let is_list = descriptor.max_rep_level() > 0;
        let unsigned = is_unsigned(descriptor);
        let mut rows = Rows::new(width.or((!is_list).then_some(1)), take);
        for group in 0..self.reader.num_row_groups() {
            let column_reader = self
                .reader
                .get_row_group(group)
                .and_then(|group| group.get_column_reader(column))
                .map_err(|error| self.failed_in(column, &error))?;
            let decoded = match column_reader {
                ColumnReader::BoolColumnReader(it) => {
                    decode(it, full, is_list, &mut rows, |&value| f64::from(u8::from(value)))
                }
                ColumnReader::Int32ColumnReader(it) if unsigned => {
                    decode(it, full, is_list, &mut rows, |&value| f64::from(value as u32))
                }
                ColumnReader::Int32ColumnReader(it) => {
                    decode(it, full, is_list, &mut rows, |&value| f64::from(value))
                }
                ColumnReader::Int64ColumnReader(it) if unsigned => {
                    decode(it, full, is_list, &mut rows, |&value| value as u64 as f64)
                }
                ColumnReader::Int64ColumnReader(it) => {
                    decode(it, full, is_list, &mut rows, |&value| value as f64)
                }
                ColumnReader::FloatColumnReader(it) => {
                    decode(it, full, is_list, &mut rows, |&value| f64::from(value))
                }
                ColumnReader::DoubleColumnReader(it) => {
                    decode(it, full, is_list, &mut rows, |&value| value)
                }
                _ => return Err(self.refuse_column(column, ParquetProblem::NotNumbers)),
            };
            decoded.map_err(|stop| self.stopped(column, stop))?;
        }
        rows.end_row().map_err(|stop| self.stopped(column, stop))?;
        Ok((rows.row, rows.width.unwrap_or(0)))
    }

    fn stopped(&self, column: usize, stop: Stop) -> Error {
        let place = |row| vec![Place::Row(row + 1), self.place(column)];
        match stop {
            Stop::Decoder(error) => self.failed_in(column, &error),
            Stop::List { row } => self.origin.refuse_at(place(row), ParquetProblem::ListLength),
            Stop::Value { row, value, problem } => {
                let is_missing = value.is_nan();
                let text = if is_missing { "a missing value".to_owned() } else { spelled(value) };
                self.origin.refuse_value(place(row), text, problem)
            }
        }
    }

    fn failed_in(&self, column: usize, error: &ParquetError) -> Error {
        self.refuse_column(column, ParquetProblem::ColumnDamaged { why: error.to_string() })
    }
}

/// The columns without those that are left out by their names or by their numbers from 1 on.
fn without(
    origin: &Origin,
    left_out: &LeftOut,
    columns: Vec<usize>,
    name: impl Fn(usize) -> String,
) -> Result<Vec<usize>> {
    let names: Vec<String> = columns.iter().map(|&column| name(column)).collect();
    if let Some(missing) = left_out.names().find(|it| !names.iter().any(|name| name == it)) {
        let (name, names) = (missing.to_owned(), ColumnNames::All);
        return Err(origin.refuse(FileProblem::DropUnknown { name, names }));
    }
    check_width(origin, left_out, columns.len())?;
    let named = (0..names.len()).filter(|&at| left_out.has_name(&names[at]));
    let runs = left_out.runs(named);
    let is_left = |at: &usize| !runs.iter().any(|(first, last)| (first..=last).contains(&at));
    let left: Vec<usize> = (0..columns.len()).filter(is_left).map(|at| columns[at]).collect();
    match left.is_empty() && !columns.is_empty() {
        true => Err(origin.refuse(FileProblem::DropAll)),
        false => Ok(left),
    }
}

/// Whether a column has the name that pandas gives to the index of the rows.
fn is_index(name: &str) -> bool {
    let number = name.strip_prefix("__index_level_").and_then(|rest| rest.strip_suffix("__"));
    number.is_some_and(|number| number.parse::<u32>().is_ok())
}

fn is_integer(converted: ConvertedType) -> bool {
    use ConvertedType::*;
    matches!(converted, INT_8 | INT_16 | INT_32 | INT_64 | UINT_8 | UINT_16 | UINT_32 | UINT_64)
}

fn is_unsigned(descriptor: &ColumnDescriptor) -> bool {
    use ConvertedType::*;
    match descriptor.logical_type_ref() {
        Some(LogicalType::Integer(integer)) => !integer.is_signed,
        _ => matches!(descriptor.converted_type(), UINT_8 | UINT_16 | UINT_32 | UINT_64),
    }
}

fn failed(origin: &Origin, error: &ParquetError) -> Error {
    origin.refuse(ParquetProblem::Damaged { why: error.to_string() })
}
