//! Saves on a disk that fails: at each single step, and at each step with all that follow.
#![allow(clippy::unwrap_used)]

use std::cell::{Cell, RefCell};
use std::fs;
use std::io;
use std::path::Path;
use std::rc::Rc;

use serde_json::json;

use super::atomic::{self, Disk};
use super::load;
use super::store::{self, CURRENT, PREVIOUS};
use isotherm::tensors::Bundle;
use isotherm::{IoError, Kind};

#[derive(Clone, Copy, PartialEq)]
enum Fault {
    /// Only the step of this number fails.
    Once(usize),
    /// The step of this number fails and so does every later one, as if the process were killed.
    From(usize),
    /// Every step of this kind fails.
    Every(&'static str),
}

/// A disk with a fault, and the steps that were asked of it. Files are written in small pieces, so
/// that they are also torn in the middle.
fn faulty(fault: Fault) -> (Disk, Rc<RefCell<Vec<&'static str>>>) {
    let steps = Rc::new(RefCell::new(Vec::new()));
    let (seen, count) = (Rc::clone(&steps), Cell::new(0));
    let before = move |step| {
        let number = count.replace(count.get() + 1);
        seen.borrow_mut().push(step);
        let fails = match fault {
            Fault::Once(at) => number == at,
            Fault::From(at) => number >= at,
            Fault::Every(kind) => step == kind,
        };
        if fails { Err(io::Error::other(format!("{step} refused"))) } else { Ok(()) }
    };
    (Disk { chunk: 400, before: Box::new(before) }, steps)
}

fn bundle(number: u64) -> Bundle {
    let mut bundle = Bundle::new(json!({ "number": number }));
    bundle.insert("values", &[40], &vec![number; 40]).unwrap();
    bundle
}

/// A folder that holds checkpoints 1 and 2.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    super::save(folder.path(), &bundle(1)).unwrap();
    super::save(folder.path(), &bundle(2)).unwrap();
    folder
}

fn strays(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let names = names.map(|name| name.into_string().unwrap());
    names.filter(|name| name != CURRENT && name != PREVIOUS).collect()
}

/// What loading gives: the numbers of the current and of the previous checkpoint.
fn numbers(folder: &Path) -> (u64, u64) {
    let loaded = load(folder).unwrap();
    assert_eq!(loaded.fell_back, None);
    let previous = super::read(&folder.join(PREVIOUS)).unwrap();
    let number = |found: &Bundle| {
        let number = found.meta["number"].as_u64().unwrap();
        assert_eq!(*found, bundle(number));
        number
    };
    (number(&loaded.bundle), number(&previous))
}

/// Saves checkpoint `number` with a kill at step `at`; false when there was no such step.
fn killed(folder: &Path, number: u64, at: usize) -> bool {
    let before = numbers(folder).0;
    let (disk, steps) = faulty(Fault::From(at));
    let result = store::save_on(&disk, folder, &bundle(number));
    let (current, previous) = numbers(folder);
    match result {
        Ok(()) => assert_eq!((current, previous), (number, before)),
        Err(_) if current == number => assert_eq!(previous, before),
        Err(_) => assert_eq!(current, before),
    }
    steps.borrow().len() > at
}

#[test]
fn a_kill_after_any_step_leaves_the_old_or_the_new_checkpoint() {
    // The second kill strikes the save that starts from what the first one left.
    for first in 0.. {
        let mut more = true;
        for second in 0.. {
            let folder = folder();
            let folder = folder.path();
            more = killed(folder, 3, first);
            let again = killed(folder, 4, second);
            let before = numbers(folder).0;
            super::save(folder, &bundle(5)).unwrap();
            assert_eq!(numbers(folder), (5, before));
            assert_eq!(strays(folder), [""; 0], "after kills at {first} and {second}");
            if !again {
                break;
            }
        }
        if !more {
            break;
        }
    }
}

