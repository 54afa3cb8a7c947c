//! Numbers as text: separated by commas, semicolons, tabs or spaces, with or without a header.

use std::io::Read;

use super::collapse_spaces::CollapseSpaces;
use super::input::Input;
use super::text_fields::Fields;
use crate::problems::{FileProblem, Separator, TextProblem};
use isotherm::Result;
use isotherm::data::values::Visitor;
use isotherm::data::{Assumption, LeftOut};

/// The separator of a text that begins like this, by its first line.
pub(super) fn separator(head: &[u8]) -> Separator {
    let line = head
        .split(|&byte| byte == b'\n')
        .map(<[u8]>::trim_ascii)
        .find(|line| !line.is_empty() && !line.starts_with(b"#"))
        .unwrap_or_default();
    if line.contains(&b',') {
        Separator::Comma
    } else if line.contains(&b';') {
        Separator::Semicolon
    } else if line.contains(&b'\t') && !is_aligned(line) {
        Separator::Tab
    } else if line.contains(&b'\t') || line.contains(&b' ') {
        Separator::Spaces
    } else {
        Separator::Comma
    }
}

/// Whether a line with tabs is a table that was aligned by hand: it has only numbers, some of them with
/// only spaces between them.
fn is_aligned(line: &[u8]) -> bool {
    let number =
        |field: &[u8]| std::str::from_utf8(field).is_ok_and(|text| text.parse::<f64>().is_ok());
    let mut fields = line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty());
    let mut cells = line.split(|&byte| byte == b'\t').map(<[u8]>::trim_ascii);
    fields.all(number) && cells.any(|cell| cell.contains(&b' '))
}

/// What the first row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FirstRow {
    Values,
    /// Names of the columns.
    Names,
    /// Numbers of the columns, which pandas writes for columns without names.
    Numbers,
}

/// Columns that are left out by the name that the first row gives them.
pub(super) fn columns_named(input: &Input, left_out: &LeftOut) -> Result<Vec<(String, usize)>> {
    let mut fields = fields(input, separator(&input.head))?;
    let (mut named, mut col) = (Vec::new(), 0);
    while let Some(record_end) = fields.advance()? {
        if col == 0 && record_end && fields.is_blank() {
            continue;
        }
        if let Some(name) = fields.text().filter(|name| left_out.has_name(name)) {
            named.push((name.to_owned(), col));
        }
        col += 1;
        if record_end {
            break;
        }
    }
    Ok(named)
}

/// Visits rows of values. The first row is a header if it has no number, if it counts the columns, or if
/// columns are left out by name; lines that begin with `#` are comments.
pub(super) fn read(input: &Input, left_out: &LeftOut, visitor: &mut dyn Visitor) -> Result<()> {
    let separator = separator(&input.head);
    visitor.kind(&format!("text between {}", separator.plural()));
    let first = match left_out.names().next() {
        Some(_) => FirstRow::Names,
        None => first_row(&mut fields(input, separator)?, visitor)?,
    };
    if first == FirstRow::Numbers {
        visitor.assumed(Assumption::NumberedHeader);
    }
    visit(fields(input, separator)?, first, visitor)
}

fn fields<'a>(input: &'a Input, separator: Separator) -> Result<Fields<'a, Box<dyn Read>>> {
    let text = input.open()?;
    let (byte, text): (u8, Box<dyn Read>) = match separator {
        Separator::Comma => (b',', Box::new(text)),
        Separator::Semicolon => (b';', Box::new(text)),
        Separator::Tab => (b'\t', Box::new(text)),
        Separator::Spaces => (b',', Box::new(CollapseSpaces::new(text))),
    };
    Ok(Fields::new(&input.origin, byte, text, separator))
}

