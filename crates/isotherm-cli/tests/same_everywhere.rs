//! The same seed gives the same bytes on every machine: what runs made where this was recorded is what
//! they make here. One wrong bit on the way, and all that follow are others.
//!
//! Who changes learning on purpose records the digests anew, with `ISOTHERM_RECORD=1 cargo test -p
//! isotherm-cli --test same_everywhere`, and says so in the commit.
#![allow(clippy::unwrap_used)]

mod common;

use std::fmt::Write;
use std::fs;
use std::path::Path;

use common::*;
use sha2::{Digest, Sha256};

const LADDER: &str = "--columns 6 --rungs 8 --spawn-every 30 --burn-in 10 --beta-lr 0.05 \
    --min-swap 0.85 --particles 25";

const RUNS: [(&str, &str); 6] = [
    ("cd", "--algorithm cd --k 3"),
    ("sml", "--algorithm sml --path joint --columns 30"),
    ("pt", "--algorithm pt --path base-rate --columns 6 --rungs 8 --spacing geometric"),
    ("apt-joint", "--algorithm apt --path joint --respace flow"),
    ("apt-hidden", "--algorithm apt --path hidden-marginal --respace flow-sqrt"),
    ("followed", "--algorithm sml --hidden 40 --columns 30 --split 0.6/0.2/0.2"),
];

#[test]
fn what_was_recorded_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let data = csv(folder.path(), 150, 70);
    let mut found = String::new();
    for (name, options) in RUNS {
        let run = folder.path().join(name);
        let hidden = if options.contains("--hidden") { "" } else { "--hidden 10" };
        let ladder = if name.starts_with("apt") { LADDER } else { "" };
        let options = format!(
            "--batch 20 --updates 300 --metrics-every 50 --likelihood-every 100 --lr 0.1 --momentum 0.3 \
             --weight-decay 1e-3 --l1 1e-3 --quiet {hidden} {options} {ladder}"
        );
        succeed(train(Some(&data), &options, &run));
        let model = fs::read(run.join("model.safetensors")).unwrap();
        // The rows name the data by its place, which is another one every time.
        let rows = fs::read_to_string(run.join("metrics.jsonl")).unwrap();
        let rows = rows.replace(&text(&fs::canonicalize(&data).unwrap()), "data.csv");
        writeln!(found, "{name} model {}", digest(&model)).unwrap();
        writeln!(found, "{name} metrics {}", digest(rows.as_bytes())).unwrap();
        if name == "apt-joint" {
            let samples = folder.path().join("samples.npy");
            let line = format!("sample {} -n 100 --quiet --out {}", text(&run), samples.display());
            succeed(words(&line));
            writeln!(found, "{name} samples {}", digest(&fs::read(samples).unwrap())).unwrap();
        }
    }
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/digests.txt");
    if std::env::var_os("ISOTHERM_RECORD").is_some() {
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(&place, &found).unwrap();
    }
    let recorded = fs::read_to_string(&place).unwrap();
    for (found, recorded) in found.lines().zip(recorded.lines()) {
        assert_eq!(found, recorded, "other bytes than were recorded");
    }
    assert_eq!(found, recorded);
}

fn digest(bytes: &[u8]) -> String {
    let mut hexadecimal = String::new();
    for byte in Sha256::digest(bytes) {
        write!(hexadecimal, "{byte:02x}").unwrap();
    }
    hexadecimal
}
