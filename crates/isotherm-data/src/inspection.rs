//! What a file holds and how to train on it, before anyone spends an hour on it.

use std::collections::HashSet;

use serde::Serialize;

use crate::Source;
use crate::formats::inspect::{Column, Look, contents, look};
use crate::shell::quoted;
use isotherm::data::values::spelled;
use isotherm::data::{Binarise, Dataset, ImageShape, Split};
use isotherm::{Error, Result};

/// The split that is suggested, and the seed that deals it unless another is chosen.
const SPLIT: &str = "0.8/0.1/0.1";
const DATA_SEED: u64 = 1;

/// Words in the names of arrays, and the parts that they stand for.
const PARTS: [(&str, &str); 8] = [
    ("train", "train"),
    ("train", "training"),
    ("val", "val"),
    ("val", "valid"),
    ("val", "validation"),
    ("val", "dev"),
    ("test", "test"),
    ("test", "testing"),
];

/// The share of values that are neither 0 nor 1 up to which they may be mistakes.
const FEW: f64 = 0.01;

/// What a file holds.
#[derive(Clone, Debug, Serialize)]
pub struct FileReport {
    /// The file.
    pub file: String,
    /// Its format.
    pub format: String,
    /// Its arrays, or those that were asked for.
    pub arrays: Vec<ArrayReport>,
    /// Arrays that cannot be learned from, and what they are.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<String>,
    /// A command that trains on it.
    pub command: Option<String>,
}

/// What an array holds.
#[derive(Clone, Debug, Serialize)]
pub struct ArrayReport {
    /// Its name, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Why it cannot be used, if it cannot; nothing below is known then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The type of the values.
    #[serde(rename = "type")]
    pub kind: String,
    /// What was taken for granted in reading it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Examples.
    pub rows: usize,
    /// Variables.
    pub columns: usize,
    /// All dimensions, where there are more than these two.
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
    /// The density of ones after binarising, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub density: Option<f64>,
    /// Columns, numbered from 1, that have the same value in every row, after binarising if that
    /// was asked for.
    pub constant_columns: Vec<usize>,
    /// Rows that are equal to an earlier one, before binarising.
    pub duplicate_rows: usize,
    /// Missing values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<Missing>,
    /// Width and height, if the columns look like the pixels of an image.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shape: Option<ImageShape>,
    /// A binarisation that suits the values.
    pub binarise: Binarise,
    /// Rows of the test data that are in these data too, before binarising.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test_rows_seen: Option<usize>,
    /// How many columns are constant by the rule that is asked for or suggested.
    #[serde(skip)]
    constant_by_rule: usize,
    /// Whether the first column is an index of the rows, as tables are often written with.
    pub counts_rows: bool,
    /// Hashes of the rows.
    #[serde(skip)]
    hashes: Vec<u64>,
}

/// Values that are not there, or infinite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Missing {
    /// How many.
    pub count: u64,
    /// Row of the first, numbered from 1.
    pub row: usize,
    /// Column of the first, numbered from 1.
    pub column: usize,
}

/// What the values of an array are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ValueKind {
    /// Zeros and ones.
    Binary,
    /// −1 and 1.
    Spins,
    /// Fractions from 0 to 1.
    Fractions,
    /// Whole numbers from 0 to 255.
    Bytes,
    /// Anything else.
    Numbers,
}

/// Looks at a file: at the array that is named or at all of them, and at what a binarisation makes
/// of them if one is given. `test` is other data that should not be in it.
pub fn inspect(
    source: &Source,
    binarise: Option<Binarise>,
    test: Option<&Source>,
) -> Result<FileReport> {
    let found = contents(source)?;
    let alone = found.arrays.len() == 1;
    let mut arrays = Vec::new();
    for name in found.arrays {
        let array = Source { array: name.clone(), ..source.clone() };
        match report(&array, binarise) {
            Ok(report) => arrays.push(report),
            Err(error) if alone => return Err(error),
            Err(error) => arrays.push(ArrayReport::unusable(name, error.to_string())),
        }
    }
    if let Some(test) = test {
        let (name, test) = (test.name(), look(test)?);
        let (rows, width) = (test.rows, test.columns.len());
        if !arrays.iter().any(|array| array.columns == width) {
            return Err(Error::data(format!(
                "{name} has {width} columns, and nothing in {} has as many; compare data of the same width",
                source.name()
            )));
        }
        for array in arrays.iter_mut().filter(|array| array.columns == width) {
            let seen: HashSet<u64> = array.hashes.iter().copied().collect();
            array.test_rows_seen = Some(rows.iter().filter(|row| seen.contains(row)).count());
        }
    }
    let command = command(source, &arrays, binarise, test);
    let others = found.others;
    Ok(FileReport { file: source.name(), format: found.format, arrays, others, command })
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
    let known = (rows * columns) as f64 - look.missing as f64;
    let are_few = smallest == 0.0 && !look.fractions && sum < known;
    let suggestion = values.suggestion(smallest, largest, are_few);
    let counts_rows = counts_rows(&look.columns, rows);
    let constant =
        |(at, column): (usize, &Column)| (column.smallest >= column.largest).then_some(at + 1);
    let mut report = ArrayReport {
        name: source.array.clone(),
        error: None,
        kind: std::mem::take(&mut look.kind),
        note: match (counts_rows, source.left_out.is_empty()) {
            (true, true) => Some(
                "column 1 counts the rows, the others lie between 0 and 1: leave it out (--drop 1)"
                    .to_owned(),
            ),
            (true, false) => Some(
                "the first column that is left counts the rows, the others lie between 0 and 1: leave it \
                 out too"
                    .to_owned(),
            ),
            (false, _) => look.note.take().or_else(|| few_strangers(&look, known)),
        },
        rows,
        columns,
        dimensions: if look.dimensions.len() > 2 { look.dimensions.clone() } else { Vec::new() },
        values,
        smallest,
        largest,
        mean: sum / known,
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
        let Dataset::Table(table) = crate::load(source, rule.drawn_once(), 1)? else {
            return Ok(report);
        };
        let ones: u64 = table.examples.column_counts().iter().sum();
        report.density = Some(ones as f64 / (rows * columns) as f64);
        report.constant_columns = table.constant_columns().iter().map(|at| at + 1).collect();
        report.constant_by_rule = report.constant_columns.len();
        report.binarise = rule;
    }
    Ok(report)
}

