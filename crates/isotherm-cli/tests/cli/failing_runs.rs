//! Runs that fail on the way: a full disk, weights that become infinite, a closed output.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use isotherm::diagnostics::{Diagnostic, Stop};
use isotherm::sampling::{Known, SampleOptions, sample_model};
use isotherm::tensors::Bundle;
use isotherm_run::{RunFolder, read_model};
use isotherm_tempering::causes::NonFinite;

use crate::common::*;

/// A growing ladder, whose checkpoints grow with it; rows are written only when the ladder changes.
const GROWING: &str = "--hidden 6 --batch 30 --updates 400 --rungs 3 --min-rungs 2 \
    --spawn-every 40 --burn-in 5 --min-swap 0.9 --path joint --checkpoint-every 20 \
    --metrics-every 1000 --likelihood-every 0 --quiet";
/// A metrics file that becomes the largest file of the run.
const TALKING: &str = "--hidden 3 --updates 400 --rungs 5 --checkpoint-every 20 \
    --metrics-every 1 --quiet";

/// Runs the binary with a limit on the size of files, in blocks of 512 bytes: beyond it writes fail, as
/// on a full disk.
fn confined(blocks: u64, arguments: &[String]) -> Ran {
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
    let mut command = Command::new("sh");
    finish(command.args(["-c", &script, ISOTHERM]).args(arguments).stdin(Stdio::null()))
}

fn size(path: PathBuf) -> u64 {
    fs::metadata(path).unwrap().len()
}

/// The step of the last checkpoint of a failed run.
fn checkpoint_step(run: &Path) -> u64 {
    let loaded = isotherm_run::checkpoint::load(run).unwrap();
    assert_eq!(loaded.fell_back, None);
    loaded.bundle.get::<u64>("step", &[1]).unwrap()[0]
}

/// A run on a disk with that much room fails with one sentence about `name`. With more room it resumes,
/// and ends like the uninterrupted run `whole`.
fn fill(data: &Path, options: &str, whole: &Path, blocks: u64, name: &str) -> u64 {
    let run = whole.with_file_name(format!("{blocks}-{name}"));
    let why = sentence(&confined(blocks, &train(Some(data), options, &run)));
    assert!(why.contains(name) && why.contains(&text(&run)), "{why}");
    assert!(why.contains("File too large"), "{why}");
    let step = if run.join("checkpoint.safetensors").exists() { checkpoint_step(&run) } else { 0 };
    // It cannot be resumed before there is room.
    let why = sentence(&confined(blocks, &resume(&run)));
    assert!(why.contains(name), "{why}");
    assert_eq!(succeed(resume(&run)), "");
    assert_same(&run, whole, &format!("{blocks} blocks"));
    step
}

#[test]
fn a_full_disk() {
    let folder = tempfile::tempdir().unwrap();
    let data = csv(folder.path(), 60, 40);
    let whole = folder.path().join("growing");
    succeed(train(Some(&data), GROWING, &whole));
    let checkpoint = size(whole.join("checkpoint.safetensors"));
    assert!(size(whole.join("metrics.jsonl")) < checkpoint - 1024);
    // Too little room for the last checkpoint, then for any checkpoint.
    let step = fill(&data, GROWING, &whole, checkpoint / 512 - 1, "checkpoint.safetensors");
    assert!((20..400).contains(&step), "the checkpoint of step {step}");
    assert_eq!(fill(&data, GROWING, &whole, 3, "checkpoint.safetensors"), 0);

    let whole = folder.path().join("talking");
    succeed(train(Some(&data), TALKING, &whole));
    let metrics = size(whole.join("metrics.jsonl"));
    assert!(size(whole.join("checkpoint.safetensors")) < metrics / 2);
    let step = fill(&data, TALKING, &whole, metrics / 512 * 2 / 3, "metrics.jsonl");
    assert!((20..400).contains(&step), "the checkpoint of step {step}");
}

#[test]
fn no_room_for_the_configuration_or_the_samples() {
    let folder = tempfile::tempdir().unwrap();
    let data = csv(folder.path(), 60, 40);
    let run = folder.path().join("run");
    let options = "--hidden 3 --updates 20 --quiet";
    let why = sentence(&confined(0, &train(Some(&data), options, &run)));
    assert!(why.contains("config.toml"), "{why}");
    // The remains are not a run, and do not prevent a new one.
    succeed(train(Some(&data), options, &run));
    let out = folder.path().join("s.npy");
    // A single sample tells nothing about the weights of clusters, so that there is no warning of them.
    let line = format!("sample {} -n 1 --out {} --quiet", run.display(), out.display());
    let why = sentence(&confined(0, &words(&line)));
    assert!(why.contains("s.npy") && why.contains("File too large"), "{why}");
    assert!(!out.exists());
    fs::write(&out, "precious").unwrap();
    sentence(&confined(0, &words(&format!("{line} --overwrite"))));
    assert_eq!(fs::read(&out).unwrap(), b"precious");
}

