//! The figures of a run that the real program recorded (`tests/fixtures/run`, made by `isotherm train
//! --path joint --lr 1e-3 --lr-decay constant --gradient plain --updates 4000 --sampling-steps 800
//! --metrics-every 400 --likelihood-every 800`): every value that is plotted is one that was recorded.
//! Later versions must read these files too.

use std::fs;
use std::path::Path;

use isotherm::Plain;
use isotherm_report::write_report;
use isotherm_run::record::{LadderRow, Row, Summary};
use serde_json::Value;

fn fixture(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/run");
    fs::read_to_string(folder.join(name)).unwrap()
}

fn rows() -> Vec<Row> {
    fixture("metrics.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The plots of a figure, as the page holds their values.
fn plots(figure: &str) -> Vec<Value> {
    let folder = tempfile::tempdir().unwrap();
    for name in ["config.toml", "metrics.jsonl", "timing.jsonl", "summary.json"] {
        fs::write(folder.path().join(name), fixture(name)).unwrap();
    }
    let page = fs::read_to_string(write_report(folder.path(), &Plain).unwrap()).unwrap();
    let begin = page.find(&format!("<figure id=\"{figure}\"")).unwrap();
    let part = &page[begin..begin + page[begin..].find("</figure>").unwrap()];
    part.split("class=\"values\"")
        .skip(1)
        .map(|script| {
            let text = script.split_once('>').unwrap().1.split_once("</script>").unwrap().0;
            serde_json::from_str(text).unwrap()
        })
        .collect()
}

fn values(plot: &Value, series: &str, axis: &str) -> Vec<f64> {
    let all = plot["series"].as_array().unwrap();
    let found = all.iter().find(|it| it["name"] == series).unwrap();
    found[axis].as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect()
}

fn assert_close(plotted: &[f64], recorded: &[f64]) {
    assert_eq!(plotted.len(), recorded.len(), "{plotted:?} and {recorded:?}");
    for (a, b) in plotted.iter().zip(recorded) {
        assert!((a - b).abs() <= 1e-4 * b.abs().max(0.1), "{a} for {b}");
    }
}

fn last_ladder() -> LadderRow {
    rows().into_iter().rev().find_map(|row| row.ladder).unwrap()
}

#[test]
fn likelihoods_are_those_that_were_measured() {
    let plots = plots("likelihood");
    let measured: Vec<(f64, f64)> = rows()
        .iter()
        .filter_map(|row| Some((row.step as f64, row.log_likelihood.as_ref()?.value)))
        .collect();
    let (steps, recorded): (Vec<f64>, Vec<f64>) = measured.into_iter().unzip();
    assert_close(&values(&plots[0], "model", "x"), &steps);
    assert_close(&values(&plots[0], "model", "y"), &recorded);
}

#[test]
fn flow_and_swap_rates_are_those_of_the_last_row() {
    let ladder = last_ladder();
    let f_up: Vec<f64> = ladder.f_up.iter().flatten().copied().collect();
    let flow = plots("flow");
    let rungs: Vec<f64> = (0..ladder.betas.len()).map(|rung| rung as f64).collect();
    assert_close(&values(&flow[0], "measured", "x"), &rungs);
    assert_close(&values(&flow[0], "measured", "y"), &f_up);
    // Against β the same values; the page keeps them in the order of the rungs or of β.
    let by_beta = values(&flow[1], "measured", "x");
    let mut sorted = ladder.betas.clone();
    sorted.sort_by(f64::total_cmp);
    let mut plotted = by_beta.clone();
    plotted.sort_by(f64::total_cmp);
    assert_close(&plotted, &sorted);
    let rates: Vec<f64> = ladder.swap_rates.iter().flatten().copied().collect();
    assert_close(&values(&plots("swaps")[0], "", "y"), &rates);
}

#[test]
fn the_ladder_has_every_spawn_and_the_sampling_phase() {
    let spawns: Vec<f64> =
        rows().iter().filter(|row| row.event.is_some()).map(|row| row.step as f64).collect();
    assert_eq!(spawns.len(), 4, "the recorded run spawned four rungs");
    let ladder = &plots("ladder")[0];
    let mut marked = values(ladder, "spawn", "x");
    marked.sort_by(f64::total_cmp);
    assert_close(&marked, &spawns);
    assert_eq!(ladder["heat"]["label"], "swap rate");
}

#[test]
fn the_summary_reads_back() {
    let summary: Summary = serde_json::from_str(&fixture("summary.json")).unwrap();
    assert_eq!(summary.rungs, last_ladder().betas.len());
    assert_eq!((summary.updates, summary.sampling_steps), (4000, 800));
}
