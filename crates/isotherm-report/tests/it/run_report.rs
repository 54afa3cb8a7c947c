//! Reports from recorded rows: what a page and its figures hold.

use std::fs;
use std::path::Path;

use isotherm::Plain;
use isotherm::likelihood::{LogLikelihood, Method};
use isotherm::trainer::Phase;
use isotherm_report::{Destination, write, write_report};
use isotherm_run::record::{LadderRow, Row};
use isotherm_tempering::engine::Change;

fn likelihood(value: f64) -> LogLikelihood {
    let (method, on) = (Method::Exact, "data".to_owned());
    LogLikelihood {
        value,
        std_error: 0.5,
        method,
        lower: value - 1.0,
        upper: value + 1.0,
        on,
        examples_std_error: None,
        log_z: None,
    }
}

/// A run whose ladder loses a rung at step 50 and gets two at steps 60 and 70.
fn row(step: u64) -> Row {
    let (event, betas) = match step {
        ..50 => (None, vec![1.0, 0.6, 0.3, 0.0]),
        50..60 => (Some(Change::Retired(2)), vec![1.0, 0.6, 0.0]),
        60..70 => (Some(Change::Spawned(0)), vec![1.0, 0.8, 0.6, 0.0]),
        _ => (Some(Change::Spawned(2)), vec![1.0, 0.8, 0.6, 0.3, 0.0]),
    };
    let rungs = betas.len();
    Row {
        step,
        phase: Phase::Train,
        learning_rate: 0.01,
        event: event.filter(|_| [50, 60, 70].contains(&step)),
        log_likelihood: Some(likelihood(-50.0 - 100.0 / step as f64)),
        log_likelihood_averaged: Some(likelihood(-49.0 - 100.0 / step as f64)),
        log_likelihood_valid: None,
        log_z_averaged: None,
        ladder: Some(LadderRow {
            swap_rates: vec![Some(0.05); rungs - 1],
            swap_rate: 0.05,
            f_up: (0..rungs).map(|i| Some(1.0 - i as f64 / (rungs - 1) as f64)).collect(),
            return_time_mean: 40.0,
            return_time_sum: 160.0,
            round_trips: step / 10,
            replica_steps: 20 * step,
            betas,
        }),
    }
}

fn record(folder: &Path, rows: impl Iterator<Item = Row>) {
    fs::write(folder.join("config.toml"), "updates = 200\ndata = \"gone.csv\"\n").unwrap();
    let line = |row| serde_json::to_string(&row).unwrap() + "\n";
    fs::write(folder.join("metrics.jsonl"), rows.map(line).collect::<String>()).unwrap();
}

#[test]
fn a_page_and_its_figures_hold_what_was_recorded() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), (1..=12).map(|i| row(10 * i)));
    let figures = folder.path().join("figures");
    let destination = Destination { figures: Some(figures.clone()), ..Destination::default() };
    let page = write(&[folder.path().to_owned()], &destination, &Plain).unwrap();
    let page = fs::read_to_string(page).unwrap();
    assert!(page.contains("120 of 200 steps"), "how far it has come");
    assert!(page.contains("data-kind=\"starved-gap\"") && page.contains("0.050, below 0.1"));
    assert!(page.contains("checkpoint is missing"));

    let text = fs::read_to_string(figures.join("ladder.svg")).unwrap();
    let svg = roxmltree::Document::parse(&text).unwrap();
    let texts: Vec<&str> = svg.descendants().filter_map(|node| node.text()).collect();
    for words in ["rungs of the start", "spawned rungs", "spawn", "retirement", "swap rate"] {
        assert!(texts.contains(&words), "{words} is not in {texts:?}");
    }
    for name in ["likelihood", "flow", "swaps", "round-trips"] {
        let text = fs::read_to_string(figures.join(format!("{name}.svg"))).unwrap();
        roxmltree::Document::parse(&text).unwrap();
        assert!(page.contains(&format!("id=\"{name}\"")), "{name}");
    }
    assert!(!figures.join("filters.svg").exists(), "there is no model");
}

#[test]
fn a_run_with_a_row_for_every_step_has_a_small_page() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), (1..=20_000).map(row));
    let page = write_report(folder.path(), &Plain).unwrap();
    let bytes = fs::metadata(page).unwrap().len();
    assert!(bytes < 1_000_000, "{bytes} bytes");
}

#[test]
fn reports_need_neither_rows_nor_sense_in_them() {
    let folder = tempfile::tempdir().unwrap();
    let odd = |change: fn(&mut LadderRow)| {
        let mut row = row(10);
        change(row.ladder.as_mut().unwrap());
        row
    };
    let rows = [
        odd(|ladder| ladder.betas = vec![]),
        odd(|ladder| ladder.swap_rates = vec![]),
        odd(|ladder| ladder.swap_rates = vec![Some(0.01); 99]),
        odd(|ladder| ladder.f_up = vec![]),
        odd(|ladder| ladder.f_up = vec![Some(0.1); 99]),
        odd(|ladder| ladder.betas = vec![1.0]),
        Row { event: Some(Change::Spawned(usize::MAX)), ..row(0) },
    ];
    // Each as the last row, and all together.
    for odd in &rows {
        record(folder.path(), [row(10), odd.clone()].into_iter());
        write_report(folder.path(), &Plain).unwrap();
    }
    record(folder.path(), rows.into_iter());
    write_report(folder.path(), &Plain).unwrap();
    record(folder.path(), std::iter::empty());
    write_report(folder.path(), &Plain).unwrap();
    let both = Some(folder.path().join("both.html"));
    let both = Destination { page: both, ..Destination::default() };
    write(&[folder.path().to_owned(), folder.path().to_owned()], &both, &Plain).unwrap();
}
