//! Refusals by their typed causes.

use isotherm::Error;
use isotherm::data::values::ValueProblem;
use isotherm::data::{DataError, DataProblem, Place, located};
use isotherm_data::{FileError, FileProblem};

/// A file that cannot be read, or a value in it that cannot be used.
#[derive(Clone, Debug)]
pub(crate) enum Problem {
    File(FileProblem),
    Data(DataProblem),
}

/// Problems of values are compared by what they show, so that NaN equals NaN.
impl PartialEq for Problem {
    fn eq(&self, other: &Problem) -> bool {
        match (self, other) {
            (Problem::File(a), Problem::File(b)) => a == b,
            (Problem::Data(a), Problem::Data(b)) => format!("{a:?}") == format!("{b:?}"),
            _ => false,
        }
    }
}

impl<P: Into<FileProblem>> From<P> for Problem {
    fn from(problem: P) -> Problem {
        Problem::File(problem.into())
    }
}

/// The cause of an error, and its words.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    pub(crate) source: String,
    pub(crate) place: Vec<Place>,
    pub(crate) problem: Problem,
    pub(crate) words: String,
}

impl Refusal {
    /// Of an error about data, whose words must name the source and the place.
    pub(crate) fn of(error: &Error) -> Refusal {
        assert!(error.kind() == isotherm::Kind::Data, "{error}");
        let words = error.to_string();
        let (source, place, problem) = match (error.cause(), error.cause()) {
            (Some(FileError { file, place, problem, .. }), _) => {
                (file, place, Problem::File(problem.clone()))
            }
            (_, Some(DataError { source, place, problem, .. })) => {
                (source, place, Problem::Data(problem.clone()))
            }
            _ => panic!("not typed: {error}"),
        };
        let located = format!("{}: ", located(source, place));
        assert!(words.starts_with(&located), "{words} does not begin with {located}");
        Refusal { source: source.clone(), place: place.clone(), problem, words }
    }

    /// The same, of a result that must be an error.
    pub(crate) fn from<T>(result: isotherm::Result<T>) -> Refusal {
        match result {
            Ok(_) => panic!("it should have been refused"),
            Err(error) => Refusal::of(&error),
        }
    }

    /// Asserts that the words have all these parts.
    pub(crate) fn says(&self, parts: &[&str]) {
        assert!(parts.iter().all(|part| self.words.contains(part)), "{parts:?}: {}", self.words);
    }
}

/// A value, as the file has it, that is neither 0 nor 1.
pub(crate) fn not_binary(text: &str, value: f64) -> Problem {
    let problem = ValueProblem::NotBinary { value };
    Problem::Data(DataProblem::Value { text: text.to_owned(), problem })
}

/// A line and a column of text.
pub(crate) fn at_line(line: u64, column: usize) -> Vec<Place> {
    vec![Place::Line(line), Place::Column(column)]
}

/// A row and a column of a matrix.
pub(crate) fn at_row(row: usize, column: usize) -> Vec<Place> {
    vec![Place::Row(row), Place::Column(column)]
}
