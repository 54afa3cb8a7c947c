//! Data and options that cannot work: one clear sentence, exit code 2, and nothing is written.

use std::fs;
use std::path::{Path, PathBuf};

use isotherm::Kind;
use isotherm::options::Options;
use isotherm_run::{Config, RunData, TrainingRun};

use crate::common::{self, *};

/// A folder with a place for a run, which must never be created.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Place {
        Place(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, content).unwrap();
        path
    }

    /// The sentence with which `train` refuses; the folder must stay unchanged.
    fn refusal(&self, data: Option<&Path>, options: &str) -> String {
        let before = contents(self.0.path());
        let why = refused(train(data, options, &self.path("new/run")));
        assert!(contents(self.0.path()) == before, "something was written: {why}");
        why
    }
}

/// Asserts that a sentence contains all these parts.
fn assert_says(why: &str, parts: &[&str]) {
    assert!(parts.iter().all(|part| why.contains(part)), "{parts:?} not all in: {why}");
}

/// The kind of error with which training on a file is refused.
fn kind_of_refusal(data: &Path) -> Kind {
    let config = Config::from(Options::for_examples().hidden(2)).train(Some(text(data)));
    let begun =
        RunData::of(&config).and_then(|data| TrainingRun::begin(&config, data, &mut |_, _| true));
    begun.err().unwrap().kind()
}

#[test]
fn data_that_are_not_zeros_and_ones() {
    let place = Place::new();
    let float = |values: [f32; 4]| {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        npy("<f4", "(2, 2)", &bytes)
    };
    let terabytes = "(1000000000000, 784)";
    let beyond = "(18446744073709551615, 18446744073709551615)";
    let bad: Vec<(&str, Vec<u8>, &[&str])> = vec![
        ("nan.csv", b"0,1\n1,nan\n".into(), &["line 2, column 2", "nan is not 0 or 1"]),
        ("inf.csv", b"0,1\n-inf,0\n".into(), &["line 2, column 1", "-inf"]),
        ("two.csv", b"0,1\n1,0\n2,0\n".into(), &["line 3, column 1", "2 is not 0 or 1"]),
        ("half.csv", b"0.5,1\n".into(), &["line 1, column 1", "0.5"]),
        ("minus.csv", b"0,-1\n".into(), &["line 1, column 2", "-1"]),
        ("word.csv", b"a,b\n0,one\n".into(), &["line 2, column 2", "one"]),
        ("hole.csv", b"0,1\n1,\n".into(), &["line 2, column 2", "empty"]),
        ("short.csv", b"0,1,0\n1,0\n".into(), &["line 2", "2 value(s)", "3"]),
        ("long.csv", b"0,1\n1,0,1\n".into(), &["line 2", "3 value(s)", "2"]),
        ("empty.csv", Vec::new(), &["empty"]),
        ("blank.csv", b"\n \n\n".into(), &["no values"]),
        ("header.csv", b"a,b,c\n".into(), &["header"]),
        ("latin.csv", b"0,1\n0,\xe9\n".into(), &["line 2, column 2", "UTF-8"]),
        ("quote.csv", b"0,1\n\"0,1\n1,0\n".into(), &["line 2"]),
        ("constant.csv", b"0,1,1\n0,1,1\n".into(), &["every column is constant"]),
        ("single.csv", b"0,1,1\n".into(), &["every column is constant"]),
        ("nan.npy", float([0.0, 1.0, f32::NAN, 1.0]), &["row 2, column 1", "NaN"]),
        ("inf.npy", float([0.0, f32::INFINITY, 0.0, 1.0]), &["row 1, column 2", "inf"]),
        ("two.npy", npy("|u1", "(2, 2)", &[0, 1, 1, 2]), &["row 2, column 2", "2 is not 0 or 1"]),
        ("bool.npy", npy("|b1", "(2, 2)", &[0, 1, 1, 7]), &["row 2, column 2"]),
        ("empty.npy", Vec::new(), &["empty"]),
        ("none.npy", npy("|u1", "(0, 4)", &[]), &["empty", "0 x 4"]),
        ("flat.npy", npy("|u1", "(4,)", &[0, 1, 0, 1]), &["1 dimension"]),
        ("cut.npy", npy("|u1", "(2, 2)", &[0, 1, 1]), &["2 x 2", "3 bytes"]),
        ("more.npy", npy("|u1", "(2, 2)", &[0, 1, 1, 0, 0]), &["2 x 2", "5 bytes"]),
        ("head.npy", npy("|u1", "(2, 2)", &[])[..30].to_vec(), &["ends inside its npy header"]),
        ("magic.npy", b"\x93NUMPY".to_vec(), &["ends inside its npy header"]),
        ("huge.npy", npy("|u1", terabytes, &[1; 50]), &["1000000000000 x 784", "50 bytes"]),
        ("beyond.npy", npy("<f8", beyond, &[1; 50]), &["npy header"]),
        ("text.npy", npy("<U5", "(1, 2)", &[0; 40]), &["dtype"]),
        ("object.npy", npy("|O", "(1, 2)", &[0; 16]), &["dtype"]),
        ("csv.npy", b"0,1\n1,2\n".into(), &["line 2, column 2", "2 is not 0 or 1"]),
        ("data.parquet", b"PAR1".into(), &["Parquet file", "end"]),
        ("noname", b"\x7fELF\x02".into(), &["not recognised", ".npy", ".csv"]),
    ];
    for (name, content, parts) in bad {
        let path = place.file(name, content);
        let why = place.refusal(Some(&path), "--updates 5 --hidden 2");
        assert_says(&why, &[name]);
        assert_says(&why, parts);
        assert_eq!(kind_of_refusal(&path), Kind::Data, "{name}");
    }
    assert_says(&place.refusal(Some(&place.path("nowhere.csv")), ""), &["nowhere.csv", "No such"]);
    assert_says(&place.refusal(Some(place.0.path()), ""), &[&text(place.0.path()), "directory"]);
}

