//! The storage layer from outside: files, damage, locks, and a writer that is killed for real.

use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use isotherm::Plain;
use isotherm::diagnostics::Diagnostic;
use isotherm::tensors::{Bundle, SealError, StoreError, TensorError};
use isotherm::{Cause, IoError, Kind};
use isotherm_run::checkpoint::{
    CURRENT, CheckpointError, DamagedFile, LockError, PREVIOUS, Problem, RunLock, load, save,
    write_atomically,
};
use proptest::prelude::*;
use safetensors::SafeTensors;
use serde_json::json;

fn bundle(number: u64) -> Bundle {
    let mut bundle = Bundle::new(json!({ "z": [1, "two\""], "number": number }));
    bundle
        .insert("weights", &[2, 3], &[0.1f32, -0.0, f32::NAN, f32::INFINITY, 1e-45, 2.0])
        .unwrap();
    bundle.insert("beta", &[], &[0.1f64]).unwrap();
    bundle.insert("rng", &[2], &[u64::MAX, number]).unwrap();
    bundle.insert("signed", &[1], &[i64::MIN]).unwrap();
    bundle.insert("bits", &[0, 7], &[0u8; 0]).unwrap();
    bundle
}

#[test]
fn values_return_bit_for_bit() {
    let bytes = bundle(7).to_bytes().unwrap();
    let read = Bundle::from_bytes(&bytes).unwrap();
    assert_eq!(read, bundle(7));
    assert_eq!(Bundle::from_any_bytes(&bytes).unwrap(), read);
    assert_eq!(read.get::<u64>("rng", &[2]).unwrap(), [u64::MAX, 7]);
    assert_eq!(read.get::<f64>("beta", &[]).unwrap(), [0.1]);
    assert_eq!(read.get::<i64>("signed", &[1]).unwrap(), [i64::MIN]);
    assert!(read.get::<u8>("bits", &[0, 7]).unwrap().is_empty());
    let weights = read.get::<f32>("weights", &[2, 3]).unwrap();
    assert!(weights[1].is_sign_negative() && weights[2].is_nan() && weights[4] == 1e-45);
    assert!(read.tensor("weights").unwrap().holds::<f32>());
    assert_eq!(read.meta, json!({ "number": 7, "z": [1, "two\""] }));
}

#[test]
fn a_wrong_tensor_is_named() {
    let mut read = bundle(7);
    let name = |name: &str| name.to_owned();
    for (error, wanted) in [
        (
            read.get::<f32>("nothing", &[]).unwrap_err(),
            TensorError::Missing { name: name("nothing") },
        ),
        (
            read.get::<f64>("weights", &[2, 3]).unwrap_err(),
            TensorError::Dtype { name: name("weights"), found: name("F32"), wanted: name("F64") },
        ),
        (
            read.get::<f32>("weights", &[3, 2]).unwrap_err(),
            TensorError::Shape { name: name("weights"), found: vec![2, 3], wanted: vec![3, 2] },
        ),
        (
            read.insert("x", &[usize::MAX, 2], &[1u8]).unwrap_err(),
            TensorError::Count { name: name("x"), shape: vec![usize::MAX, 2], values: 1 },
        ),
    ] {
        assert_eq!(error.cause(), Some(&wanted));
        assert_eq!(error.kind(), Kind::Corrupt);
        let said = error.to_string();
        assert!(said.contains("weights") || said.contains("`nothing`") || said.contains("`x`"));
    }
}

#[test]
fn what_could_not_be_read_again_is_not_written() {
    let deep = (0..300).fold(json!(0), |inner, _| json!([inner]));
    let refused = |bundle: &Bundle| match bundle.to_bytes() {
        Err(StoreError::Unreadable(why)) => why,
        other => panic!("{other:?}"),
    };
    assert!(matches!(refused(&Bundle::new(deep)), SealError::Metadata { .. }));
    let long = refused(&Bundle::new(json!("x".repeat(5 << 20))));
    assert!(matches!(long, SealError::LongHeader { bytes, .. } if bytes > 5 << 20), "{long:?}");
    let mut named = Bundle::default();
    named.insert("__metadata__", &[1], &[1u8]).unwrap();
    assert_eq!(named.to_bytes(), Err(StoreError::ReservedName));
}

