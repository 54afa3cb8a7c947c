//! What is wrong with MATLAB files.

use std::fmt;

use isotherm::data::values::shown;

/// Arrays that a message lists.
const LISTED: usize = 6;

/// What is wrong with a MATLAB file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MatlabProblem {
    /// It holds more arrays than are read.
    TooManyArrays {
        /// The most that are.
        most: usize,
    },
    /// It holds no matrix of numbers.
    NoMatrix {
        /// What it holds instead.
        others: Vec<OtherArray>,
    },
    /// The array that was named is not a matrix of numbers.
    NotMatrix(OtherArray),
    /// An element without a valid tag.
    Tag,
    /// A part of an element that is longer than such parts are.
    TooLong {
        /// Its length in bytes.
        length: u32,
        /// The most that is allowed.
        most: u32,
    },
}

/// An array that cannot be learned from.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OtherArray {
    /// Its name.
    pub name: String,
    /// What it is.
    pub what: NoMatrix,
}

/// What an array is that is not a matrix of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoMatrix {
    /// It has no elements.
    Empty,
    /// It is a single row or column.
    Vector,
    /// It holds complex numbers.
    Complex,
    /// It is a cell array.
    Cells,
    /// It is a structure.
    Structure,
    /// It is text.
    Text,
    /// It is a sparse matrix.
    Sparse,
}

impl fmt::Display for OtherArray {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.what {
            NoMatrix::Empty => "empty",
            NoMatrix::Vector => "a single row or column",
            NoMatrix::Complex => "complex",
            NoMatrix::Cells => "a cell array",
            NoMatrix::Structure => "a structure",
            NoMatrix::Text => "text",
            NoMatrix::Sparse => "sparse",
        };
        write!(f, "{} is {what}", shown(&self.name, 20))
    }
}

impl MatlabProblem {
    pub(super) fn words(&self) -> String {
        match self {
            MatlabProblem::TooManyArrays { most } => {
                format!("the file holds more than {most} arrays; save the data alone")
            }
            MatlabProblem::NoMatrix { others } => {
                let mut listed: Vec<String> =
                    others.iter().take(LISTED).map(OtherArray::to_string).collect();
                if others.len() > LISTED {
                    listed.push("…".to_owned());
                }
                let but = match listed.is_empty() {
                    true => String::new(),
                    false => format!(" ({})", listed.join(", ")),
                };
                format!("there is no matrix of numbers in the file{but}; save a full one into it")
            }
            MatlabProblem::NotMatrix(array) => {
                format!("array {array}; name a matrix of numbers")
            }
            MatlabProblem::Tag => {
                "the element has no valid tag; copy or save the file again".to_owned()
            }
            MatlabProblem::TooLong { length, most } => format!(
                "a part of {length} bytes is longer than the {most} allowed; copy or save the file again"
            ),
        }
    }
}
