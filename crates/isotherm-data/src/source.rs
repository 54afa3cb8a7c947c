//! Where data are: a file, and which of its arrays.

use std::fs;
use std::path::{Path, PathBuf};

use isotherm::data::LeftOut;
use isotherm::{IoError, Result};

/// A file, and the name of an array in it if it holds several: `FILE` or `FILE:NAME`. A file whose own
/// name has the colon takes precedence over an array in another file, and the name of an array may have
/// colons too.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// The file.
    pub path: PathBuf,
    /// The name of an array in it, if one is meant.
    pub array: Option<String>,
    /// Columns that are not read.
    pub left_out: LeftOut,
}

impl Source {
    /// The source that a text stands for.
    pub fn parse(text: &str) -> Source {
        let whole = Source { path: PathBuf::from(text), ..Source::default() };
        if whole.path.exists() {
            return whole;
        }
        let mut pairs = text.match_indices(':').map(|(at, _)| (&text[..at], &text[at + 1..]));
        match pairs.find(|(file, array)| !array.is_empty() && Path::new(file).is_file()) {
            Some((file, array)) => Source {
                path: PathBuf::from(file),
                array: Some(array.to_owned()),
                ..Source::default()
            },
            None => whole,
        }
    }

    /// The same with the whole path of the file, so that a run can be resumed from anywhere.
    pub fn absolute(&self) -> Result<Source> {
        let path = fs::canonicalize(&self.path).map_err(|error| IoError {
            doing: "read",
            path: self.path.clone(),
            error,
        })?;
        Ok(Source { path, ..self.clone() })
    }

    /// The same without some of its columns.
    pub fn leaving_out(self, left_out: Option<&LeftOut>) -> Source {
        Source { left_out: left_out.cloned().unwrap_or_default(), ..self }
    }

    /// The text that stands for it.
    pub fn name(&self) -> String {
        match &self.array {
            Some(array) => format!("{}:{array}", self.path.display()),
            None => self.path.display().to_string(),
        }
    }

    /// The name of the file without its extensions, for the name of a run.
    pub fn stem(&self) -> Option<&str> {
        let packed = self.path.extension().is_some_and(|it| it.eq_ignore_ascii_case("gz"));
        let inner = if packed { Path::new(self.path.file_stem()?) } else { &self.path };
        inner.file_stem()?.to_str()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn an_array_is_named_behind_a_colon_unless_a_file_has_that_name() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name).display().to_string();
        fs::write(at("a.npz"), "").unwrap();
        fs::write(at("b:c.npz"), "").unwrap();
        let source = Source::parse(&at("a.npz:train"));
        assert_eq!(
            (source.path.display().to_string(), source.array.as_deref()),
            (at("a.npz"), Some("train"))
        );
        assert_eq!(source.name(), at("a.npz:train"));
        assert_eq!(Source::parse(&at("a.npz")).array, None);
        assert_eq!(Source::parse(&at("b:c.npz")).array, None, "a file of that name wins");
        assert_eq!(Source::parse(&at("b:c.npz:x")).array.as_deref(), Some("x"));
        assert_eq!(Source::parse(&at("a.npz:x:y")).array.as_deref(), Some("x:y"));
        let missing = Source::parse(&at("no.npz:train"));
        assert!(missing.absolute().unwrap_err().to_string().contains("no.npz:train"));
    }

    #[test]
    fn a_stem_has_no_extensions() {
        let stem = |name: &str| Source::parse(name).stem().map(str::to_owned);
        assert_eq!(stem("x/votes.csv").as_deref(), Some("votes"));
        assert_eq!(stem("x/votes.v2.npy.gz").as_deref(), Some("votes.v2"));
    }
}
