//! The same seed gives the same bytes on x86-64 and on aarch64. The digests of several runs were
//! recorded on one machine, and every machine must reproduce them. A single wrong bit during a run
//! changes everything after it, so it changes the digests.
//!
//! After a deliberate change of what is learned, record the digests again with
//! `ISOTHERM_RECORD=1 cargo test -p isotherm-cli same_everywhere`, and say so in the commit.

use std::fs;
use std::path::Path;

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::common::*;

const SHORT: &str = "--batch 20 --updates 300 --metrics-every 50 --likelihood-every 100 --lr 0.1 \
    --momentum 0.3 --weight-decay 1e-3 --l1 1e-3 --quiet";
const LADDER: &str = "--columns 6 --rungs 8 --spawn-every 30 --burn-in 10 --beta-lr 0.05 --min-swap 0.85 \
    --particles 25";

#[test]
fn runs_have_the_recorded_digests() {
    let folder = tempfile::tempdir().unwrap();
    let data = csv(folder.path(), 150, 70);
    let mut found = Vec::new();
    let mut learn = |name: &str, data: Option<&Path>, options: String| {
        let run = folder.path().join(name);
        succeed(train(data, &format!("{SHORT} {options}"), &run));
        let model = fs::read(run.join("model.safetensors")).unwrap();
        found.push(format!("{name} model {}", digest(&model)));
        let rows = fs::read_to_string(run.join("metrics.jsonl")).unwrap();
        let rows: Vec<String> = rows.lines().map(comparable).collect();
        found.push(format!("{name} metrics {}", digest(rows.join("\n").as_bytes())));
        text(&run)
    };
    learn("cd", Some(&data), "--hidden 10 --algorithm cd --k 3".into());
    learn("sml", Some(&data), "--hidden 10 --algorithm sml --path joint --columns 30".into());
    learn("exact", Some(&data), "--hidden 10 --algorithm exact".into());
    learn("smooth", Some(&data), "--hidden 10 --algorithm exact --smooth 0.01 --shape 10x7".into());
    let pt = "--algorithm pt --reference base-rate --columns 6 --rungs 8 --spacing geometric";
    learn("pt", Some(&data), format!("--hidden 10 {pt}"));
    learn("from-a-mixture", Some(&data), format!("--hidden 10 --components 4 {LADDER}"));
    let hidden = "--algorithm apt --path hidden-marginal --respace flow-sqrt";
    learn("hidden-marginal", Some(&data), format!("--hidden 10 {hidden} {LADDER}"));
    learn("mixture", None, format!("--hidden 6 --algorithm apt --path joint {LADDER}"));
    let joint = "--algorithm apt --path joint --respace flow";
    let apt = learn("apt", Some(&data), format!("--hidden 10 {joint} {LADDER}"));
    let large = "--hidden 40 --algorithm sml --columns 30 --split 0.6/0.2/0.2";
    let large = learn("followed", Some(&data), large.into());

    let samples = folder.path().join("samples.npy");
    succeed(words(&format!("sample {apt} -n 100 --quiet --out {}", samples.display())));
    found.push(format!("apt samples {}", digest(&fs::read(samples).unwrap())));
    // With a given number of steps, the rungs are placed by the flow of a first, short run.
    let evaluate = format!("evaluate {large} --quick --sampling-steps 400 --json --quiet");
    let estimate = succeed(words(&evaluate));
    found.push(format!("followed estimate {}", digest(comparable(&estimate).as_bytes())));

    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/digests.txt");
    if std::env::var_os("ISOTHERM_RECORD").is_some() {
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(&place, found.join("\n") + "\n").unwrap();
    }
    let recorded = fs::read_to_string(&place).unwrap();
    let recorded: Vec<&str> = recorded.lines().collect();
    assert_eq!(found, recorded, "the results differ from the recorded ones");
}

/// JSON without paths, which differ every time, without the fields that a verdict's sentence words, and
/// without the ends of intervals: the quantiles of Student's t are computed with the logarithms of the system.
fn comparable(json: &str) -> String {
    let mut value: Value = serde_json::from_str(json).unwrap();
    leave_out(&mut value);
    value.to_string()
}

fn leave_out(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for name in ["on", "run", "model", "data", "lower", "upper", "reasons", "basis"] {
                fields.remove(name);
            }
            fields.values_mut().for_each(leave_out);
        }
        Value::Array(values) => values.iter_mut().for_each(leave_out),
        _ => {}
    }
}

fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
