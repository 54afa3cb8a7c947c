//! Data in parts: held-out files, splits, and grey values.

use std::fs;
use std::path::Path;

use crate::common::{self, *};

const OPTIONS: &str = "--hidden 4 --batch 10 --updates 300 --lr 0.05 --quiet";

/// Grey 8-bit images of 12 pixels, as bytes of an npy file.
fn grey(folder: &Path, name: &str, rows: usize, seed: u64) -> std::path::PathBuf {
    let mut random = Random(seed);
    let values: Vec<u8> = (0..rows * 12).map(|_| (random.next() * 256.0) as u8).collect();
    let path = folder.join(name);
    fs::write(&path, npy("|u1", &format!("({rows}, 12)"), &values)).unwrap();
    path
}

fn value(measured: &serde_json::Value) -> f64 {
    measured["value"].as_f64().unwrap()
}

fn evaluated(run: &Path, more: &str) -> serde_json::Value {
    let mut arguments = words("evaluate --json");
    arguments.push(text(run));
    arguments.extend(words(more));
    serde_json::from_str(&succeed(arguments)).unwrap()
}

#[test]
fn held_out_files_are_measured_and_can_be_evaluated() {
    let folder = tempfile::tempdir().unwrap();
    let data = csv(folder.path(), 200, 8);
    let other = folder.path().join("held-out.csv");
    fs::write(
        &other,
        fs::read_to_string(&data).unwrap().lines().take(50).collect::<Vec<_>>().join("\n"),
    )
    .unwrap();
    let run = folder.path().join("run");
    let file = text(&other);
    succeed(train(Some(&data), &format!("{OPTIONS} --test {file} --valid {file}"), &run));
    let summary = summary(&run);
    for (part, name) in [("test", "log_likelihood_test"), ("valid", "log_likelihood_valid")] {
        let on = evaluated(&run, &format!("--on {part}"));
        assert_eq!(on, summary[name]);
        assert_eq!(on["on"], file);
        assert_eq!(value(&on), value(&evaluated(&run, &format!("--data {file}"))));
        let averaged = evaluated(&run, &format!("--on {part} --averaged"));
        assert_eq!(averaged, summary[format!("{name}_averaged")]);
    }
    assert_eq!(evaluated(&run, "--on train"), summary["log_likelihood"]);
    assert_ne!(value(&summary["log_likelihood"]), value(&summary["log_likelihood_test"]));
    let config = fs::read_to_string(run.join("config.toml")).unwrap();
    assert!(config.contains(&format!("test = \"{file}\"")), "{config}");

    // A held-out file that changes is noticed, whichever it is.
    fs::write(&other, "0,0,0,0,0,0,0,1\n").unwrap();
    let refusal = refused(resume(&run));
    assert!(refusal.contains("held-out.csv has changed"), "{refusal}");
    let ran = common::run(["evaluate", &text(&run), "--on", "test"]);
    assert!(ran.code == Some(0) && ran.err.contains("held-out.csv has changed"), "{}", ran.err);
    // What was learned from is not needed for an exact likelihood; an estimate tells.
    fs::remove_file(&data).unwrap();
    let ran = common::run(["evaluate", &text(&run), "--data", &file]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    let options = ["--data", &file, "--log-z", "estimate", "--quick", "--quiet"];
    let ran = common::run([&["evaluate", &text(&run)][..], &options].concat());
    assert!(ran.code == Some(0) && ran.err.contains("training data cannot be read"), "{}", ran.err);
}

#[test]
fn parts_that_are_not_there_or_do_not_fit_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let data = csv(folder.path(), 60, 8);
    let narrow = csv(folder.path(), 20, 5);
    let run = folder.path().join("run");
    let says = |options: &str, parts: &[&str]| {
        let refusal = refused(train(Some(&data), options, &run));
        assert!(parts.iter().all(|part| refusal.contains(part)), "{options}: {refusal}");
        assert!(!run.exists());
    };
    says(&format!("--test {}", text(&narrow)), &["data-5.csv has 5 columns", "8", "--test"]);
    says(&format!("--split 0.8/0.2 --valid {}", text(&narrow)), &["--split 0.8/0.2", "--valid"]);
    says("--split 0.99/0.001/0.009", &["data-8.csv", "no example for valid"]);
    says("--split 0.8", &["--split", "0.8/0.1/0.1"]);
    says("--binarise grey", &["threshold:0.5", "static:1", "dynamic"]);
    says("--test nowhere.csv", &["nowhere.csv"]);
    says(&format!("--valid {}:x", text(&narrow)), &["data-5.csv", "omit :x"]);
    for options in ["--split 0.9/0.1", "--binarise dynamic"] {
        let refusal = refused(train(None, options, &run));
        assert!(refusal.contains("file"), "{refusal}");
    }
    succeed(train(Some(&data), OPTIONS, &run));
    let mut arguments = words("evaluate --on test");
    arguments.push(text(&run));
    assert!(refused(arguments).contains("no test data"));
}