/// In a table, constant columns are refused unless the user asks to keep them, and then a note reminds
/// of them. Images such as MNIST have pixels that never change, so there they are kept.
#[test]
fn constant_columns_are_refused_in_tables_unless_they_are_to_be_kept() {
    let place = Place::new();
    let data = place.file("some.csv", "0,0,1\n1,0,1\n0,0,1\n");
    let why = place.refusal(Some(&data), "--updates 5 --hidden 2");
    assert_says(&why, &["some.csv", "2 of 3 columns are constant", "column 2"]);
    assert_says(&why, &["--constant-columns keep"]);
    let run = place.path("run");
    let options = "--updates 5 --hidden 2 --constant-columns keep";
    let ran = common::run(train(Some(&data), options, &run));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let warnings: Vec<&str> = ran.err.lines().filter(|line| line.contains("warning")).collect();
    assert_eq!(warnings.len(), 1, "{}", ran.err);
    let said = ["some.csv", "2 of 3 columns are constant"];
    assert_says(warnings[0], &said);
    assert_says(summary(&run)["warnings"][0].as_str().unwrap(), &said);
    let about = &summary(&run)["diagnostics"][0]["about"];
    assert_eq!((&about["kind"], &about["count"]), (&"constant-columns".into(), &2.into()));
    let why = place.refusal(Some(&data), "--updates 5 --hidden 2 --binarise threshold:2");
    assert_says(&why, &["under --binarise threshold:2 every column is constant"]);
    let data = place.file("all.csv", "0,1\n0,1\n");
    let why = place.refusal(Some(&data), "--updates 5 --hidden 2 --constant-columns keep");
    assert_says(&why, &["all.csv", "every column is constant"]);
}

#[test]
fn constant_columns_are_kept_in_pictures_unless_they_are_to_be_refused() {
    let place = Place::new();
    // Squares in the middle: the pixels of the margin never change.
    let rows = |height: usize| -> String {
        let row = |half: usize| {
            let lit = |pixel: usize| {
                let side = 4 - half..4 + half;
                side.contains(&(pixel % 8)) && side.contains(&(pixel / 8))
            };
            let pixels = (0..8 * height).map(|pixel| u8::from(lit(pixel)).to_string());
            pixels.collect::<Vec<_>>().join(",") + "\n"
        };
        (0..4).map(row).collect()
    };
    let square = place.file("square.csv", rows(8));
    let ran = run(train(Some(&square), "--updates 5 --hidden 2", &place.path("square")));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let about = &summary(&place.path("square"))["diagnostics"][0]["about"];
    assert_eq!((&about["kind"], &about["count"]), (&"constant-columns".into(), &28.into()));
    assert_says(&ran.err, &["warning", "square.csv", "28 of 64 columns are constant"]);
    let refuse = "--updates 5 --hidden 2 --constant-columns refuse";
    let why = place.refusal(Some(&square), refuse);
    assert_says(&why, &["square.csv", "28 of 64 columns", "--constant-columns keep"]);
    let wide = place.file("wide.csv", rows(9));
    let why = place.refusal(Some(&wide), "--updates 5 --hidden 2");
    assert_says(&why, &["wide.csv", "36 of 72 columns"]);
    let shaped = "--updates 5 --hidden 2 --shape 8x9";
    let ran = run(train(Some(&wide), shaped, &place.path("wide")));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
}