#[test]
fn bytes_are_deterministic_and_plain_safetensors() {
    let bytes = bundle(7).to_bytes().unwrap();
    for _ in 0..20 {
        assert_eq!(bundle(7).to_bytes().unwrap(), bytes);
        assert_eq!(Bundle::from_bytes(&bytes).unwrap().to_bytes().unwrap(), bytes);
    }
    let plain = SafeTensors::deserialize(&bytes).unwrap();
    assert_eq!(plain.len(), 5);
    assert_eq!(plain.tensor("beta").unwrap().data(), 0.1f64.to_le_bytes());
    assert_eq!(plain.tensor("weights").unwrap().shape(), [2, 3]);
    let (_, header) = SafeTensors::read_metadata(&bytes).unwrap();
    assert_eq!(header.metadata().as_ref().unwrap().len(), 1);
}

#[test]
fn the_stored_value_may_imitate_the_checksum() {
    let zeros = "0".repeat(64);
    let mut imitation = Bundle::new(json!({ "isotherm_sha256": zeros, "meta": zeros }));
    imitation.insert("{\"isotherm_sha256\":\"", &[1], &[1u8]).unwrap();
    let bytes = imitation.to_bytes().unwrap();
    assert_eq!(Bundle::from_bytes(&bytes).unwrap(), imitation);
}

/// Runs `check` on the bytes with each single bit flipped, and on each beginning of the bytes.
fn each_damage(bytes: &[u8], mut check: impl FnMut(&[u8])) {
    let mut damaged = bytes.to_vec();
    for bit in 0..8 * bytes.len() {
        damaged[bit / 8] ^= 1 << (bit % 8);
        check(&damaged);
        damaged[bit / 8] ^= 1 << (bit % 8);
    }
    (0..bytes.len()).for_each(|length| check(&bytes[..length]));
}

#[test]
fn every_damage_is_detected_and_the_previous_checkpoint_used() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    save(folder, &bundle(1)).unwrap();
    save(folder, &bundle(2)).unwrap();
    let current = folder.join(CURRENT);
    each_damage(&fs::read(&current).unwrap(), |damaged| {
        assert_eq!(Bundle::from_bytes(damaged).unwrap_err().kind(), Kind::Corrupt);
        assert_eq!(Bundle::from_any_bytes(damaged).unwrap_err().kind(), Kind::Corrupt);
        fs::write(&current, damaged).unwrap();
        let loaded = load(folder).unwrap();
        assert_eq!(loaded.bundle, bundle(1));
        let fell_back = loaded.fell_back.unwrap();
        assert_eq!((fell_back.folder.as_path(), fell_back.current.name), (folder, CURRENT));
        let problem = &fell_back.current.problem;
        assert_eq!(*problem, Problem::Damaged(Bundle::from_bytes(damaged).unwrap_err()));
        let problem = problem.clone();
        let diagnostic = Diagnostic::from(fell_back);
        assert_eq!(diagnostic, Diagnostic::PreviousCheckpoint { problem });
        let sentence = diagnostic.words(&Plain);
        assert!(sentence.len() < 400 && !sentence.contains(['\n', '\u{1b}']), "{sentence}");
    });

    // A damaged checkpoint must not displace the good one before it.
    save(folder, &bundle(3)).unwrap();
    assert_eq!(load(folder).unwrap().bundle, bundle(3));
    assert_eq!(isotherm_run::checkpoint::read(&folder.join(PREVIOUS)).unwrap(), bundle(1));
}

#[test]
fn errors_name_the_file_and_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let problems = || {
        let error = load(folder).unwrap_err();
        for part in [CURRENT, PREVIOUS, &folder.display().to_string()] {
            assert!(error.to_string().contains(part), "{error}");
        }
        match error.cause() {
            Some(CheckpointError::NoneUsable { folder: place, reasons: [current, previous] }) => {
                assert_eq!(
                    (place.as_path(), current.name, previous.name),
                    (folder, CURRENT, PREVIOUS)
                );
                (error.kind(), [current.problem.clone(), previous.problem.clone()])
            }
            _ => panic!("{error:?}"),
        }
    };
    assert_eq!(problems(), (Kind::Io, [Problem::Missing, Problem::Missing]));
    fs::write(folder.join(CURRENT), "nonsense").unwrap();
    let (kind, [current, previous]) = problems();
    assert_eq!((kind, previous), (Kind::Corrupt, Problem::Missing));
    let Problem::Damaged(reason) = current else { panic!("{current:?}") };
    let error = isotherm_run::checkpoint::read(&folder.join(CURRENT)).unwrap_err();
    assert_eq!(error.cause(), Some(&DamagedFile { path: folder.join(CURRENT), reason }));
    assert_eq!(error.kind(), Kind::Corrupt);
    let nowhere = isotherm_run::checkpoint::read(&folder.join("nowhere")).unwrap_err();
    assert_eq!(nowhere.cause::<IoError>().unwrap().path, folder.join("nowhere"));
    assert_eq!(save(&folder.join("nowhere"), &bundle(1)).unwrap_err().kind(), Kind::Io);
}

