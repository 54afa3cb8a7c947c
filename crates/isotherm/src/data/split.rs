//! One file split into training, validation and test data.

use std::fmt;
use std::str::FromStr;

use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

use super::{DataError, DataProblem, DataSettingError};
use crate::error::{Error, Result};
use isotherm_tempering::streams::{Key, Purpose};

/// How far from 1 the sum of the shares may be: what rounding a third to six digits leaves.
const TOLERANCE: f64 = 1e-5;

/// Shares of the examples. Written `0.8/0.1/0.1` (train, valid, test) or `0.9/0.1` (train, valid).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Split {
    /// Share of the training data.
    pub train: f64,
    /// Share of the validation data; 0 for none.
    pub valid: f64,
    /// Share of the test data; 0 for none.
    pub test: f64,
}

/// The rows of each part, in the order of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SplitRows {
    /// Rows of the training data.
    pub train: Vec<usize>,
    /// Rows of the validation data.
    pub valid: Vec<usize>,
    /// Rows of the test data.
    pub test: Vec<usize>,
}

impl Split {
    /// Deals the rows of a file at random by the data seed. An error calls the file `source`.
    pub fn rows(self, source: &str, rows: usize, data_seed: u64) -> Result<SplitRows> {
        let count = |share: f64| (share * rows as f64).round() as usize;
        let (valid, test) = (count(self.valid), count(self.test));
        let train = rows.saturating_sub(valid + test);
        let empty = [("train", self.train, train), ("valid", self.valid, valid)]
            .into_iter()
            .chain([("test", self.test, test)])
            .find(|&(_, share, count)| share > 0.0 && count == 0);
        if let Some((part, share, _)) = empty {
            let problem = DataProblem::EmptyPart { split: self, part, share, rows };
            return Err(DataError::new(source, Vec::new(), problem).into());
        }
        let mut order: Vec<usize> = (0..rows).collect();
        let mut rng = Key { seed: data_seed, step: 0 }.sequence(Purpose::Split, 0);
        order.shuffle(&mut rng);
        let mut take = |count: usize| {
            let mut part = order.split_off(order.len() - count);
            part.sort_unstable();
            part
        };
        let (valid, test) = (take(valid), take(test));
        Ok(SplitRows { train: take(train), valid, test })
    }
}

impl FromStr for Split {
    type Err = Error;

    fn from_str(text: &str) -> Result<Split> {
        let shares: Option<Vec<f64>> =
            text.split('/').map(|share| share.trim().parse().ok()).collect();
        let split = match shares.as_deref() {
            Some(&[train, valid]) => Some(Split { train, valid, test: 0.0 }),
            Some(&[train, valid, test]) => Some(Split { train, valid, test }),
            _ => None,
        };
        let fits = |split: &Split| {
            let all = [split.train, split.valid, split.test];
            split.train > 0.0
                && split.train < 1.0
                && all.iter().all(|&share| share >= 0.0)
                && (all.iter().sum::<f64>() - 1.0).abs() <= TOLERANCE
        };
        let split = split.filter(fits);
        split.ok_or_else(|| DataSettingError::Split { text: text.to_owned() }.into())
    }
}

impl fmt::Display for Split {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.train, self.valid)?;
        if self.test > 0.0 { write!(f, "/{}", self.test) } else { Ok(()) }
    }
}

impl TryFrom<String> for Split {
    type Error = Error;

    fn try_from(text: String) -> Result<Split> {
        text.parse()
    }
}

impl From<Split> for String {
    fn from(split: Split) -> String {
        split.to_string()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_split_is_read_as_it_is_written() {
        for text in ["0.8/0.1/0.1", "0.9/0.1", "0.75/0/0.25"] {
            assert_eq!(text.parse::<Split>().unwrap().to_string(), text);
        }
        let thirds: Split = "0.333333/0.333333/0.333334".parse().unwrap();
        assert_eq!(thirds.rows("x.csv", 3, 1).unwrap().test.len(), 1);
        for wrong in ["", "0.8", "1/0", "0/1", "0.8/0.1", "0.5/0.5/0.5", "0.9/-0.1/0.2", "a/b"] {
            let refusal = wrong.parse::<Split>().unwrap_err();
            assert_eq!(refusal.cause(), Some(&DataSettingError::Split { text: wrong.to_owned() }));
            assert!(refusal.kind() == crate::Kind::Options, "{wrong}");
        }
        assert!("0.8/nan/0.2".parse::<Split>().is_err());
    }

    #[test]
    fn every_row_is_in_one_part_and_the_seed_deals() {
        let split: Split = "0.7/0.2/0.1".parse().unwrap();
        let parts = split.rows("x.csv", 1000, 5).unwrap();
        assert_eq!((parts.train.len(), parts.valid.len(), parts.test.len()), (700, 200, 100));
        let mut all = [parts.train.clone(), parts.valid.clone(), parts.test.clone()].concat();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..1000));
        assert_eq!(split.rows("x.csv", 1000, 5).unwrap(), parts);
        assert_ne!(split.rows("x.csv", 1000, 6).unwrap(), parts);
        // A part at random has rows of the whole file: the mean index of 200 of 1000 rows is
        // 499.5 ± 18.3 (one standard deviation, without replacement).
        let mean = parts.valid.iter().sum::<usize>() as f64 / 200.0;
        assert!((mean - 499.5).abs() < 4.0 * 18.3, "{mean}");
    }

    #[test]
    fn a_share_of_less_than_one_row_is_refused() {
        let split: Split = "0.9/0.05/0.05".parse().unwrap();
        let refusal = split.rows("x.csv", 8, 1).unwrap_err();
        let problem = DataProblem::EmptyPart { split, part: "valid", share: 0.05, rows: 8 };
        assert_eq!(refusal.cause(), Some(&DataError::new("x.csv", Vec::new(), problem)));
        let words = refusal.to_string();
        for part in ["x.csv", "no example for valid", "8 rows"] {
            assert!(words.contains(part), "{words}");
        }
    }
}
