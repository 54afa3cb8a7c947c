//! What a run raises reaches the files of its folder, and is read back from them.

use std::fs;
use std::path::{Path, PathBuf};

use crate::session::Silent;
use isotherm::data::DataDiagnostic;
use isotherm::diagnostics::{Diagnostic, Stop};
use isotherm::options::{Algorithm, Chosen, Options, name};
use isotherm::sampling::SampleOptions;
use isotherm::trainer::Diverged;
use isotherm::{Cause, Kind};
use isotherm_run::checkpoint::{self, CURRENT, PREVIOUS, Problem};
use isotherm_run::record::{BadLine, LineProblem, ReadRows, Row, Summary, read_rows};
use isotherm_run::{
    Config, Outcome, RunData, RunFailed, RunFolder, Session, TrainingRun, raised_at_start, sample,
};

/// Data with a column that never changes.
fn data(folder: &Path) -> String {
    let path = folder.join("data.csv");
    fs::write(&path, "1,1,1,0,0\n0,0,0,1,0\n1,1,0,0,0\n0,0,1,1,0\n").unwrap();
    path.display().to_string()
}

fn config(folder: &Path, options: Options) -> Config {
    let data = data(folder);
    let mut config = Config::from(options.hidden(3).updates(50).seed(1)).train(Some(data));
    config.data.constant_columns = isotherm::data::ConstantColumns::Keep;
    config
}

fn finish(mut session: Session) -> Summary {
    match session.run(&mut Silent).unwrap() {
        Outcome::Finished(summary) => *summary,
        other => panic!("{other:?}"),
    }
}

fn diverging(folder: &Path) -> (PathBuf, Diagnostic) {
    let out = folder.join("diverging");
    let mut options = Options::default().algorithm(Algorithm::Sml).lr(1e37);
    options.optimiser.momentum = 0.9;
    options.record.checkpoint_every = 1;
    let mut session = Session::create(&out, &config(folder, options), false).unwrap();
    let failed = session.run(&mut Silent).unwrap_err().into_cause::<RunFailed>().unwrap();
    assert_eq!(failed.kind(), Kind::NonFinite);
    let &Diverged { update, lr } = failed.error.cause().unwrap();
    assert_eq!(lr, 1e37);
    let because = Stop::Diverged { update, lr };
    (out, Diagnostic::StoppedEarly { updates: failed.step, of: 50, because })
}

/// A run that diverged is not called unfinished: resuming it fails in the same way.
#[test]
fn a_run_that_diverged_says_so_in_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let (out, stopped) = diverging(folder.path());
    let run = RunFolder::open(&out).unwrap();
    assert_eq!(run.stopped(), Some(stopped.clone()));
    let about = vec![stopped.clone()];
    assert_eq!(run.read_model().unwrap().1, about);
    let request = SampleOptions::default().count(1).thin(1).warm_up(0);
    assert_eq!(sample(&run, &request, false, |_| true).unwrap().1, about);
    let mut again = Session::resume(&out).unwrap().0;
    assert!(again.run(&mut Silent).is_err());
    assert_eq!(run.stopped(), Some(stopped));
    drop(again);
    // Another run in its place begins without it.
    let mild = config(folder.path(), Options::default());
    finish(Session::create(&out, &mild, true).unwrap());
    assert_eq!((run.stopped(), run.read_model().unwrap().1), (None, vec![]));
}

#[test]
fn the_checkpoint_before_the_last_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let (out, stopped) = diverging(folder.path());
    fs::rename(out.join(CURRENT), out.join(PREVIOUS)).unwrap();
    let previous = Diagnostic::PreviousCheckpoint { problem: Problem::Missing };
    let run = RunFolder::open(&out).unwrap();
    assert_eq!(run.read_model().unwrap().1, [stopped, previous.clone()]);
    assert_eq!(Session::resume(&out).unwrap().1, Some(previous));
}

