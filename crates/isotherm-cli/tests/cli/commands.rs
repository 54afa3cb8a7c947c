//! The commands in ordinary use.

use std::fs;
use std::path::{Path, PathBuf};

use isotherm_run::{Config, RunFolder};
use serde_json::{Value, json};

use crate::common::{self, *};

fn place() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    (folder, run)
}

fn assert_has(value: &Value, names: &[&str]) {
    assert!(names.iter().all(|name| value.get(name).is_some()), "{names:?} not all in {value}");
}

#[test]
fn train_writes_the_files_of_the_contract() {
    let (_folder, run) = place();
    let options = "--hidden 7 --updates 300 --sampling-steps 40 --checkpoint-every 100 --seed 5";
    let printed = succeed(train(None, options, &run));
    assert!(printed.contains("300 updates") && printed.contains("40 sampling steps"), "{printed}");
    assert!(printed.contains("log-likelihood") && printed.contains("ladder"), "{printed}");
    assert!(printed.contains(&text(&run)), "{printed}");

    let names: Vec<String> = contents(&run)
        .keys()
        .map(|path| path.file_name().unwrap().to_str().unwrap().into())
        .collect();
    let expected = [
        ".lock",
        "checkpoint.previous.safetensors",
        "checkpoint.safetensors",
        "config.toml",
        "metrics.jsonl",
        "model.safetensors",
        "report.html",
        "summary.json",
        "timing.jsonl",
    ];
    assert!(expected.iter().all(|name| names.iter().any(|it| it == name)), "{names:?}");
    assert!(!names.iter().any(|name| name.ends_with(".partial")), "{names:?}");

    for name in ["model.safetensors", "checkpoint.safetensors"] {
        let header = tensors(&run.join(name));
        for (tensor, shape) in [("W", json!([784, 7])), ("b", json!([7])), ("c", json!([784]))] {
            assert_eq!(header[tensor]["shape"], shape, "{tensor}");
            assert_eq!(header[tensor]["dtype"], "F32");
        }
    }
    let config: toml::Table = fs::read_to_string(run.join("config.toml")).unwrap().parse().unwrap();
    // All options are written out, each in its section, but those that stay absent.
    let absent = [
        "components",
        "reference-hidden",
        "shape",
        "patience",
        "train",
        "valid",
        "test",
        "split",
        "drop",
    ];
    for spec in Config::table() {
        let section = match spec.section {
            "" => &config,
            section => config[section].as_table().unwrap(),
        };
        assert_eq!(
            section.contains_key(spec.name.as_str()),
            !absent.contains(&spec.name.as_str()),
            "{}",
            spec.name
        );
    }
    assert_eq!(config["hidden"].as_integer(), Some(7));

    let summary = summary(&run);
    for name in ["log_likelihood", "log_likelihood_averaged"] {
        let names = ["lower", "method", "on", "std_error", "upper", "value"];
        assert_eq!(summary[name].as_object().unwrap().keys().collect::<Vec<_>>(), names);
        assert_eq!(
            (&summary[name]["method"], &summary[name]["on"]),
            (&json!("exact"), &json!("mixture"))
        );
        let value = |key: &str| summary[name][key].as_f64().unwrap();
        assert!(value("lower") <= value("value") && value("value") <= value("upper"));
        assert!(value("upper") < summary["entropy_limit"].as_f64().unwrap());
    }
    assert_has(&summary["swap_rate"], &["mean", "min", "pairs"]);
    assert_has(&summary["return_time"], &["mean", "sum"]);
    assert_has(&summary["round_trips"], &["count", "mean_steps", "phase"]);
    assert_has(&summary["seconds"], &["train", "sample", "evaluate"]);
    assert_eq!((&summary["updates"], &summary["seed"]), (&json!(300), &json!(5)));
    assert_eq!(summary["version"], env!("CARGO_PKG_VERSION"));
    let length = |name: &str| summary[name].as_array().unwrap().len() as u64;
    assert_eq!(summary["rungs"].as_u64().unwrap(), length("betas"));
    assert_eq!(length("betas"), length("f_up"));
    assert_eq!(length("betas") - 1, summary["swap_rate"]["pairs"].as_array().unwrap().len() as u64);
}

