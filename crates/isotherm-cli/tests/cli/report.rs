//! Reports of runs in every state: finished, running, interrupted, damaged.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{self, *};

/// A short run with a growing ladder.
const SHORT: &str = "--hidden 6 --batch 10 --updates 400 --rungs 4 --spawn-every 40 --burn-in 5 \
    --beta-lr 0.1 --min-swap 0.8 --checkpoint-every 50 --metrics-every 10 --likelihood-every 20 \
    --sampling-steps 100 --quiet";
/// A run that does not end before it is killed.
const ENDLESS: &str = "--hidden 6 --batch 10 --updates 1e9 --rungs 4 --checkpoint-every 50 \
    --metrics-every 10 --likelihood-every 20 --quiet";

/// The text of a page, which must be complete, written by isotherm, and without external references.
fn page(path: &Path) -> String {
    let page = fs::read_to_string(path).unwrap();
    assert!(page.contains("</html>") && page.ends_with("<!-- written by isotherm -->\n"));
    assert!(page.len() < 2_000_000, "{} bytes", page.len());
    // The namespaces of SVG and XLink look like addresses, but nothing is fetched from them.
    let without_names = page.replace("http://www.w3.org/", "");
    for reference in ["http:", "https:", "src=\"/", "<link", "@import", "url(http"] {
        assert!(!without_names.contains(reference), "{reference}");
    }
    page
}

fn report(run: &Path) -> String {
    let printed = succeed(["report", run.to_str().unwrap()]);
    assert_eq!(printed.trim_end(), text(&run.join("report.html")));
    page(&run.join("report.html"))
}

fn short_run(folder: &Path, name: &str, options: &str) -> PathBuf {
    let run = folder.join(name);
    let data = csv(folder, 200, 16);
    succeed(train(Some(&data), &format!("{SHORT} {options}"), &run));
    run
}

#[test]
fn training_writes_a_report_that_can_be_drawn_again_without_the_data() {
    let folder = tempfile::tempdir().unwrap();
    let run = short_run(folder.path(), "run", "");
    let first = page(&run.join("report.html"));
    for name in ["likelihood", "ladder", "flow", "swaps", "round-trips", "filters", "samples"] {
        assert!(first.contains(&format!("id=\"{name}\"")), "{name}");
    }
    assert!(!first.contains("id=\"modes\""), "these are not the mixture's data");
    assert!(!first.contains("data-kind=\"unfinished\""));
    assert!(first.contains("isotherm train --config"));
    fs::remove_file(folder.path().join("data-16.csv")).unwrap();
    let before = contents(&run);
    let second = report(&run);
    assert_eq!(second, first, "the same run, the same page");
    assert_eq!(contents(&run), before, "nothing else is written");
}

#[test]
fn the_mixture_shows_its_modes() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    succeed(train(None, "--updates 200 --quiet", &run));
    let page = page(&run.join("report.html"));
    assert!(page.contains("id=\"modes\"") && page.contains("limit"));
    assert!(!page.contains("is a guess"), "the shape of the mixture is known");
}

#[test]
fn a_shape_is_kept_and_a_wrong_one_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let run = short_run(folder.path(), "run", "--shape 8x2");
    assert!(!page(&run.join("report.html")).contains("is a guess"));
    let config = fs::read_to_string(run.join("config.toml")).unwrap();
    assert!(config.contains("shape = \"8x2\""), "{config}");
    let data = folder.path().join("data-16.csv");
    let none = folder.path().join("none");
    let why = refused(train(Some(&data), "--shape 5x3", &none));
    assert!(why.contains("15 pixels") && why.contains("16 columns"), "{why}");
    let why = refused(train(Some(&data), "--shape big", &none));
    assert!(why.contains("28x28") && why.contains("big"), "{why}");
    assert!(!none.exists());
}

#[test]
fn a_run_without_a_ladder_has_a_report() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let data = csv(folder.path(), 200, 70);
    succeed(train(Some(&data), "--algorithm sml --hidden 6 --updates 200 --quiet", &run));
    let page = page(&run.join("report.html"));
    assert!(page.contains("no ladder") && page.contains("id=\"samples\""));
    assert!(!page.contains("id=\"ladder\""));
}

