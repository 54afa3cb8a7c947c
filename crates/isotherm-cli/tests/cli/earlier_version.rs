//! Runs that the version before the split into crates made (commit 2cb3113): reported, evaluated,
//! sampled and resumed, with the results that it had.
//!
//! `fixtures/version-2cb3113` holds `isotherm train` of the mixture, and of `/data/votes.csv` with
//! `--split 0.7/0.15/0.15`, both of 300 updates. The latter has checkpoints of updates 150 and 300.
//! `votes.npy` is `isotherm sample votes -n 20 --warm-up 100 --thin 2`.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::common::{self, *};

/// The place of the data when the fixture was made.
const DATA: &str = "/data/votes.csv";

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/version-2cb3113").join(name)
}

/// A copy of a run, which finds its data.
fn copied(folder: &Path, name: &str) -> PathBuf {
    let (run, data) = (folder.join(name), folder.join("votes.csv"));
    copy(&fixture(name), &run);
    fs::copy(fixture("votes.csv"), &data).unwrap();
    let config = fs::read_to_string(run.join("config.toml")).unwrap();
    fs::write(run.join("config.toml"), config.replace(DATA, &text(&data))).unwrap();
    run
}

#[test]
fn runs_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let runs = ["mixture", "votes"].map(|name| copied(folder.path(), name));
    for run in &runs {
        succeed(["report", &text(run), "-q"]);
        let page = fs::read_to_string(run.join("report.html")).unwrap();
        assert!(!page.contains("Left out"), "everything is read");
        assert!(page.contains("log-likelihood"));
    }
    let page = folder.path().join("both.html");
    succeed(["report", &text(&runs[0]), &text(&runs[1]), "--out", &text(&page), "-q"]);
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
    assert!(sampled("votes", "-n 20 --warm-up 100 --thin 2") == read_npy(&fixture("votes.npy")));
}

/// The second half of a run by this version is the second half by that one.
#[test]
fn a_run_is_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let run = copied(folder.path(), "votes");
    for name in ["model.safetensors", "summary.json", "checkpoint.safetensors"] {
        fs::remove_file(run.join(name)).unwrap();
    }
    let previous = run.join("checkpoint.previous.safetensors");
    fs::rename(previous, run.join("checkpoint.safetensors")).unwrap();
    let ran = common::run(["resume", &text(&run)]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.err.contains("150 of 300"), "{}", ran.err);
    let model = |run: &Path| fs::read(run.join("model.safetensors")).unwrap();
    assert!(model(&run) == model(&fixture("votes")));
    let place = text(&folder.path().join("votes.csv"));
    let metrics =
        |run: &Path| fs::read_to_string(run.join("metrics.jsonl")).unwrap().replace(&place, DATA);
    assert_eq!(metrics(&run), metrics(&fixture("votes")));
    for part in ["", "_valid", "_test"] {
        let value = |run: &Path| summary(run)[format!("log_likelihood{part}")]["value"].clone();
        assert_eq!(value(&run), value(&fixture("votes")), "{part}");
    }

    // A finished run writes its results again.
    let run = copied(folder.path(), "mixture");
    succeed(resume(&run));
    assert!(model(&run) == model(&fixture("mixture")));
}
