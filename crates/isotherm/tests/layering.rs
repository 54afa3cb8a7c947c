//! The direction of dependence: a walk over the source that fails on a forbidden arrow or a cycle.
#![allow(clippy::unwrap_used, missing_docs)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// What each module may use of the others. Anything not named here is a forbidden arrow.
const ALLOWED: [(&str, &[&str]); 17] = [
    ("error", &[]),
    ("shell", &[]),
    ("streams", &[]),
    ("threads", &[]),
    ("figure", &[]),
    ("checkpoint", &["error"]),
    ("model", &["error", "streams", "threads", "checkpoint"]),
    ("data", &["error", "shell", "streams"]),
    ("path", &["error", "streams", "threads", "model"]),
    // never model, data or train
    ("tempering", &["error", "streams", "path"]),
    // measures with a sampler of its own
    ("likelihood", &["error", "streams", "threads", "model", "data", "path", "tempering"]),
    // energies of one's own: never model, data or train
    ("target", &["error", "streams", "threads", "path", "tempering", "likelihood"]),
    (
        "train",
        &[
            "error",
            "streams",
            "threads",
            "model",
            "data",
            "likelihood",
            "path",
            "tempering",
            "checkpoint",
        ],
    ),
    ("record", &["error", "likelihood", "tempering", "path", "train"]),
    (
        "run",
        &[
            "error",
            "streams",
            "threads",
            "model",
            "data",
            "tempering",
            "path",
            "likelihood",
            "train",
            "record",
            "checkpoint",
        ],
    ),
    // readers: nothing that runs uses them
    (
        "report",
        &[
            "error",
            "shell",
            "streams",
            "figure",
            "model",
            "data",
            "path",
            "tempering",
            "likelihood",
            "train",
            "record",
            "run",
            "checkpoint",
        ],
    ),
    (
        "reproduce",
        &[
            "error",
            "figure",
            "model",
            "data",
            "path",
            "likelihood",
            "train",
            "record",
            "run",
            "checkpoint",
            "report",
        ],
    ),
];

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(sources(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
    files
}

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The code of a file without its comments.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n")
}

/// Top-level modules named after `crate::`, also inside braces; `Error` and `Result` are `error`.
fn uses(code: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        let names: Vec<String> = if let Some(braced) = rest.strip_prefix('{') {
            let mut depth = 0;
            let mut names = vec![String::new()];
            for c in braced.chars() {
                match c {
                    '{' => depth += 1,
                    '}' if depth == 0 => break,
                    '}' => depth -= 1,
                    ',' if depth == 0 => names.push(String::new()),
                    c if depth == 0 => names.last_mut().unwrap().push(c),
                    _ => {}
                }
            }
            names.into_iter().map(|n| n.trim().split("::").next().unwrap().to_owned()).collect()
        } else {
            vec![rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap().to_owned()]
        };
        for name in names.into_iter().filter(|name| !name.is_empty()) {
            found.insert(match name.as_str() {
                "Error" | "Result" => "error".to_owned(),
                _ => name,
            });
        }
    }
    found
}

fn arrows() -> BTreeMap<String, BTreeSet<String>> {
    let root = crates().join("isotherm/src");
    let mut arrows: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in sources(&root) {
        let relative = file.strip_prefix(&root).unwrap();
        let first = relative.components().next().unwrap().as_os_str().to_str().unwrap();
        let module = first.trim_end_matches(".rs").to_owned();
        if module == "lib" {
            continue;
        }
        let mut used = uses(&code(&file));
        used.remove(&module);
        arrows.entry(module).or_default().extend(used);
    }
    arrows
}

#[test]
fn no_arrow_is_forbidden() {
    let allowed: BTreeMap<&str, &[&str]> = ALLOWED.into_iter().collect();
    for (module, used) in arrows() {
        let permitted = allowed.get(module.as_str());
        let permitted = permitted.unwrap_or_else(|| panic!("no rule for the module {module}"));
        for name in used {
            assert!(permitted.contains(&name.as_str()), "{module} must not use {name}");
        }
    }
}

#[test]
fn the_arrows_have_no_cycle() {
    let mut rest = arrows();
    while !rest.is_empty() {
        let free: Vec<String> = rest
            .iter()
            .filter(|(_, used)| used.iter().all(|name| !rest.contains_key(name)))
            .map(|(module, _)| module.clone())
            .collect();
        assert!(!free.is_empty(), "a cycle among {:?}", rest.keys());
        for module in free {
            rest.remove(&module);
        }
    }
}

#[test]
fn the_walk_sees_what_it_should() {
    let used = uses("use crate::{model::{Rbm, x}, data};\nlet y = crate::path::Gibbs::new();");
    assert_eq!(used, BTreeSet::from(["model".into(), "data".into(), "path".into()]));
    assert!(arrows()["train"].contains("tempering"));
}

#[test]
fn only_the_kernels_hold_unsafe_code_and_they_know_no_domain() {
    let crates = crates();
    for name in ["isotherm", "isotherm-cli"] {
        for file in sources(&crates.join(name).join("src")) {
            // a page's security policy has a word of this kind as well
            let text =
                code(&file).replace("forbid(unsafe_code)", "").replace("'unsafe-inline'", "");
            assert!(!text.contains("unsafe"), "{} holds unsafe code", file.display());
        }
    }
    let manifest = fs::read_to_string(crates.join("isotherm-kernels/Cargo.toml")).unwrap();
    let (_, dependencies) = manifest.split_once("[dependencies]").unwrap();
    let (dependencies, _) = dependencies.split_once('[').unwrap();
    assert_eq!(
        dependencies.trim(),
        "libm.workspace = true",
        "the kernels depend on arithmetic alone"
    );
}
