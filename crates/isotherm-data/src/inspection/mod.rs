//! What a file holds and how to train on it.

mod suggestion;
mod value_kind;

use std::collections::HashSet;

use serde::Serialize;

use crate::formats::Format;
use crate::formats::inspect::{Column, Look, contents, look};
use crate::problems::{FileError, FileProblem, OtherArray};
use crate::{Source, load};
use isotherm::data::{Assumption, Binarise, ImageShape};
use isotherm::{Error, Result};

pub use suggestion::Suggestion;
pub use value_kind::ValueKind;

/// The fraction of values that are neither 0 nor 1 up to which they may be mistakes.
const FEW: f64 = 0.01;

/// What a file holds.
#[derive(Debug)]
#[non_exhaustive]
pub struct FileReport {
    /// The file, and the array in it if one was named.
    pub file: String,
    /// Its format.
    pub format: Format,
    /// Whether it is gzipped.
    pub is_gzipped: bool,
    /// Its arrays, or the one that was named.
    pub arrays: Vec<ArrayReport>,
    /// Arrays that cannot be learned from.
    pub others: Vec<OtherArray>,
    /// A way to train on it, if there is one.
    pub suggestion: Option<Suggestion>,
}

/// What an array holds.
#[derive(Debug, Default, Serialize)]
#[non_exhaustive]
pub struct ArrayReport {
    /// Its name, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Why it cannot be used, if it cannot; then nothing below is known.
    #[serde(skip)]
    pub error: Option<Error>,
    /// The type of the values.
    #[serde(rename = "type")]
    pub kind: String,
    /// An observation about it.
    #[serde(skip)]
    pub note: Option<ArrayNote>,
    /// Examples.
    pub rows: usize,
    /// Variables.
    pub columns: usize,
    /// All dimensions, if there are more than these two.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dimensions: Vec<usize>,
    /// What the values are.
    pub values: ValueKind,
    /// The smallest value.
    pub smallest: f64,
    /// The largest value.
    pub largest: f64,
    /// The mean of all values; the density of ones, if they are 0 and 1.
    pub mean: f64,
    /// The density of ones under the rule that was given, if one was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub density: Option<f64>,
    /// Columns, counted from 1, that have the same value in every row, under the rule that was given if
    /// one was.
    pub constant_columns: Vec<usize>,
    /// Rows that are equal to an earlier one, before binarising.
    pub duplicate_rows: usize,
    /// Missing values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<Missing>,
    /// Width and height, if the columns look like the pixels of an image.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shape: Option<ImageShape>,
    /// The rule that was given, or one that fits the values.
    pub binarise: Binarise,
    /// Rows of the test data that are in these data too, before binarising.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test_rows_seen: Option<usize>,
    /// How many columns are constant under the rule.
    #[serde(skip)]
    constant_by_rule: usize,
    /// Whether the first column is an index of the rows.
    pub counts_rows: bool,
    /// Hashes of the rows.
    #[serde(skip)]
    hashes: Vec<u64>,
}

/// An observation about an array.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ArrayNote {
    /// The first column counts the rows, and the others lie between 0 and 1: it should be left out.
    CountsRows {
        /// Whether other columns are left out already.
        others_left_out: bool,
    },
    /// An assumption made in reading it.
    Assumed(Assumption),
    /// A few values among many are neither 0 nor 1.
    FewNotBinary {
        /// How many.
        count: u64,
        /// Of how many values.
        values: u64,
        /// The first of them.
        first: f64,
        /// Its row, counted from 1.
        row: usize,
        /// Its column, counted from 1.
        column: usize,
    },
}

/// Values that are missing or infinite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Missing {
    /// How many.
    pub count: u64,
    /// Row of the first, counted from 1.
    pub row: usize,
    /// Column of the first, counted from 1.
    pub column: usize,
}

/// Reports what a file holds: the array that is named or all of them, under a rule for binarising if
/// one is given. `test` is other data that should have no row in common with it.
///
/// # Errors
///
/// If the file or its only array cannot be read, or the test data fit none of its arrays.
pub fn inspect(
    source: &Source,
    binarise: Option<Binarise>,
    test: Option<&Source>,
) -> Result<FileReport> {
    let found = contents(source)?;
    let is_alone = found.arrays.len() == 1;
    let mut arrays = Vec::new();
    for name in found.arrays {
        let array = Source { array: name.clone(), ..source.clone() };
        match report(&array, binarise) {
            Ok(report) => arrays.push(report),
            Err(error) if is_alone => return Err(error),
            Err(error) => {
                arrays.push(ArrayReport { name, error: Some(error), ..ArrayReport::default() });
            }
        }
    }
    if let Some(test) = test {
        compare(source, &mut arrays, test)?;
    }
    let suggestion = suggestion::suggest(source, &arrays, binarise, test);
    Ok(FileReport {
        file: source.name(),
        format: found.format,
        is_gzipped: found.is_gzipped,
        arrays,
        others: found.others,
        suggestion,
    })
}

