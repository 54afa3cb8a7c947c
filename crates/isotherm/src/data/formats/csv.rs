//! Comma-separated text.

use std::io::{BufRead, Read};

use ::csv::{ByteRecord, Reader, ReaderBuilder, Terminator};

use super::visitor::Visitor;
use super::{Origin, shown};
use crate::{Error, Result};

/// Characters of a bad value that a message shows.
const SHOWN: usize = 24;

/// Visits rows of values; a first row without any number is a header.
pub(super) fn read(
    origin: &Origin,
    input: &mut dyn BufRead,
    visitor: &mut dyn Visitor,
) -> Result<()> {
    // With the newline added, every record outside an open quote ends with one.
    let mut rows = Rows::new(origin, input.chain(&b"\n"[..]));
    if !rows.advance()? {
        return Err(origin.refuse("there are no values in the file; write rows of 0 and 1"));
    }
    visitor.kind("text");
    let (width, first_line) = (rows.record.len(), rows.line());
    let mut more = if rows.is_header()? { rows.advance()? } else { true };
    let mut row = 0;
    while more {
        rows.check_width(width, first_line)?;
        for (col, field) in rows.record.iter().enumerate() {
            let value = parse(field).map_err(|why| rows.refuse(col, why))?;
            visitor.value(row, col, value).map_err(|why| {
                let text = shown(&String::from_utf8_lossy(field.trim_ascii()), SHOWN);
                rows.refuse(col, format!("{text} {why}"))
            })?;
        }
        row += 1;
        more = rows.advance()?;
    }
    if row == 0 {
        let why = "there is a header but no row of values; write rows of 0 and 1 between commas";
        return Err(origin.refuse(why));
    }
    Ok(())
}

/// The records of a file that are not blank, one at a time.
struct Rows<'a, R> {
    origin: &'a Origin<'a>,
    reader: Reader<R>,
    record: ByteRecord,
    /// The line after the previous record.
    start: u64,
}

impl<'a, R: Read> Rows<'a, R> {
    fn new(origin: &'a Origin<'a>, input: R) -> Rows<'a, R> {
        // Only a newline ends a record, so that the reader's line count is exact for CRLF too; the
        // carriage return is trimmed with the spaces.
        let mut reader = ReaderBuilder::new()
            .flexible(true)
            .terminator(Terminator::Any(b'\n'))
            .from_reader(input);
        // Headers are told apart here. With one set, the reader keeps no copy of the first record.
        reader.set_byte_headers(ByteRecord::new());
        Rows { origin, reader, record: ByteRecord::new(), start: 1 }
    }

    /// Moves to the next record, if there is one.
    fn advance(&mut self) -> Result<bool> {
        loop {
            self.start = self.reader.position().line();
            match self.reader.read_byte_record(&mut self.record) {
                Ok(true) if is_blank(&self.record) => {}
                Ok(more) => return Ok(more),
                Err(error) => return Err(self.failed(error)),
            }
        }
    }

    fn failed(&self, error: ::csv::Error) -> Error {
        match error.into_kind() {
            ::csv::ErrorKind::Io(error) => self.origin.io(&error),
            other => self.origin.refuse(shown(&format!("{other:?}"), 80)),
        }
    }

    /// The line of the record.
    ///
    /// `Position::line` of the record itself counts from the blank lines before it. A record of
    /// several lines has an open quote, and where it starts is what matters.
    fn line(&self) -> u64 {
        let several = self.record.as_slice().contains(&b'\n');
        if several { self.start } else { self.reader.position().line().saturating_sub(1) }
    }

    /// Whether the record holds names: some text and no number.
    fn is_header(&self) -> Result<bool> {
        let mut some_text = false;
        for (col, field) in self.record.iter().enumerate() {
            let text = text(field).map_err(|why| self.refuse(col, why))?;
            if text.parse::<f64>().is_ok() {
                return Ok(false);
            }
            some_text |= !text.is_empty();
        }
        Ok(some_text)
    }

    fn check_width(&self, width: usize, first_line: u64) -> Result<()> {
        let len = self.record.len();
        if len == width {
            return Ok(());
        }
        let why = format!("the row has {len} value(s), but line {first_line} has {width}");
        let remedy = "give every row as many";
        Err(self.refuse(len.min(width), format!("{why}; {remedy}")))
    }

    fn refuse(&self, col: usize, why: String) -> Error {
        self.origin.refuse_at(format!("line {}, column {}", self.line(), col + 1), why)
    }
}

fn is_blank(record: &ByteRecord) -> bool {
    record.len() == 1 && record.as_slice().trim_ascii().is_empty()
}

/// The value of a field, or why it has none.
fn parse(field: &[u8]) -> std::result::Result<f64, String> {
    match field {
        b"0" => return Ok(0.0),
        b"1" => return Ok(1.0),
        _ => {}
    }
    let text = text(field)?;
    match text.parse::<f64>() {
        Ok(value) => Ok(value),
        Err(_) if text.is_empty() => {
            Err("the field is empty; fill in or remove missing values".to_owned())
        }
        Err(_) => {
            let remedy = match text.contains([';', '\t', ' ']) {
                true => "separate the values by commas",
                false => "write only 0 and 1 between commas",
            };
            Err(format!("\"{}\" is not a number; {remedy}", shown(text, SHOWN)))
        }
    }
}

/// A field's text without the spaces around it.
fn text(field: &[u8]) -> std::result::Result<&str, String> {
    std::str::from_utf8(field).map(str::trim).map_err(|_| {
        let start = String::from_utf8_lossy(field.get(..4 * SHOWN).unwrap_or(field));
        format!("\"{}\" is not UTF-8 text; save the file as UTF-8", shown(&start, SHOWN))
    })
}
