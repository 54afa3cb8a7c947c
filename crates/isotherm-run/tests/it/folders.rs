//! What is refused as the folder, the model, the data or the checkpoint of a run, by kind.

use std::fs;
use std::path::Path;

use isotherm::diagnostics::Diagnostic;
use isotherm::model::ModelError;
use isotherm::options::{Options, Plan};
use isotherm::tensors::Bundle;
use isotherm::trainer::TrainState;
use isotherm::{Cause, Error, Kind};
use isotherm_run::checkpoint::{self, CURRENT, CheckpointError, DamagedFile};
use isotherm_run::record::{MissingRows, Row};
use isotherm_run::{
    Config, ConfigFileError, FolderError, IN_MEMORY, ModelFileError, Note, Observer, Outcome,
    RunData, RunDataError, RunFolder, Session, read_model,
};
use serde_json::json;

/// Asks to stop after some steps.
struct Stops(u64);

impl Observer for Stops {
    fn step(&mut self, _: &TrainState, _: &Plan) {
        self.0 -= 1;
    }
    fn row(&mut self, _: &Row) {}
    fn note(&mut self, _: &Note) {}
    fn should_stop(&self) -> bool {
        self.0 == 0
    }
}

fn csv(path: &Path, rows: &str) -> String {
    fs::write(path, rows).unwrap();
    path.display().to_string()
}

/// A run on three columns that was stopped after five updates.
fn stopped(folder: &Path) -> std::path::PathBuf {
    let data = csv(&folder.join("data.csv"), "1,0,1\n0,1,0\n1,1,0\n0,0,1\n");
    let config = Config::from(Options::default().hidden(2).updates(20)).train(Some(data));
    let out = folder.join("run");
    let mut session = Session::create(&out, &config, false).unwrap();
    assert!(matches!(session.run(&mut Stops(5)).unwrap(), Outcome::Interrupted(5)));
    out
}

fn cause<C: Cause>(error: &Error) -> &C {
    error.cause().unwrap_or_else(|| panic!("{error:?}"))
}

#[test]
fn folders_that_cannot_be_used() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let (run, file, notes) = (stopped(folder.path()), path("data.csv"), path("notes"));
    fs::create_dir(&notes).unwrap();
    fs::write(notes.join("diary.txt"), "dear diary").unwrap();
    let opened = |path: &Path| RunFolder::open(path).unwrap_err();
    let created = |path: &Path| RunFolder::create(path, false).unwrap_err();
    let nowhere = path("nowhere");
    let refusals = [
        (opened(&nowhere), FolderError::NotFound { path: nowhere }),
        (opened(&file), FolderError::NotAFolder { path: file.clone() }),
        (opened(&notes), FolderError::NotARun { path: notes.clone() }),
        (created(&file), FolderError::IsAFile { path: file }),
        (created(&run), FolderError::HoldsARun { path: run.clone() }),
        (created(&notes), FolderError::NotEmpty { path: notes.clone() }),
    ];
    for (error, expected) in refusals {
        assert_eq!(error.cause(), Some(&expected));
        assert_eq!(error.kind(), Kind::Io);
    }
    fs::write(notes.join("reproduce.toml"), "").unwrap();
    assert_eq!(opened(&notes).cause(), Some(&FolderError::Experiment { path: notes }));
    assert!(RunFolder::create(&run, true).is_ok());
    let file = RunFolder::open(&run).unwrap().config();
    fs::write(&file, "hidden = 'many'").unwrap();
    let error = Session::resume(&run).err().unwrap();
    assert_eq!(error.kind(), Kind::Options);
    assert_eq!(cause::<ConfigFileError>(&error).path, file);
}

