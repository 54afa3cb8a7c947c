//! Every workload of the file does two steps and answers them, on any machine and without peers.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

const WORKLOADS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../workloads.json");

/// The file, cut down where a step takes seconds in full.
fn workloads() -> BTreeMap<String, Value> {
    let text = fs::read_to_string(WORKLOADS).expect("the workloads");
    let mut all: BTreeMap<String, Value> = serde_json::from_str(&text).expect("JSON");
    for work in all.values_mut() {
        if let Some(likelihood) = work.get_mut("likelihood") {
            likelihood["hidden"] = 8.into();
        }
    }
    all
}

/// A table of `rows` examples that are not all alike, as `benches/compare` writes it.
fn write_table(path: &Path, rows: usize, cols: usize) {
    let header = format!("{{'descr': '|u1', 'fortran_order': False, 'shape': ({rows}, {cols}), }}");
    let mut file = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    file.extend_from_slice(format!("{header:<117}\n").as_bytes());
    file.extend((0..rows * cols).map(|i| u8::from(i * i % 10 < 3)));
    fs::write(path, file).expect("a table");
}

fn ask(requests: &str) -> Output {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("workloads.json");
    fs::write(&file, serde_json::to_string(&workloads()).expect("JSON")).expect("the workloads");
    for (name, cols) in [("500.npy", 500), ("784.npy", 784), ("strokes-784.npy", 784)] {
        write_table(&folder.path().join(name), 120, cols);
    }
    let mut child = Command::new(env!("CARGO_BIN_EXE_isotherm-measure"))
        .args([file.as_os_str(), folder.path().as_os_str(), "1".as_ref()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program");
    let mut stdin = child.stdin.take().expect("its input");
    stdin.write_all(requests.as_bytes()).expect("requests");
    drop(stdin);
    child.wait_with_output().expect("its output")
}

#[test]
fn every_workload_answers() {
    let names: Vec<String> = workloads().into_keys().collect();
    let requests: String = names.iter().map(|name| format!("{name} 2\n")).collect();
    let output = ask(&requests);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let replies = String::from_utf8(output.stdout).expect("text");
    let replies: Vec<Value> =
        replies.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(replies.len(), names.len());
    for (name, reply) in names.iter().zip(&replies) {
        assert!(reply["seconds"].as_f64().is_some_and(|s| s > 0.0), "{name}: {reply}");
        let rungs = match name.as_str() {
            "paper-20" | "fixed-apt" | "fixed-pt" => Some(20),
            "sml" | "strokes" | "pictures" => Some(1),
            _ => reply["rungs"].as_u64(),
        };
        assert_eq!(reply["rungs"].as_u64(), rungs, "{name}");
    }
    let large = &replies[names.iter().position(|name| name == "large").expect("it is there")];
    if cfg!(target_os = "linux") {
        // five arrays of 784 × 512 and 500 × 784 single-precision numbers, and a little
        assert!(large["known_bytes"].as_u64().is_some_and(|n| n / 1_000_000 == 8), "{large}");
        assert!(large["peak_bytes"].as_u64() > large["known_bytes"].as_u64(), "{large}");
    }
}

#[test]
fn a_slice_goes_on_where_the_last_one_ended() {
    // The ladder may grow after every 1000 updates: it does not, if each slice began anew.
    let output = ask(&"apt 600\n".repeat(2));
    let replies = String::from_utf8(output.stdout).expect("text");
    assert_eq!(replies.lines().count(), 2, "{}", String::from_utf8_lossy(&output.stderr));
    let last: Value = serde_json::from_str(replies.lines().last().expect("one")).expect("JSON");
    assert_ne!(last["rungs"], 10, "{replies}");
}

#[test]
fn a_bad_request_is_an_error_of_one_sentence() {
    for (request, says) in [
        ("nothing 1\n", "no workload is named nothing"),
        ("paper-20\n", "a request is `workload steps`, not \"paper-20\""),
    ] {
        let output = ask(request);
        assert_eq!(output.status.code(), Some(2));
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(said.trim_end(), format!("isotherm-measure: {says}"));
    }
}