#[test]
fn files_made_elsewhere_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.safetensors");
    let data = 2.5f32.to_le_bytes();
    let view = || safetensors::tensor::TensorView::new(safetensors::Dtype::F32, vec![1], &data);
    let half = safetensors::tensor::TensorView::new(safetensors::Dtype::F16, vec![2], &data);
    for metadata in [None, Some([("made by".to_string(), "other".to_string())].into())] {
        let tensors = [("w", view().unwrap()), ("half", half.as_ref().unwrap().clone())];
        fs::write(&path, safetensors::serialize(tensors, metadata).unwrap()).unwrap();
        let model = isotherm_run::checkpoint::read_any(&path).unwrap();
        assert_eq!(model.get::<f32>("w", &[1]).unwrap(), [2.5]);
        let error = model.get::<f32>("half", &[2]).unwrap_err();
        assert!(matches!(error.cause(), Some(TensorError::Dtype { found, .. }) if found == "F16"));
        assert!(model.meta.is_null());
        let error = isotherm_run::checkpoint::read(&path).unwrap_err();
        assert_eq!(error.cause::<DamagedFile>().unwrap().reason, SealError::Unsealed);
    }
    isotherm_run::checkpoint::write(&bundle(5), &path).unwrap();
    assert_eq!(isotherm_run::checkpoint::read_any(&path).unwrap(), bundle(5));
}

/// A file with this header and these data.
fn file(header: &str, data: &[u8]) -> Vec<u8> {
    [&(header.len() as u64).to_le_bytes(), header.as_bytes(), data].concat()
}

#[test]
fn offsets_that_overflow_are_refused() {
    let size = (1u64 << 61) - 1;
    let entry = |i: u64, start: u64, size: u64| {
        let end = start + size;
        format!(r#""{i}":{{"dtype":"U8","shape":[{size}],"data_offsets":[{start},{end}]}}"#)
    };
    let mut entries: Vec<String> = (0..8).map(|i| entry(i, i * size, size)).collect();
    entries.push(entry(8, 8 * size, 7));
    let bytes = file(&format!("{{{}}}", entries.join(",")), b"");
    let error = Bundle::from_any_bytes(&bytes).unwrap_err();
    assert!(matches!(error, SealError::Header { .. } | SealError::Size { .. }), "{error:?}");
    let error = Bundle::from_any_bytes(&[0xff; 16]).unwrap_err();
    assert!(matches!(error, SealError::LongHeader { .. }), "{error:?}");
}

proptest! {
    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(Bundle::from_bytes(&bytes).is_err());
        let _ = Bundle::from_any_bytes(&bytes);
    }

    #[test]
    fn no_header_panics(
        header in r#"\{("[ab]":\{"dtype":"(U8|F4|F64)","shape":\[[0-9]{1,20}\],"data_offsets":\[0,[0-9]{1,20}\]\}|"__metadata__":\{"isotherm":"[^"]{0,9}"\})?\}"#,
        data in prop::collection::vec(any::<u8>(), 0..20),
    ) {
        let bytes = file(&header, &data);
        prop_assert!(Bundle::from_bytes(&bytes).is_err());
        let _ = Bundle::from_any_bytes(&bytes);
    }

    #[test]
    fn changed_files_are_refused(at in 0usize..500, with in prop::collection::vec(any::<u8>(), 1..20)) {
        let bytes = bundle(1).to_bytes().unwrap();
        let mut changed = bytes.clone();
        changed.truncate(at);
        changed.extend(with);
        changed.extend(bytes.iter().skip(changed.len()));
        prop_assume!(changed != bytes);
        prop_assert!(Bundle::from_bytes(&changed).is_err());
        let _ = Bundle::from_any_bytes(&changed);
    }

    #[test]
    fn any_bundle_returns(values in prop::collection::vec(any::<u64>(), 0..50), name in ".{0,9}", text in ".*") {
        let mut bundle = Bundle::new(json!({ &text: text }));
        bundle.insert(&name, &[values.len()], &values).unwrap();
        prop_assert_eq!(Bundle::from_bytes(&bundle.to_bytes().unwrap()).unwrap(), bundle);
    }
}

