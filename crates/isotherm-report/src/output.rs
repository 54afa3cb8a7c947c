//! Where pages and figures go, and what they may replace: only what isotherm wrote itself.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::error::ReportError;
use crate::figure::{Figure, svg_file};
use isotherm::{IoError, Result};
use isotherm_run::checkpoint::write_atomically;

/// The end of every page and figure. A file with this end may be replaced.
const MARK: &str = "<!-- written by isotherm -->\n";

/// Whether a file that isotherm did not write may be replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replace {
    /// It may.
    Anything,
    /// It may not.
    OwnOnly,
}

/// Refuses a place where nothing can be written, and a file that isotherm did not write.
pub(super) fn check(path: &Path, replace: Replace) -> Result<()> {
    let place = path.to_owned();
    if path.is_dir() {
        return Err(ReportError::IsAFolder { path: place }.into());
    }
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    if parent.is_some_and(|parent| !parent.is_dir()) {
        return Err(ReportError::NoFolder { path: place }.into());
    }
    if path.exists() && !path.is_file() {
        return Err(ReportError::NotAFile { path: place }.into());
    }
    if replace == Replace::OwnOnly && path.exists() && !is_own(path) {
        return Err(ReportError::NotOwn { path: place }.into());
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

/// Writes each figure as an SVG file into a folder, which is made if it does not exist.
pub fn write_figures(folder: &Path, figures: &[Figure], replace: Replace) -> Result<()> {
    let refused = |error| IoError { doing: "make the folder", path: folder.to_owned(), error };
    fs::create_dir_all(folder).map_err(refused)?;
    let files: Vec<(PathBuf, &Figure)> = figures
        .iter()
        .map(|figure| (folder.join(format!("{}.svg", figure.name)), figure))
        .collect();
    for (path, _) in &files {
        check(path, replace)?;
    }
    files.iter().try_for_each(|(path, figure)| write(path, &svg_file(figure)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use isotherm::Kind;

    #[test]
    fn places_that_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let refusal = |path: &Path| {
            let error = check(path, Replace::OwnOnly).unwrap_err();
            assert_eq!(error.kind(), Kind::Io);
            error.into_cause::<ReportError>().unwrap()
        };
        let place = folder.path().to_owned();
        assert_eq!(refusal(&place), ReportError::IsAFolder { path: place });
        let place = path("nowhere/page.html");
        assert_eq!(refusal(&place), ReportError::NoFolder { path: place });
        let page = path("page.html");
        fs::write(&page, "precious").unwrap();
        assert_eq!(refusal(&page), ReportError::NotOwn { path: page.clone() });
        assert!(check(&page, Replace::Anything).is_ok());
        write(&page, "ours").unwrap();
        assert!(check(&page, Replace::OwnOnly).is_ok());
        if cfg!(unix) {
            let place = PathBuf::from("/dev/null");
            assert_eq!(refusal(&place), ReportError::NotAFile { path: place });
        }
    }
}
