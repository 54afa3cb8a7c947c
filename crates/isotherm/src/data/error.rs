//! Why data cannot be used.

use super::values::{ValueProblem, shown, spelled};
use super::{Binarise, Scale, Split, name};
use crate::error::{Action, Cause, Dialect, Kind};

/// Data that cannot be used: where, and why.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct DataError {
    /// The file, or the name of the data in memory.
    pub source: String,
    /// The place in the source, from the outermost part to the innermost; empty for the whole.
    pub place: Vec<Place>,
    /// What is wrong there.
    pub problem: DataProblem,
}

/// A part of a source of data. Files count from 1, arrays in memory from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// An array, by its name in the file.
    Array(String),
    /// An element of a MATLAB file.
    Element(usize),
    /// A group of rows in a Parquet file.
    RowGroup(usize),
    /// A line of text.
    Line(u64),
    /// A row of the matrix.
    Row(usize),
    /// A column of the matrix.
    Column(usize),
    /// A column, by its name in the file.
    NamedColumn(String),
}

/// What is wrong with data.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum DataProblem {
    /// A value that a rule cannot be applied to.
    Value {
        /// The value as the source has it.
        text: String,
        /// Why not.
        problem: ValueProblem,
    },
    /// Values that are not intensities, which the rule needs.
    NoIntensity {
        /// The value that shows it.
        value: f64,
        /// A fraction among the values, if there is one.
        fraction: Option<f64>,
        /// The smallest and the largest value.
        range: [f64; 2],
        /// The rule.
        rule: Binarise,
    },
    /// Values that are not on the scale of the training data.
    OtherScale {
        /// The smallest and the largest value.
        range: [f64; 2],
        /// Whether all of them are whole numbers.
        whole: bool,
        /// What the values of the training data mean.
        scale: Scale,
        /// The rule.
        rule: Binarise,
    },
    /// More values than fit into memory.
    TooLarge,
    /// A file that became shorter between two readings.
    Shrunk,
    /// No values at all.
    NoValues,
    /// A row that does not have as many values as the first one.
    RowLength {
        /// The values it has.
        values: usize,
        /// The values of the first row.
        expected: usize,
    },
    /// Columns that are all constant, so that there is nothing to learn.
    AllConstant {
        /// The rule by which they are.
        rule: Binarise,
    },
    /// Constant columns that are not to be kept.
    ConstantColumns {
        /// How many.
        constant: usize,
        /// Of how many columns.
        columns: usize,
        /// The first of them, counted from 1.
        first: usize,
        /// Whether some columns of the file were left out, which are not counted.
        some_left_out: bool,
    },
    /// A part of a split that gets no example.
    EmptyPart {
        /// The split.
        split: Split,
        /// The part: train, valid or test.
        part: &'static str,
        /// Its share.
        share: f64,
        /// The examples that there are to share.
        rows: usize,
    },
}

impl DataError {
    /// An error about a place in a source.
    pub fn new(source: impl Into<String>, place: Vec<Place>, problem: DataProblem) -> DataError {
        DataError { source: source.into(), place, problem }
    }
}

impl Cause for DataError {
    fn kind(&self) -> Kind {
        Kind::Data
    }

    fn words(&self, d: &dyn Dialect) -> String {
        format!("{}: {}", located(&self.source, &self.place), self.problem.words(d))
    }
}

/// A source and a place in it, as a message begins with them: `votes.csv, line 3, column 2`.
pub fn located(source: &str, place: &[Place]) -> String {
    let mut text = shown(source, usize::MAX);
    for part in place {
        text += ", ";
        text += &match part {
            Place::Array(name) => format!("array {}", shown(name, 40)),
            Place::Element(number) => format!("element {number}"),
            Place::RowGroup(number) => format!("row group {number}"),
            Place::Line(number) => format!("line {number}"),
            Place::Row(number) => format!("row {number}"),
            Place::Column(number) => format!("column {number}"),
            Place::NamedColumn(name) => format!("column \"{}\"", shown(name, 40)),
        };
    }
    text
}

impl DataProblem {
    fn words(&self, d: &dyn Dialect) -> String {
        match self {
            DataProblem::Value { text, problem } => {
                format!("{} {}", shown(text, 24), problem.words(d))
            }
            DataProblem::NoIntensity { value, fraction, range, rule } => {
                no_intensity(*value, *fraction, *range, *rule, d)
            }
            DataProblem::OtherScale { range: [smallest, largest], whole, scale, rule } => {
                let kind = if *whole { "whole numbers" } else { "numbers" };
                let expected = match scale {
                    Scale::Values => "any numbers",
                    Scale::Fractions => "fractions from 0 to 1",
                    Scale::Bytes => "whole numbers from 0 to 255",
                };
                format!(
                    "the values are {kind} from {} to {}, but {rule} takes those of the training data as \
                     {expected}; use the same scale for both",
                    spelled(*smallest),
                    spelled(*largest)
                )
            }
            DataProblem::TooLarge => {
                "the array does not fit into memory; use fewer rows".to_owned()
            }
            DataProblem::Shrunk => {
                "the file became shorter while it was read; wait until it is complete".to_owned()
            }
            DataProblem::NoValues => "there are no values; give rows of 0 and 1".to_owned(),
            DataProblem::RowLength { values, expected } => format!(
                "the row has {values} value(s), but the first row has {expected}; give every row the \
                 same number of values"
            ),
            DataProblem::AllConstant { rule: Binarise::AsIs } => {
                "every column is constant, so there is nothing to learn; check that rows are examples \
                 and columns are variables"
                    .to_owned()
            }
            DataProblem::AllConstant { rule } => format!(
                "under {} every column is constant, so there is nothing to learn; check that the rule \
                 fits the values ({} shows them)",
                d.setting(name::binarise, &rule.to_string()),
                d.action(&Action::Inspect)
            ),
            DataProblem::ConstantColumns { constant, columns, first, some_left_out } => {
                let of = match some_left_out {
                    true => format!(" of those that {} keeps", d.option(name::drop)),
                    false => String::new(),
                };
                format!(
                    "{constant} of {columns} columns are constant, the first of them column {first}{of}; \
                     leave them out, or train on them as they are with {}",
                    d.setting(name::constant_columns, "keep")
                )
            }
            DataProblem::EmptyPart { split, part, share, rows } => format!(
                "{} leaves no example for {part}: a share of {share} of {rows} rows is too small; give \
                 it a larger share",
                d.setting(name::split, &split.to_string())
            ),
        }
    }
}

fn no_intensity(
    value: f64,
    fraction: Option<f64>,
    [smallest, largest]: [f64; 2],
    rule: Binarise,
    d: &dyn Dialect,
) -> String {
    let in_bytes = value > 1.0 && value <= 255.0;
    let subject = match fraction {
        Some(fraction) if in_bytes => format!("{} beside {}", spelled(value), spelled(fraction)),
        None if in_bytes => format!("{} as the largest value", spelled(value)),
        _ => spelled(value),
    };
    // From 1 on, a threshold is a value.
    let least = if smallest < 0.0 { spelled(smallest) } else { "1".to_owned() };
    format!(
        "{subject} is not an intensity, which {rule} needs: fractions from 0 to 1, or whole numbers \
         from 0 to 255 of which some exceed 127; scale the values, or choose {} with X from {least} to {}",
        d.setting(name::binarise, "threshold:X"),
        spelled(largest)
    )
}
