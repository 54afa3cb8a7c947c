//! The report of a real run in a real browser.

use crate::browser::{Browser, Page};
use isotherm::Plain;
use isotherm::options::{Options, PathKind, Plan};
use isotherm::trainer::TrainState;
use isotherm_report::{Destination, write, write_report};
use isotherm_run::record::Row;
use isotherm_run::{Config, Observer, Session};

struct Nobody;

impl Observer for Nobody {
    fn step(&mut self, _: &TrainState, _: &Plan) {}
    fn row(&mut self, _: &Row) {}
    fn note(&mut self, _: &isotherm_run::Note) {}
    fn should_stop(&self) -> bool {
        false
    }
}

fn assert_clean(page: &mut Page, figures: usize) {
    for width in [1200, 400] {
        page.assert_fits(width, figures);
    }
    page.assert_clean();
}

#[test]
fn the_report_of_a_short_run_is_drawn_without_errors_or_requests() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let path = PathKind::Joint;
    let (updates, sampling_steps, spawn_every) = (2000, 500, 200);
    let options = Options::default()
        .path(path)
        .updates(updates)
        .sampling_steps(sampling_steps)
        .spawn_every(spawn_every);
    Session::create(&run, &options.into(), false).unwrap().run(&mut Nobody).unwrap();
    let report = write_report(&run, &Plain).unwrap();
    assert_clean(&mut Browser::open(&report, (1200, 900)), 8);
    let page = Some(folder.path().join("both.html"));
    let both = Destination { page, ..Destination::default() };
    let both = write(&[run.clone(), run], &both, &Plain).unwrap();
    assert_clean(&mut Browser::open(&both, (1200, 900)), 3);
}

/// Learning on three kinds of rows: the weights of clusters are a figure.
#[test]
fn the_weights_of_clusters_are_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("rows.csv");
    let kinds = ["1,1,1,1,0,0,0,0,0", "0,0,0,1,1,1,1,0,0", "1,0,0,0,0,0,1,1,1"];
    let row = |i: usize| kinds[[0, 0, 0, 1, 1, 2][i % 6]];
    std::fs::write(&data, (0..300).map(row).collect::<Vec<_>>().join("\n")).unwrap();
    let options = Options::default().hidden(6).updates(3000).lr(0.05);
    let config = Config::from(options).train(Some(data.display().to_string()));
    let run = folder.path().join("run");
    Session::create(&run, &config, false).unwrap().run(&mut Nobody).unwrap();
    let report = write_report(&run, &Plain).unwrap();
    let page = std::fs::read_to_string(&report).unwrap();
    assert!(page.contains("id=\"clusters\"") && page.contains("worth 500 independent ones"));
    let figures = page.matches("<figure").count();
    assert_clean(&mut Browser::open(&report, (1200, 900)), figures);
    let kept = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("clusters.html");
    std::fs::copy(report, kept).unwrap();
}