/// What is raised at the beginning is in every checkpoint, and in the summary of a run that was resumed.
#[test]
fn what_is_raised_at_the_start_outlives_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let config = config(folder.path(), Options::default().algorithm(Algorithm::Sml));
    let chosen: Chosen = Config::table().iter().filter(|it| it.name == name::min_swap).collect();
    let data = RunData::of(&config).unwrap();
    let run = TrainingRun::begin(&config, data, &mut |_, _| true).unwrap();
    let run = run.noting_unused(&chosen);
    let unused = Diagnostic::UnusedOptions { names: vec!["min-swap".to_owned()] };
    let at_start = run.diagnostics_at_start();
    let about = |it: &Diagnostic| match it {
        Diagnostic::Data { about } => matches!(about, DataDiagnostic::ConstantColumns { .. }),
        _ => false,
    };
    assert!(at_start.len() == 2 && about(&at_start[0]) && at_start[1] == unused, "{at_start:?}");
    let out = folder.path().join("run");
    // Killed before its first step.
    drop(Session::begin(&out, run, false).unwrap());
    assert_eq!(raised_at_start(&checkpoint::load(&out).unwrap().bundle), at_start);
    let summary = finish(Session::resume(&out).unwrap().0);
    assert_eq!(summary.diagnostics.unwrap()[..2], at_start);
}

/// JSON has no number that is not finite: such a row is a line that is not one, and the summary says so.
#[test]
fn a_value_that_is_not_finite_is_told_through_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut options = Options::default();
    (options.record.metrics_every, options.record.likelihood_every) = (Some(10), Some(10));
    let out = folder.path().join("run");
    let summary = finish(Session::create(&out, &config(folder.path(), options), false).unwrap());
    let is_told = |summary: &Summary| {
        let all = summary.diagnostics.iter().flatten();
        all.filter(|it| **it == Diagnostic::NonFinite { step: 30 }).count() == 1
    };
    assert!(!is_told(&summary));
    let place = out.join("metrics.jsonl");
    let text = fs::read_to_string(&place).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let line = lines.iter().position(|line| line.contains("\"step\":30,")).unwrap();
    let mark = "\"log_likelihood\":{\"value\":";
    let at = lines[line].find(mark).unwrap() + mark.len();
    let end = at + lines[line][at..].find(',').unwrap();
    // As long as before, because the checkpoint knows how long the file is.
    let width = end - at;
    let changed = format!("{}{:width$}{}", &lines[line][..at], "null", &lines[line][end..]);
    fs::write(&place, text.replace(lines[line], &changed)).unwrap();
    let read: ReadRows<Row> = read_rows(&place).unwrap();
    let problem = LineProblem::NotFinite { step: Some(30) };
    assert_eq!(read.unreadable, [BadLine { line: line + 1, problem }]);
    assert_eq!(read.rows.len() + 1, lines.len());
    let summary = finish(Session::resume(&out).unwrap().0);
    assert!(is_told(&summary), "{:?}", summary.diagnostics);
    // Damage is told apart from it.
    fs::write(&place, text.replace(lines[line], &"{".repeat(9))).unwrap();
    let read: ReadRows<Row> = read_rows(&place).unwrap();
    assert!(matches!(read.unreadable[0].problem, LineProblem::NotARow { .. }));
    fs::write(&place, text.replace(lines[line], "{\"step\":30,\"phase\":null}")).unwrap();
    let read: ReadRows<Row> = read_rows(&place).unwrap();
    assert!(matches!(read.unreadable[0].problem, LineProblem::NotARow { .. }));
}

/// The rule of `sample` holds for the samples that a run draws at its end.
#[test]
fn samples_at_the_end_of_a_run_after_too_few_round_trips_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let summary = |rungs: usize, updates: u64| {
        let mut config = config(folder.path(), Options::default().rungs(Some(rungs)));
        // Too many units for exact samples.
        config.options = config.options.hidden(20).updates(updates);
        finish(Session::create(&folder.path().join("run"), &config, true).unwrap())
    };
    let few = |summary: &Summary| {
        let all = summary.diagnostics.as_ref().unwrap();
        all.iter().find(|it| it.kind() == "few-round-trips").cloned()
    };
    let short = few(&summary(40, 30));
    let Some(Diagnostic::FewRoundTrips { round_trips, columns }) = short else {
        panic!("{short:?}")
    };
    assert!(round_trips < columns as u64);
    assert_eq!(few(&summary(3, 2000)), None);
}