#[test]
fn a_split_is_dealt_by_the_data_seed_alone() {
    let folder = tempfile::tempdir().unwrap();
    let data = csv(folder.path(), 200, 8);
    let go = |name: &str, more: &str| {
        let run = folder.path().join(name);
        succeed(train(Some(&data), &format!("{OPTIONS} --split 0.7/0.2/0.1 {more}"), &run));
        run
    };
    let (one, again) = (go("one", ""), go("again", "--threads 2"));
    assert_same(&one, &again, "the same split");
    let other = go("other", "--data-seed 2");
    let test = |run: &Path| value(&summary(run)["log_likelihood_test"]);
    assert_ne!(test(&one), test(&other));
    let on = summary(&one)["log_likelihood_test"]["on"].as_str().unwrap().to_owned();
    assert!(on.ends_with("data-8.csv (test of 0.7/0.2/0.1)"), "{on}");
    assert!(fs::read_to_string(one.join("config.toml")).unwrap().contains("\"0.7/0.2/0.1\""));
}

#[test]
fn grey_data_need_a_named_binarisation_which_the_run_records() {
    let folder = tempfile::tempdir().unwrap();
    let data = grey(folder.path(), "grey.npy", 80, 3);
    let held_out = grey(folder.path(), "held-out.npy", 30, 4);
    let run = folder.path().join("refused");
    let refusal = refused(train(Some(&data), OPTIONS, &run));
    for choice in ["grey.npy, row 1, column 1", "threshold:0.5", "static:1", "dynamic"] {
        assert!(refusal.contains(choice), "{refusal}");
    }
    for rule in ["threshold:0.5", "static:7", "dynamic"] {
        let run = folder.path().join(rule);
        let held = text(&held_out);
        succeed(train(Some(&data), &format!("{OPTIONS} --binarise {rule} --test {held}"), &run));
        let config = fs::read_to_string(run.join("config.toml")).unwrap();
        assert!(config.contains(&format!("binarise = \"{rule}\"")), "{config}");
        let on = summary(&run)["log_likelihood_test"]["on"].as_str().unwrap().to_owned();
        assert!(on.contains("held-out.npy (") && on.contains(rule), "{on}");
        assert_eq!(evaluated(&run, "--on test"), summary(&run)["log_likelihood_test"]);
    }
}

/// Interrupted in the middle of an epoch and resumed, dynamic data give the same bytes.
#[test]
fn dynamic_data_resume_exactly() {
    let folder = tempfile::tempdir().unwrap();
    let data = grey(folder.path(), "grey.npy", 37, 3);
    let whole = folder.path().join("whole");
    let options = format!("{OPTIONS} --binarise dynamic --checkpoint-every 50 --metrics-every 20");
    succeed(train(Some(&data), &options, &whole));
    // A run that was killed after the checkpoint of step 250 has that one and the later rows.
    let cut = folder.path().join("cut");
    copy(&whole, &cut);
    for name in ["model.safetensors", "summary.json", "checkpoint.safetensors"] {
        fs::remove_file(cut.join(name)).unwrap();
    }
    let ran = run(resume(&cut));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_same(&whole, &cut, "resumed in the middle");
}

