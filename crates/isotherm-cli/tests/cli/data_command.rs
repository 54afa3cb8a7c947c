//! `isotherm data`: what a file holds.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::common::*;

fn data(file: &Path, more: &str) -> Vec<String> {
    let mut arguments = vec!["data".to_owned(), text(file)];
    arguments.extend(words(more));
    arguments
}

fn json(file: &Path, more: &str) -> Value {
    serde_json::from_str(&succeed(data(file, &format!("{more} --json")))).unwrap()
}

/// The fact that stands behind a name.
fn fact<'a>(printed: &'a str, name: &str) -> &'a str {
    let line = printed.lines().find(|line| line.trim_start().starts_with(name));
    line.unwrap_or_else(|| panic!("no {name} in {printed}")).trim_start()[name.len()..].trim()
}

#[test]
fn a_table_of_zeros_and_ones() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("votes.csv");
    fs::write(&file, "a,b,c,d\n0,1,0,1\n1,1,0,1\n0,1,0,0\n0,1,0,1\n").unwrap();
    let other = folder.path().join("other.csv");
    fs::write(&other, "0,1,0,1\n1,1,1,1\n1,1,0,1\n").unwrap();
    let printed = succeed(data(&file, &format!("--test {}", text(&other))));
    assert_eq!(fact(&printed, "shape"), "4 examples × 4 variables");
    assert_eq!(fact(&printed, "values"), "0 and 1");
    assert_eq!(fact(&printed, "density"), "0.5000 ones");
    assert_eq!(fact(&printed, "constant"), "2 of 4 columns never change: 2–3");
    assert_eq!(fact(&printed, "duplicates"), "1 row repeats an earlier one, 3 are distinct");
    assert_eq!(fact(&printed, "overlap"), format!("2 rows of {} are in it too", text(&other)));
    let report = json(&file, &format!("--test {}", text(&other)));
    let array = &report["arrays"][0];
    assert_eq!((array["rows"].as_u64(), array["columns"].as_u64()), (Some(4), Some(4)));
    assert_eq!(array["constant_columns"], serde_json::json!([2, 3]));
    assert_eq!((&array["binarise"], &array["values"]), (&"as-is".into(), &"binary".into()));
    assert_eq!(array["test_rows_seen"], 2);
    let command = report["command"].as_str().unwrap();
    assert!(command.starts_with("isotherm train ") && command.contains("--constant-columns keep"));
}

/// Tables are often written with the number of each row in front, which no rule for all columns suits.
#[test]
fn a_column_that_counts_the_rows_is_pointed_out() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("votes.csv");
    let of = |first: usize| -> String {
        (0..300).map(|row| format!("{},{},{}\n", row + first, row % 2, row % 3 / 2)).collect()
    };
    for first in [0, 1] {
        fs::write(&file, format!(",a,b\n{}", of(first))).unwrap();
        let printed = succeed(data(&file, ""));
        assert!(fact(&printed, "note").starts_with("column 1 counts the rows"), "{printed}");
        assert!(printed.contains("--drop 1") && !printed.contains("threshold"), "{printed}");
    }
    let left = succeed(data(&file, "--drop 1"));
    assert!(left.contains("300 examples × 2 variables"), "{left}");
    fs::write(&file, of(2)).unwrap();
    let printed = succeed(data(&file, ""));
    assert!(!printed.contains("counts the rows"), "some other number: {printed}");
}

#[test]
fn grey_images_and_what_a_rule_makes_of_them() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("grey.npy");
    // Two smooth images of 4 × 5 whose first column is black and whose brightest pixel is 200.
    let image: Vec<u8> = (0..20u8).map(|at| (at % 5) * 50).collect();
    let darker: Vec<u8> = image.iter().map(|v| v / 2).collect();
    fs::write(&file, npy("|u1", "(2, 4, 5)", &[image, darker].concat())).unwrap();
    let report = json(&file, "");
    let array = &report["arrays"][0];
    assert_eq!(array["dimensions"], serde_json::json!([2, 4, 5]));
    assert_eq!((&array["shape"], &array["values"]), (&"5x4".into(), &"bytes".into()));
    assert_eq!((&array["binarise"], &array["largest"]), (&"threshold:0.5".into(), &200.0.into()));
    assert_eq!(array["constant_columns"], serde_json::json!([1, 6, 11, 16]));
    // Above 127.5 are 150 and 200 of the first image: 8 of 40 pixels.
    let array = &json(&file, "--binarise threshold:0.5")["arrays"][0];
    assert_eq!(array["density"], 0.2);
    assert_eq!(array["constant_columns"].as_array().unwrap().len(), 12);
    let printed = succeed(data(&file, ""));
    assert!(printed.contains("--binarise threshold:0.5") && printed.contains("--shape 5x4"));
    assert!(fact(&printed, "binarise").contains("dynamic"), "{printed}");
}

#[test]
fn missing_values_are_counted_with_the_place_of_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("holes.tsv");
    fs::write(&file, "a\tb\n0\t1\n1\t\nNA\t0\n").unwrap();
    let printed = succeed(data(&file, ""));
    assert!(fact(&printed, "missing").starts_with("2, the first in row 2, column 2"), "{printed}");
    assert!(!printed.contains("isotherm train"), "nothing to train on yet: {printed}");
    assert_eq!(json(&file, "")["arrays"][0]["missing"]["count"], 2);
}