#[test]
fn smoothing_a_table_needs_a_shape() {
    let place = Place::new();
    let data = place.file("table.csv", "0,1,0\n1,0,1\n");
    let why = place.refusal(Some(&data), "--updates 5 --hidden 2 --smooth 1e-3");
    assert_says(&why, &["--smooth 0.001", "3 columns", "--shape WIDTHxHEIGHT"]);
}

#[test]
fn impossible_options() {
    let place = Place::new();
    let bad: &[(&str, &[&str])] = &[
        ("--hidden 0", &["--hidden", "at least 1"]),
        ("--k 0", &["--k", "at least 1"]),
        ("--batch 0", &["--batch", "at least 1"]),
        ("--updates 0", &["--updates", "at least 1"]),
        ("--columns 0", &["--columns", "at least 1"]),
        ("--spawn-every 0", &["--spawn-every", "at least 1"]),
        ("--checkpoint-every 0", &["--checkpoint-every", "at least 1"]),
        ("--metrics-every 0", &["--metrics-every", "at least 1"]),
        ("--average 0", &["--average", "at least 1"]),
        ("--hidden 2_000_000", &["--hidden", "not 2000000"]),
        ("--hidden 9223372036854775807", &["--hidden", "not 9223372036854775807"]),
        ("--updates 9e15", &["--updates"]),
        ("--updates 9223372036854775807 --sampling-steps 9223372036854775807", &["2^48"]),
        ("--lr=-0.1", &["--lr", "-0.1"]),
        ("--lr -1", &["--lr must be a number from 0.0", "not -1.0"]),
        ("--lr nan", &["--lr", "not nan"]),
        ("--lr inf", &["--lr", "inf"]),
        ("--momentum 1", &["--momentum", "not 1"]),
        ("--momentum=-0.5", &["--momentum", "-0.5"]),
        ("--weight-decay 2", &["--weight-decay", "not 2"]),
        ("--weight-decay nan", &["--weight-decay", "not nan"]),
        ("--l1=-1", &["--l1", "not -1"]),
        ("--smooth 2", &["--smooth", "not 2"]),
        ("--smooth 0.5 --lr 0.5", &["--smooth 0.5", "--lr 0.5", "below 2.50e-1"]),
        ("--temper-every 0", &["--temper-every", "at least 1"]),
        ("--temper-every 2 --algorithm sml", &["--temper-every 2", "pt or apt"]),
        ("--beta-lr 1.5", &["--beta-lr", "1.5"]),
        ("--beta-lr=-1", &["--beta-lr", "-1"]),
        ("--min-swap 0.99", &["--min-swap", "0.99"]),
        ("--min-swap nan", &["--min-swap", "not nan"]),
        ("--init-std=-1", &["--init-std", "-1"]),
        ("--init-std inf", &["--init-std", "inf"]),
        ("--burn-in 1000", &["--burn-in 1000", "--spawn-every 1000"]),
        ("--burn-in 5 --spawn-every 5", &["--burn-in 5", "--spawn-every 5"]),
        ("--min-rungs 1", &["--min-rungs", "at least 2", "not 1"]),
        ("--min-rungs 9 --max-rungs 8", &["--min-rungs 9", "--max-rungs 8"]),
        ("--rungs 101", &["--rungs 101", "--max-rungs 100"]),
        ("--rungs 1", &["--rungs", "at least 2"]),
        ("--rungs 0 --algorithm pt", &["--rungs", "at least 2"]),
        ("--rungs 4 --algorithm cd", &["--rungs 4", "pt or apt"]),
        ("--rungs 4 --algorithm sml", &["--rungs 4", "pt or apt"]),
        ("--columns 6 --algorithm cd", &["--columns", "--algorithm cd", "--batch"]),
        ("--columns 60 --particles 20", &["--particles 20", "at least --columns 60"]),
        ("--path base-rate --algorithm cd", &["--path", "--algorithm cd"]),
        ("--path hidden-marginal --algorithm cd", &["--path", "--algorithm cd"]),
        ("--path hidden-marginal --swap energy", &["--swap energy", "--path hidden-marginal"]),
        ("--hidden 9 --swap energy", &["--swap energy", "--path hidden-marginal"]),
        ("--columns 1e6", &["GiB", "--columns"]),
        ("--columns 9223372036854775807", &["GiB", "--columns"]),
        ("--rungs 1e7 --algorithm pt", &["GiB", "--rungs"]),
        ("--max-rungs 1e9", &["GiB", "--max-rungs"]),
        ("--batch 1e9 --columns 5", &["GiB", "--batch"]),
        ("--hidden 1e6 --path joint", &["GiB", "--hidden"]),
        ("--k 1e7", &["--k", "at most 1048576", "not 10000000"]),
        ("--algorithm cd --sampling-steps 5", &["--sampling-steps", "--algorithm cd"]),
    ];
    for (options, parts) in bad {
        assert_says(&place.refusal(None, options), parts);
    }
}