/// Counts the rows of other data that each array has too.
fn compare(source: &Source, arrays: &mut [ArrayReport], test: &Source) -> Result<()> {
    let Look { rows, columns, .. } = look(test)?;
    let columns = columns.len();
    if !arrays.iter().any(|array| array.columns == columns) {
        let problem = FileProblem::OtherWidth { columns, with: source.name() };
        return Err(FileError::new(test.name(), Vec::new(), problem).into());
    }
    for array in arrays.iter_mut().filter(|array| array.columns == columns) {
        let seen: HashSet<u64> = array.hashes.iter().copied().collect();
        array.test_rows_seen = Some(rows.iter().filter(|row| seen.contains(row)).count());
    }
    Ok(())
}

fn report(source: &Source, binarise: Option<Binarise>) -> Result<ArrayReport> {
    let mut look = look(source)?;
    let (rows, columns) = (look.rows.len(), look.columns.len());
    let (mut smallest, mut largest, mut sum) = (f64::INFINITY, f64::NEG_INFINITY, 0.0);
    for column in &look.columns {
        smallest = column.smallest.min(smallest);
        largest = column.largest.max(largest);
        sum += column.sum;
    }
    let values = ValueKind::of(&look, smallest, largest);
    let known = (rows * columns) as u64 - look.missing;
    let rare = smallest == 0.0 && !look.fractions && sum < known as f64;
    let suggestion = values.suggestion(smallest, largest, rare);
    let counts_rows = counts_rows(&look.columns, rows);
    let others_left_out = !source.left_out.is_empty();
    let constant =
        |(at, column): (usize, &Column)| (column.smallest >= column.largest).then_some(at + 1);
    let mut report = ArrayReport {
        name: source.array.clone(),
        error: None,
        kind: std::mem::take(&mut look.kind),
        note: match (counts_rows, look.assumption) {
            (true, _) => Some(ArrayNote::CountsRows { others_left_out }),
            (false, Some(assumption)) => Some(ArrayNote::Assumed(assumption)),
            (false, None) => few_not_binary(&look, known),
        },
        rows,
        columns,
        dimensions: if look.dimensions.len() > 2 { look.dimensions.clone() } else { Vec::new() },
        values,
        smallest,
        largest,
        mean: sum / known as f64,
        density: None,
        constant_columns: look.columns.iter().enumerate().filter_map(constant).collect(),
        duplicate_rows: duplicates(&look.rows),
        missing: look.first_missing.map(|(row, column)| Missing {
            count: look.missing,
            row: row + 1,
            column: column + 1,
        }),
        shape: shape(&look, rows),
        binarise: suggestion,
        test_rows_seen: None,
        constant_by_rule: (look.columns.iter())
            .filter(|column| values.makes_constant(suggestion, column))
            .count(),
        counts_rows,
        hashes: look.rows,
    };
    if let Some(rule) = binarise {
        let data = load(source, rule.drawn_once(), 1)?;
        // The counts of a wide file are large: they are freed at once.
        let ones: u64 = data.bits().map_or(0, |bits| bits.column_counts().iter().sum());
        report.density = Some(ones as f64 / (rows * columns) as f64);
        report.constant_columns = data.constant_columns().iter().map(|at| at + 1).collect();
        report.constant_by_rule = report.constant_columns.len();
        report.binarise = rule;
    }
    Ok(report)
}

impl ArrayReport {
    /// How many columns are constant under the suggested rule, if some of them vary in the file. In
    /// pictures that is usual; in a table such columns should not be kept.
    pub fn lost_to_the_rule(&self) -> Option<usize> {
        let more = self.constant_by_rule > self.constant_columns.len();
        (more && self.shape.is_none()).then_some(self.constant_by_rule)
    }
}

/// Rows that are equal to an earlier one.
fn duplicates(hashes: &[u64]) -> usize {
    let mut sorted = hashes.to_vec();
    sorted.sort_unstable();
    sorted.windows(2).filter(|pair| pair[0] == pair[1]).count()
}

/// Width and height: as the file has them, or of a square whose mean picture is smooth.
fn shape(look: &Look, rows: usize) -> Option<ImageShape> {
    if let &[_, height, width] = &look.dimensions[..] {
        return Some(ImageShape { width, height });
    }
    let means: Vec<f64> = look.columns.iter().map(|column| column.sum / rows as f64).collect();
    let varies = |at: usize| look.columns[at].smallest < look.columns[at].largest;
    ImageShape::guess(means.len()).filter(|shape| shape.is_smooth(&means, varies))
}

/// A few values that are neither 0 nor 1 among many that are.
fn few_not_binary(look: &Look, values: u64) -> Option<ArrayNote> {
    let (row, column, first) = look.first_not_binary?;
    let count = look.not_binary;
    (count as f64 <= FEW * values as f64).then_some(ArrayNote::FewNotBinary {
        count,
        values,
        first,
        row: row + 1,
        column: column + 1,
    })
}

/// Whether the first column counts the rows from 0 or 1 while the others lie between 0 and 1, as tables are
/// often written. No rule fits both.
fn counts_rows(columns: &[Column], rows: usize) -> bool {
    let [first, others @ ..] = columns else { return false };
    if rows < 3 || others.is_empty() {
        return false;
    }
    let counts = [0.0, 1.0].contains(&first.smallest)
        && first.largest - first.smallest == (rows - 1) as f64
        && first.sum == (first.smallest + first.largest) / 2.0 * rows as f64;
    counts && others.iter().all(|it| it.smallest >= 0.0 && it.largest <= 1.0)
}
