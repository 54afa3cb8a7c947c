//! What is wrong with text.

use isotherm::Dialect;
use isotherm::data::name;
use isotherm::data::values::shown;

/// Characters of a bad value that a message shows.
const SHOWN: usize = 24;

/// What separates two values of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Separator {
    /// A comma.
    Comma,
    /// A semicolon.
    Semicolon,
    /// A tab.
    Tab,
    /// Any run of spaces and tabs.
    Spaces,
}

impl Separator {
    /// Its name in the plural.
    pub fn plural(self) -> &'static str {
        match self {
            Separator::Comma => "commas",
            Separator::Semicolon => "semicolons",
            Separator::Tab => "tabs",
            Separator::Spaces => "spaces",
        }
    }
}

/// What is wrong with text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TextProblem {
    /// A row of zeros and ones with nothing between them.
    NoSeparators {
        /// The row.
        text: String,
    },
    /// A field without a value.
    EmptyField,
    /// A field that is not a number.
    NotNumber {
        /// The field.
        text: String,
        /// What separates the fields of this file.
        separator: Separator,
    },
    /// A field that is not UTF-8.
    NotUtf8 {
        /// What can be shown of it.
        text: String,
    },
    /// A row that does not have as many values as the first one.
    RowLength {
        /// The values that it has.
        values: usize,
        /// The values of the first row.
        expected: usize,
        /// The line of the first row.
        first_line: u64,
    },
    /// A header and nothing below it.
    HeaderOnly,
}

impl TextProblem {
    pub(super) fn words(&self, d: &dyn Dialect) -> String {
        match self {
            TextProblem::NoSeparators { text } => format!(
                "{} has no separators; write the zeros and ones between commas or spaces",
                shown(text, SHOWN)
            ),
            TextProblem::EmptyField => {
                "the field is empty; fill in or remove missing values".to_owned()
            }
            TextProblem::NotNumber { text, separator } => {
                let separators = separator.plural();
                let remedy = match text.contains([',', ';', '\t', ' ']) {
                    true => format!("separate the values by {separators}"),
                    false => format!(
                        "write only 0 and 1 between {separators}, and leave out columns of names with {}",
                        d.option(name::drop)
                    ),
                };
                format!("\"{}\" is not a number; {remedy}", shown(text, SHOWN))
            }
            TextProblem::NotUtf8 { text } => {
                format!("\"{}\" is not UTF-8 text; save the file as UTF-8", shown(text, SHOWN))
            }
            TextProblem::RowLength { values, expected, first_line } => format!(
                "the row has {values} value(s), but line {first_line} has {expected}; give every row the \
                 same number of values"
            ),
            TextProblem::HeaderOnly => {
                "there is a header but no row of values; write rows of 0 and 1 below it".to_owned()
            }
        }
    }
}
