//! Folders that an experiment refuses, by kind.

use std::fs;

use isotherm::Kind;
use isotherm_experiments::{ExperimentError, ExperimentFolder, Size};

#[test]
fn folders_that_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("experiment");
    let size = Size { updates: 50, seeds: 1 };
    let refusal = |wanted, kind| {
        let error = ExperimentFolder::open(&root, wanted).unwrap_err();
        assert_eq!(error.kind(), kind);
        error.into_cause::<ExperimentError>().unwrap()
    };
    for size in [Size { updates: 49, ..size }, Size { seeds: 0, ..size }] {
        let why = refusal(Some(size), Kind::Options);
        assert!(matches!(why, ExperimentError::Size { .. }), "{why:?}");
    }
    assert!(!root.exists());

    fs::create_dir(&root).unwrap();
    fs::write(root.join("diary.txt"), "dear diary").unwrap();
    let why = refusal(Some(size), Kind::Io);
    assert!(matches!(&why, ExperimentError::NotEmpty { root: place } if *place == root), "{why:?}");
    fs::remove_file(root.join("diary.txt")).unwrap();

    drop(ExperimentFolder::open(&root, Some(size)).unwrap());
    let why = refusal(Some(Size { seeds: 2, ..size }), Kind::Options);
    assert!(matches!(why, ExperimentError::OtherSize { size: begun, .. } if begun == size));

    let manifest = root.join("reproduce.toml");
    fs::write(&manifest, "version = '0.0.1'\nupdates = 50\nseeds = 1\n").unwrap();
    let why = refusal(None, Kind::Io);
    assert!(matches!(&why, ExperimentError::OtherVersion { version, .. } if version == "0.0.1"));
    fs::write(&manifest, "updates = 'many'").unwrap();
    let why = refusal(None, Kind::Options);
    assert!(matches!(&why, ExperimentError::Manifest { path, .. } if *path == manifest));
}
