//! Every kind of diagnostic is on the page of its run and on the page that compares runs.

use std::fs;
use std::path::Path;

use isotherm::Plain;
use isotherm::data::ConstantColumns;
use isotherm::diagnostics::{Diagnostic, Stop};
use isotherm::options::{Algorithm, Chosen, Options, name};
use isotherm_report::{Destination, write, write_report};
use isotherm_run::record::Summary;
use isotherm_run::{Config, RunData, Session, TrainingRun, checkpoint};
use serde_json::{Value, json};

/// One of every kind.
fn all() -> Vec<Diagnostic> {
    serde_json::from_str(include_str!("../../../isotherm/tests/fixtures/diagnostics.json")).unwrap()
}

/// A recorded run with these diagnostics in its summary, or without any.
fn record(folder: &Path, diagnostics: Option<&[Diagnostic]>) {
    fs::create_dir_all(folder).unwrap();
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/run");
    for name in ["config.toml", "metrics.jsonl", "timing.jsonl", "summary.json"] {
        fs::copy(recorded.join(name), folder.join(name)).unwrap();
    }
    let place = folder.join("summary.json");
    let mut summary: Value = serde_json::from_str(&fs::read_to_string(&place).unwrap()).unwrap();
    summary["warnings"] = json!(["a sentence of the summary"]);
    if let Some(diagnostics) = diagnostics {
        summary["diagnostics"] = json!(diagnostics);
    }
    fs::write(place, summary.to_string()).unwrap();
}

/// The text of a page, without marks.
fn text(page: &str) -> String {
    let mut text = String::new();
    for part in page.split('<') {
        text += part.split_once('>').map_or(part, |(_, after)| after);
    }
    text.replace("&quot;", "\"").replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">")
}

fn page(folder: &Path) -> String {
    fs::read_to_string(write_report(folder, &Plain).unwrap()).unwrap()
}

fn comparison(folder: &Path, runs: [&Path; 2]) -> String {
    let page = Some(folder.join("comparison.html"));
    let destination = Destination { page, ..Destination::default() };
    let runs = runs.map(Path::to_owned);
    fs::read_to_string(write(&runs, &destination, &Plain).unwrap()).unwrap()
}

#[test]
fn every_kind_is_on_the_pages_once() {
    let folder = tempfile::tempdir().unwrap();
    let (bad, good) = (folder.path().join("bad"), folder.path().join("good"));
    record(&bad, Some(&all()));
    record(&good, Some(&[]));
    let read: Summary =
        serde_json::from_str(&fs::read_to_string(bad.join("summary.json")).unwrap()).unwrap();
    assert_eq!(read.diagnostics, Some(all()), "a summary reads back");
    for page in [page(&bad), comparison(folder.path(), [&bad, &good])] {
        let (items, text) = (page.matches("data-kind=").count(), text(&page));
        assert_eq!(items, all().len());
        for diagnostic in all() {
            assert!(page.contains(&format!("data-kind=\"{}\"", diagnostic.kind())));
            let words = diagnostic.words(&Plain).replace('`', "");
            assert_eq!(text.matches(&words).count(), 1, "{words}");
        }
        assert!(!text.contains("a sentence of the summary"), "it is one of the diagnostics");
    }
    let good = page(&good);
    assert!(good.contains("No warnings") && !good.contains("data-kind="));
    let both = comparison(folder.path(), [&bad, &bad]);
    assert_eq!(both.matches("data-kind=").count(), 2 * all().len(), "of each run");
}

/// Its own sentences are notes; the rules find in its rows what they find in those of any run.
#[test]
fn a_summary_of_sentences_alone_is_judged_by_its_rows() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    record(&run, None);
    for page in [page(&run), comparison(folder.path(), [&run, &run])] {
        assert!(page.contains("says: a sentence of the summary"));
        assert!(!page.contains("data-kind="), "its rows are healthy");
    }
    let rows = fs::read_to_string(run.join("metrics.jsonl")).unwrap();
    let starve = |line: &str| {
        let mut row: Value = serde_json::from_str(line).unwrap();
        if row.get("ladder").is_some() {
            row["ladder"]["swap_rates"][2] = json!(0.01);
        }
        row.to_string() + "\n"
    };
    fs::write(run.join("metrics.jsonl"), rows.lines().map(starve).collect::<String>()).unwrap();
    for page in [page(&run), comparison(folder.path(), [&run, &run])] {
        assert!(page.contains("data-kind=\"starved-gap\""));
    }
    fs::remove_file(run.join("summary.json")).unwrap();
    for page in [page(&run), comparison(folder.path(), [&run, &run])] {
        assert!(page.contains("data-kind=\"unfinished\""));
        assert!(page.contains("data-kind=\"starved-gap\""));
    }
}

/// A run without a summary has no fewer kinds: its checkpoint knows what was raised at the start, and samples are drawn
/// for the comparison too.
#[test]
fn a_run_without_a_summary_shows_every_kind() {
    let folder = tempfile::tempdir().unwrap();
    let (data, out) = (folder.path().join("data.csv"), folder.path().join("run"));
    fs::write(&data, "1,1,0\n0,1,1\n1,1,1\n").unwrap();
    let options = Options::default().hidden(3).algorithm(Algorithm::Sml);
    let mut config = Config::from(options).train(Some(data.display().to_string()));
    config.data.constant_columns = ConstantColumns::Keep;
    let chosen: Chosen = Config::table().iter().filter(|it| it.name == name::min_swap).collect();
    let data = RunData::of(&config).unwrap();
    let run = TrainingRun::begin(&config, data, &mut |_, _| true).unwrap();
    drop(Session::begin(&out, run.noting_unused(&chosen), false).unwrap());
    // Units that are always on, which only samples show.
    let mut bundle = checkpoint::load(&out).unwrap().bundle;
    bundle.insert("b", &[3], &[50f32; 3]).unwrap();
    checkpoint::save(&out, &bundle).unwrap();
    // A value that is not finite, as a row of metrics has it.
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/run/metrics.jsonl");
    let row = fs::read_to_string(recorded).unwrap().lines().next().unwrap().to_owned();
    let mut row: Value = serde_json::from_str(&row).unwrap();
    row["learning_rate"] = Value::Null;
    fs::write(out.join("metrics.jsonl"), row.to_string() + "\n").unwrap();
    let kinds = ["data", "unused-options", "unfinished", "non-finite", "idle-units"];
    for page in [page(&out), comparison(folder.path(), [&out, &out])] {
        for kind in kinds {
            assert!(page.contains(&format!("data-kind=\"{kind}\"")), "{kind}");
        }
    }
    assert_eq!(page(&out).matches("data-kind=").count(), kinds.len());
    // A run that cannot go on says why.
    let because = Stop::Diverged { update: 7, lr: 5.0 };
    let stopped = Diagnostic::StoppedEarly { updates: 6, of: 1000, because };
    fs::write(out.join("stopped.json"), json!(stopped).to_string()).unwrap();
    fs::remove_file(out.join("checkpoint.previous.safetensors")).unwrap();
    fs::rename(out.join("checkpoint.safetensors"), out.join("checkpoint.previous.safetensors"))
        .unwrap();
    for page in [page(&out), comparison(folder.path(), [&out, &out])] {
        assert!(page.contains("data-kind=\"stopped-early\""));
        assert!(page.contains("data-kind=\"previous-checkpoint\""));
        assert!(!page.contains("data-kind=\"unfinished\""));
    }
}
