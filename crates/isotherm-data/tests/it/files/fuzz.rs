//! Damaged files of every format: no panic, little memory, an error that names file and place.

use std::sync::Mutex;

use isotherm::data::Binarise;
use isotherm::data::values::Values;
use isotherm_data::formats::read;
use isotherm_data::{Source, inspect};
use parquet::basic::{Compression, GzipLevel};

use super::memory::{ALWAYS, peak, size};
use super::writers::*;
use super::{Place, Random, random_bits};
use crate::refusal::Refusal;

/// Damaged files of each kind; `ISOTHERM_FUZZ_CASES` asks for more, `ISOTHERM_FUZZ_ONLY` for some
/// kinds only.
const CASES: usize = 400;

/// Panics of all threads, those that were caught too.
static PANICS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Whole files of every kind, with the name of an array where there are several.
fn originals() -> Vec<(&'static str, Vec<u8>, Option<&'static str>)> {
    let rows = random_bits(9, 70, 5);
    let few = random_bits(3, 4, 6);
    let two = [("x", &rows[..]), ("other", &few[..])];
    vec![
        ("npy", npy(&rows), None),
        ("npz", npz(&two, true), Some("x")),
        ("stored npz", npz(&two, false), Some("x")),
        ("idx", idx(&[9, 7, 10], &rows.concat()), None),
        ("mat", matlab(&two, Stored::Doubles, false), Some("x")),
        ("packed mat", matlab(&two, Stored::Bytes, true), Some("x")),
        ("csv", text(&rows, ",", true), None),
        ("tsv", text(&few, "\t", false), None),
        ("spaces", text(&rows, "   ", false), None),
        ("parquet", parquet(&few, Columns::Integers, Compression::UNCOMPRESSED), None),
        ("parquet, snappy", parquet(&rows, Columns::Booleans, Compression::SNAPPY), None),
        (
            "parquet, lists",
            parquet(&rows, Columns::Lists, Compression::GZIP(GzipLevel::default())),
            None,
        ),
    ]
}

/// A file with something wrong in it.
fn damaged(original: &[u8], random: &mut Random) -> Vec<u8> {
    let mut file = original.to_vec();
    // Headers are where damage does most harm, and a Parquet or zip file's are at its end.
    let edge = file.len().min(300);
    let place = |random: &mut Random, len: usize| match random.below(3) {
        0 => random.below(edge),
        1 => len - 1 - random.below(edge.min(len)),
        _ => random.below(len),
    };
    for _ in 0..1 + random.below(3) {
        let at = place(random, file.len()).min(file.len() - 1);
        match random.below(8) {
            0 => file.truncate(at.max(1)),
            1 | 2 => file[at] ^= 1 << random.below(8),
            3 => file[at] = random.next() as u8,
            4 => {
                let words: [u32; 6] = [0, u32::MAX, i32::MAX as u32, 1 << 31, 1 << 20, 0x01ff_ffff];
                let word = words[random.below(6)];
                let bytes =
                    if random.below(2) == 0 { word.to_le_bytes() } else { word.to_be_bytes() };
                let end = (at + 4).min(file.len());
                file[at..end].copy_from_slice(&bytes[..end - at]);
            }
            5 => {
                let end = (at + 1 + random.below(20)).min(file.len());
                file.drain(at..end);
            }
            6 => {
                let end = (at + 1 + random.below(40)).min(file.len());
                let copy = file[at..end].to_vec();
                file.splice(at..at, copy);
            }
            _ => {
                let pieces: [&[u8]; 8] = [
                    b"\"",
                    b"99999999999",
                    b"\n",
                    b",",
                    b"-",
                    b"\x00",
                    b"nan",
                    b"\xff\xff\xff\xff\x0f",
                ];
                file.splice(at..at, pieces[random.below(8)].iter().copied());
            }
        }
        if file.is_empty() {
            file.push(0);
        }
    }
    file
}

/// Words by which an error without a place names the part that is wrong; the whole file is one if nothing
/// in it can be read.
const PLACES: [&str; 12] = [
    "array ",
    "header",
    "zip file",
    "Parquet file",
    "IDX file",
    "the format is not recognised",
    "ends too early",
    "the file is damaged",
    "no values in the file",
    "gzipped",
    "more than 500 times",
    "arrays",
];

