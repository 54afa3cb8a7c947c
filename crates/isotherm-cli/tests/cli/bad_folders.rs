//! Folders and files that a command must refuse: one clear sentence, exit code 2, and no byte changed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use isotherm::Plain;
use isotherm::diagnostics::{CheckpointProblem, Diagnostic};

use crate::common::{self, *};

const QUICK: &str = "--updates 30 --hidden 3 --quiet";

/// A finished run in a folder of its own.
fn finished() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let data = csv(folder.path(), 40, 8);
    let run = folder.path().join("run");
    succeed(train(Some(&data), QUICK, &run));
    (folder, run)
}

/// The sentence of a refusal, which must name `place` and leave `folder` unchanged.
fn refusal(folder: &Path, place: &Path, arguments: Vec<String>) -> String {
    let before = contents(folder);
    let why = refused(arguments);
    assert!(why.contains(&text(place)), "{} not in: {why}", place.display());
    assert!(contents(folder) == before, "something was written: {why}");
    why
}

#[test]
fn an_existing_run_is_replaced_only_when_told_to() {
    let (folder, run) = finished();
    let again = |more: &str| train(None, &format!("{QUICK} {more}"), &run);
    let why = refusal(folder.path(), &run, again("--seed 2"));
    let resume = format!("isotherm resume {}", run.display());
    assert!(why.contains(&resume) && why.contains("--overwrite"), "{why}");
    // With --overwrite the old run is still kept if the new one is impossible.
    let before = contents(folder.path());
    assert!(refused(again("--overwrite --rungs 1")).contains("--rungs"));
    assert!(contents(folder.path()) == before);
    let other = folder.path().join("other");
    succeed(train(None, &format!("{QUICK} --seed 2"), &other));
    succeed(again("--overwrite --seed 2"));
    assert_same(&run, &other, "a run that replaces another equals one in a new folder");
}

/// A replacement that was killed while it removed the old run can be started again.
#[test]
fn a_half_removed_run_can_be_replaced() {
    let (folder, run) = finished();
    // In the order in which --overwrite removes them.
    for name in ["checkpoint.safetensors", "checkpoint.previous.safetensors", "metrics.jsonl"] {
        fs::remove_file(run.join(name)).unwrap();
        let again = folder.path().join(format!("without-{name}"));
        copy(&run, &again);
        succeed(train(None, &format!("{QUICK} --overwrite"), &again));
        let fresh = folder.path().join(format!("fresh-{name}"));
        succeed(train(None, QUICK, &fresh));
        assert_same(&fresh, &again, "a run that replaced the remains of another");
    }
}

/// Without its current checkpoint a run resumes from the previous one; without both it is damaged.
#[test]
fn lost_checkpoints() {
    let (_folder, run) = finished();
    let whole = contents(&run);
    fs::remove_file(run.join("checkpoint.safetensors")).unwrap();
    let ran = common::run(resume(&run));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let missing = Diagnostic::PreviousCheckpoint { problem: CheckpointProblem::Missing };
    let missing = missing.words(&Plain);
    assert!(ran.err.contains(&format!("warning: {missing}")), "{}", ran.err);
    assert!(fs::read(run.join("metrics.jsonl")).unwrap() == whole[&run.join("metrics.jsonl")]);
    for name in ["checkpoint.safetensors", "checkpoint.previous.safetensors"] {
        fs::remove_file(run.join(name)).unwrap();
    }
    let before = contents(&run);
    let why = refused(resume(&run));
    assert!(why.contains("no readable checkpoint"), "{why}");
    assert!(before == contents(&run), "the metrics are not overwritten by a new start");
}

#[test]
fn a_folder_that_is_not_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let notes = folder.path().join("notes");
    fs::create_dir(&notes).unwrap();
    fs::write(notes.join("diary.txt"), "dear diary").unwrap();
    let nowhere = folder.path().join("nowhere");
    let out = folder.path().join("s.npy");
    let sample = |run: &Path| words(&format!("sample {} --out {}", run.display(), out.display()));
    let evaluate = |run: &Path| words(&format!("evaluate {}", run.display()));
    let commands = [
        train(None, QUICK, &notes),
        train(None, &format!("{QUICK} --overwrite"), &notes),
        resume(&notes),
        sample(&notes),
        evaluate(&notes),
    ];
    for arguments in commands {
        refusal(folder.path(), &notes, arguments);
    }
    for place in [&nowhere, &notes.join("diary.txt")] {
        for arguments in [resume(place), sample(place), evaluate(place)] {
            refusal(folder.path(), place, arguments);
        }
    }
    // An empty folder is treated like a missing one.
    let empty = folder.path().join("empty");
    fs::create_dir(&empty).unwrap();
    refusal(folder.path(), &empty, resume(&empty));
    succeed(train(None, QUICK, &empty));
}

/// A path below a regular file cannot be written, even by root, as which tests may run.
#[test]
fn a_place_that_cannot_be_written() {
    let (folder, run) = finished();
    let file = folder.path().join("file");
    fs::write(&file, "content").unwrap();
    for place in [file.clone(), file.join("run"), file.join("deep/run")] {
        for more in ["", "--overwrite"] {
            refusal(folder.path(), &place, train(None, &format!("{QUICK} {more}"), &place));
        }
        let line = format!("sample {} --out {}", run.display(), place.display());
        refusal(folder.path(), &place, words(&line));
    }
    let gone = folder.path().join("gone/s.npy");
    let line = format!("sample {} --out {}", run.display(), gone.display());
    refusal(folder.path(), &gone, words(&line));
    if Path::new("/proc/self").exists() {
        let place = Path::new("/proc/isotherm-run");
        refusal(folder.path(), place, train(None, QUICK, place));
    }
}

