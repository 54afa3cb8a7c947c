//! A report of a file as lines of text.

use isotherm::data::Binarise;
use isotherm_data::{ArrayReport, FileReport, ValueKind};

use super::{command, error, format_name, note};
use crate::words::quoted;

/// Runs of constant columns that are listed.
const LISTED: usize = 6;

/// Arrays that are listed as not usable.
const LISTED_OTHERS: usize = 6;

/// A file in a few lines.
pub(super) fn describe(report: &FileReport, binarised: bool, test: Option<&str>) -> String {
    let mut lines = vec![format!("{}: {}", report.file, format_name(report)), String::new()];
    match &report.arrays[..] {
        [one] => lines.extend(details(one, binarised, test)),
        several => {
            lines.extend(table(several));
            lines.extend(overlaps(several, test));
        }
    }
    let not_used = |it: &dyn std::fmt::Display| format!("  {:<12}{it}", "not used");
    lines.extend(report.others.iter().take(LISTED_OTHERS).map(|it| not_used(it)));
    if report.others.len() > LISTED_OTHERS {
        lines.push(not_used(&"…"));
    }
    match &report.suggestion {
        Some(suggestion) => lines.extend([String::new(), format!("  {}", command(suggestion))]),
        None if report.arrays.len() > 1 => {
            let example = report.arrays.iter().find_map(|array| array.name.as_deref());
            let example = example.map(|name| format!("{}:{name}", report.file));
            lines.push(String::new());
            lines.extend(example.map(|it| format!("  isotherm data {}", quoted(&it))));
        }
        None => {}
    }
    lines.join("\n") + "\n"
}

/// A line for each fact.
fn details(array: &ArrayReport, binarised: bool, test: Option<&str>) -> Vec<String> {
    let mut facts: Vec<(&str, String)> = Vec::new();
    let (rows, columns) = (array.rows, array.columns);
    let each = match array.dimensions.get(1..) {
        Some(inner) => {
            let sizes: Vec<String> = inner.iter().map(usize::to_string).collect();
            format!(" ({})", sizes.join(" × "))
        }
        None => String::new(),
    };
    facts.push(("shape", format!("{rows} examples × {columns} variables{each}")));
    facts.push(("type", array.kind.clone()));
    facts.extend(note(array).map(|note| ("note", note)));
    facts.push(("values", values(array)));
    if let Some(missing) = array.missing {
        let (row, column) = (missing.row, missing.column);
        let first = format!("the first in row {row}, column {column}");
        facts.push(("missing", format!("{}, {first}: fill in or remove them", missing.count)));
    }
    match array.density {
        Some(density) => {
            facts.push(("density", format!("{density:.4} ones by {}", array.binarise)))
        }
        None if array.values == ValueKind::Binary => {
            facts.push(("density", format!("{:.4} ones", array.mean)));
        }
        None => facts.push(("mean", number(array.mean))),
    }
    facts.push(("constant", constant(array)));
    let distinct = rows - array.duplicate_rows;
    facts.push((
        "duplicates",
        match array.duplicate_rows {
            0 => "none".to_owned(),
            count => {
                let (before, repeat) =
                    (before(array), if count == 1 { "row repeats" } else { "rows repeat" });
                format!("{count} {repeat} an earlier one, {distinct} are distinct{before}")
            }
        },
    ));
    if let (Some(seen), Some(test)) = (array.test_rows_seen, test) {
        let fact = match seen {
            0 => format!("no row of {test} is in it"),
            count => format!("{count} rows of {test} are in it too"),
        };
        facts.push(("overlap", fact + before(array)));
    }
    if let Some(shape) = array.shape {
        facts.push(("image", format!("{shape} pixels, judging by their values")));
    }
    facts.push(("binarise", advice(array, binarised)));
    facts.into_iter().map(|(name, fact)| format!("  {name:<12}{fact}")).collect()
}

/// Rows are compared as they are in the file.
fn before(array: &ArrayReport) -> &'static str {
    if array.values == ValueKind::Binary { "" } else { " (before binarising)" }
}