/// Reads the first row as far as is needed to classify it.
fn first_row<R: Read>(fields: &mut Fields<'_, R>, visitor: &dyn Visitor) -> Result<FirstRow> {
    // Columns so far, and those of them that are used.
    let (mut col, mut kept) = (0u32, 0u32);
    let (mut words, mut numbers, mut blank) = (false, false, false);
    // Whether the numbers may be those of the columns, counted from 0 or from 1: of all columns, or of
    // those that are used, beside others without a number.
    let (mut of_all, mut of_kept) = ([true; 2], [true; 2]);
    while let Some(record_end) = fields.advance()? {
        if col == 0 && record_end && fields.is_blank() {
            continue;
        }
        if col == 0 && record_end && fields.is_a_row_of_digits() {
            return Err(fields.refuse(0, TextProblem::NoSeparators { text: fields.lossy() }));
        }
        let is = |place: u32, value: f64| [0.0, 1.0].map(|from| value == f64::from(place) + from);
        let narrow = |them: &mut [bool; 2], by: [bool; 2]| {
            them.iter_mut().zip(by).for_each(|(it, by)| *it &= by);
        };
        let wanted = visitor.wants(col as usize);
        match fields.parse() {
            Ok(value) if !wanted => {
                narrow(&mut of_all, is(col, value));
                of_kept = [false; 2];
            }
            Err(_) if !wanted => blank |= fields.is_blank(),
            // A value, unless there is a name beside it.
            Ok(_) if fields.is_truth() => (of_all, of_kept) = ([false; 2], [false; 2]),
            Ok(value) => {
                numbers = true;
                narrow(&mut of_all, is(col, value));
                narrow(&mut of_kept, is(kept, value));
            }
            Err(problem) if fields.is_odd() => return Err(fields.refuse(col as usize, problem)),
            Err(_) => {
                (of_all, of_kept) = ([false; 2], [false; 2]);
                words |= !fields.is_missing();
            }
        }
        if numbers && !of_all.iter().chain(&of_kept).any(|&it| it) {
            return Ok(FirstRow::Values);
        }
        col = col.saturating_add(1);
        kept += u32::from(wanted);
        if record_end {
            break;
        }
    }
    Ok(match (words, numbers) {
        (true, false) => FirstRow::Names,
        // Two columns of zeros and ones often begin with 0 and 1, but not beside an empty field.
        (false, true) if kept >= 3 || (kept == 2 && blank) => FirstRow::Numbers,
        _ => FirstRow::Values,
    })
}

fn visit<R: Read>(
    mut fields: Fields<'_, R>,
    first: FirstRow,
    visitor: &mut dyn Visitor,
) -> Result<()> {
    let origin = fields.origin;
    let mut header = first != FirstRow::Values;
    // Those of the first row, once it has been read.
    let (mut width, mut first_line) = (0, 0);
    let (mut row, mut col) = (0, 0);
    while let Some(record_end) = fields.advance()? {
        if col == 0 && record_end && fields.is_blank() {
            continue;
        }
        if !header {
            let expected = width == 0 || col < width;
            let value = match fields.parse() {
                _ if !visitor.wants(col) => f64::NAN,
                // Some visitors count missing values.
                Err(_) if fields.is_missing() && expected => f64::NAN,
                parsed => parsed.map_err(|problem| fields.refuse(col, problem))?,
            };
            if expected {
                visitor
                    .value(row, col, value)
                    .map_err(|problem| fields.refuse_value(col, problem))?;
            }
        }
        col += 1;
        if !record_end {
            continue;
        }
        if width == 0 {
            (width, first_line) = (col, fields.line);
        } else if col != width {
            let problem = TextProblem::RowLength { values: col, expected: width, first_line };
            return Err(fields.refuse(col.min(width), problem));
        }
        row += usize::from(!header);
        (header, col) = (false, 0);
    }
    if width == 0 {
        return Err(origin.refuse(FileProblem::NoValues));
    }
    if row == 0 {
        return Err(origin.refuse(TextProblem::HeaderOnly));
    }
    Ok(())
}