#[test]
fn only_one_process_writes_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    // So many updates that the run is still going when it is killed.
    let mut child = command(train(None, "--updates 1e9 --checkpoint-every 1e9 --quiet", &run))
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let ready = run.join("checkpoint.safetensors");
    let begun = wait_until(&mut child, || ready.exists());
    let busy = [resume(&run), train(None, &format!("{QUICK} --overwrite"), &run)];
    let said: Vec<Ran> = busy.into_iter().map(common::run).collect();
    let third = common::run(train(None, QUICK, &run));
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(begun);
    for ran in said {
        let why = sentence(&ran);
        assert!(why.contains(&text(&run)) && why.contains("another isotherm"), "{why}");
    }
    assert!(sentence(&third).contains("already holds a run"));
    assert!(fs::read_to_string(run.join("config.toml")).unwrap().contains("1000000000"));
    succeed(train(None, &format!("{QUICK} --overwrite"), &run));
}

#[test]
fn samples_that_cannot_be_drawn() {
    let (folder, run) = finished();
    let (out, new) = (folder.path().join("old.npy"), folder.path().join("new.npy"));
    fs::write(&out, "precious").unwrap();
    let sample = |out: &Path, more: &str| {
        words(&format!("sample {} --out {} {more}", run.display(), out.display()))
    };
    let why = refusal(folder.path(), &out, sample(&out, ""));
    assert!(why.contains("--overwrite"), "{why}");
    let bad = [
        ("-n 0", "-n"),
        ("--thin 0", "--thin"),
        ("-n 9223372036854775807", "9223372036854775807 samples"),
        ("-n 1e15", "1000000000000000 samples"),
        ("--thin 9223372036854775807", "--thin"),
        ("--thin 1e15", "--thin"),
        ("--warm-up 9223372036854775807", "--warm-up"),
        ("--warm-up 1e15", "--warm-up"),
    ];
    for (more, part) in bad {
        let why = refusal(folder.path(), Path::new(""), sample(&new, more));
        assert!(why.contains(part), "{why}");
    }
    for place in ["new.csv", "new", "nowhere/new.npy"] {
        let place = folder.path().join(place);
        let why = refusal(folder.path(), &place, sample(&place, ""));
        assert!(why.contains("--out"), "{why}");
    }
    succeed(sample(&out, "--overwrite -n 3 --quiet"));
    assert_eq!(read_npy(&out).0, [3, 8]);
}

#[test]
fn likelihoods_that_cannot_be_computed() {
    let (folder, run) = finished();
    let evaluate = |run: &Path, data: &Path| {
        words(&format!("evaluate {} --data {}", run.display(), data.display()))
    };
    let wide = csv(folder.path(), 40, 9);
    let why = refusal(folder.path(), &wide, evaluate(&run, &wide));
    assert!(why.contains("9 columns") && why.contains("8 visible units"), "{why}");
    let nowhere = folder.path().join("nowhere.csv");
    refusal(folder.path(), &nowhere, evaluate(&run, &nowhere));
    let nan = folder.path().join("nan.csv");
    fs::write(&nan, "0,1\nnan,1\n").unwrap();
    refusal(folder.path(), &nan, evaluate(&run, &nan));

    let (data, large) = (csv(folder.path(), 40, 30), folder.path().join("large"));
    succeed(train(
        Some(&data),
        "--updates 3 --hidden 26 --final-likelihood exact-only --quiet",
        &large,
    ));
    assert!(summary(&large)["log_likelihood"].is_null());
    let diagnostics = summary(&large)["diagnostics"].clone();
    let no_likelihood = serde_json::json!({ "kind": "no-likelihood", "units": 26 });
    assert!(diagnostics.as_array().unwrap().contains(&no_likelihood), "{diagnostics}");
    let said = summary(&large)["warnings"].to_string();
    assert!(said.contains("26 units"), "{said}");
    let exact = [evaluate(&large, &data), words("--log-z exact")].concat();
    let why = refusal(folder.path(), Path::new(""), exact);
    assert!(why.contains("26 units (30 visible, 26 hidden)") && why.contains("25"), "{why}");
}

/// Damage to the files of a run is found by every command that reads them.
#[test]
fn damaged_files() {
    let (folder, run) = finished();
    let evaluate = words(&format!("evaluate {}", run.display()));
    let model = run.join("model.safetensors");
    let good = fs::read(&model).unwrap();
    for damaged in [&good[..good.len() - 1], &good[..5], b"", &[&good[..], b"x"].concat()] {
        fs::write(&model, damaged).unwrap();
        refusal(folder.path(), &model, evaluate.clone());
    }
    fs::write(&model, &good).unwrap();

    let metrics = run.join("metrics.jsonl");
    let rows = fs::read(&metrics).unwrap();
    fs::write(&metrics, &rows[..rows.len() - 1]).unwrap();
    refusal(folder.path(), &metrics, resume(&run));
    fs::write(&metrics, rows).unwrap();

    let config = run.join("config.toml");
    let options = fs::read_to_string(&config).unwrap();
    for damaged in ["hidden = \"many\"", "hidden = 3\nhidden = 4", "nonsense = 1", "="] {
        fs::write(&config, damaged).unwrap();
        refusal(folder.path(), &config, resume(&run));
    }
    fs::write(&config, options).unwrap();
    succeed(resume(&run));
}
