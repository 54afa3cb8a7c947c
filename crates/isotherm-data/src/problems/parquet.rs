//! What is wrong with Parquet files.

use isotherm::Dialect;
use isotherm::data::name;
use isotherm::data::values::shown;

/// What is wrong with a Parquet file or a column of it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParquetProblem {
    /// The file does not end like one.
    End,
    /// The decoder refused the file.
    Damaged {
        /// The words of the decoder.
        why: String,
    },
    /// The decoder failed on the file.
    Undecodable,
    /// The decoder refused a column.
    ColumnDamaged {
        /// The words of the decoder.
        why: String,
    },
    /// A column that a row group lacks.
    NoSuchColumn,
    /// A column of something other than numbers and booleans.
    NotNumbers,
    /// A column of numbers that stand for dates, times, decimals or the like.
    NotPlainNumbers,
    /// A column of lists of lists.
    NestedLists,
    /// A list that is longer or shorter than the first one.
    ListLength,
    /// A column that does not have as many rows as the first one.
    Rows {
        /// Its rows.
        rows: usize,
        /// The rows of the first column.
        expected: usize,
    },
    /// A table that claims more values than a file of its size holds.
    TooManyRows {
        /// Its rows.
        rows: usize,
        /// Its columns.
        columns: usize,
    },
    /// A column that claims more values than a file of its size holds.
    TooManyValues {
        /// The values.
        values: u64,
    },
    /// Lists that claim more values than lists may have.
    TooManyInLists {
        /// The values.
        values: u64,
        /// The rows.
        rows: u64,
    },
    /// A column that claims to lie outside the file.
    Outside,
    /// The header of a page cannot be parsed.
    PageHeader,
    /// A page without the dictionary that it refers to.
    NoDictionary,
    /// A page whose bytes are split into streams, which is not supported.
    ByteStreams,
    /// A page that claims a negative length or number of values.
    Negative,
    /// A page that does not fit the file.
    PageLength {
        /// Bytes that it claims.
        packed: u64,
        /// Bytes that it claims to unpack to.
        unpacked: u64,
    },
    /// A dictionary that claims more values than fit into its bytes.
    DictionaryLength {
        /// The values.
        values: i64,
        /// The bytes.
        bytes: u64,
    },
    /// A page that unpacks to more than it claims.
    UnpacksTooFar {
        /// The bytes that it claims.
        claimed: u64,
    },
}

impl ParquetProblem {
    pub(super) fn words(&self, d: &dyn Dialect) -> String {
        const AGAIN: &str = "write the file again";
        const TOO_MANY: &str = "more than 500 times the size of the file";
        match self {
            ParquetProblem::End => {
                "the Parquet file has no valid end; copy or write it again".to_owned()
            }
            ParquetProblem::Damaged { why } => {
                format!("the Parquet file is damaged ({}); write it again", shown(why, 120))
            }
            ParquetProblem::Undecodable => {
                "the Parquet file is damaged and cannot be decoded; write it again".to_owned()
            }
            ParquetProblem::ColumnDamaged { why } => {
                format!("the column cannot be decoded ({}); write it again", shown(why, 120))
            }
            ParquetProblem::NoSuchColumn => format!("the row group lacks the column; {AGAIN}"),
            ParquetProblem::NotNumbers => format!(
                "the column does not hold numbers or booleans that can be read; leave it out with {}, or \
                 write it as float, double, integers or booleans",
                d.option(name::drop)
            ),
            ParquetProblem::NotPlainNumbers => {
                "the column holds dates, times, decimals or the like; write plain numbers"
                    .to_owned()
            }
            ParquetProblem::NestedLists => {
                "the column holds lists of lists; flatten each row to one list".to_owned()
            }
            ParquetProblem::ListLength => {
                "the list does not have the length of the first one; give all the same length"
                    .to_owned()
            }
            ParquetProblem::Rows { rows, expected } => format!(
                "the column has {rows} rows, but the first column has {expected}; write it again"
            ),
            ParquetProblem::TooManyRows { rows, columns } => format!(
                "the Parquet file has {rows} rows of {columns} values, {TOO_MANY}; write it as .npy"
            ),
            ParquetProblem::TooManyValues { values } => {
                format!("the column claims {values} values, {TOO_MANY}; {AGAIN}")
            }
            ParquetProblem::TooManyInLists { values, rows } => {
                format!("the column claims {values} values in lists of {rows} rows; {AGAIN}")
            }
            ParquetProblem::Outside => {
                format!("the column claims to lie outside the file; {AGAIN}")
            }
            ParquetProblem::PageHeader => format!("the header of a page is damaged; {AGAIN}"),
            ParquetProblem::NoDictionary => {
                format!("a page refers to a dictionary that is missing; {AGAIN}")
            }
            ParquetProblem::ByteStreams => {
                format!("pages that are split into streams of bytes are not supported; {AGAIN}")
            }
            ParquetProblem::Negative => {
                format!("a page claims a negative length or number of values; {AGAIN}")
            }
            ParquetProblem::PageLength { packed, unpacked } => format!(
                "a page claims {packed} bytes that unpack to {unpacked}, which does not fit the file; \
                 {AGAIN}"
            ),
            ParquetProblem::DictionaryLength { values, bytes } => {
                format!("a dictionary claims {values} values in {bytes} bytes; {AGAIN}")
            }
            ParquetProblem::UnpacksTooFar { claimed } => {
                format!("a page unpacks to more than the {claimed} bytes that it claims; {AGAIN}")
            }
        }
    }
}