#[test]
fn a_run_without_a_ladder_can_be_sampled() {
    let (folder, run) = place();
    let data = csv(folder.path(), 40, 8);
    for algorithm in ["cd", "sml"] {
        let options = format!(
            "--algorithm {algorithm} --hidden 3 --batch 5 --particles 5 --max-rungs 5 --updates 20"
        );
        let options = format!("{options} --overwrite --quiet");
        succeed(train(Some(&data), &options, &run));
        let summary = summary(&run);
        for name in ["swap_rate", "f_up", "return_time", "round_trips", "entropy_limit"] {
            assert!(summary[name].is_null(), "{name}");
        }
        assert_eq!((&summary["rungs"], &summary["betas"]), (&json!(1), &json!([1.0])));
        let out = folder.path().join(format!("{algorithm}.npy"));
        let (run, to) = (run.display(), out.display());
        let line = format!("sample {run} --out {to} --warm-up 100 --thin 100");
        let printed = succeed(words(&line));
        assert!(printed.contains("100 samples") && !printed.contains("(0 round"), "{printed}");
        assert_eq!(read_npy(&out).0, [100, 8]);
    }
}

#[test]
fn progress_is_shown_unless_quiet_is_given() {
    let (folder, run) = place();
    let data = csv(folder.path(), 40, 8);
    let options = "--hidden 3 --updates 50 --likelihood-every 10 --overwrite";
    let loud = common::run(train(Some(&data), options, &run));
    assert_eq!(loud.code, Some(0));
    let last = loud.err.lines().last().unwrap();
    assert!(last.starts_with("50/50  ") && last.contains("log-likelihood -"), "{last}");
    let watched = common::run(train(Some(&data), &format!("{options} --split 0.5/0.5"), &run));
    let last = watched.err.lines().last().unwrap();
    assert!(last.contains("  train -") && last.contains(", valid -"), "{last}");
    // Three lines about the run, then about ten of progress.
    assert!((6..=14).contains(&loud.err.lines().count()), "{}", loud.err);
    assert!(loud.err.lines().all(|line| line == line.trim()), "{}", loud.err);
    let (run, samples) = (text(&run), text(&folder.path().join("s.npy")));
    let quiet = [
        train(Some(&data), &format!("{options} --quiet"), Path::new(&run)),
        words(&format!("resume {run} -q")),
        // A single sample tells nothing about the weights of clusters, which are far from learned.
        words(&format!("sample {run} -n 1 --out {samples} --quiet")),
    ];
    for arguments in quiet {
        let ran = common::run(arguments);
        assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (Some(0), "", ""));
    }
}

#[test]
fn options_that_do_nothing_are_named() {
    let (folder, run) = place();
    let data = csv(folder.path(), 40, 8);
    let told = |options: &str| {
        let ran = common::run(train(Some(&data), &format!("{options} --overwrite"), &run));
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let summary = summary(&run);
        let found = summary["diagnostics"].as_array().unwrap().iter();
        let mut found = found.filter(|it| it["kind"] == "unused-options");
        let names = found.next().map_or(serde_json::json!([]), |it| it["names"].clone());
        let names: Vec<String> = serde_json::from_value(names).unwrap();
        // On the terminal and in the report too.
        let page = fs::read_to_string(run.join("report.html")).unwrap();
        let items = page.matches("data-kind=\"unused-options\"").count();
        assert_eq!(items, usize::from(!names.is_empty()));
        let mut warnings = ran.err.lines().filter(|line| line.starts_with("warning: "));
        let named = |line: &str| names.iter().all(|name| line.contains(&format!("--{name}")));
        assert!(names.is_empty() || warnings.any(named), "{}", ran.err);
        names
    };
    let short = "--hidden 3 --updates 5";
    let fixed = told(&format!("{short} --algorithm pt --respace rejection --min-swap 0.3"));
    assert_eq!(fixed, ["min-swap", "respace"]);
    let plain = told(&format!("{short} --algorithm sml --spacing geometric"));
    assert_eq!(plain, ["spacing"]);
    let both = told(&format!("{short} --algorithm sml --particles 10 --columns 20"));
    assert_eq!(both, ["particles"]);
    let written = text(&run.join("config.toml"));
    let over = told(&format!("--config {written} --algorithm sml --beta-lr 0.3"));
    assert_eq!(over, ["beta-lr"]);
    assert_eq!(told(&format!("{short} --algorithm cd --particles 7")), ["particles"]);
    assert!(told(&format!("{short} --respace rejection --particles 20")).is_empty());
}

