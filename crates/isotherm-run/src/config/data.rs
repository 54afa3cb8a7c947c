//! `[data]`: the data, and how they are prepared.

use isotherm::data::{self, Binarise, ConstantColumns, LeftOut, Split};
use isotherm::{Action, Cause, Dialect, Kind, OptionName, Result, options, section};

use super::Config;

section! {
    /// The data of a run, and what is done to them.
    pub struct DataOptions in "data" titled "Data", set by Config.data {
        /// Data to learn from, a row for each example; the paper's mixture if absent. FILE:NAME names one of
        /// several arrays in a file.
        train: Option<String> = None, value "DATA";
        /// Data to validate on: likelihoods are measured on them, nothing is learned from them.
        valid: Option<String> = None, value "FILE";
        /// Data to test on at the end.
        test: Option<String> = None, value "FILE";
        /// Split the one file instead: shares of train/valid or train/valid/test, such as 0.8/0.1/0.1, assigned
        /// at random by `data-seed`.
        split: Option<Split> = None, value "SHARES";
        /// Columns to leave out, such as labels or row numbers: numbers from 1 on, ranges, or names in a header,
        /// such as 1,4-6,class. They are left out of `valid` and `test` as well.
        drop: Option<LeftOut> = None, value "COLUMNS";
        /// How values become 0 and 1: as-is (they are 0 and 1), threshold:0.5 (1 above that fraction of full scale,
        /// which is 1, or 255 for bytes; a threshold of 1 or more is a value itself), static:SEED (drawn once with
        /// the intensity as probability) or dynamic (drawn again in every epoch). Likelihoods under different rules
        /// cannot be compared.
        binarise: Binarise = Binarise::AsIs, value "RULE";
        /// What to do about columns that never change: refuse the data, keep the columns, or (auto) keep them in
        /// pictures (a `shape` is given, or squares of at least 8x8 whose mean image is smooth) and refuse them in
        /// tables.
        constant_columns: ConstantColumns = ConstantColumns::Auto;
        /// Seed of the images of the mixture, of `split`, and of the one draw of `binarise dynamic` on which
        /// likelihoods are measured.
        data_seed: u64 = 1;
    }
}

// The library's messages have the same names.
const _: () = {
    assert!(name::valid.is(data::name::valid) && name::test.is(data::name::test));
    assert!(name::split.is(data::name::split) && name::drop.is(data::name::drop));
    assert!(name::binarise.is(data::name::binarise));
    assert!(name::constant_columns.is(data::name::constant_columns));
};

impl Config {
    /// Checks that the parts of the data do not contradict each other.
    pub fn check_parts(&self) -> Result<()> {
        let DataOptions { train, valid, test, split, drop, binarise, .. } = &self.data;
        let no_file = [train, valid, test].into_iter().all(Option::is_none);
        let share = |part: fn(&Split) -> f64| split.as_ref().map_or(0.0, part);
        let (valid_share, test_share) = (share(|split| split.valid), share(|split| split.test));
        let validated = valid.is_some() || valid_share > 0.0;
        let wrong = if split.is_some() && train.is_none() {
            DataOptionError::SplitWithoutFile
        } else if *binarise != Binarise::AsIs && no_file {
            DataOptionError::BinariseWithoutFile { rule: *binarise }
        } else if drop.is_some() && train.is_none() {
            DataOptionError::DropWithoutFile
        } else if self.options.optimiser.patience.is_some() && !validated {
            DataOptionError::PatienceWithoutValidation
        } else if let (Some(split), true) = (split, valid_share > 0.0 && valid.is_some()) {
            DataOptionError::Twice { split: *split, part: name::valid }
        } else if let (Some(split), true) = (split, test_share > 0.0 && test.is_some()) {
            DataOptionError::Twice { split: *split, part: name::test }
        } else {
            return Ok(());
        };
        Err(wrong.into())
    }
}

/// Why options of the data are refused together.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum DataOptionError {
    /// A split, and no file to cut.
    SplitWithoutFile,
    /// A rule that makes zeros and ones, and no file that needs it.
    BinariseWithoutFile {
        /// The rule.
        rule: Binarise,
    },
    /// Columns to leave out, and no file that has them.
    DropWithoutFile,
    /// Patience, and no validation data to measure on.
    PatienceWithoutValidation,
    /// A part of the data given as a share and as a file.
    Twice {
        /// The shares.
        split: Split,
        /// The part.
        part: OptionName,
    },
}

impl Cause for DataOptionError {
    fn kind(&self) -> Kind {
        Kind::Options
    }

    fn words(&self, d: &dyn Dialect) -> String {
        match self {
            DataOptionError::SplitWithoutFile => {
                format!(
                    "{} needs a file of data to split; name one, or leave it out",
                    d.option(name::split)
                )
            }
            DataOptionError::BinariseWithoutFile { rule } => {
                let rule = d.setting(name::binarise, &rule.to_string());
                format!("{rule} needs a file of data; the mixture is 0 and 1 already")
            }
            DataOptionError::DropWithoutFile => {
                format!("{} needs a file of data to leave columns out of", d.option(name::drop))
            }
            DataOptionError::PatienceWithoutValidation => format!(
                "{} needs validation data; {}",
                d.option(options::name::patience),
                d.action(&Action::GiveValidation)
            ),
            DataOptionError::Twice { split, part } => format!(
                "{} and {} both give the {part} data; give the share to train, or leave {} out",
                d.setting(name::split, &split.to_string()),
                d.option(*part),
                d.option(*part)
            ),
        }
    }
}
