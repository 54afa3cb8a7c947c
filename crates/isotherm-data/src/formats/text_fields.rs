//! The fields of a text, one after the other.

use std::io::Read;

use csv_core::{ReadFieldResult, Reader, ReaderBuilder, Terminator};

use super::origin::Origin;
use crate::problems::{Separator, TextProblem};
use isotherm::data::Place;
use isotherm::data::values::ValueProblem;
use isotherm::{Error, Result};

/// Bytes of a field that are kept. No number is longer.
const KEPT: usize = 512;

/// The fields of a text, one at a time and none held longer.
pub(super) struct Fields<'a, R> {
    pub(super) origin: &'a Origin<'a>,
    separator: Separator,
    reader: Reader,
    input: R,
    chunk: Vec<u8>,
    from: usize,
    until: usize,
    ended: bool,
    /// The field, as far as it is kept.
    field: Vec<u8>,
    /// The line in which it begins.
    pub(super) line: u64,
}

impl<'a, R: Read> Fields<'a, R> {
    pub(super) fn new(
        origin: &'a Origin<'a>,
        byte: u8,
        input: R,
        separator: Separator,
    ) -> Fields<'a, R> {
        // Only a newline ends a record, so that the line count is exact for CRLF too; the carriage
        // return is trimmed with the spaces.
        let reader = ReaderBuilder::new()
            .delimiter(byte)
            .terminator(Terminator::Any(b'\n'))
            .comment(Some(b'#'))
            .build();
        let (chunk, field) = (vec![0; 1 << 15], Vec::with_capacity(KEPT));
        let (from, until, ended) = (0, 0, false);
        Fields { origin, separator, reader, input, chunk, from, until, ended, field, line: 1 }
    }

    /// Moves to the next field and returns whether it ends its record; nothing at the end.
    pub(super) fn advance(&mut self) -> Result<Option<bool>> {
        self.field.clear();
        let (mut piece, mut newlines) = ([0; KEPT], 0);
        loop {
            if self.from == self.until && !self.ended {
                self.refill()?;
            }
            let input = &self.chunk[self.from..self.until];
            let at_end = input.is_empty();
            let (result, used, written) = self.reader.read_field(input, &mut piece);
            self.from += used;
            newlines += piece[..written].iter().filter(|&&byte| byte == b'\n').count() as u64;
            let room = KEPT - self.field.len();
            self.field.extend_from_slice(&piece[..written.min(room)]);
            match result {
                ReadFieldResult::InputEmpty | ReadFieldResult::OutputFull => {}
                ReadFieldResult::End => return Ok(None),
                ReadFieldResult::Field { record_end } => {
                    // The last field of the file may have no newline after it.
                    let passed = newlines + u64::from(record_end && !at_end);
                    self.line = self.reader.line().saturating_sub(passed).max(1);
                    return Ok(Some(record_end));
                }
            }
        }
    }

    fn refill(&mut self) -> Result<()> {
        let read = self.input.read(&mut self.chunk).map_err(|error| self.origin.io(error))?;
        (self.from, self.until) = (0, read);
        if read == 0 {
            // With a newline added, every record outside an open quote ends with one.
            self.chunk[0] = b'\n';
            (self.until, self.ended) = (1, true);
        }
        Ok(())
    }

    fn trimmed(&self) -> &[u8] {
        self.field.trim_ascii()
    }

    pub(super) fn is_blank(&self) -> bool {
        self.trimmed().is_empty()
    }

    /// Whether it is not text.
    pub(super) fn is_odd(&self) -> bool {
        text(&self.field).is_err()
    }

    /// The text of the field without the spaces around it, if it is text.
    pub(super) fn text(&self) -> Option<&str> {
        text(&self.field).ok()
    }

    /// Whether it stands for a missing value.
    pub(super) fn is_missing(&self) -> bool {
        ["", "na", "n/a", "null", "none", "?"].iter().any(|missing| self.is(missing))
    }

    /// Whether it is true or false in words, as R and pandas write them.
    pub(super) fn is_truth(&self) -> bool {
        self.is("true") || self.is("false")
    }

    /// Whether it is this word, in capitals or not.
    fn is(&self, word: &str) -> bool {
        self.trimmed().eq_ignore_ascii_case(word.as_bytes())
    }

    /// Whether it is a row of zeros and ones with nothing between them.
    pub(super) fn is_a_row_of_digits(&self) -> bool {
        let digits = self.trimmed();
        digits.len() > 1 && digits.iter().all(|byte| matches!(byte, b'0' | b'1'))
    }

    /// The value of the field, or why it has none.
    pub(super) fn parse(&self) -> std::result::Result<f64, TextProblem> {
        match self.field.as_slice() {
            b"0" => return Ok(0.0),
            b"1" => return Ok(1.0),
            _ => {}
        }
        let text = text(&self.field)?;
        match text.parse::<f64>() {
            Ok(value) if self.field.len() < KEPT => Ok(value),
            _ if self.is("true") => Ok(1.0),
            _ if self.is("false") => Ok(0.0),
            _ if text.is_empty() => Err(TextProblem::EmptyField),
            _ => {
                let (text, separator) = (text.to_owned(), self.separator);
                Err(TextProblem::NotNumber { text, separator })
            }
        }
    }

    /// The field without the spaces around it, as far as it is text.
    pub(super) fn lossy(&self) -> String {
        String::from_utf8_lossy(self.trimmed()).into_owned()
    }

    fn place(&self, col: usize) -> Vec<Place> {
        vec![Place::Line(self.line), Place::Column(col + 1)]
    }

    pub(super) fn refuse(&self, col: usize, problem: TextProblem) -> Error {
        self.origin.refuse_at(self.place(col), problem)
    }

    pub(super) fn refuse_value(&self, col: usize, problem: ValueProblem) -> Error {
        match self.is_blank() {
            true => self.refuse(col, TextProblem::EmptyField),
            false => self.origin.refuse_value(self.place(col), self.lossy(), problem),
        }
    }
}

/// The text of a field without the spaces around it.
fn text(field: &[u8]) -> std::result::Result<&str, TextProblem> {
    std::str::from_utf8(field).map(str::trim).or_else(|error| {
        // A field that is too long may be cut inside a character.
        let cut = field.len() == KEPT && error.error_len().is_none();
        let good = std::str::from_utf8(&field[..error.valid_up_to()]);
        good.ok().filter(|_| cut).map(str::trim).ok_or_else(|| TextProblem::NotUtf8 {
            text: String::from_utf8_lossy(field).into_owned(),
        })
    })
}
