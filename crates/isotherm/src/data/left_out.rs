//! Columns of a file that are not variables: row numbers, labels, names.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::DataSettingError;
use crate::error::{Error, Result};

/// Columns to leave out, by their numbers from 1 on, by ranges of these, or by the names that a file
/// gives them: `1,4-6,class`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct LeftOut(Vec<Columns>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Columns {
    /// From the first to the last, counted from 0.
    Numbers(usize, usize),
    Name(String),
}

impl LeftOut {
    /// Whether nothing is left out.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Runs of adjacent columns that are left out, as first and last, counted from 0 and in ascending
    /// order. `named` adds columns that were found by their names.
    pub fn runs(&self, named: impl Iterator<Item = usize>) -> Vec<(usize, usize)> {
        let numbers = self.0.iter().filter_map(|it| match it {
            Columns::Numbers(first, last) => Some((*first, *last)),
            Columns::Name(_) => None,
        });
        let mut all: Vec<_> = numbers.chain(named.map(|column| (column, column))).collect();
        all.sort_unstable();
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for (first, last) in all {
            match runs.last_mut() {
                Some((_, end)) if first <= *end => *end = last.max(*end),
                _ => runs.push((first, last)),
            }
        }
        runs
    }

    /// The largest number of a column in it, counted from 1.
    pub fn largest_number(&self) -> Option<usize> {
        self.runs(std::iter::empty()).last().map(|&(_, last)| last + 1)
    }

    /// Whether a column of this name is left out.
    pub fn has_name(&self, name: &str) -> bool {
        self.names().any(|it| it == name)
    }

    /// The names in it.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|it| match it {
            Columns::Name(name) => Some(name.as_str()),
            Columns::Numbers(..) => None,
        })
    }
}

impl FromStr for LeftOut {
    type Err = Error;

    fn from_str(text: &str) -> Result<LeftOut> {
        let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
        parts.map(columns).collect::<Result<_>>().map(LeftOut)
    }
}

/// One number, a range of them, or a name.
fn columns(part: &str) -> Result<Columns> {
    let (first, last) = part.split_once('-').unwrap_or((part, part));
    let (Ok(first), Ok(last)) = (first.trim().parse::<usize>(), last.trim().parse::<usize>())
    else {
        return Ok(Columns::Name(part.to_owned()));
    };
    if first == 0 || last < first {
        return Err(DataSettingError::Drop { text: part.to_owned() }.into());
    }
    Ok(Columns::Numbers(first - 1, last - 1))
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, columns) in self.0.iter().enumerate() {
            let comma = if i > 0 { "," } else { "" };
            match columns {
                Columns::Numbers(first, last) if first == last => {
                    write!(f, "{comma}{}", first + 1)?
                }
                Columns::Numbers(first, last) => write!(f, "{comma}{}-{}", first + 1, last + 1)?,
                Columns::Name(name) => write!(f, "{comma}{name}")?,
            }
        }
        Ok(())
    }
}

impl TryFrom<String> for LeftOut {
    type Error = Error;

    fn try_from(text: String) -> Result<LeftOut> {
        text.parse()
    }
}

impl From<LeftOut> for String {
    fn from(left_out: LeftOut) -> String {
        left_out.to_string()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn numbers_ranges_and_names() {
        let left_out: LeftOut = " 2, 5-7,class ,year-1984".parse().unwrap();
        assert_eq!(left_out.to_string(), "2,5-7,class,year-1984");
        assert_eq!(left_out.runs([9, 5].into_iter()), [(1, 1), (4, 6), (9, 9)]);
        assert_eq!(left_out.largest_number(), Some(7));
        assert_eq!("class".parse::<LeftOut>().unwrap().largest_number(), None);
        assert!(left_out.has_name("class") && !left_out.has_name("Class"));
        assert_eq!(left_out.names().count(), 2);
        assert!("".parse::<LeftOut>().unwrap().is_empty());
        for wrong in ["0", "3-2", "0-4"] {
            let refusal = wrong.parse::<LeftOut>().unwrap_err();
            let cause = DataSettingError::Drop { text: wrong.to_owned() };
            assert_eq!(refusal.cause(), Some(&cause));
            assert!(
                refusal.kind() == crate::Kind::Options && refusal.to_string().contains(wrong),
                "{refusal}"
            );
        }
    }
}
