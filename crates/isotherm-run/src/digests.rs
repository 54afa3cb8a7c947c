//! Digests of the data, so that a run is not resumed on other data.

use serde_json::{Value, json};

use super::run_data::RunData;
use isotherm::data::Dataset;

/// A digest of each part of the data.
#[derive(PartialEq)]
pub(super) struct Digests([Option<String>; 3]);

/// Their names in a checkpoint, and the options that name the data.
const DIGESTS: [(&str, &str); 3] =
    [("data_digest", "data"), ("valid_digest", "valid"), ("test_digest", "test")];

impl Digests {
    pub(super) fn of(data: &RunData) -> Digests {
        let digest = |data: Option<&Dataset>| data.map(Dataset::digest);
        Digests([Some(&data.train), data.valid.as_ref(), data.test.as_ref()].map(digest))
    }

    pub(super) fn read(meta: &Value) -> Digests {
        Digests(DIGESTS.map(|(name, _)| Some(meta.get(name)?.as_str()?.to_owned())))
    }

    /// Adds them to the metadata of a checkpoint.
    pub(super) fn write(&self, meta: &mut Value) {
        for ((name, _), digest) in DIGESTS.into_iter().zip(&self.0) {
            if let Some(digest) = digest {
                meta[name] = json!(digest);
            }
        }
    }

    /// The first part that has changed.
    pub(super) fn changed(&self, before: &Digests) -> Option<&'static str> {
        let both = self.0.iter().zip(&before.0).zip(DIGESTS);
        both.into_iter().find(|((now, before), _)| now != before).map(|(_, (_, part))| part)
    }
}