/// What each of several arrays shares with other data.
fn overlaps(arrays: &[ArrayReport], test: Option<&str>) -> Vec<String> {
    let Some(test) = test else { return Vec::new() };
    let mut lines = vec![String::new()];
    for array in arrays {
        let (name, Some(seen)) = (array.name.as_deref().unwrap_or(""), array.test_rows_seen) else {
            continue;
        };
        lines.push(format!("  {seen} rows of {test} are in {name} too{}", before(array)));
    }
    lines
}

fn values(array: &ArrayReport) -> String {
    let range = format!("from {} to {}", number(array.smallest), number(array.largest));
    match array.values {
        ValueKind::Binary => "0 and 1".to_owned(),
        ValueKind::Spins => "-1 and 1".to_owned(),
        ValueKind::Fractions => format!("grey, fractions {range}"),
        ValueKind::Bytes => format!("grey, whole numbers {range}"),
        _ => format!("numbers {range}"),
    }
}

fn constant(array: &ArrayReport) -> String {
    let columns = &array.constant_columns;
    if columns.is_empty() {
        return "no column".to_owned();
    }
    let mut listed: Vec<String> = runs(columns).into_iter().map(spelled).collect();
    if listed.len() > LISTED {
        listed.truncate(LISTED);
        listed.push("…".to_owned());
    }
    let of = array.columns;
    format!("{} of {of} columns never change: {}", columns.len(), listed.join(", "))
}

/// Runs of consecutive numbers, as first and last.
fn runs(numbers: &[usize]) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for &number in numbers {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => runs.push((number, number)),
        }
    }
    runs
}

fn spelled((first, last): (usize, usize)) -> String {
    if first == last { first.to_string() } else { format!("{first}–{last}") }
}

fn advice(array: &ArrayReport, binarised: bool) -> String {
    let rule = array.binarise;
    if let (Some(lost), false, false) = (array.lost_to_the_rule(), binarised, array.counts_rows) {
        return format!(
            "{rule} leaves {lost} of {} columns constant: leave them out (--drop), or choose a threshold \
             that separates their values",
            array.columns
        );
    }
    match array.values {
        _ if binarised => format!("{rule}, as asked"),
        _ if array.counts_rows => "no rule fits a column that counts rows".to_owned(),
        ValueKind::Binary => format!("{rule}: the values are 0 and 1"),
        ValueKind::Fractions | ValueKind::Bytes if rule == Binarise::Threshold(0.5) => {
            format!("{rule}, or static:1 or dynamic, which draw by intensity")
        }
        _ => format!("{rule}: 1 above that value"),
    }
}

/// A line for each array.
fn table(arrays: &[ArrayReport]) -> Vec<String> {
    let longest =
        arrays.iter().filter_map(|array| array.name.as_ref()).map(|name| name.len()).max();
    let width = longest.unwrap_or(0).max(5);
    let head = ["rows", "columns", "values", "mean", "constant", "duplicates"];
    let [rows, columns, values, mean, constant, duplicates] = head;
    let mut lines = vec![format!(
        "  {:<width$}  {rows:>8}  {columns:>7}  {values:<10}  {mean:>8}  {constant:>8}  {duplicates:>10}",
        "array"
    )];
    for array in arrays {
        let name = array.name.as_deref().unwrap_or("");
        lines.push(match error(array) {
            Some(error) => format!("  {name:<width$}  {error}"),
            None => format!(
                "  {name:<width$}  {:>8}  {:>7}  {:<10}  {:>8}  {:>8}  {:>10}",
                array.rows,
                array.columns,
                short(array),
                number(array.mean),
                array.constant_columns.len(),
                array.duplicate_rows
            ),
        });
    }
    lines
}

fn short(array: &ArrayReport) -> String {
    match array.values {
        ValueKind::Binary => "0, 1".to_owned(),
        ValueKind::Spins => "-1, 1".to_owned(),
        _ => format!("{} … {}", number(array.smallest), number(array.largest)),
    }
}

/// A number in at most four decimals.
fn number(value: f64) -> String {
    let text = format!("{value:.4}");
    match text.contains('.') && value.abs() < 1e15 {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => format!("{value:e}"),
    }
}
