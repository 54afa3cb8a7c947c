//! Models that were made elsewhere, and likelihoods of models that are too large to enumerate.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::common::*;

/// Writes a safetensors file as another program would: no checksum, no metadata.
fn safetensors(path: &Path, tensors: &[(&str, &[usize], &[f64])], dtype: &str) {
    let (mut header, mut bytes) = (serde_json::Map::new(), Vec::new());
    for (name, shape, values) in tensors {
        let begin = bytes.len();
        for value in *values {
            match dtype {
                "F64" => bytes.extend(value.to_le_bytes()),
                "F32" => bytes.extend((*value as f32).to_le_bytes()),
                // The upper half of an f32.
                _ => bytes.extend(&(*value as f32).to_le_bytes()[2..]),
            }
        }
        let entry = json!({ "dtype": dtype, "shape": shape, "data_offsets": [begin, bytes.len()] });
        header.insert((*name).to_owned(), entry);
    }
    let header = Value::Object(header).to_string();
    let length = (header.len() as u64).to_le_bytes();
    fs::write(path, [&length[..], header.as_bytes(), &bytes].concat()).unwrap();
}

/// A model whose numbers are eighths, which every floating-point type holds exactly.
fn model(path: &Path, (n_visible, n_hidden): (usize, usize), dtype: &str) -> PathBuf {
    let mut random = Random(3);
    let mut values = |n: usize| -> Vec<f64> {
        (0..n).map(|_| (random.next() * 8.0 - 4.0).round() / 8.0).collect()
    };
    let (w, b, c) = (values(n_visible * n_hidden), values(n_hidden), values(n_visible));
    let tensors: [(&str, &[usize], &[f64]); 3] =
        [("W", &[n_visible, n_hidden], &w), ("b", &[n_hidden], &b), ("c", &[n_visible], &c)];
    safetensors(path, &tensors, dtype);
    path.to_owned()
}

fn evaluated(model: &Path, data: &Path, options: &str) -> Value {
    let line =
        format!("evaluate {} --data {} --json -q {options}", model.display(), data.display());
    serde_json::from_str(&succeed(words(&line))).unwrap()
}

/// The likelihood is exact, the same for every type of numbers, and agrees with the estimate.
#[test]
fn a_model_made_elsewhere_is_evaluated() {
    let folder = tempfile::tempdir().unwrap();
    let data = csv(folder.path(), 60, 12);
    let small = model(&folder.path().join("small.safetensors"), (12, 8), "F32");
    let exact = evaluated(&small, &data, "");
    assert_eq!(exact["method"], "exact");
    assert!(exact.get("log_z").is_none(), "{exact}");
    for dtype in ["F64", "BF16"] {
        let other = model(&folder.path().join(format!("{dtype}.safetensors")), (12, 8), dtype);
        assert_eq!(evaluated(&other, &data, "")["value"], exact["value"], "{dtype}");
    }
    let estimate = evaluated(&small, &data, "--log-z estimate --particles 100 --steps 500");
    let number = |name: &str| estimate[name].as_f64().unwrap();
    let truth = exact["value"].as_f64().unwrap();
    assert!(number("lower") <= truth && truth <= number("upper"), "{truth}: {estimate}");
    // As many in every cluster, so that there may be some more.
    let particles = estimate["log_z"]["particles"][0].as_u64().unwrap();
    assert!((100..120).contains(&particles), "{estimate}");
    assert_eq!(estimate["log_z"]["annealing_steps"], json!(vec![500; 6]));
}

/// The estimate has a bracket and a verdict, and is the same for any number of threads.
#[test]
fn a_large_model_is_estimated() {
    let folder = tempfile::tempdir().unwrap();
    let data = csv(folder.path(), 60, 40);
    let large = model(&folder.path().join("large.safetensors"), (40, 36), "F32");
    let one = evaluated(&large, &data, "--quick --threads 1");
    assert_eq!(one, evaluated(&large, &data, "--quick --threads 3"));
    let number = |name: &str| one[name].as_f64().unwrap();
    assert!(number("lower") <= number("value") && number("value") <= number("upper"), "{one}");
    let sentence = one["log_z"]["verdict"]["sentence"].as_str().unwrap();
    let line = format!("evaluate {} --data {} --quick", large.display(), data.display());
    let ran = run(words(&line));
    assert!(ran.out.contains("between") && ran.out.contains(sentence), "{}", ran.out);
    for stage in ["exploring", "annealing up component by", "sampling", "annealing down"] {
        assert!(ran.err.contains(stage), "{stage}: {}", ran.err);
    }
    let other = evaluated(&large, &data, "--quick --seed 2");
    assert_ne!(one["log_z"]["value"], other["log_z"]["value"]);
}