/// An error names the file and the place in it, in one line.
fn check_message(source: &Source, error: &isotherm::Error, what: &str) {
    let path = source.path.display().to_string();
    let Refusal { source, place, words: message, .. } = Refusal::of(error);
    assert_eq!(source, path, "{what}: {message}");
    let why = message.replace(&path, "");
    let has_place = !place.is_empty() || PLACES.iter().any(|word| why.contains(word));
    assert!(has_place, "{what}: {message}");
    assert!(!message.chars().any(char::is_control), "{message:?}");
    assert!(message.chars().count() < 500, "{message}");
}

fn check(place: &Place, kind: &str, content: &[u8], array: Option<&str>, case: usize) -> bool {
    let source = place.source("data", content, array);
    let rules = [Binarise::AsIs, Binarise::Threshold(0.5), Binarise::Static(1), Binarise::Dynamic];
    let rule = rules[case % 4];
    let (result, most) = peak(|| read(&source, rule));
    let allowed = 2 * content.len().max(size(&result)) + ALWAYS;
    assert!(most <= allowed, "{kind}, case {case}: {most} bytes for a file of {}", content.len());
    match &result {
        Ok(Values::Bits(bits)) => assert!(bits.rows() > 0 && bits.cols() > 0),
        Ok(Values::Grey(grey)) => assert!(grey.rows() > 0),
        Err(error) => check_message(&source, error, &format!("{kind}, case {case}")),
    }
    // Looking at a file must survive what reading it survives.
    if case.is_multiple_of(5)
        && let Err(error) = inspect(&source, None, None)
    {
        check_message(&source, &error, &format!("{kind}, case {case}, looked at"));
    }
    let panics = PANICS.lock().unwrap().clone();
    assert!(panics.is_empty(), "{kind}, case {case}: {panics:?}");
    result.is_ok()
}

#[test]
fn damaged_files_of_every_format_are_refused_in_good_order() {
    std::panic::set_hook(Box::new(|info| {
        let here = std::thread::current().name().is_some_and(|name| name.contains("fuzz"));
        let is_assertion = info.location().is_some_and(|it| it.file().contains("tests/it/"));
        if here && !is_assertion {
            PANICS.lock().unwrap().push(info.to_string());
        } else {
            eprintln!("{info}");
        }
    }));
    let place = Place::new();
    let cases = std::env::var("ISOTHERM_FUZZ_CASES").map_or(CASES, |text| text.parse().unwrap());
    let (mut good, mut bad) = (0, 0);
    let only = std::env::var("ISOTHERM_FUZZ_ONLY").unwrap_or_default();
    for (number, (kind, original, array)) in originals().into_iter().enumerate() {
        if !kind.contains(&only) {
            continue;
        }
        assert!(check(&place, kind, &original, array, 0), "{kind} itself");
        let mut random = Random(1000 + number as u64);
        for case in 0..cases {
            let inner = damaged(&original, &mut random);
            let content = match case % 8 {
                // Damaged and gzipped, gzipped and damaged, gzipped twice.
                5 => gzip(&inner),
                6 => damaged(&gzip(&original), &mut random),
                7 if case % 16 == 7 => gzip(&gzip(&inner)),
                _ => inner,
            };
            match check(&place, kind, &content, array, case) {
                true => good += 1,
                false => bad += 1,
            }
        }
    }
    // Both happen: damage to a value leaves a file, damage to a header does not.
    let enough = good > 200 && bad > 2000 || !only.is_empty();
    assert!(enough, "{good} read, {bad} refused");
}

/// Headers that promise more than there is, in every format that has one.
#[test]
fn huge_shapes_are_refused_at_once() {
    let place = Place::new();
    let rows = random_bits(9, 70, 5);
    let mut cases: Vec<(&str, Vec<u8>)> = Vec::new();
    for sizes in [[u32::MAX, u32::MAX], [1 << 31, 2], [9, u32::MAX], [0, 7], [1 << 20, 1 << 20]] {
        let mut file = idx(&[9, 70], &rows.concat());
        file[4..12].copy_from_slice(&sizes.map(u32::to_be_bytes).concat());
        cases.push(("idx", file));
        let mut file = matlab(&[("x", &rows)], Stored::Bytes, false);
        // header 128, matrix tag 8, flags 16, tag of the dimensions 8
        file[160..168].copy_from_slice(&sizes.map(u32::to_le_bytes).concat());
        cases.push(("mat", file));
    }
    let mut eight = vec![0, 0, 8, 8];
    eight.extend([0xff; 32]);
    cases.push(("idx of eight dimensions", eight));
    for (kind, content) in cases {
        for content in [gzip(&content), content] {
            assert!(!check(&place, kind, &content, None, 0), "{kind}");
        }
    }
}
