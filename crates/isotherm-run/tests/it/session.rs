//! A run's folder from begin to samples.

use std::cell::Cell;
use std::fs;
use std::path::Path;

use crate::statistics::{chi_square_score, log_sum_exp};
use isotherm::Kind;
use isotherm::data::ConstantColumns;
use isotherm::options::{Algorithm, Options, Plan};
use isotherm::sampling::{ClustersOf, LadderFrom, SampleOptions};
use isotherm::trainer::TrainState;
use isotherm_run::checkpoint::{CURRENT, CheckpointError, PREVIOUS, Problem};
use isotherm_run::record::{Row, Summary};
use isotherm_run::{Config, Note, Observer, Outcome, RunFolder, Session, sample};

pub(crate) struct Silent;

impl Observer for Silent {
    fn step(&mut self, _: &TrainState, _: &Plan) {}
    fn row(&mut self, _: &Row) {}
    fn note(&mut self, _: &Note) {}
    fn should_stop(&self) -> bool {
        false
    }
}

/// A finished run on six columns that are far from independent.
fn finished(out: &Path, algorithm: Algorithm) {
    finished_with(out, Options::default().algorithm(algorithm));
}

fn finished_with(out: &Path, options: Options) {
    let data = out.with_extension("csv");
    let rows = ["1,1,1,0,0,0", "0,0,0,1,1,1", "1,1,0,0,0,1", "0,0,1,1,1,0", "1,1,1,1,1,1"];
    fs::write(&data, rows.join("\n")).unwrap();
    let config = Config::from(options.hidden(3).updates(2000).lr(0.05));
    let config = config.train(Some(data.display().to_string()));
    let mut session = Session::create(out, &config, false).unwrap();
    assert!(matches!(session.run(&mut Silent).unwrap(), Outcome::Finished(_)));
}

/// Particles beside the ladder would give many samples at a time that are renewed once in a while: the ladder
/// that samples are drawn with has none.
#[test]
fn particles_beside_the_ladder_are_no_samples() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    finished_with(&out, Options::default().columns(Some(2)).particles(Some(60)));
    let request = SampleOptions::default().count(500).thin(1).warm_up(200).seed(3);
    let run = RunFolder::open(&out).unwrap();
    let (samples, about_run) = sample(&run, &request, false, |_| true).unwrap();
    assert_eq!(about_run, []);
    let ladders = samples.parts.iter().map(|it| (it.count, it.ladder.particles, it.ladder.columns));
    assert_eq!(ladders.collect::<Vec<_>>(), [(250, 50, 50); 2]);
    assert_eq!(samples.v.rows(), 500);
}

/// Two kinds of rows, learned by too many hidden units for exact samples: their weights are in the summary, those of
/// samples beside them; `sample` has them from the data, or says that it has not once these are gone or others.
#[test]
fn weights_of_clusters_are_compared_with_those_of_the_data() {
    let folder = tempfile::tempdir().unwrap();
    let (out, data) = (folder.path().join("run"), folder.path().join("data.csv"));
    let write = |first: usize| {
        let row = |i: usize| if i < first { "1,1,1,1,0,0,0,0" } else { "0,0,0,0,1,1,1,1" };
        fs::write(&data, (0..400).map(row).collect::<Vec<_>>().join("\n")).unwrap();
    };
    write(300);
    let options = Options::default().hidden(20).updates(20_000).lr(0.02).columns(Some(20));
    let config = Config::from(options).train(Some(data.display().to_string()));
    let mut session = Session::create(&out, &config, false).unwrap();
    let Outcome::Finished(summary) = session.run(&mut Silent).unwrap() else { panic!() };
    let weights = summary.clusters.as_ref().unwrap();
    assert_eq!((weights.of, weights.parts.len()), (ClustersOf::Data, 2));
    // Short learning affords some of the 400 rows only, chosen at random; with at least 50 the standard error of a share
    // is at most 0.061.
    let of_data = weights.data.as_ref().unwrap();
    assert!((of_data[0] - 0.75).abs() < 0.12 && of_data[2] == 0.0, "{of_data:?}");
    let text = fs::read_to_string(out.join("summary.json")).unwrap();
    let read: Summary = serde_json::from_str(&text).unwrap();
    assert_eq!(read.clusters, summary.clusters);

    let run = RunFolder::open(&out).unwrap();
    let request = SampleOptions::default().count(400).warm_up(200);
    let weights = || sample(&run, &request, false, |_| true).unwrap().0.clusters.unwrap();
    let found = weights();
    assert_eq!((found.of, &found.data), (ClustersOf::Data, &Some(vec![0.75, 0.25, 0.0])));
    assert_eq!(found.parts[0].origin.reference, LadderFrom::Run);
    let part = &found.parts[1];
    assert!(part.round_trips > 20, "{part:?}");
    write(200);
    let found = weights();
    assert_eq!((found.of, found.data), (ClustersOf::Samples, None), "these are other data");
    fs::remove_file(&data).unwrap();
    assert_eq!(weights().of, ClustersOf::Samples);
}

