//! Where pages and figures go, and what they may replace: only what isotherm wrote itself.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::figure::{Figure, svg_file};
use isotherm::{Error, Result};
use isotherm_run::checkpoint::write_atomically;

/// The end of every page and figure: what has it may be replaced.
const MARK: &str = "<!-- written by isotherm -->\n";

/// Whether a file that isotherm did not write may be replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replace {
    /// It may.
    Anything,
    /// It may not.
    OwnOnly,
}

/// Refuses to replace what is not isotherm's.
pub(super) fn check(path: &Path, replace: Replace) -> Result<()> {
    if path.is_dir() {
        return Err(Error::run(format!(
            "{} is a folder; give --out the name of a file",
            path.display()
        )));
    }
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    if parent.is_some_and(|parent| !parent.is_dir()) {
        return Err(Error::run(format!(
            "cannot write {}: its folder does not exist; make it first or choose another",
            path.display()
        )));
    }
    // A device or a pipe must neither be waited for nor replaced.
    if path.exists() && !path.is_file() {
        return Err(Error::run(format!(
            "{} is not a regular file; give --out the name of one",
            path.display()
        )));
    }
    if replace == Replace::OwnOnly && path.exists() && !is_own(path) {
        return Err(Error::run(format!(
            "{} was not written by isotherm; --overwrite replaces it, another --out leaves it alone",
            path.display()
        )));
    }
    Ok(())
}

fn is_own(path: &Path) -> bool {
    let end = || {
        let mut file = File::open(path).ok()?;
        file.seek(SeekFrom::End(-(MARK.len() as i64))).ok()?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).ok()?;
        Some(bytes)
    };
    end().is_some_and(|end| end == MARK.as_bytes())
}

/// Writes a text whole or not at all.
pub fn write(path: &Path, text: &str) -> Result<()> {
    let text = text.trim_end();
    write_atomically(path, |out| write!(out, "{text}\n{MARK}"))
}

/// Writes each figure as an SVG file into a folder, which is made if it is not there.
pub fn write_figures(folder: &Path, figures: &[Figure], replace: Replace) -> Result<()> {
    fs::create_dir_all(folder).map_err(|error| Error::io("make the folder", folder, &error))?;
    let files: Vec<(PathBuf, &Figure)> = figures
        .iter()
        .map(|figure| (folder.join(format!("{}.svg", figure.name)), figure))
        .collect();
    for (path, _) in &files {
        check(path, replace)?;
    }
    files.iter().try_for_each(|(path, figure)| write(path, &svg_file(figure)))
}
