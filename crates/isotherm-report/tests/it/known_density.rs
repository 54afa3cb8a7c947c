//! A run on a toy distribution, begun by a program: its record and its report speak of that distribution.

use std::fs;

use isotherm::Plain;
use isotherm::data::{Dataset, KnownDensity};
use isotherm::options::{Options, Plan};
use isotherm::trainer::TrainState;
use isotherm_report::write_report;
use isotherm_run::record::{Row, Summary};
use isotherm_run::{Config, Note, Observer, RunData, Session, TrainingRun};

use crate::coins::Coins;

struct Silent;

impl Observer for Silent {
    fn step(&mut self, _: &TrainState, _: &Plan) {}

    fn row(&mut self, _: &Row) {}

    fn note(&mut self, _: &Note) {}

    fn should_stop(&self) -> bool {
        false
    }
}

#[test]
fn the_report_describes_the_data_of_the_run() {
    let coins = Coins(vec![-2.0, 0.5, 1.0, 2.0]);
    let config = Config::from(Options::default().hidden(2).updates(200).seed(1));
    let train = Dataset::from_density(coins.clone());
    let data = RunData { train, valid: None, test: None };
    let run = TrainingRun::begin(&config, data, &mut |_, _| true).unwrap();
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("run");
    Session::begin(&folder, run, false).unwrap().run(&mut Silent).unwrap();

    let text = fs::read_to_string(folder.join("summary.json")).unwrap();
    let summary: Summary = serde_json::from_str(&text).unwrap();
    assert_eq!(summary.entropy_limit, Some(-coins.entropy()));
    assert_eq!(summary.log_likelihood.unwrap().on, "coins");

    let page = fs::read_to_string(write_report(&folder, &Plain).unwrap()).unwrap();
    assert!(page.contains("<th>data</th><td>coins</td>"));
    assert!(!page.contains("mixture"), "the configuration names no file, and yet");
    assert!(
        page.contains(&format!("limit \u{2212}{:.2}", coins.entropy())),
        "the entropy is drawn"
    );
    assert!(!page.contains("<figure id=\"modes\""), "coins have no modes to lose");
}
