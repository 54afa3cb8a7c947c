//! Runs that the version before the split into crates made (commit 2cb3113): reported, evaluated,
//! sampled and resumed, with the results that it had.
//!
//! `fixtures/version-2cb3113` holds `isotherm train` of the mixture, and of `/data/votes.csv` and
//! `/data/wide.csv` with `--split 0.7/0.15/0.15`, all of 300 updates. `wide` has 26 hidden units and
//! `--algorithm sml`: no ladder, an online estimate of log Z, and a final estimate with a verdict. The
//! runs of files have checkpoints of updates 150 and 300. `votes.npy` and `wide.npy` are
//! `isotherm sample RUN -n 20 --warm-up 100 --thin 2`.

use std::fs;
use std::path::{Path, PathBuf};

use isotherm::sampling::SampleOptions;
use isotherm_run::{RunFolder, sample};
use serde_json::Value;

use crate::common::{self, *};

/// The folder of the data when the fixtures were made.
const DATA: &str = "/data";

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/version-2cb3113").join(name)
}

/// A copy of a run, which finds its data.
fn copied(folder: &Path, name: &str) -> PathBuf {
    let run = folder.join(name);
    copy(&fixture(name), &run);
    for data in ["votes.csv", "wide.csv"] {
        fs::copy(fixture(data), folder.join(data)).unwrap();
    }
    let config = fs::read_to_string(run.join("config.toml")).unwrap();
    fs::write(run.join("config.toml"), config.replace(DATA, &text(folder))).unwrap();
    run
}

#[test]
fn runs_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let runs = ["mixture", "votes", "wide"].map(|name| copied(folder.path(), name));
    for run in &runs {
        succeed(["report", &text(run), "-q"]);
        let page = fs::read_to_string(run.join("report.html")).unwrap();
        assert!(!page.contains("Left out"), "everything is read");
        assert!(page.contains("log-likelihood"));
    }
    let page = folder.path().join("all.html");
    let [mixture, votes, wide] = runs.map(|run| text(&run));
    succeed(["report", &mixture, &votes, &wide, "--out", &text(&page), "-q"]);
    assert!(page.is_file());
}

#[test]
fn runs_are_evaluated() {
    let folder = tempfile::tempdir().unwrap();
    // As that version evaluated them.
    for (name, value) in [("mixture", -404.0047093356442), ("votes", -4.995605037110176)] {
        let run = text(&copied(folder.path(), name));
        let measured: Value = serde_json::from_str(&succeed(["evaluate", &run, "--json"])).unwrap();
        assert_eq!(
            (measured["value"].as_f64(), &measured["method"]),
            (Some(value), &"exact".into())
        );
    }
    let run = copied(folder.path(), "votes");
    for part in ["valid", "test"] {
        let json = succeed(["evaluate", &text(&run), "--on", part, "--json"]);
        let measured: Value = serde_json::from_str(&json).unwrap();
        let before = &summary(&run)[format!("log_likelihood_{part}")];
        assert_eq!(measured["value"], before["value"], "{part}");
    }
}

/// Too large to enumerate: the estimate that version made lies within the bracket of this one.
#[test]
fn a_run_is_estimated() {
    let folder = tempfile::tempdir().unwrap();
    let run = copied(folder.path(), "wide");
    let estimate = format!("evaluate {} --json --quick --sampling-steps 200", run.display());
    let measured: Value = serde_json::from_str(&succeed(words(&estimate))).unwrap();
    let number = |name: &str| measured[name].as_f64().unwrap();
    let before = -14.285795373387005;
    assert!(number("lower") <= before && before <= number("upper"), "{measured}");
    assert!((number("value") - before).abs() < 0.1, "{measured}");
}

#[test]
fn runs_are_sampled() {
    let folder = tempfile::tempdir().unwrap();
    let sampled = |name: &str, options: &str| {
        let (run, out) = (copied(folder.path(), name), folder.path().join(format!("{name}.npy")));
        let line = format!("sample {} --out {} {options} -q", run.display(), out.display());
        succeed(words(&line));
        read_npy(&out)
    };
    assert_eq!(sampled("mixture", "-n 5").0, [5, 784]);
    for name in ["votes", "wide"] {
        let (shape, before) = read_npy(&fixture(&format!("{name}.npy")));
        assert_eq!(sampled(name, "-n 20 --warm-up 100 --thin 2").0, shape);
        // That version had one sampler.
        let request = SampleOptions::default().count(20).warm_up(100).thin(2).one_ladder(true);
        let run = RunFolder::open(&folder.path().join(name)).unwrap();
        let v = sample(&run, &request, false, |_| true).unwrap().0.v;
        let bits = (0..v.rows()).flat_map(|row| (0..v.cols()).map(move |j| (row, j)));
        let drawn: Vec<u8> = bits.map(|(row, j)| u8::from(v.get(row, j))).collect();
        assert!(drawn == before, "{name}");
    }
}

/// The second half of a run by this version is the second half by that one.
#[test]
fn runs_are_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let model = |run: &Path| fs::read(run.join("model.safetensors")).unwrap();
    let place = text(folder.path());
    let metrics =
        |run: &Path| fs::read_to_string(run.join("metrics.jsonl")).unwrap().replace(&place, DATA);
    for name in ["votes", "wide"] {
        let run = copied(folder.path(), name);
        for name in ["model.safetensors", "summary.json", "checkpoint.safetensors"] {
            fs::remove_file(run.join(name)).unwrap();
        }
        let previous = run.join("checkpoint.previous.safetensors");
        fs::rename(previous, run.join("checkpoint.safetensors")).unwrap();
        let ran = common::run(["resume", &text(&run)]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert!(ran.err.contains("150 of 300"), "{}", ran.err);
        assert!(model(&run) == model(&fixture(name)), "{name}");
        assert_eq!(metrics(&run), metrics(&fixture(name)), "{name}");
        // Estimates are those of this version.
        let exact = if name == "wide" { &[][..] } else { &["", "_valid", "_test"] };
        for part in exact {
            let value = |run: &Path| summary(run)[format!("log_likelihood{part}")]["value"].clone();
            assert_eq!(value(&run), value(&fixture(name)), "{name} {part}");
        }
    }

    // A finished run writes its results again.
    let run = copied(folder.path(), "mixture");
    succeed(resume(&run));
    assert!(model(&run) == model(&fixture("mixture")));
}