#[test]
fn a_kill_during_the_first_save_leaves_that_checkpoint_or_none() {
    for at in 0.. {
        let folder = tempfile::tempdir().unwrap();
        let (disk, steps) = faulty(Fault::From(at));
        let result = store::save_on(&disk, folder.path(), &bundle(1));
        match load(folder.path()) {
            Ok(loaded) => assert_eq!(loaded.bundle, bundle(1)),
            Err(error) => assert!(error.kind() == Kind::Io && result.is_err(), "{error}"),
        }
        super::save(folder.path(), &bundle(2)).unwrap();
        assert_eq!(load(folder.path()).unwrap().bundle, bundle(2));
        assert_eq!(strays(folder.path()), [""; 0]);
        if steps.borrow().len() <= at {
            break;
        }
    }
}

#[test]
fn a_save_asks_for_every_kind_of_step() {
    let (disk, steps) = faulty(Fault::From(usize::MAX));
    store::save_on(&disk, folder().path(), &bundle(3)).unwrap();
    let count = |kind| steps.borrow().iter().filter(|step| **step == kind).count();
    for kind in ["create", "sync", "rename", "link", "remove", "sync folder"] {
        assert!(count(kind) > 0, "{kind}");
    }
    assert!(count("write") > 1);
}

#[test]
fn a_step_that_fails_alone_leaves_a_checkpoint_and_nothing_else() {
    for without_links in [false, true] {
        for at in 0.. {
            let folder = folder();
            let folder = folder.path();
            let (disk, steps) = faulty(Fault::Once(at));
            let result = if without_links {
                let (links, _) = faulty(Fault::Every("link"));
                let before = move |step| (links.before)(step).and((disk.before)(step));
                let disk = Disk { chunk: 400, before: Box::new(before) };
                store::save_on(&disk, folder, &bundle(3))
            } else {
                store::save_on(&disk, folder, &bundle(3))
            };
            let found = numbers(folder);
            match result {
                Ok(()) => assert_eq!(found, (3, 2)),
                // The last step makes the new name durable: by then there is no way back.
                Err(error) if found.0 == 3 => {
                    assert!(error.to_string().contains("power failure"), "{error}");
                }
                Err(error) => {
                    let io = error.cause::<IoError>().unwrap();
                    assert!(io.error.to_string().contains("refused"), "{error}");
                    assert!([(2, 1), (2, 2)].contains(&found), "{found:?} at step {at}");
                }
            }
            assert_eq!(strays(folder), [""; 0], "at step {at}");
            if steps.borrow().len() <= at {
                break;
            }
        }
    }
}

#[test]
fn without_hard_links_the_earlier_checkpoint_is_copied() {
    let folder = folder();
    let (disk, steps) = faulty(Fault::Every("link"));
    store::save_on(&disk, folder.path(), &bundle(3)).unwrap();
    assert!(steps.borrow().contains(&"link"));
    assert_eq!(numbers(folder.path()), (3, 2));
}

#[test]
fn a_file_that_cannot_be_replaced_stays_as_it_was() {
    for existing in [None, Some("earlier contents")] {
        for at in 0.. {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("file");
            if let Some(text) = existing {
                fs::write(&path, text).unwrap();
                // A killed save can leave the temporary as a second name of a good checkpoint:
                // truncating it, instead of removing it, would destroy the checkpoint.
                fs::hard_link(&path, folder.path().join(".file.partial")).unwrap();
            }
            let (disk, steps) = faulty(Fault::Once(at));
            let result = atomic::write_on(&disk, &path, |out| {
                (0..50).try_for_each(|line| writeln!(out, "line {line}"))
            });
            let found = fs::read_to_string(&path).ok();
            if steps.borrow().get(at).is_none_or(|step| *step == "sync folder") {
                assert!(found.unwrap().ends_with("line 49\n"));
            } else if result.is_err() {
                assert_eq!(found.as_deref(), existing);
            }
            // The first step removes what was left over; refused, it has to stay.
            assert!(at == 0 || fs::read_dir(folder.path()).unwrap().count() <= 1);
            if steps.borrow().len() <= at {
                result.unwrap();
                break;
            }
        }
    }
}