#[test]
fn other_values_get_a_threshold_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    for (content, rule) in [
        ("-1,1\n1,-1\n", "threshold:0"),
        ("0,16\n3,8\n", "threshold:8"),
        ("0.1,0.9\n0.5,1\n", "threshold:0.5"),
        ("-2.5,0\n3,4.5\n", "threshold:1"),
        // Nothing is above 0.5, all is, and a value below 1 would be taken for a share.
        ("0.1,0.3\n0.4,0.2\n", "threshold:0.25"),
        ("0.001,0.003\n0.004,0.002\n", "threshold:0.0025"),
        ("0.9,0.8\n0.7,0.6\n", "threshold:0.75"),
        ("200,210\n190,220\n", "threshold:205"),
        ("0.2,1.2\n0.1,1.5\n", "threshold:1"),
    ] {
        let file = folder.path().join("values.csv");
        fs::write(&file, content).unwrap();
        assert_eq!(json(&file, "")["arrays"][0]["binarise"], rule, "{content}");
        // What is suggested works.
        let density = &json(&file, &format!("--binarise {rule}"))["arrays"][0]["density"];
        assert!((0.2..0.8).contains(&density.as_f64().unwrap()), "{content}: {density}");
    }
}

#[test]
fn files_that_cannot_be_read_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("labels-idx1-ubyte");
    fs::write(&file, [0, 0, 8, 1, 0, 0, 0, 2, 3, 4]).unwrap();
    assert!(refused(data(&file, "")).contains("file of images"));
    fs::write(&file, b"\x89PNG\r\n\x1a\n").unwrap();
    assert!(refused(data(&file, "")).contains("not recognised"));
    assert!(refused(data(&folder.path().join("nowhere.csv"), "")).contains("nowhere.csv"));
    fs::write(&file, "0,1\n").unwrap();
    assert!(refused(data(&file, "--binarise half")).contains("threshold:0.5"));
}

#[test]
fn as_is_is_a_rule_like_others() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("values.csv");
    fs::write(&file, "0,200\n1,3\n").unwrap();
    let refusal = refused(data(&file, "--binarise as-is"));
    assert!(refusal.contains("200 is not 0 or 1") && refusal.contains("isotherm data FILE"));
    fs::write(&file, "0,1\n1,1\n").unwrap();
    let printed = succeed(data(&file, "--binarise as-is"));
    assert_eq!(fact(&printed, "binarise"), "as-is, as asked");
}

/// A constant column is kept by the suggested command, but not one that only the suggested rule makes so.
#[test]
fn the_suggested_command_works() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("values.csv");
    let command = || json(&file, "")["command"].as_str().map(str::to_owned);
    fs::write(&file, "0,200,10\n250,3,20\n").unwrap();
    assert_eq!(command(), None);
    let printed = succeed(data(&file, ""));
    assert!(fact(&printed, "binarise").contains("leaves 1 of 3 columns constant"), "{printed}");
    fs::write(&file, "0,200,10\n250,3,10\n").unwrap();
    let suggested = command().unwrap();
    assert!(suggested.contains("--binarise threshold:0.5 --constant-columns keep"), "{suggested}");
    let arguments = suggested.replace("isotherm train", "train --hidden 2 --updates 20 --quiet");
    let mut arguments = words(&arguments);
    arguments.extend(["--out".to_owned(), text(&folder.path().join("run"))]);
    succeed(arguments);
    fs::write(&file, "0,200\n0,200\n").unwrap();
    assert_eq!(command(), None, "nothing to learn");
    // One row of 100 is all that changes the second column, and a split may deal it away.
    let mut kept = 0;
    for at in 0..100 {
        let line = |row: usize| format!("{},{}\n", row % 2, u8::from(row == at));
        fs::write(&file, (0..100).map(line).collect::<String>()).unwrap();
        kept += usize::from(command().unwrap().ends_with("--constant-columns keep"));
    }
    assert_eq!(kept, 20, "0.8/0.1/0.1 of 100 rows deals 20 away");
}

#[test]
fn rows_are_compared_before_binarising() {
    let folder = tempfile::tempdir().unwrap();
    let (file, other) = (folder.path().join("grey.csv"), folder.path().join("other.csv"));
    fs::write(&file, "0,200\n0,200\n7,3\n").unwrap();
    fs::write(&other, "0,200\n").unwrap();
    let printed = succeed(data(&file, &format!("--test {}", text(&other))));
    for name in ["duplicates", "overlap"] {
        assert!(fact(&printed, name).ends_with("(before binarising)"), "{printed}");
    }
}

/// Counts are asked whether there is one, a lone stranger is pointed out, parts go by their names.
#[test]
fn counts_strangers_and_parts() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("counts.csv");
    let line = |row: usize| format!("{},{},{}\n", row % 2, row % 3 / 2, row % 5 / 4 * 3);
    fs::write(&file, (0..300).map(line).collect::<String>()).unwrap();
    let report = json(&file, "");
    assert_eq!(report["arrays"][0]["binarise"], "threshold:0");
    assert!(report["command"].as_str().unwrap().contains("--binarise threshold:0"));
    let line = |row: usize| format!("{},{}\n", row % 2, if row == 7 { 2 } else { row % 3 / 2 });
    fs::write(&file, (0..300).map(line).collect::<String>()).unwrap();
    let printed = succeed(data(&file, ""));
    let note = "1 of 600 values are neither 0 nor 1, the first of them 2 in row 8, column 2";
    assert_eq!(fact(&printed, "note"), note);
    // Other data of another width.
    let other = folder.path().join("other.csv");
    fs::write(&other, "0,1,1\n1,0,0\n").unwrap();
    let refusal = refused(data(&file, &format!("--test {}", text(&other))));
    assert!(refusal.contains("other.csv: the data have 3 columns"), "{refusal}");
}
