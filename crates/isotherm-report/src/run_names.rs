//! Names that tell runs apart.

use std::collections::BTreeSet;
use std::path::{Component, Path};

/// A name for each folder: its last part, or as many of its last parts as no other folder ends in;
/// a folder that comes more than once is numbered.
pub(crate) fn run_names(folders: &[&Path]) -> Vec<String> {
    let paths: Vec<Vec<String>> = folders.iter().map(|folder| parts(folder)).collect();
    let named: Vec<String> = paths.iter().map(|path| shortest(path, &paths)).collect();
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let once = |name: &String| named.iter().filter(|other| *other == name).count() == 1;
    taken.extend(named.iter().filter(|name| once(name)).cloned());
    let mut number = |name: &String| {
        let mut numbered = (1..).map(|n: usize| format!("{name} ({n})"));
        let free = numbered.find(|name| !taken.contains(name)).unwrap_or_default();
        taken.insert(free.clone());
        free
    };
    named.iter().map(|name| if once(name) { name.clone() } else { number(name) }).collect()
}

/// The parts of a folder's path, from the root.
fn parts(folder: &Path) -> Vec<String> {
    let up = folder.components().any(|part| part == Component::ParentDir);
    // A link keeps the name it has here, unless the way leads up from it.
    let whole = if up { std::fs::canonicalize(folder) } else { std::path::absolute(folder) };
    let whole = whole.unwrap_or_else(|_| folder.to_owned());
    let text = |part: Component<'_>| part.as_os_str().to_string_lossy().into_owned();
    whole.components().map(text).collect()
}

/// The fewest last parts that no other path ends in.
fn shortest(path: &[String], all: &[Vec<String>]) -> String {
    let last = |path: &[String], count: usize| path[path.len().saturating_sub(count)..].to_vec();
    let alone = |&count: &usize| {
        all.iter().all(|other| other == path || last(other, count) != last(path, count))
    };
    let count = (1..path.len()).find(alone).unwrap_or(path.len());
    last(path, count).join("/").replacen("//", "/", 1)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn names(folders: &[&str]) -> Vec<String> {
        run_names(&folders.iter().map(Path::new).collect::<Vec<_>>())
    }

    #[test]
    fn different_last_parts_are_enough() {
        assert_eq!(names(&["/a/one", "/a/two/"]), ["one", "two"]);
    }

    #[test]
    fn equal_last_parts_take_more_of_the_path() {
        assert_eq!(names(&["/a/x/run", "/b/x/run", "/c"]), ["a/x/run", "b/x/run", "c"]);
        assert_eq!(names(&["/run", "/x/run"]), ["/run", "x/run"]);
    }

    #[test]
    fn a_folder_that_comes_twice_is_numbered() {
        assert_eq!(names(&["/a/run", "/a/./run"]), ["run (1)", "run (2)"]);
        assert_eq!(names(&["/a/run", "/b/run", "/a/run"]), ["a/run (1)", "b/run", "a/run (2)"]);
        assert_eq!(names(&["/a/run", "/a/run (1)", "/a/run"]), ["run (2)", "run (1)", "run (3)"]);
    }

    #[test]
    fn a_folder_without_a_name_of_its_own_has_that_of_its_place() {
        let here = std::env::current_dir().unwrap();
        let name = here.file_name().unwrap().to_str().unwrap();
        assert_eq!(names(&["."]), [name]);
        assert_eq!(names(&["src/.."]), [name]);
    }
}
