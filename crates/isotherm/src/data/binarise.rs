//! How grey values become zeros and ones. Likelihoods under different rules cannot be compared, so a
//! run records its rule.

use std::fmt;
use std::str::FromStr;

use isotherm_kernels::stream_key;
use serde::{Deserialize, Serialize};

use super::DataSettingError;
use crate::error::{Error, Result};
use isotherm_tempering::streams::Purpose;

/// A rule by which values become zeros and ones. Written `as-is`, `threshold:0.5`, `static:1` or
/// `dynamic`.
///
/// The training data decide what the intensity of a value is: see [`Scale`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[non_exhaustive]
pub enum Binarise {
    /// The values are 0 and 1 already; anything else is refused.
    #[default]
    AsIs,
    /// 1 where the intensity is above this. A threshold of 1 or more, or below 0, is compared with
    /// the values as they are in the file, and so is any threshold if some values are negative.
    Threshold(f64),
    /// Each value is 1 with its intensity as probability, drawn once from this seed.
    Static(u64),
    /// The same, drawn again in every epoch.
    Dynamic,
}

impl Binarise {
    /// The same rule with one draw for all epochs, for inspecting data without holding grey values.
    pub fn drawn_once(self) -> Binarise {
        if self == Binarise::Dynamic { Binarise::Static(1) } else { self }
    }

    /// Whether it depends on the intensity of a value.
    pub(super) fn is_by_intensity(self) -> bool {
        match self {
            Binarise::AsIs => false,
            Binarise::Threshold(level) => level > 0.0 && level < 1.0,
            Binarise::Static(_) | Binarise::Dynamic => true,
        }
    }
}

/// How a rule reads the values of a file. The training data decide, and held-out data are read on the same
/// scale, because the range of a small file says little.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Scale {
    /// They are taken as they are.
    #[default]
    Values,
    /// All lie between 0 and 1: they are intensities.
    Fractions,
    /// All are whole numbers from 0 to 255 and some are above 127: 255 is full intensity.
    Bytes,
}

impl Scale {
    /// The value that full intensity has.
    pub fn full(self) -> f64 {
        match self {
            Scale::Values | Scale::Fractions => 1.0,
            Scale::Bytes => 255.0,
        }
    }
}

impl FromStr for Binarise {
    type Err = Error;

    fn from_str(text: &str) -> Result<Binarise> {
        let parsed = match text.split_once(':') {
            None if text == "as-is" => Some(Binarise::AsIs),
            None if text == "dynamic" => Some(Binarise::Dynamic),
            Some(("threshold", level)) => {
                let level = level.parse().ok().filter(|level: &f64| level.is_finite());
                level.map(Binarise::Threshold)
            }
            Some(("static", seed)) => seed.parse().ok().map(Binarise::Static),
            _ => None,
        };
        parsed.ok_or_else(|| DataSettingError::Binarise { text: text.to_owned() }.into())
    }
}

impl fmt::Display for Binarise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Binarise::AsIs => f.write_str("as-is"),
            Binarise::Threshold(level) => write!(f, "threshold:{level}"),
            Binarise::Static(seed) => write!(f, "static:{seed}"),
            Binarise::Dynamic => f.write_str("dynamic"),
        }
    }
}

impl TryFrom<String> for Binarise {
    type Error = Error;

    fn try_from(text: String) -> Result<Binarise> {
        text.parse()
    }
}

impl From<Binarise> for String {
    fn from(binarise: Binarise) -> String {
        binarise.to_string()
    }
}

/// Levels that a fingerprint distinguishes: enough for any picture, and such that no round number is
/// near the border of two levels.
const LEVELS: f64 = 65_536.1;

/// A fingerprint of an intensity, `value / full`, and of its place. The fingerprint of a file is the sum
/// over its values, which does not depend on their order, on single or double precision, or on whether
/// they are bytes or fractions.
pub(super) fn fingerprint(row: usize, col: usize, value: f64, full: f64) -> u64 {
    let level = (value / full * LEVELS).round() as u64;
    stream_key(level, Purpose::Fingerprint.number(), row as u64, col as u64)
}

/// The key of `static:SEED` for a file: two files are drawn independently, and the same intensities get
/// the same draws in any format and under any name.
pub(super) fn static_key(seed: u64, fingerprint: u64) -> u64 {
    stream_key(seed, Purpose::Fingerprint.number(), fingerprint, 0)
}

/// The draw of `static:SEED` for one value: a function of the key of the file and of the place, so that
/// files that are stored row by row or column by column give the same bits.
pub(super) fn static_draw(key: u64, row: usize, col: usize, intensity: f64) -> bool {
    let key = stream_key(key, Purpose::StaticBinarise.number(), row as u64, col as u64);
    // 53 bits: all that the uniforms below 1 have in f64.
    let uniform = (key >> 11) as f64 * 2f64.powi(-53);
    uniform < intensity
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_read_as_it_is_written() {
        for text in ["as-is", "dynamic", "threshold:0.5", "threshold:127", "threshold:-1.5"] {
            assert_eq!(text.parse::<Binarise>().unwrap().to_string(), text);
        }
        assert_eq!("static:7".parse::<Binarise>().unwrap(), Binarise::Static(7));
        for wrong in ["", "grey", "threshold", "threshold:", "threshold:nan", "static:-1", "static"]
        {
            let refusal = wrong.parse::<Binarise>().unwrap_err();
            let cause = DataSettingError::Binarise { text: wrong.to_owned() };
            assert_eq!(refusal.cause(), Some(&cause));
            assert!(
                refusal.kind() == crate::Kind::Options && refusal.to_string().contains("dynamic"),
                "{refusal}"
            );
        }
    }

    #[test]
    fn draws_have_the_intensity_as_their_mean() {
        let n = 100_000;
        for intensity in [0.0, 0.1, 0.5, 0.9, 1.0] {
            let ones = (0..n).filter(|&i| static_draw(3, i / 300, i % 300, intensity)).count();
            let expected = n as f64 * intensity;
            // four standard deviations of a binomial count
            let tolerance = 4.0 * (expected * (1.0 - intensity)).sqrt();
            assert!((ones as f64 - expected).abs() <= tolerance, "{ones} for {expected}");
        }
    }
}
