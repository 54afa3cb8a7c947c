//! Whether runs were trained on the same data: only then can their likelihoods be compared.

use super::reading::RunRecord;
use isotherm::data::Binarise;
use isotherm_run::DataOptions;

/// What is known about the data of several runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SameData {
    /// All learned the same.
    Yes,
    /// What is left of the runs does not tell.
    Unknown,
    /// Some learned other data than others.
    No,
}

impl SameData {
    /// The worst that is known of any two of the runs.
    pub(crate) fn of<'a>(runs: impl Iterator<Item = &'a RunRecord>) -> SameData {
        let runs: Vec<&RunRecord> = runs.collect();
        let others = |i: usize| runs[i + 1..].iter().map(move |other| (i, *other));
        let pairs = (0..runs.len()).flat_map(others);
        pairs.map(|(i, other)| same(runs[i], other)).max().unwrap_or(SameData::Yes)
    }

    /// What a reader should know before comparing likelihoods.
    pub(crate) fn warning(self) -> Option<&'static str> {
        match self {
            SameData::Yes => None,
            SameData::Unknown => Some(
                "It is not known whether these runs were trained on the same data, so their likelihoods \
                 are not compared.",
            ),
            SameData::No => Some(
                "These runs were trained on different data: their likelihoods cannot be compared.",
            ),
        }
    }
}

/// Fingerprints decide; where one is missing, the names of the data are all there is.
fn same(a: &RunRecord, b: &RunRecord) -> SameData {
    let configs = a.config.as_ref().zip(b.config.as_ref());
    let options = configs.map(|(a, b)| (&a.data, &b.data));
    let known = |equal| if equal { SameData::Yes } else { SameData::No };
    match (a.built_in(), b.built_in()) {
        (Some(a), Some(b)) => return known(a.name() == b.name() && a.digest() == b.digest()),
        // A file may hold as its examples what identifies a known density, such as its modes.
        (Some(_), None) | (None, Some(_)) if options.is_some() => return SameData::No,
        _ => {}
    }
    match (a.data_digest.as_ref().zip(b.data_digest.as_ref()), options) {
        (Some((a, b)), _) => known(a == b),
        (None, Some((a, b))) if a.train == b.train => known(same_choice(a, b)),
        // One file may go by two names.
        _ => SameData::Unknown,
    }
}

/// Whether two runs on one file chose the same of it and made the same of its values.
fn same_choice(a: &DataOptions, b: &DataOptions) -> bool {
    let seeded = a.split.is_some() || a.binarise == Binarise::Dynamic;
    a.split == b.split
        && a.drop == b.drop
        && a.binarise == b.binarise
        && (!seeded || a.data_seed == b.data_seed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::record;
    use isotherm::data::Dataset;
    use isotherm_run::Config;

    fn of(data: Option<&str>, data_seed: u64, digest: Option<&str>) -> RunRecord {
        let config = Config::default().train(data.map(str::to_owned)).data_seed(data_seed);
        RunRecord { config: Some(config), data_digest: digest.map(str::to_owned), ..record() }
    }

    fn all(runs: &[RunRecord]) -> SameData {
        SameData::of(runs.iter())
    }

    #[test]
    fn fingerprints_decide_where_they_are_known() {
        let a = of(Some("a.csv"), 1, Some("aa"));
        assert_eq!(all(&[a.clone(), of(Some("moved.csv"), 1, Some("aa"))]), SameData::Yes);
        assert_eq!(all(&[a.clone(), of(Some("a.csv"), 1, Some("bb"))]), SameData::No);
        let modes = Dataset::mixture(1).digest();
        let file = of(Some("modes.csv"), 1, Some(&modes));
        assert_eq!(all(&[file.clone(), file, of(None, 1, Some(&modes))]), SameData::No);
        assert_eq!(all(&[a.clone(), a.clone(), of(None, 1, Some(&modes))]), SameData::No);
        let other = of(None, 1, Some("aa"));
        assert_eq!(all(&[other.clone(), of(None, 1, Some(&modes))]), SameData::No, "not built in");
        assert_eq!(all(&[other.clone(), other]), SameData::Yes);
        assert_eq!(all(&[a]), SameData::Yes);
    }

    #[test]
    fn names_and_seeds_stand_in_for_fingerprints() {
        let a = of(Some("a.csv"), 1, None);
        assert_eq!(all(&[a.clone(), of(Some("a.csv"), 2, Some("aa"))]), SameData::Yes);
        assert_eq!(all(&[a.clone(), of(Some("b.csv"), 1, None)]), SameData::Unknown);
        assert_eq!(all(&[a.clone(), of(None, 1, None)]), SameData::No);
        let mixture = of(None, 1, None);
        let digest = Dataset::mixture(1).digest();
        assert_eq!(all(&[mixture.clone(), of(None, 1, Some(&digest))]), SameData::Yes);
        assert_eq!(all(&[mixture, of(None, 2, None)]), SameData::No);
        let change = |change: fn(&mut Config)| {
            let mut run = a.clone();
            run.config.iter_mut().for_each(change);
            run
        };
        let grey = change(|config| config.data.binarise = Binarise::Static(1));
        assert_eq!(all(&[a.clone(), grey.clone()]), SameData::No, "other zeros and ones");
        assert_eq!(all(&[grey.clone(), grey]), SameData::Yes);
        let half = change(|config| config.data.split = "0.5/0.5".parse().ok());
        assert_eq!(all(&[a.clone(), half]), SameData::No, "a part of the file");
        let damaged = RunRecord { config: None, ..a.clone() };
        assert_eq!(all(&[a, damaged]), SameData::Unknown);
    }
}