#[test]
fn runs_that_cannot_be_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let run = stopped(folder.path());
    let refusal = || Session::resume(&run).err().unwrap();
    let (data, good) = (folder.path().join("data.csv"), checkpoint::load(&run).unwrap().bundle);
    let rows = fs::read(&data).unwrap();

    fs::write(&data, "1,1,1\n0,0,0\n").unwrap();
    let error = refusal();
    assert_eq!(error.kind(), Kind::Data);
    let CheckpointError::DataChanged { data: name, .. } = cause(&error) else { panic!("{error}") };
    assert_eq!(*name, data.display().to_string());

    fs::remove_file(&data).unwrap();
    let error = refusal();
    assert_eq!(error.kind(), Kind::Data);
    let moved = matches!(cause(&error), RunDataError::Moved { config, .. } if *config == run.join("config.toml"));
    assert!(moved, "{error:?}");
    fs::write(&data, rows).unwrap();

    let mut other = good.clone();
    other.meta["format"] = json!(4);
    checkpoint::save(&run, &other).unwrap();
    let error = refusal();
    assert_eq!(error.kind(), Kind::Io);
    assert!(matches!(cause(&error), CheckpointError::OtherVersion { .. }), "{error:?}");

    let mut wide = good.clone();
    wide.insert("marginals", &[4], &[0.5; 4]).unwrap();
    checkpoint::save(&run, &wide).unwrap();
    let error = refusal();
    assert_eq!(error.kind(), Kind::Corrupt);
    assert!(matches!(cause(&error), CheckpointError::DoesNotFit { .. }), "{error:?}");

    checkpoint::save(&run, &good).unwrap();
    let metrics = run.join("metrics.jsonl");
    let bytes = fs::metadata(&metrics).unwrap().len();
    fs::write(&metrics, "").unwrap();
    let error = refusal();
    assert_eq!(error.kind(), Kind::Corrupt);
    assert_eq!(
        *cause::<MissingRows>(&error),
        MissingRows { path: metrics, bytes: 0, expected: bytes }
    );
}

#[test]
fn models_that_cannot_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let run = RunFolder::open(&stopped(folder.path())).unwrap();
    let unfinished = Diagnostic::Unfinished { steps: 5, of: Some(20) };
    assert_eq!(run.read_model().unwrap().1, [unfinished]);

    let text = folder.path().join("data.csv");
    let error = read_model(&text).unwrap_err();
    assert_eq!(error.kind(), Kind::Corrupt);
    assert!(matches!(cause(&error), ModelFileError::NotAModel { path } if *path == text));

    let path = folder.path().join("m.safetensors");
    fs::write(&path, "text").unwrap();
    assert_eq!(cause::<DamagedFile>(&read_model(&path).unwrap_err()).path, path);
    assert_eq!(read_model(&folder.path().join("x.safetensors")).unwrap_err().kind(), Kind::Io);

    let refusal = |tensors: &[(&str, &[usize])]| {
        let mut bundle = Bundle::default();
        for (name, shape) in tensors {
            bundle.insert(name, shape, &vec![0.5f32; shape.iter().product()]).unwrap();
        }
        checkpoint::write(&bundle, &path).unwrap();
        let error = read_model(&path).unwrap_err();
        assert_eq!(error.kind(), Kind::Corrupt);
        match error.into_cause() {
            Ok(ModelFileError::Unusable { path: place, error }) if place == path => {
                cause::<ModelError>(&error).clone()
            }
            other => panic!("{other:?}"),
        }
    };
    let present = vec!["W".to_owned(), "b".to_owned()];
    assert_eq!(refusal(&[("W", &[3, 2]), ("b", &[2])]), ModelError::Missing { name: "c", present });
    let biases: [(&str, &[usize]); 2] = [("b", &[3]), ("c", &[2])];
    let with = |shape: &'static [usize]| [("W", shape), biases[0], biases[1]];
    assert_eq!(refusal(&with(&[3, 2])), ModelError::Transposed { shape: [3, 2] });
    assert_eq!(refusal(&with(&[6])), ModelError::NotAMatrix { shape: vec![6] });
    assert_eq!(refusal(&with(&[0, 3])), ModelError::NoUnits { shape: [0, 3] });

    let mut bundle = checkpoint::load(run.path()).unwrap().bundle;
    bundle.tensors.remove("b");
    checkpoint::write(&bundle, &run.path().join(CURRENT)).unwrap();
    let error = run.read_model().unwrap_err();
    assert_eq!(error.kind(), Kind::Corrupt);
    assert!(matches!(cause(&error), CheckpointError::NoModel { .. }), "{error:?}");
}

#[test]
fn data_that_do_not_go_together() {
    let folder = tempfile::tempdir().unwrap();
    let data = Some(csv(&folder.path().join("three.csv"), "1,0,1\n0,1,0\n"));
    let two = csv(&folder.path().join("two.csv"), "1,0\n0,1\n");
    let refusal = |config: Config| {
        let error = RunData::of(&config).unwrap_err();
        assert_eq!(error.kind(), Kind::Data);
        error.into_cause::<RunDataError>().unwrap()
    };
    let width = refusal(Config::default().train(data).valid(Some(two.clone())));
    let RunDataError::Width { part, name, columns, wanted, .. } = width else {
        panic!("{width:?}")
    };
    assert_eq!((part, name, columns, wanted), (isotherm_run::config::name::valid, two, 2, 3));
    let gone = refusal(Config::default().train(Some(IN_MEMORY.to_owned())));
    assert!(matches!(gone, RunDataError::NotStored), "{gone:?}");
}