/// The samples of a run follow the exact distribution of its model, with and without a ladder of
/// its own, and do not need the data any more.
#[test]
fn samples_follow_the_model() {
    use Algorithm::*;
    for algorithm in [Apt, Pt, Sml, Cd, Exact] {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("run");
        finished(&out, algorithm);
        fs::remove_file(out.with_extension("csv")).unwrap();
        let run = RunFolder::open(&out).unwrap();
        let request = SampleOptions::default().count(20_000).thin(10).warm_up(500).seed(3);
        let (samples, _) = sample(&run, &request, false, |_| true).unwrap();
        assert!(samples.round_trips > 1000, "{algorithm:?}: {}", samples.round_trips);
        let rbm = run.read_model().unwrap().0.model;
        let logs: Vec<f64> = (0..64).map(|v| -rbm.free_energy_of_visible(&[v])).collect();
        let log_z = log_sum_exp(logs.iter().copied());
        let expected: Vec<f64> = logs.iter().map(|log| (log - log_z).exp()).collect();
        let mut counts = vec![0; 64];
        for row in 0..samples.v.rows() {
            counts[samples.v.row(row)[0] as usize] += 1;
        }
        let score = chi_square_score(&counts, &expected);
        assert!(score < 4.5, "{algorithm:?}: {score}");
    }
}

/// A run whose checkpoints are gone is damaged; it is not begun again over its metrics.
#[test]
fn missing_checkpoints_do_not_restart_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    finished(&out, Algorithm::Apt);
    let metrics = fs::read(out.join("metrics.jsonl")).unwrap();
    fs::remove_file(out.join(CURRENT)).unwrap();
    fs::remove_file(out.join(PREVIOUS)).unwrap();
    let error = Session::resume(&out).err().unwrap();
    assert_eq!(error.kind(), Kind::Io);
    let reasons = match error.cause() {
        Some(CheckpointError::NoneUsable { reasons, .. }) => reasons,
        _ => panic!("{error:?}"),
    };
    assert!(reasons.iter().all(|it| it.problem == Problem::Missing), "{error}");
    assert_eq!(fs::read(out.join("metrics.jsonl")).unwrap(), metrics);
}

/// Resuming a finished run writes the same results again.
#[test]
fn a_finished_run_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    finished(&out, Algorithm::Apt);
    let files = ["config.toml", "metrics.jsonl", "model.safetensors", CURRENT, PREVIOUS];
    let read = || files.map(|name| fs::read(out.join(name)).unwrap());
    let before = read();
    let (mut session, fell_back) = Session::resume(&out).unwrap();
    assert!(fell_back.is_none());
    assert!(matches!(session.run(&mut Silent).unwrap(), Outcome::Finished(_)));
    assert!(before == read());
}

/// Asks to stop after it was asked a number of times.
struct StopsAfter(Cell<u32>);

impl Observer for StopsAfter {
    fn step(&mut self, _: &TrainState, _: &Plan) {}
    fn row(&mut self, _: &Row) {}
    fn note(&mut self, _: &Note) {}
    fn should_stop(&self) -> bool {
        self.0.set(self.0.get().saturating_sub(1));
        self.0.get() == 0
    }
}

/// An enumeration is interrupted after a bounded amount of work, in a row of metrics and at the end of a run
/// alike, and nothing is lost: the run that goes on has the bytes of one that was left alone.
#[test]
fn enumerations_are_interrupted_without_loss() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("wide.csv");
    let row =
        |i: usize| (0..900).map(|j| ["0", "1"][(i * j / 7) % 2]).collect::<Vec<_>>().join(",");
    fs::write(&data, (0..20).map(row).collect::<Vec<_>>().join("\n")).unwrap();
    let options = Options::default().hidden(16).updates(2).likelihood_every(Some(1));
    let options = options.algorithm(Algorithm::Sml).columns(Some(4));
    let config = Config::from(options).train(Some(data.display().to_string()));
    let config = config.constant_columns(ConstantColumns::Keep);
    let whole = folder.path().join("whole");
    let mut session = Session::create(&whole, &config, false).unwrap();
    assert!(matches!(session.run(&mut Silent).unwrap(), Outcome::Finished(_)));

    let out = folder.path().join("interrupted");
    let mut session = Session::create(&out, &config, false).unwrap();
    let (mut interruptions, mut after_the_last_step) = (0, 0);
    loop {
        let mut observer = StopsAfter(Cell::new(interruptions + 2));
        match session.run(&mut observer).unwrap() {
            Outcome::Finished(_) => break,
            Outcome::Interrupted(step) => after_the_last_step += u32::from(step == 2),
        }
        drop(session);
        interruptions += 1;
        session = Session::resume(&out).unwrap().0;
    }
    // Two of them at most came between two updates.
    assert!(interruptions > 4 && after_the_last_step > 0, "{interruptions} interruptions");
    for name in ["metrics.jsonl", "model.safetensors"] {
        let read = |run: &Path| fs::read(run.join(name)).unwrap();
        assert!(read(&out) == read(&whole), "{name}");
    }
}