/// Without any data there is log Z alone: exact, or with a verdict that says what it was not checked from.
#[test]
fn log_z_needs_no_data() {
    let folder = tempfile::tempdir().unwrap();
    let (narrow, wide) = (csv(folder.path(), 60, 12), csv(folder.path(), 60, 40));
    let place = |name: &str| folder.path().join(format!("{name}.safetensors"));
    let (small, large) =
        (model(&place("small"), (12, 8), "F32"), model(&place("large"), (40, 36), "F32"));
    let alone = |model: &Path, more: &str| -> Value {
        let line = format!("evaluate {} --json -q {more}", model.display());
        serde_json::from_str(&succeed(words(&line))).unwrap()
    };
    let number = |of: &Value, name: &str| of[name].as_f64().unwrap();
    let (exact, from_data) = (alone(&small, ""), evaluated(&small, &narrow, "--log-z estimate"));
    let (exact, bracket) = (number(&exact, "value"), &from_data["log_z"]);
    assert!(number(bracket, "lower") <= exact && exact <= number(bracket, "upper"), "{exact}");
    let (told, found) = (alone(&large, "--quick"), evaluated(&large, &wide, "--quick"));
    let (value, other) = (number(&told, "value"), number(&found["log_z"], "value"));
    assert!((value - other).abs() < 0.3, "{value} and, from data, {other}");
    let reasons = told["verdict"]["reasons"].as_array().unwrap();
    assert!(reasons.iter().any(|it| it["kind"] == "not-checked-from-data"), "{told}");
}

#[test]
fn a_model_made_elsewhere_is_sampled_from() {
    let folder = tempfile::tempdir().unwrap();
    // Two units that are always on and one that is always off, for any hidden units.
    let path = folder.path().join("m.safetensors");
    let tensors: [(&str, &[usize], &[f64]); 3] =
        [("W", &[3, 2], &[0.0; 6]), ("b", &[2], &[0.5; 2]), ("c", &[3], &[20.0, -20.0, 20.0])];
    safetensors(&path, &tensors, "F32");
    let draw = |name: &str| {
        let out = folder.path().join(name);
        let line = format!("sample {} -n 150 --out {} -q", path.display(), out.display());
        succeed(words(&line));
        read_npy(&out)
    };
    let (shape, values) = draw("one.npy");
    assert_eq!(shape, [150, 3]);
    assert!(values.chunks(3).all(|row| row == [1, 0, 1]));
    let large = model(&path, (40, 36), "F32");
    assert_eq!(large, path);
    let (one, two) = (draw("two.npy"), draw("three.npy"));
    assert_eq!(one, two, "the same seed");
    assert!(one.1.contains(&0) && one.1.contains(&1));
}

#[test]
fn model_files_that_cannot_be_used_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let data = csv(folder.path(), 60, 12);
    let path = model(&folder.path().join("m.safetensors"), (12, 8), "F32");
    let place = path.display();
    let why = refused(words(&format!("evaluate {place} --data {} --averaged", data.display())));
    assert!(why.contains("--averaged"), "{why}");
    let wide = csv(folder.path(), 10, 9);
    for option in ["--data", "--train"] {
        let data = if option == "--data" { "" } else { &format!("--data {}", data.display()) };
        let line = format!("evaluate {place} {data} {option} {}", wide.display());
        let why = refused(words(&line));
        assert!(why.contains("9 columns") && why.contains("12 visible"), "{why}");
    }
    let line = format!("evaluate {place} --data {} --log-z estimate --particles 1", data.display());
    let why = refused(words(&line));
    assert!(why.contains("--particles") && why.contains("not 1"), "{why}");
    let tensors: [(&str, &[usize], &[f64]); 3] =
        [("W", &[8, 12], &[0.0; 96]), ("b", &[8], &[0.0; 8]), ("c", &[12], &[0.0; 12])];
    safetensors(&path, &tensors, "F32");
    for line in [
        format!("evaluate {place} --data {}", data.display()),
        format!("sample {place} --out {}/x.npy", folder.path().display()),
    ] {
        let why = refused(words(&line));
        assert!(why.contains("transposed") && why.contains("[visible, hidden]"), "{why}");
    }
    safetensors(&path, &tensors[..2], "F32");
    let why = refused(words(&format!("evaluate {place} --data {}", data.display())));
    assert!(why.contains("`c` is missing"), "{why}");
}

/// A run with a model too large to enumerate estimates its likelihood at the end, with a verdict,
/// on every part of its data; the page contains the verdict in words.
#[test]
fn a_run_of_a_large_model_ends_with_an_estimate() {
    let folder = tempfile::tempdir().unwrap();
    let (data, out) = (csv(folder.path(), 80, 30), folder.path().join("run"));
    let options = "--hidden 40 --updates 400 --batch 10 --split 0.8/0.1/0.1 --quiet";
    succeed(train(Some(&data), options, &out));
    let summary = summary(&out);
    let page = fs::read_to_string(out.join("report.html")).unwrap();
    for name in ["log_likelihood", "log_likelihood_averaged", "log_likelihood_test"] {
        let measured = &summary[name];
        assert_eq!(measured["method"], "ais-bar-bracket", "{name}");
        let number = |name: &str| measured[name].as_f64().unwrap();
        assert!(number("lower") <= number("value") && number("value") <= number("upper"));
    }
    let verdict = &summary["log_likelihood"]["log_z"]["verdict"];
    let sentence = verdict["sentence"].as_str().unwrap();
    assert!(page.contains(sentence), "{sentence}");
    let diagnostics = summary["diagnostics"].as_array().unwrap().iter();
    let mut of_estimate = diagnostics.filter(|it| it["kind"] == "not-converged");
    let warned = of_estimate.any(|it| it["parameters"] == "raw" && &it["verdict"] == verdict);
    let converged = verdict["converged"].as_bool().unwrap();
    assert_eq!(warned, !converged, "{summary}");
    assert_eq!(verdict["reasons"].as_array().unwrap().is_empty(), converged);
}