impl ArrayReport {
    fn unusable(name: Option<String>, error: String) -> ArrayReport {
        ArrayReport {
            name,
            error: Some(error),
            kind: String::new(),
            note: None,
            rows: 0,
            columns: 0,
            dimensions: Vec::new(),
            values: ValueKind::Numbers,
            smallest: 0.0,
            largest: 0.0,
            mean: 0.0,
            density: None,
            constant_columns: Vec::new(),
            duplicate_rows: 0,
            missing: None,
            shape: None,
            binarise: Binarise::AsIs,
            test_rows_seen: None,
            constant_by_rule: 0,
            counts_rows: false,
            hashes: Vec::new(),
        }
    }
}

impl ArrayReport {
    /// How many columns the suggested rule leaves without a change, if some of them have one in the file. In pictures
    /// that is as it should be; in a table nobody should keep them.
    pub fn lost_to_the_rule(&self) -> Option<usize> {
        let more = self.constant_by_rule > self.constant_columns.len();
        (more && self.shape.is_none()).then_some(self.constant_by_rule)
    }
}

impl ValueKind {
    fn of(look: &Look, smallest: f64, largest: f64) -> ValueKind {
        if look.not_binary == 0 {
            ValueKind::Binary
        } else if look.not_spins == 0 {
            ValueKind::Spins
        } else if smallest >= 0.0 && largest <= 1.0 {
            ValueKind::Fractions
        } else if smallest >= 0.0 && largest <= 255.0 && !look.fractions {
            ValueKind::Bytes
        } else {
            ValueKind::Numbers
        }
    }

    /// A rule that suits such values and has some of them on either side. Of whole numbers from 0 on that `are_few`,
    /// below 1 on average, it asks whether there is one and not whether there are many.
    fn suggestion(self, smallest: f64, largest: f64, are_few: bool) -> Binarise {
        let parts = |level: f64| smallest <= level && level < largest;
        match self {
            ValueKind::Binary => Binarise::AsIs,
            ValueKind::Bytes | ValueKind::Numbers if are_few => Binarise::Threshold(0.0),
            ValueKind::Spins => Binarise::Threshold(0.0),
            ValueKind::Fractions | ValueKind::Bytes if parts(0.5 * self.full(largest)) => {
                Binarise::Threshold(0.5)
            }
            _ => {
                // The middle of the range in few digits; from 1 on it is a value, and below that a
                // share unless some values are negative.
                let middle = smallest / 2.0 + largest / 2.0;
                let least = if smallest >= 0.0 && largest > 1.0 { 1.0 } else { f64::MIN };
                let rounded = match self {
                    ValueKind::Bytes => middle.floor(),
                    _ => format!("{middle:.3e}").parse().unwrap_or(middle),
                };
                let rounded = rounded.max(least);
                let level = if parts(rounded) { rounded } else { middle.max(least) };
                Binarise::Threshold(level)
            }
        }
    }

    /// What a threshold below 1 is a share of. Bytes that stay below the middle of their range,
    /// such as 0 to 16, are not meant as shares of 255.
    fn full(self, largest: f64) -> f64 {
        match self {
            ValueKind::Bytes if largest > 127.0 => 255.0,
            ValueKind::Bytes => f64::INFINITY,
            _ => 1.0,
        }
    }

