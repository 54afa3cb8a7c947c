//! Formats whose features are not compiled in are recognised, and refused as such.

use isotherm::data::Binarise;
use isotherm_data::formats::read;
use isotherm_data::{FileProblem, Source, inspect};

use crate::refusal::{Problem, Refusal};

#[test]
fn a_missing_feature_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let mut matlab = vec![b' '; 124];
    matlab.extend([0, 1, b'I', b'M']);
    for (name, content, feature, is_on) in [
        ("a.npz", &b"PK\x03\x04"[..], "npz", cfg!(feature = "npz")),
        ("a.mat", &matlab, "matlab", cfg!(feature = "matlab")),
        ("a.parquet", b"PAR1", "parquet", cfg!(feature = "parquet")),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        let source = Source { path, ..Source::default() };
        for refusal in [
            Refusal::from(read(&source, Binarise::AsIs)),
            Refusal::from(inspect(&source, None, None)),
        ] {
            let missing = match &refusal.problem {
                Problem::File(FileProblem::NotCompiled { feature, .. }) => Some(*feature),
                _ => None,
            };
            assert_eq!(missing, (!is_on).then_some(feature), "{}", refusal.words);
            if !is_on {
                refusal.says(&[name, &format!("`{feature}`")]);
            }
        }
    }
}
