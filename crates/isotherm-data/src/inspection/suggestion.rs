//! How to train on a file: which part of it, and with which options.

use super::{ArrayReport, ValueKind, inspect};
use crate::Source;
use isotherm::data::name;
use isotherm::data::{Binarise, Split};
use isotherm::{OptionName, options};

/// The split that is suggested, and the seed that deals it by default.
const SPLIT: &str = "0.8/0.1/0.1";
const DATA_SEED: u64 = 1;

/// The examples that are enough for a split.
const ENOUGH_TO_SPLIT: usize = 100;

/// Words in the names of arrays, and the parts that they stand for.
const PARTS: [(&str, &str); 8] = [
    ("train", "train"),
    ("train", "training"),
    ("valid", "val"),
    ("valid", "valid"),
    ("valid", "validation"),
    ("valid", "dev"),
    ("test", "test"),
    ("test", "testing"),
];

/// A way to train on a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Suggestion {
    /// The file or the array in it to train on, as [`Source::parse`] reads it.
    pub data: String,
    /// Names and values of options, as a configuration has them.
    pub options: Vec<(OptionName, String)>,
}

/// Suggests how to train on a file: on parts by their names, or on a split.
pub(super) fn suggest(
    source: &Source,
    arrays: &[ArrayReport],
    binarise: Option<Binarise>,
    test: Option<&Source>,
) -> Option<Suggestion> {
    let usable: Vec<&ArrayReport> =
        arrays.iter().filter(|array| array.error.is_none() && array.missing.is_none()).collect();
    let one = match usable[..] {
        [one] => one,
        _ => named(&usable, "train")?,
    };
    if one.counts_rows && source.left_out.is_empty() {
        let others = source.clone().leaving_out("1".parse().ok().as_ref());
        let test = test.map(|test| Source { left_out: others.left_out.clone(), ..test.clone() });
        return inspect(&others, binarise, test.as_ref()).ok()?.suggestion;
    }
    if one.constant_by_rule == one.columns || one.counts_rows || one.lost_to_the_rule().is_some() {
        return None;
    }
    let of = |array: &ArrayReport| Source { array: array.name.clone(), ..source.clone() };
    let rule = binarise.unwrap_or(one.binarise);
    let mut has_constant = one.constant_by_rule > 0;
    let fits = |array: &&ArrayReport| {
        let is_readable = rule != Binarise::AsIs || array.values == ValueKind::Binary;
        usable.len() > 1 && array.columns == one.columns && is_readable
    };
    let part = |part: &str| named(&usable, part).filter(fits);
    let mut options = Vec::new();
    let (valid, held_out) = (part("valid"), part("test"));
    options.extend(valid.map(|array| (name::valid, of(array).name())));
    match (test, held_out, valid) {
        (Some(test), ..) => options.push((name::test, test.name())),
        (None, Some(array), _) => options.push((name::test, of(array).name())),
        (None, None, None) if one.rows >= ENOUGH_TO_SPLIT => {
            has_constant |= is_constant_in_part(&of(one), rule);
            options.push((name::split, SPLIT.to_owned()));
        }
        _ => {}
    }
    if !source.left_out.is_empty() {
        options.push((name::drop, source.left_out.to_string()));
    }
    if rule != Binarise::AsIs {
        options.push((name::binarise, rule.to_string()));
    }
    if has_constant {
        options.push((name::constant_columns, "keep".to_owned()));
    }
    if let Some(shape) = one.shape.filter(|shape| shape.width != shape.height) {
        options.push((options::name::shape, shape.to_string()));
    }
    Some(Suggestion { data: of(one).name(), options })
}

/// The only array whose name says that it is a part.
fn named<'a>(arrays: &[&'a ArrayReport], part: &str) -> Option<&'a ArrayReport> {
    let is_part = |array: &&&ArrayReport| {
        array.name.as_ref().is_some_and(|name| {
            let name = name.to_lowercase();
            let mut words = name.split(|letter: char| !letter.is_ascii_alphabetic());
            words.any(|word| PARTS.contains(&(part, word)))
        })
    };
    let mut found = arrays.iter().filter(is_part);
    found.next().copied().filter(|_| found.next().is_none())
}

/// Whether some column is constant in the training part of the suggested split.
fn is_constant_in_part(source: &Source, rule: Binarise) -> bool {
    let loaded = crate::load(source, rule.drawn_once(), DATA_SEED);
    let Ok(data) = loaded else { return false };
    let Some(rows) = data.examples() else { return false };
    let split = SPLIT.parse().and_then(|it: Split| it.rows(data.name(), rows, DATA_SEED));
    let train = split.ok().and_then(|rows| data.select("", &rows.train));
    train.is_some_and(|train| !train.constant_columns().is_empty())
}