/// Twenty examples and as many hidden units as pixels: it overfits at once.
#[test]
fn the_best_model_on_validation_data_is_kept_and_learning_stops_when_nothing_is_better() {
    let folder = tempfile::tempdir().unwrap();
    let data = csv(folder.path(), 40, 10);
    let run = |name: &str, more: &str| {
        let out = folder.path().join(name);
        let options = "--hidden 10 --batch 20 --split 0.5/0.5 --lr 0.2 --lr-decay constant \
                       --updates 4000 --metrics-every 50 --likelihood-every 50 --quiet";
        succeed(train(Some(&data), &format!("{options} {more}"), &out));
        out
    };
    let whole = run("whole", "");
    let valid: Vec<(u64, f64)> = rows(&whole)
        .iter()
        .map(|row| (row["step"].as_u64().unwrap(), value(&row["log_likelihood_valid"])))
        .collect();
    let best = valid.iter().fold(valid[0], |best, &row| if row.1 >= best.1 { row } else { best });
    let last = valid[valid.len() - 1];
    assert!(best.0 < 2000 && best.1 > last.1 + 0.1, "it should overfit: {best:?}, {last:?}");
    let kept = summary(&whole);
    assert_eq!(kept["best"]["update"].as_u64(), Some(best.0));
    assert_eq!(value(&kept["log_likelihood_valid_averaged"]), best.1);
    assert_eq!(evaluated(&whole, "--on valid --averaged"), kept["log_likelihood_valid_averaged"]);

    let stopped = run("stopped", "--patience 500");
    let steps = rows(&stopped).last().unwrap()["step"].as_u64().unwrap();
    assert_eq!(steps, best.0 + 500);
    assert_eq!(summary(&stopped)["updates"].as_u64(), Some(steps));
    assert_eq!(summary(&stopped)["best"], kept["best"]);
    assert_eq!(
        fs::read(stopped.join("model.safetensors")).unwrap(),
        fs::read(whole.join("model.safetensors")).unwrap()
    );
    // It is over: to resume it changes nothing.
    let before = fs::read(stopped.join("metrics.jsonl")).unwrap();
    succeed(resume(&stopped));
    assert_eq!(fs::read(stopped.join("metrics.jsonl")).unwrap(), before);
    let refusal = refused(train(Some(&data), "--patience 5", &folder.path().join("no")));
    assert!(refusal.contains("--valid or --split"), "{refusal}");
}

/// A held-out file of dark images means the same as the training data, in training and afterwards.
#[test]
fn held_out_values_mean_what_those_of_the_training_data_mean() {
    let folder = tempfile::tempdir().unwrap();
    let data = grey(folder.path(), "grey.npy", 80, 3);
    let dark = folder.path().join("dark.npy");
    let values: Vec<u8> = (0..60u8).collect();
    fs::write(&dark, npy("|u1", "(5, 12)", &values)).unwrap();
    let (run, dark) = (folder.path().join("run"), text(&dark));
    let options = OPTIONS.replace("--quiet", "");
    let ran = common::run(train(
        Some(&data),
        &format!("{options} --binarise threshold:0.5 --test {dark}"),
        &run,
    ));
    assert!(ran.code == Some(0) && ran.err.contains("every value is 0"), "{}", ran.err);
    let on = summary(&run)["log_likelihood_test"].clone();
    assert!(on["on"].as_str().unwrap().ends_with("(threshold:0.5, that is above 127.5)"), "{on}");
    assert_eq!(evaluated(&run, &format!("--data {dark}")), on);
    // By another rule it is something else, and so it is for a model without a run.
    let other = evaluated(&run, &format!("--data {dark} --binarise threshold:30"));
    assert_ne!(value(&other), value(&on));
    let model = run.join("model.safetensors");
    let of_model = evaluated(&model, &format!("--data {dark} --binarise threshold:30"));
    assert_eq!(value(&of_model), value(&other));
    let train = text(&data);
    let of_model = format!("--data {dark} --train {train} --binarise threshold:0.5");
    assert_eq!(value(&evaluated(&model, &of_model)), value(&on));
    let fractions = folder.path().join("fractions.csv");
    fs::write(&fractions, ["0.5"; 12].join(",")).unwrap();
    let refusal = refused(["evaluate", &text(&run), "--data", &text(&fractions)]);
    assert!(refusal.contains("whole numbers from 0 to 255"), "{refusal}");
}