/// Weights that are no longer finite stop the run, and the last good checkpoint is kept.
#[test]
fn divergence() {
    let folder = tempfile::tempdir().unwrap();
    let data = csv(folder.path(), 60, 12);
    let diverging = [
        "--algorithm cd --lr 5e37 --momentum 0.9",
        "--algorithm sml --lr 5e37 --momentum 0.9",
        "--algorithm pt --path base-rate --lr 5e37 --lr-decay constant",
        "--algorithm apt --path joint --lr 5e37 --lr-decay constant",
        "--algorithm apt --path hidden-marginal --lr 1e38",
    ];
    for (number, options) in diverging.into_iter().enumerate() {
        let run = folder.path().join(format!("run-{number}"));
        let options = format!("{options} --updates 500 --hidden 4 --checkpoint-every 2 --quiet");
        let why = refused(train(Some(&data), &options, &run));
        let stopped = RunFolder::open(&run).unwrap().stopped();
        let Some(Diagnostic::StoppedEarly { updates: saved, of: 500, because }) = stopped else {
            panic!("{stopped:?}")
        };
        let Stop::Diverged { update, lr } = because else { panic!("{because:?}") };
        assert!(lr >= 5e37 && (saved..=saved + 2).contains(&update), "{because:?}");
        // The report, and whoever uses the model, say why it ended and do not advise to resume it.
        succeed(["report", run.to_str().unwrap()]);
        let page = fs::read_to_string(run.join("report.html")).unwrap();
        assert_eq!(page.matches("data-kind=\"stopped-early\"").count(), 1);
        assert!(!page.contains("data-kind=\"unfinished\""));
        assert!(!run.join("model.safetensors").exists() && !run.join("summary.json").exists());
        // The checkpoint is complete, of the reported step, and its weights are finite.
        let json = succeed(["evaluate", run.to_str().unwrap(), "--json"]);
        let measured: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert!(measured["value"].is_number(), "{measured}");
        assert_eq!(checkpoint_step(&run), saved, "{why}");
        // Resuming fails in the same way, with the same message.
        assert_eq!(refused(resume(&run)), why);
        assert!(RunFolder::open(&run).unwrap().stopped().is_some());
    }
}

/// A model whose weights are too large to be sampled: no run, so no word about a learning rate.
#[test]
fn samples_of_a_model_file_with_huge_weights() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("huge.safetensors");
    let (mut bundle, out) = (Bundle::default(), folder.path().join("s.npy"));
    bundle.insert("W", &[30, 20], &vec![3e38f32; 600]).unwrap();
    bundle.insert("b", &[20], &[0f32; 20]).unwrap();
    bundle.insert("c", &[30], &[-3e38f32; 30]).unwrap();
    isotherm_run::checkpoint::write(&bundle, &file).unwrap();
    let model = read_model(&file).unwrap().model;
    let request = SampleOptions::default().count(5).thin(1).warm_up(50);
    let error = sample_model(&model, &Known::default(), &request, |_| true).unwrap_err();
    assert!(error.cause::<NonFinite>().is_some(), "{error:?}");
    let line = format!("sample {} -n 5 --out {} --quiet", file.display(), out.display());
    let why = refused(words(&line));
    assert!(!why.contains("--lr") && !why.contains("rate"), "{why}");
    assert!(!out.exists());
}

/// Output that cannot be written is an error if it is the result, and is ignored otherwise.
#[test]
fn output_that_cannot_be_written() {
    if !Path::new("/dev/full").exists() {
        return;
    }
    let full = || Stdio::from(File::options().write(true).open("/dev/full").unwrap());
    let folder = tempfile::tempdir().unwrap();
    let data = csv(folder.path(), 40, 8);
    let run = folder.path().join("run");
    let arguments = train(Some(&data), "--updates 30 --hidden 3", &run);
    let status = command(&arguments).stderr(full()).status().unwrap();
    assert_eq!(status.code(), Some(0));
    assert!(run.join("summary.json").exists());
    let run = text(&run);
    for line in [format!("evaluate {run}"), format!("evaluate {run} --json")] {
        let output = command(words(&line)).stdout(full()).output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        let why = sentence(&Ran { code: output.status.code(), out: String::new(), err });
        assert!(why.contains("standard output") && why.contains("No space left"), "{why}");
    }
    let status = command(["resume", &run, "--no-such"]).stderr(full()).status().unwrap();
    assert_eq!(status.code(), Some(2));
}

/// `isotherm evaluate RUN | head -0`: a closed pipe is not an error.
#[test]
fn a_closed_pipe() {
    let folder = tempfile::tempdir().unwrap();
    let data = csv(folder.path(), 40, 8);
    let run = folder.path().join("run");
    succeed(train(Some(&data), "--updates 30 --hidden 3 --quiet", &run));
    let mut child = command(["evaluate", run.to_str().unwrap()]).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.stderr, b"", "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(0));
}

/// There is a warning about weights that are finite but absurdly large, and about a ladder that no
/// replica passes.
#[test]
fn a_run_that_diverged_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let options = "--hidden 6 --updates 100 --lr 1e4 --algorithm pt --rungs 3 --path joint --quiet";
    succeed(train(None, options, &run));
    let summary = summary(&run);
    let kinds: Vec<&serde_json::Value> =
        summary["diagnostics"].as_array().unwrap().iter().map(|it| &it["kind"]).collect();
    let page = fs::read_to_string(run.join("report.html")).unwrap();
    for kind in ["large-parameters", "starved-gap"] {
        assert!(kinds.iter().any(|it| *it == kind), "{kinds:?}");
        let item = format!("data-kind=\"{kind}\"");
        assert_eq!(page.matches(&item).count(), 1, "{kind}: not twice");
    }
    assert_eq!(summary["warnings"].as_array().unwrap().len(), kinds.len(), "a sentence each");
    assert_eq!(page.matches("data-kind=").count(), kinds.len(), "all of them");
}