#[test]
fn the_command_line_overrides_a_configuration_file() {
    let (folder, run) = place();
    let data = csv(folder.path(), 40, 8);
    let file = folder.path().join("experiment.toml");
    let options = format!(
        "# an experiment\ndata = {data:?}\nhidden = 4\nupdates = 60\nlr-decay = \"constant\"\n\
         seed = 3\nspawn-every = 20\nburn-in = 5\n"
    );
    fs::write(&file, options).unwrap();
    let config = format!("--config {} --quiet", file.display());
    succeed(train(None, &format!("{config} --hidden 5 --seed 4"), &run));
    let written: toml::Table =
        fs::read_to_string(run.join("config.toml")).unwrap().parse().unwrap();
    let number = |value: &toml::Value| value.as_integer().unwrap();
    assert_eq!((number(&written["hidden"]), number(&written["seed"])), (5, 4));
    let (optimiser, ladder) = (&written["optimiser"], &written["ladder"]);
    assert_eq!((number(&optimiser["updates"]), number(&ladder["spawn-every"])), (60, 20));
    assert_eq!(optimiser["lr-decay"].as_str(), Some("constant"));
    assert_eq!(written["data"]["train"].as_str(), data.to_str());

    let line = "--hidden 5 --updates 6e1 --lr-decay constant --seed 4 --spawn-every 2_0 \
                --burn-in 5 --quiet";
    let same = folder.path().join("same");
    succeed(train(Some(&data), line, &same));
    assert_same(&run, &same, "the same options, given on the command line");

    // The config.toml of a run is enough to repeat it.
    let again = folder.path().join("again");
    let config = format!("--config {} --quiet", run.join("config.toml").display());
    succeed(train(None, &config, &again));
    assert_same(&run, &again, "repeated from its config.toml");
    let read = |run: &Path| fs::read(run.join("config.toml")).unwrap();
    assert!(read(&run) == read(&again));

    // As versions without sections wrote it.
    let mut flat = RunFolder::open(&run).unwrap().read_config().unwrap().flat();
    let train_data = flat.remove("train").unwrap();
    flat.insert("data".to_owned(), train_data);
    fs::write(&file, toml::to_string(&flat).unwrap()).unwrap();
    let flat = folder.path().join("flat");
    succeed(train(None, &format!("--config {} --quiet", file.display()), &flat));
    assert_same(&run, &flat, "repeated from names without sections");
    assert!(read(&run) == read(&flat));
}

#[test]
fn each_step_has_at_most_one_row() {
    let (folder, run) = place();
    let data = csv(folder.path(), 40, 20);
    let options = "--hidden 4 --updates 203 --sampling-steps 101 --metrics-every 10 \
        --likelihood-every 15 --spawn-every 7 --burn-in 2 --rungs 3 --min-swap 0.9 --quiet";
    succeed(train(Some(&data), options, &run));
    let rows = rows(&run);
    let steps: Vec<u64> = rows.iter().map(|row| row["step"].as_u64().unwrap()).collect();
    assert!(steps.is_sorted_by(|one, other| one < other), "{steps:?}");
    let due = (1..=304).filter(|step| step % 10 == 0 || step % 15 == 0 && *step < 203);
    assert!(due.chain([203, 304]).all(|step| steps.contains(&step)), "{steps:?}");
    for row in &rows {
        let step = row["step"].as_u64().unwrap();
        let phase = if step <= 203 { "train" } else { "sample" };
        assert_eq!(row["phase"], phase);
        let measured = step == 203 || step < 203 && step % 15 == 0;
        assert_eq!(row.get("log_likelihood").is_some(), measured, "step {step}");
    }
    assert!(rows.iter().any(|row| row.get("event").is_some()));
    let timing = fs::read_to_string(run.join("timing.jsonl")).unwrap();
    let timed =
        timing.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["step"].clone());
    assert!(timed.eq(steps));
}