#[test]
fn a_running_or_killed_run_has_a_partial_report() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let data = csv(folder.path(), 200, 16);
    let mut child = command(train(Some(&data), ENDLESS, &run)).spawn().unwrap();
    let rows = || fs::read_to_string(run.join("metrics.jsonl")).unwrap_or_default().lines().count();
    assert!(wait_until(&mut child, || rows() > 20));
    let going = report(&run);
    assert!(child.try_wait().unwrap().is_none(), "the run is not disturbed");
    assert!(going.contains("data-kind=\"unfinished\"") && going.contains("id=\"likelihood\""));
    child.kill().unwrap();
    child.wait().unwrap();

    let whole = fs::read(run.join("metrics.jsonl")).unwrap();
    fs::write(run.join("metrics.jsonl"), &whole[..whole.len() - 7]).unwrap();
    let torn = report(&run);
    assert!(torn.contains("not complete") && torn.contains("id=\"ladder\""));
    // The run can still be resumed after the report.
    fs::write(run.join("metrics.jsonl"), &whole).unwrap();
    let mut child = command(resume(&run)).spawn().unwrap();
    let more = whole.len() as u64;
    let longer = || fs::metadata(run.join("metrics.jsonl")).unwrap().len() > more;
    assert!(wait_until(&mut child, longer));
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn an_interrupted_run_has_a_partial_report_and_a_resumed_one_a_complete_one() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let data = csv(folder.path(), 200, 16);
    let long = SHORT.replace("--updates 400", "--updates 20000");
    let mut child = command(train(Some(&data), &long, &run)).spawn().unwrap();
    assert!(wait_until(&mut child, || run.join("checkpoint.previous.safetensors").exists()));
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(report(&run).contains("data-kind=\"unfinished\""));
    assert_eq!(succeed(resume(&run)), "");
    assert!(!page(&run.join("report.html")).contains("data-kind=\"unfinished\""));
}

#[test]
fn damage_is_a_note_on_the_page() {
    let folder = tempfile::tempdir().unwrap();
    let run = short_run(folder.path(), "run", "");
    let broken = folder.path().join("broken");
    for (name, words) in [
        ("metrics.jsonl", "metrics.jsonl cannot be read"),
        ("timing.jsonl", "timing.jsonl cannot be read"),
        ("summary.json", "summary.json is damaged"),
        ("model.safetensors", "model.safetensors"),
        ("checkpoint.safetensors", "data-kind=\"previous-checkpoint\""),
        ("config.toml", "config.toml"),
    ] {
        copy(&run, &broken);
        fs::write(broken.join(name), b"\xff\xfe{broken\n").unwrap();
        let page = report(&broken);
        assert!(page.contains(words), "{name}: {words}");
        fs::remove_dir_all(&broken).unwrap();
    }
    // A value that is not finite is written as null.
    copy(&run, &broken);
    let rows = fs::read_to_string(run.join("metrics.jsonl")).unwrap();
    let null = rows.replacen("\"learning_rate\":", "\"learning_rate\":null,\"was\":", 1);
    fs::write(broken.join("metrics.jsonl"), null).unwrap();
    assert!(report(&broken).contains("not finite"), "a note about the line");
    let kind = "data-kind=\"non-finite\"";
    assert!(!report(&broken).contains(kind), "its summary was written before");
    fs::remove_file(broken.join("summary.json")).unwrap();
    assert_eq!(report(&broken).matches(kind).count(), 1);
    // Only a configuration: a run that was killed right at its beginning.
    fs::remove_dir_all(&broken).unwrap();
    fs::create_dir(&broken).unwrap();
    fs::copy(run.join("config.toml"), broken.join("config.toml")).unwrap();
    let page = report(&broken);
    assert!(page.contains("data-kind=\"unfinished\"") && page.contains("no checkpoint yet"));
    assert!(page.contains("No row of metrics"));
}

#[test]
fn a_folder_without_a_run_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let why = refused(["report", folder.path().to_str().unwrap()]);
    assert!(why.contains("config.toml"), "{why}");
    assert_eq!(contents(folder.path()).len(), 0);
    let missing = folder.path().join("missing");
    assert!(refused(["report", missing.to_str().unwrap()]).contains("does not exist"));
    assert_eq!(run(["report"]).code, Some(2));
}

#[test]
fn several_runs_are_compared_on_one_page() {
    let folder = tempfile::tempdir().unwrap();
    let one = short_run(folder.path(), "one", "");
    let other = short_run(folder.path(), "other", "--lr 0.2 --seed 9");
    let (a, b) = (text(&one), text(&other));
    let mut here = command(["report", &a, &b]);
    let ran = finish(here.current_dir(folder.path()));
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (Some(0), "comparison.html\n", ""));
    let comparison = page(&folder.path().join("comparison.html"));
    for words in ["one", "other", "seed", "id=\"likelihoods\"", "id=\"ladders\"", "<strong>"] {
        assert!(comparison.contains(words), "{words}");
    }
    let options = comparison.split("Options in which they differ").nth(1).unwrap();
    assert!(options.contains("<th>lr</th>") && !options.contains("<th>batch</th>"));
    // A page written by isotherm is replaced, any other file is not.
    let out = folder.path().join("page.html");
    let to = ["--out", out.to_str().unwrap()];
    fs::write(&out, "mine").unwrap();
    let why = refused(["report", &a, &b].iter().chain(&to));
    assert!(why.contains("--overwrite"), "{why}");
    assert_eq!(fs::read(&out).unwrap(), b"mine");
    succeed(["report", &a, &b, "--overwrite"].iter().chain(&to));
    succeed(["report", &a].iter().chain(&to));
    assert!(page(&out).contains("id=\"likelihood\""));
    assert!(refused(["report", &a, "--out", folder.path().to_str().unwrap()]).contains("folder"));
    let nowhere = folder.path().join("no/page.html");
    assert!(refused(["report", &a, "--out", &text(&nowhere)]).contains("does not exist"));
    // Devices are neither read nor replaced.
    let why = refused(["report", &a, "--overwrite", "--out", "/dev/null"]);
    assert!(why.contains("regular file"), "{why}");
    // Two runs of the same name are distinguished by their paths, the same run twice by numbers.
    let twin = folder.path().join("deeper/one");
    copy(&one, &twin);
    succeed(["report", &a, &text(&twin)].iter().copied().chain(to));
    assert!(page(&out).contains("<th>deeper/one</th>"));
    succeed(["report", &a, &a].iter().copied().chain(to));
    let twice = page(&out);
    assert!(twice.contains("<th>one (1)</th>") && twice.contains("<th>one (2)</th>"));
}