#[test]
fn a_file_is_replaced_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    write_atomically(&path, |out| out.write_all(b"one")).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"one");
    fs::write(folder.path().join(".file.partial"), "left by a killed process").unwrap();
    write_atomically(&path, |out| out.write_all(b"two")).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"two");
    let error = write_atomically(&path, |out| {
        out.write_all(b"three")?;
        Err(io::Error::other("no more"))
    });
    let error = error.unwrap_err();
    let io = error.cause::<IoError>().unwrap();
    assert!(io.path == path && io.error.to_string().contains("no more"), "{error}");
    assert_eq!(fs::read(&path).unwrap(), b"two");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    assert!(write_atomically(Path::new("/"), |_| Ok(())).is_err());
}

#[cfg(unix)]
#[test]
fn symbolic_links_are_followed_and_stay() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::create_dir(folder.join("elsewhere")).unwrap();
    fs::create_dir(folder.join("run")).unwrap();
    let link = folder.join("run").join(CURRENT);
    symlink("../elsewhere/target", &link).unwrap();
    for number in 1..4 {
        save(&folder.join("run"), &bundle(number)).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(
            isotherm_run::checkpoint::read(&folder.join("elsewhere/target")).unwrap(),
            bundle(number)
        );
    }
    assert_eq!(
        isotherm_run::checkpoint::read(&folder.join("run").join(PREVIOUS)).unwrap(),
        bundle(2)
    );
    assert_eq!(fs::read_dir(folder.join("run")).unwrap().count(), 2);
    symlink("loop", folder.join("loop")).unwrap();
    assert!(write_atomically(&folder.join("loop"), |_| Ok(())).is_err());
}

#[test]
fn a_lock_excludes_and_is_freed() {
    let folder = tempfile::tempdir().unwrap();
    let held = RunLock::acquire(folder.path()).unwrap();
    let error = RunLock::acquire(folder.path()).unwrap_err();
    assert_eq!(error.kind(), Kind::Io);
    let Some(LockError::Held { folder: held_folder }) = error.cause() else { panic!("{error:?}") };
    assert_eq!(held_folder, folder.path());
    assert!(error.to_string().contains(&folder.path().display().to_string()), "{error}");
    drop(held);
    drop(RunLock::acquire(folder.path()).unwrap());
    let error = RunLock::acquire(&folder.path().join("nowhere")).unwrap_err();
    assert!(matches!(error.cause(), Some(LockError::NotOpened { .. })), "{error:?}");
    assert_eq!(error.kind(), Kind::Io);
}

const CHILD_FOLDER: &str = "ISOTHERM_TEST_CHILD_FOLDER";

fn large(number: u64) -> Bundle {
    let mut bundle = Bundle::new(json!(number));
    bundle.insert("values", &[50_000], &vec![number; 50_000]).unwrap();
    bundle
}

/// What the child of the test below does: it saves until it is killed. It ends by itself after some
/// minutes, in case that nobody is left to kill it.
fn save_for_ever(folder: &Path) {
    let _lock = RunLock::acquire(folder).unwrap();
    let first = load(folder).map_or(0, |loaded| loaded.bundle.meta.as_u64().unwrap());
    let end = Instant::now() + Duration::from_secs(600);
    (first + 1..).take_while(|_| Instant::now() < end).for_each(|number| {
        save(folder, &large(number)).unwrap();
    });
}

#[test]
fn a_killed_writer_leaves_a_checkpoint_and_no_lock() {
    if let Some(folder) = std::env::var_os(CHILD_FOLDER) {
        return save_for_ever(Path::new(&folder));
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let number = || load(folder).map_or(0, |loaded| loaded.bundle.meta.as_u64().unwrap());
    for round in 0..15 {
        let before = number();
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "checkpoint_store::a_killed_writer_leaves_a_checkpoint_and_no_lock"])
            .env(CHILD_FOLDER, folder)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        while number() == before && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_micros(700 * round));
        let refused = RunLock::acquire(folder).is_err();
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(refused);
        RunLock::acquire(folder).unwrap();
        let loaded = load(folder).unwrap();
        assert_eq!(loaded.fell_back, None);
        assert!(number() > before);
        assert_eq!(loaded.bundle, large(number()));
    }
}
