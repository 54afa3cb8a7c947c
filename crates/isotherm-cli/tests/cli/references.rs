//! References that are fitted to the data: what a run says of them, and what it does with them.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Command;

use crate::common::*;

const SHORT: &str = "--hidden 40 --updates 600 --batch 20 --columns 20 --particles 20 --quiet";

/// The options of each reference that is fitted, what `summary.json` says of it, and how its line begins.
const FITTED: [(&str, &[&str], &str); 2] = [
    (
        "--reference mixture --components 5",
        &["components_asked", "components", "died", "iterations", "log_likelihood"],
        "reference       mixture of 5 components, ",
    ),
    (
        "--reference rbm --reference-hidden 6",
        &["hidden", "updates", "log_likelihood"],
        "reference       RBM of 6 hidden units, ",
    ),
];

#[test]
fn what_was_fitted_is_recorded_and_shown() {
    let folder = tempfile::tempdir().unwrap();
    let data = csv(folder.path(), 200, 70);
    for (options, fields, line) in FITTED {
        let run = folder.path().join(&options[12..15]);
        let options = format!("{SHORT} {options}").replace("--quiet", "");
        let ran = crate::common::run(train(Some(&data), &options, &run));
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert!(ran.err.lines().any(|line| line.ends_with(" as reference")), "{}", ran.err);
        let said = ran.out.lines().find(|it| it.starts_with(line));
        assert!(said.is_some_and(|it| it.contains(" nats, fitted in ")), "{}", ran.out);
        let summary = summary(&run);
        for field in fields {
            assert!(summary["reference"][field].is_number(), "{field}: {}", summary["reference"]);
        }
        assert!(summary["seconds"]["fit"].as_f64().unwrap() > 0.0);
        let page = fs::read_to_string(run.join("report.html")).unwrap();
        assert!(page.contains(&line[16..]), "{line}");
        // The sampler starts from it as well, from the files alone.
        fs::rename(&data, data.with_extension("gone")).unwrap();
        let samples = folder.path().join("samples.npy");
        let line = format!("sample {} -n 50 --overwrite --out {}", run.display(), text(&samples));
        assert!(succeed(words(&line)).starts_with("50 samples of 70 units"));
        fs::rename(data.with_extension("gone"), &data).unwrap();
    }
}

#[test]
fn base_rates_are_not_fitted() {
    let folder = tempfile::tempdir().unwrap();
    let data = csv(folder.path(), 200, 70);
    let run = folder.path().join("run");
    let line = format!("{SHORT} --reference base-rate");
    let said = succeed(train(Some(&data), &line, &run));
    assert!(!said.contains("reference"));
    let recorded = &summary(&run)["reference"];
    assert_eq!(recorded["kind"], "base-rate");
    // What `auto` would have decided by.
    assert_eq!(recorded["held_out"]["examples"], 40);
    assert!(recorded["held_out"]["mixture"].is_number());
}

/// Ctrl-C while a reference is fitted ends the command, and leaves nothing behind.
#[test]
fn a_fit_can_be_interrupted() {
    let folder = tempfile::tempdir().unwrap();
    let data = csv(folder.path(), 2000, 700);
    for reference in ["mixture --components 256", "rbm"] {
        let run = folder.path().join("run");
        let options = format!("--hidden 500 --updates 10000000 --reference {reference}");
        let mut child = command(train(Some(&data), &options, &run)).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap().ends_with(" as reference")), "{reference}");
        let id = child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
        assert_eq!(child.wait().unwrap().code(), Some(130));
        let last = lines.last().unwrap().unwrap();
        assert!(last.contains("nothing was written"), "{last}");
        assert!(!run.exists());
    }
}