/// clap's own messages may have more lines.
#[test]
fn invalid_command_lines() {
    let bad = [
        "",
        "trian",
        "train --no-such-option",
        "train a.csv b.csv",
        "train --algorithm apl",
        "train --path diagonal",
        "train --swap none",
        "train --updates 1.5",
        "train --updates=-5",
        "train --updates 1e300",
        "train --updates 99999999999999999999",
        "train --hidden ten",
        "train --lr fast",
        "train --updates 9223372036854775808",
        "train --seed=-1",
        "train --seed 9223372036854775808",
        "train --data-seed 18446744073709551615",
        "train --threads 0",
        "train --threads 100000",
        "train --lr 1 --lr 2",
        "resume",
        "resume a b",
        "sample run",
        "sample run --out a.npy -n few",
        "evaluate",
        "evaluate run --data",
    ];
    for line in bad {
        let ran = run(words(line));
        assert_eq!(ran.code, Some(2), "{line}: {}", ran.err);
        assert!(!ran.err.is_empty() && !ran.err.contains("panicked"), "{line}: {}", ran.err);
        assert_eq!(ran.out, "", "{line}");
    }
}

#[test]
fn invalid_configuration_files() {
    let place = Place::new();
    let bad: &[(&str, &[&str])] = &[
        ("hiden = 5\n", &["bad.toml, line 1", "\"hiden\"", "`hidden`"]),
        ("seed = 1\nhidden = \"ten\"\n", &["bad.toml, line 2", "`hidden`", "whole number", "ten"]),
        ("hidden = -4\n", &["bad.toml, line 1: `hidden`", "-4"]),
        ("hidden = 4.5\n", &["bad.toml, line 1", "4.5"]),
        ("updates = 1e300\n", &["bad.toml, line 1", "`updates`", "whole number", "1e300"]),
        ("algorithm = \"apl\"\n", &["bad.toml, line 1", "`algorithm`", "apt", "not apl"]),
        ("seed = 1\n\npath = 3\n", &["bad.toml, line 3: `path`"]),
        ("[train]\nhidden = 4\n", &["bad.toml, line 1", "[train]"]),
        ("seed = 1\nhidden 4\n", &["bad.toml, line 2"]),
        ("hidden = 4\nhidden = 5\n", &["bad.toml, line 2", "duplicate key"]),
        ("hidden = [\n", &["bad.toml, line "]),
        ("data = \"nowhere.csv\"\n", &["nowhere.csv", "No such"]),
        ("seed = 1\nlr = nan\n", &["bad.toml, line 2", "`lr`", "not nan"]),
        ("columns = 0\n", &["bad.toml, line 1", "`columns`", "at least 1"]),
    ];
    for (content, parts) in bad {
        let file = place.file("bad.toml", content);
        assert_says(&place.refusal(None, &format!("--config {}", file.display())), parts);
    }
    let file = place.file("bad.toml", b"\xff\xfe");
    assert_says(&place.refusal(None, &format!("--config {}", file.display())), &["bad.toml"]);
    let nowhere = format!("--config {}", place.path("nowhere.toml").display());
    assert_says(&place.refusal(None, &nowhere), &["nowhere.toml", "No such"]);
    let folder = format!("--config {}", place.0.path().display());
    assert_says(&place.refusal(None, &folder), &[&text(place.0.path()), "directory"]);
}
