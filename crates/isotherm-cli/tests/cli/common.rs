//! Shared by the tests: the binary as a child process, small data, and reading the folder of a run.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;

/// The binary.
pub(crate) const ISOTHERM: &str = env!("CARGO_BIN_EXE_isotherm");

/// How a child process ended.
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// The binary with arguments, to be started by the caller.
pub(crate) fn command<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Command {
    let mut command = Command::new(ISOTHERM);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs a command to its end.
pub(crate) fn finish(command: &mut Command) -> Ran {
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ran { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

/// Runs the binary to its end.
pub(crate) fn run<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Ran {
    finish(&mut command(arguments))
}

/// Runs the binary, which must succeed without a warning, and returns what it printed.
pub(crate) fn succeed<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> String {
    let ran = run(arguments);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    ran.out
}

/// Runs the binary, which must refuse, and returns its sentence.
pub(crate) fn refused<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> String {
    sentence(&run(arguments))
}

/// The message of a command that refused: exit code 2, one line, no panic.
pub(crate) fn sentence(ran: &Ran) -> String {
    assert_eq!(ran.code, Some(2), "stdout: {}\nstderr: {}", ran.out, ran.err);
    assert!(!ran.err.contains("panicked"), "{}", ran.err);
    assert_eq!(ran.out, "");
    let line = ran.err.strip_suffix('\n').unwrap_or_else(|| panic!("no line: {:?}", ran.err));
    assert!(!line.chars().any(char::is_control), "more than one line: {}", ran.err);
    assert!(line.chars().count() < 500, "too long: {line}");
    let sentence = line.strip_prefix("isotherm: ").unwrap_or_else(|| panic!("{line}"));
    sentence.to_owned()
}

/// Words of a command line.
pub(crate) fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

/// `train` with data, options and a folder for the run.
pub(crate) fn train(data: Option<&Path>, options: &str, out: &Path) -> Vec<String> {
    let mut arguments = vec!["train".to_owned()];
    arguments.extend(data.map(text));
    arguments.extend(words(options));
    arguments.extend(["--out".to_owned(), text(out)]);
    arguments
}

/// `resume`, without progress.
pub(crate) fn resume(run: &Path) -> Vec<String> {
    vec!["resume".to_owned(), text(run), "--quiet".to_owned()]
}

/// A path as an argument.
pub(crate) fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

/// All files in a folder, by path; empty if there is no such folder.
pub(crate) fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.insert(path.clone(), Vec::new());
            found.extend(contents(&path));
        } else {
            found.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
    found
}

/// Copies the files of a run.
pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for path in contents(from).keys() {
        fs::copy(path, to.join(path.file_name().unwrap())).unwrap();
    }
}

/// The files whose bytes depend only on the options and the seed.
pub(crate) const SAME: [&str; 3] = ["model.safetensors", "checkpoint.safetensors", "metrics.jsonl"];

/// Asserts that two runs have the same results, byte for byte.
pub(crate) fn assert_same(one: &Path, other: &Path, why: &str) {
    for name in SAME {
        let read = |run: &Path| fs::read(run.join(name)).unwrap();
        assert!(read(one) == read(other), "{name} differs: {why}");
    }
    let timeless = |run: &Path| {
        let mut summary = summary(run);
        assert!(summary.as_object_mut().unwrap().remove("seconds").is_some());
        summary
    };
    assert_eq!(timeless(one), timeless(other), "{why}");
}

/// `summary.json`.
pub(crate) fn summary(run: &Path) -> Value {
    serde_json::from_slice(&fs::read(run.join("summary.json")).unwrap()).unwrap()
}

/// The rows of `metrics.jsonl`.
pub(crate) fn rows(run: &Path) -> Vec<Value> {
    let text = fs::read_to_string(run.join("metrics.jsonl")).unwrap();
    assert!(text.ends_with('\n'));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Waits until a condition holds; false if the child ended before that.
pub(crate) fn wait_until(child: &mut Child, mut condition: impl FnMut() -> bool) -> bool {
    while !condition() {
        if child.try_wait().unwrap().is_some() {
            return false;
        }
        sleep(Duration::from_micros(50));
    }
    true
}

/// Pseudo-random numbers, the same every time (SplitMix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// A number between 0 and 1.
    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / 2f64.powi(53)
    }
}

/// Rows of two kinds: in one the even columns are mostly 1, in the other the odd ones.
pub(crate) fn examples(rows: usize, columns: usize) -> Vec<Vec<u8>> {
    let mut random = Random(7);
    let mut row = |_| {
        let even = random.next() < 0.4;
        let one = |column| if (column % 2 == 0) == even { 0.9 } else { 0.2 };
        (0..columns).map(|column| u8::from(random.next() < one(column))).collect()
    };
    (0..rows).map(&mut row).collect()
}

/// Those rows as a CSV file in a folder.
pub(crate) fn csv(folder: &Path, rows: usize, columns: usize) -> PathBuf {
    let line = |row: Vec<u8>| {
        let fields: Vec<String> = row.iter().map(u8::to_string).collect();
        fields.join(",") + "\n"
    };
    let path = folder.join(format!("data-{columns}.csv"));
    fs::write(&path, examples(rows, columns).into_iter().map(line).collect::<String>()).unwrap();
    path
}

/// The bytes of an npy file.
pub(crate) fn npy(descr: &str, shape: &str, values: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend(((header.len() + 1) as u16).to_le_bytes());
    bytes.extend(header.bytes().chain([b'\n']).chain(values.iter().copied()));
    bytes
}

/// The shape and the values of an npy file of bytes.
pub(crate) fn read_npy(path: &Path) -> (Vec<usize>, Vec<u8>) {
    let bytes = fs::read(path).unwrap();
    assert_eq!(bytes[..8], *b"\x93NUMPY\x01\x00");
    let length = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let header = std::str::from_utf8(&bytes[10..10 + length]).unwrap();
    assert!(header.contains("'|u1'") && header.contains("'fortran_order': False"), "{header}");
    assert_eq!((10 + length) % 16, 0, "the values must be aligned as in files that NumPy writes");
    let shape = header.split(['(', ')']).nth(1).unwrap();
    let sizes = shape.split(',').filter_map(|size| size.trim().parse().ok()).collect();
    (sizes, bytes[10 + length..].to_vec())
}

/// The header of a safetensors file.
pub(crate) fn tensors(path: &Path) -> Value {
    let bytes = fs::read(path).unwrap();
    let (length, rest) = bytes.split_first_chunk().unwrap();
    serde_json::from_slice(&rest[..u64::from_le_bytes(*length) as usize]).unwrap()
}