/// From a table of data to samples of the model.
#[test]
fn a_table_from_end_to_end() {
    let (folder, run) = place();
    let (rows, columns) = (400, 12);
    let data = csv(folder.path(), rows, columns);
    succeed(train(Some(&data), "--hidden 4 --batch 20 --updates 3000 --lr 0.05 --quiet", &run));
    let value = summary(&run)["log_likelihood"]["value"].as_f64().unwrap();
    assert!(value.is_finite() && value < 0.0);
    let uniform = -(columns as f64) * 2f64.ln();
    assert!(value > uniform + 1.0, "{value} is not far above {uniform}");
    assert_eq!(summary(&run)["log_likelihood"]["std_error"], 0.0);

    let out = folder.path().join("s.npy");
    let line = format!("sample {} -n 2001 --out {}", run.display(), out.display());
    let printed = succeed(words(&line));
    assert!(printed.starts_with("2001 samples of 12 units in "), "{printed}");
    let (shape, samples) = read_npy(&out);
    assert_eq!(shape, [2001, columns]);
    assert_eq!(samples.len(), 2001 * columns);
    assert!(samples.iter().all(|&value| value <= 1));
    let examples = examples(rows, columns).concat();
    let share = |values: &[u8], column: usize| {
        let ones = values.iter().skip(column).step_by(columns).filter(|&&value| value == 1).count();
        ones as f64 * columns as f64 / values.len() as f64
    };
    for column in 0..columns {
        let (drawn, given) = (share(&samples, column), share(&examples, column));
        assert!((drawn - given).abs() < 0.06, "column {column}: {drawn} of {given}");
    }
    // Both kinds of rows occur among the samples: neighbouring values in a row differ.
    let unequal = samples.chunks(columns).filter(|row| row[0] != row[1]).count();
    assert!(unequal > 1200, "{unequal}");

    // The same examples as an array.
    let array = folder.path().join("data.npy");
    fs::write(&array, npy("|u1", &format!("({rows}, {columns})"), &examples)).unwrap();
    let json =
        succeed(words(&format!("evaluate {} --json --data {}", run.display(), array.display())));
    assert_eq!(serde_json::from_str::<Value>(&json).unwrap()["value"].as_f64(), Some(value));
}

#[test]
fn evaluate_agrees_with_the_summary() {
    let (_folder, run) = place();
    succeed(train(None, "--hidden 5 --updates 100 --quiet", &run));
    let line = format!("evaluate {} --json", run.display());
    for (more, name) in [("", "log_likelihood"), ("--averaged", "log_likelihood_averaged")] {
        let json: Value = serde_json::from_str(&succeed(words(&format!("{line} {more}")))).unwrap();
        assert_eq!(json, summary(&run)[name]);
    }
    let printed = succeed(["evaluate", run.to_str().unwrap()]);
    let value = summary(&run)["log_likelihood"]["value"].as_f64().unwrap();
    assert!(printed.starts_with(&format!("log-likelihood {value:.2} ± ")), "{printed}");
    assert_eq!(printed.lines().count(), 1);
}

/// For two examples, the standard error of the mean is half of their difference. It is reported for data
/// that were not used for training, to its significant digits, and is not part of the rows of metrics.
#[test]
fn the_standard_error_over_examples() {
    let (folder, run) = place();
    let rows = ["1,1,1,0", "0,0,1,1", "1,1,0,0", "0,1,1,1", "1,0,0,0", "0,0,1,0"];
    let file = |name: &str, rows: &[&str]| {
        let path = folder.path().join(name);
        fs::write(&path, rows.join("\n")).unwrap();
        path.display().to_string()
    };
    succeed(train(
        Some(Path::new(&file("all.csv", &rows))),
        "--hidden 3 --updates 300 --quiet",
        &run,
    ));
    let on = |data: &str| -> Value {
        let line = format!("evaluate {} --data {data} --json", run.display());
        serde_json::from_str(&succeed(words(&line))).unwrap()
    };
    let [first, second] = [0, 1].map(|at| on(&file("one.csv", &rows[at..=at])));
    assert!(first.get("examples_std_error").is_none(), "one example has no spread");
    let both = file("two.csv", &rows[..2]);
    let half = (first["value"].as_f64().unwrap() - second["value"].as_f64().unwrap()).abs() / 2.0;
    assert!((on(&both)["examples_std_error"].as_f64().unwrap() - half).abs() < 1e-12);
    assert_eq!(on(&both)["std_error"], 0.0, "the value itself is exact");

    let printed = |more: &str| succeed(words(&format!("evaluate {} {more}", run.display())));
    let told = printed(&format!("--data {both}"));
    assert!(told.contains("standard error of the mean over other examples like these: "), "{told}");
    let value = on(&both)["value"].as_f64().unwrap();
    assert!(told.starts_with(&format!("log-likelihood {value:.4} nats")), "{told}");
    assert!(!printed("").contains("other examples like these"), "for the training data");
    assert!(summary(&run)["log_likelihood"]["examples_std_error"].is_f64());
    let metrics = fs::read_to_string(run.join("metrics.jsonl")).unwrap();
    assert!(!metrics.contains("examples_std_error"));
}