    /// Whether the suggested rule leaves a column without a change.
    fn makes_constant(self, rule: Binarise, column: &Column) -> bool {
        match rule {
            Binarise::Threshold(level) => {
                let share = self == ValueKind::Bytes && level < 1.0;
                let level = if share { level * 255.0 } else { level };
                !(column.smallest <= level && level < column.largest)
            }
            _ => column.smallest >= column.largest,
        }
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

/// A word about a few values that are neither 0 nor 1 among many that are.
fn few_strangers(look: &Look, known: f64) -> Option<String> {
    let (row, column, value) = look.first_not_binary?;
    (look.not_binary as f64 <= FEW * known).then(|| {
        format!(
            "{} of {known} values are neither 0 nor 1, the first of them {} in row {}, column {}",
            look.not_binary,
            spelled(value),
            row + 1,
            column + 1
        )
    })
}

/// Whether the first column runs from 0 or 1 through the rows beside others that are within 0 and 1. No rule
/// for all columns suits both.
fn counts_rows(columns: &[Column], rows: usize) -> bool {
    let [first, others @ ..] = columns else { return false };
    if rows < 3 || others.is_empty() {
        return false;
    }
    let runs = [0.0, 1.0].contains(&first.smallest)
        && first.largest - first.smallest == (rows - 1) as f64
        && first.sum == (first.smallest + first.largest) / 2.0 * rows as f64;
    let fractions = others.iter().all(|it| it.smallest >= 0.0 && it.largest <= 1.0);
    runs && fractions
}

/// A command that trains on a file as it should be: parts by their names, or a split.
fn command(
    source: &Source,
    arrays: &[ArrayReport],
    binarise: Option<Binarise>,
    test: Option<&Source>,
) -> Option<String> {
    let usable: Vec<&ArrayReport> =
        arrays.iter().filter(|array| array.error.is_none() && array.missing.is_none()).collect();
    let named = |part: &str| {
        let is_part = |array: &&&ArrayReport| {
            array.name.as_ref().is_some_and(|name| {
                let name = name.to_lowercase();
                let mut words = name.split(|letter: char| !letter.is_ascii_alphabetic());
                words.any(|word| PARTS.contains(&(part, word)))
            })
        };
        let mut found = usable.iter().filter(is_part);
        found.next().copied().filter(|_| found.next().is_none())
    };
    let one = match usable[..] {
        [one] => one,
        _ => named("train")?,
    };
    let spelled = |array: &ArrayReport| {
        let source = Source { array: array.name.clone(), ..source.clone() };
        quoted(&source.name())
    };
    if one.counts_rows && source.left_out.is_empty() {
        let others = source.clone().leaving_out("1".parse().ok().as_ref());
        let test = test.map(|test| Source { left_out: others.left_out.clone(), ..test.clone() });
        return inspect(&others, binarise, test.as_ref()).ok()?.command;
    }
    let lost = one.lost_to_the_rule().is_some();
    if one.constant_by_rule == one.columns || one.counts_rows || lost {
        return None;
    }
    let rule = binarise.unwrap_or(one.binarise);
    let mut constant = one.constant_by_rule > 0;
    let mut words = vec!["isotherm train".to_owned(), spelled(one)];
    let fits = |array: &&ArrayReport| {
        let readable = rule != Binarise::AsIs || array.values == ValueKind::Binary;
        usable.len() > 1 && array.columns == one.columns && readable
    };
    let (valid, held_out) = (named("val").filter(fits), named("test").filter(fits));
    words.extend(valid.map(|array| format!("--valid {}", spelled(array))));
    match (test, held_out, valid) {
        (Some(test), ..) => words.push(format!("--test {}", quoted(&test.name()))),
        (None, Some(array), _) => words.push(format!("--test {}", spelled(array))),
        (None, None, None) if one.rows >= 100 => {
            let array = Source { array: one.name.clone(), ..source.clone() };
            constant |= is_constant_in_part(&array, rule);
            words.push(format!("--split {SPLIT}"));
        }
        _ => {}
    }
    if !source.left_out.is_empty() {
        words.push(format!("--drop {}", quoted(&source.left_out.to_string())));
    }
    if rule != Binarise::AsIs {
        words.push(format!("--binarise {rule}"));
    }
    if constant {
        words.push("--constant-columns keep".to_owned());
    }
    if let Some(shape) = one.shape.filter(|shape| shape.width != shape.height) {
        words.push(format!("--shape {shape}"));
    }
    Some(words.join(" "))
}

/// Whether a column never changes in the part to learn from, once the split has dealt the rest.
fn is_constant_in_part(source: &Source, rule: Binarise) -> bool {
    let loaded = crate::load(source, rule.drawn_once(), DATA_SEED);
    let Ok(Dataset::Table(table)) = loaded else { return false };
    let split = SPLIT.parse().and_then(|split: Split| split.rows(table.examples.rows(), DATA_SEED));
    split.is_ok_and(|rows| !table.select(String::new(), &rows.train).constant_columns().is_empty())
}