#[test]
fn likelihoods_of_different_data_are_not_compared() {
    let folder = tempfile::tempdir().unwrap();
    let one = short_run(folder.path(), "one", "");
    let other = folder.path().join("other");
    let data = csv(folder.path(), 200, 9);
    succeed(train(Some(&data), SHORT, &other));
    let out = folder.path().join("both.html");
    let both = || {
        succeed(["report", &text(&one), &text(&other), "--out", &text(&out)]);
        page(&out)
    };
    let words = "These runs were trained on different data: their likelihoods cannot be compared.";
    let different = both();
    assert!(different.contains(words) && !different.contains("<strong>"));
    assert!(!different.contains("id=\"likelihoods\""));
    // Without fingerprints, data are compared by their names.
    for name in ["checkpoint.safetensors", "checkpoint.previous.safetensors"] {
        fs::remove_file(other.join(name)).unwrap();
    }
    let unknown = both();
    assert!(
        unknown.contains("not known whether these runs were trained on the same data")
            && !unknown.contains("<strong>")
    );
}

#[test]
fn figures_are_written_as_files_too() {
    let folder = tempfile::tempdir().unwrap();
    let run = short_run(folder.path(), "run", "");
    let figures = folder.path().join("figures");
    for _ in 0..2 {
        succeed(["report", &text(&run), "--figures", &text(&figures)]);
    }
    let names: Vec<_> = contents(&figures).into_keys().collect();
    assert!(names.iter().any(|path| path.ends_with("likelihood.svg")), "{names:?}");
    assert!(names.len() >= 7 && names.iter().all(|path| path.extension().unwrap() == "svg"));
    fs::write(figures.join("flow.svg"), "mine").unwrap();
    let why = refused(["report", &text(&run), "--figures", &text(&figures)]);
    assert!(why.contains("flow.svg"), "{why}");
}

#[test]
fn markup_in_names_is_escaped() {
    let folder = tempfile::tempdir().unwrap();
    let hostile = "<script>alert(1)<⁄script>\"'&";
    let data = folder.path().join(format!("{hostile}.csv"));
    fs::rename(csv(folder.path(), 200, 16), &data).unwrap();
    let run = folder.path().join(hostile);
    succeed(train(Some(&data), SHORT, &run));
    let alone = page(&run.join("report.html"));
    let twin = folder.path().join("<img onerror=alert(2)>");
    copy(&run, &twin);
    let out = folder.path().join("both.html");
    succeed(["report", &text(&run), &text(&twin), "--out", &text(&out)]);
    for page in [alone, page(&out)] {
        assert!(!page.contains("<script>alert") && !page.contains("<img onerror"));
        assert!(page.contains("&lt;script&gt;alert(1)"));
    }
}

#[test]
fn a_report_that_cannot_be_written_is_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let data = csv(folder.path(), 200, 16);
    succeed(train(Some(&data), SHORT, &run));
    fs::remove_file(run.join("report.html")).unwrap();
    // A folder of that name prevents writing, for root too.
    fs::create_dir(run.join("report.html")).unwrap();
    let ran = common::run(resume(&run));
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""));
    assert!(ran.err.contains("the run is complete") && ran.err.lines().count() == 1, "{}", ran.err);
    fs::remove_dir(run.join("report.html")).unwrap();
    assert_eq!(succeed(resume(&run)), "");
    page(&run.join("report.html"));
}

#[test]
fn a_run_that_cannot_be_written_to_is_reported_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let run = short_run(folder.path(), "run", "");
    let out = folder.path().join("page.html");
    let before = contents(&run);
    fs::set_permissions(&run, fs::Permissions::from_mode(0o555)).unwrap();
    succeed(["report", &text(&run), "--out", &text(&out)]);
    fs::set_permissions(&run, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(contents(&run), before);
    page(&out);
}

#[test]
fn overwriting_a_run_removes_its_report() {
    let folder = tempfile::tempdir().unwrap();
    let run = short_run(folder.path(), "run", "");
    let data = folder.path().join("data-16.csv");
    let mut child =
        command(train(Some(&data), &format!("{ENDLESS} --overwrite"), &run)).spawn().unwrap();
    let rows = || fs::read_to_string(run.join("metrics.jsonl")).unwrap_or_default().lines().count();
    assert!(wait_until(&mut child, || !run.join("summary.json").exists() && rows() > 2));
    assert!(!run.join("report.html").exists(), "the report was of the replaced run");
    child.kill().unwrap();
    child.wait().unwrap();
}