#[test]
fn evaluate_names_the_parameters_and_sample_warns() {
    let (folder, run) = place();
    succeed(train(None, "--hidden 5 --updates 100 --path joint --rungs 40 --quiet", &run));
    for (option, which) in [("", ", raw parameters)\n"), ("--averaged", ", averaged parameters)\n")]
    {
        let printed = succeed(words(&format!("evaluate {} {option}", run.display())));
        assert!(printed.ends_with(which), "{printed}");
    }

    let said = |line: &str| common::run(words(line)).err;
    let sample = |n| format!("sample {} -n {n} --thin 1 --warm-up 0 --out", run.display());
    let out = folder.path().join("samples.npy").display().to_string();
    let few = said(&format!("{} {out}", sample(5)));
    assert!(few.contains("warning: ") && few.contains("no round trips"), "{few}");
    assert!(few.contains("--warm-up"), "{few}");
    for name in ["model.safetensors", "summary.json"] {
        fs::remove_file(run.join(name)).unwrap();
    }
    let early = said(&format!("{} {out}2.npy", sample(5)));
    assert!(early.contains("warning: This run is not finished: 100 of 100"), "{early}");
}

/// The weights of clusters are a table that fits a terminal, and a run on other data is told of.
#[test]
fn sample_shows_the_weights_of_clusters() {
    let (folder, run) = place();
    let data = folder.path().join("two.csv");
    let row =
        |i: usize| if i.is_multiple_of(4) { "1,1,1,1,0,0,0,0\n" } else { "0,0,0,0,1,1,1,1\n" };
    fs::write(&data, (0..400).map(row).collect::<String>()).unwrap();
    succeed(train(
        Some(&data),
        "--hidden 20 --updates 3000 --lr 0.02 --reference base-rate --quiet",
        &run,
    ));
    let out = folder.path().join("s.npy");
    let line = format!("sample {} -n 200 --overwrite --out {}", run.display(), out.display());
    let printed = succeed(words(&line));
    assert!(printed.lines().skip(1).all(|line| line.len() <= 80), "{printed}");
    // The first line says how many samples there are.
    let of = |name: &str| printed.lines().skip(1).find(|line| line.starts_with(name)).unwrap();
    let fields = |name: &str| of(name).split_whitespace().collect::<Vec<_>>();
    assert_eq!(fields("cluster")[1..3], ["data", "samples"]);
    assert_eq!(fields("1")[1], "0.750");
    assert_eq!(fields("2")[1], "0.250");
    assert!(of("outside").len() > 40 && of("total").contains("(by chance "), "{printed}");
    fs::remove_file(&data).unwrap();
    let printed = succeed(words(&line));
    assert!(printed.ends_with("modes that neither sampler reached are not seen\n"), "{printed}");
}

#[test]
fn resuming_a_finished_run_changes_nothing() {
    let (folder, run) = place();
    let data = csv(folder.path(), 40, 8);
    succeed(train(Some(&data), "--hidden 3 --updates 45 --sampling-steps 7 --quiet", &run));
    let before = folder.path().join("before");
    copy(&run, &before);
    let printed = succeed(["resume", run.to_str().unwrap()]);
    assert!(printed.contains("45 updates"), "{printed}");
    assert_same(&run, &before, "resumed after its end");
    let read = |run: &Path, name: &str| fs::read(run.join(name)).unwrap();
    for name in ["config.toml", "timing.jsonl"] {
        assert!(read(&run, name) == read(&before, name), "{name}");
    }
}

#[test]
fn runs_are_numbered_in_a_folder_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    csv(folder.path(), 40, 8);
    let lines =
        ["train --updates 9", "train --updates 9", "train data-8.csv --algorithm cd --updates 9"];
    let names = ["runs/mixture-apt-1", "runs/mixture-apt-2", "runs/data-8-cd-1"];
    for (line, name) in lines.into_iter().zip(names) {
        let ran = finish(command(words(line)).current_dir(folder.path()));
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert!(ran.out.ends_with(&format!("{name}\n")), "{}", ran.out);
        assert!(folder.path().join(name).join("summary.json").exists());
    }
    // A run can be resumed from anywhere.
    succeed(resume(&folder.path().join(names[2])));
}

#[test]
fn every_help_has_an_example() {
    for name in ["", "train", "resume", "sample", "evaluate", "report"] {
        let help = succeed(words(&format!("{name} --help")));
        let (_, examples) = help.split_once("\nExample").unwrap_or_else(|| panic!("{help}"));
        assert!(examples.contains(&format!("\n  isotherm {name}")), "{help}");
    }
    assert_eq!(succeed(["--version"]), format!("isotherm {}\n", env!("CARGO_PKG_VERSION")));
}
