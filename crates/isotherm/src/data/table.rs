//! A fixed set of examples.

use isotherm_kernels::BitMatrix;

use super::values::{Loaded, Values};
use super::{Assumption, Binarise, Intensities, Scale};
use isotherm_tempering::streams::{Key, Purpose};

/// A fixed set of examples.
#[derive(Clone, Debug)]
pub struct Table {
    /// The file, or the name of the data in memory.
    pub name: String,
    /// A row for each example. Of grey examples this is one draw, on which likelihoods are measured.
    pub examples: BitMatrix,
    /// The grey values, if every epoch draws its own zeros and ones from them.
    pub grey: Option<Intensities>,
    /// The rule that made zeros and ones of the values in the file.
    pub binarise: Binarise,
    /// What the values in the file mean to that rule.
    pub scale: Scale,
    /// What reading the file took for granted, if anything.
    pub assumption: Option<Assumption>,
    /// Whether some columns of the file were left out.
    pub is_without_some: bool,
}

impl Table {
    /// Examples that are zeros and ones.
    pub fn new(name: impl Into<String>, examples: BitMatrix) -> Table {
        Table {
            name: name.into(),
            examples,
            grey: None,
            binarise: Binarise::AsIs,
            scale: Scale::Values,
            assumption: None,
            is_without_some: false,
        }
    }

    /// Values that were read, under a name. Grey ones are measured on a draw by the data seed.
    pub fn of(name: String, loaded: Loaded, binarise: Binarise, data_seed: u64) -> Table {
        let Loaded { values, scale, assumption } = loaded;
        let (examples, grey) = match values {
            Values::Bits(bits) => (bits, None),
            Values::Grey(grey) => {
                let key = Key { seed: data_seed, step: 0 };
                (grey.draw_all(key, Purpose::MeasuredBinarise), Some(grey))
            }
        };
        Table { name, examples, grey, binarise, scale, assumption, is_without_some: false }
    }

    /// The examples with these numbers, under another name.
    pub fn select(&self, name: String, rows: &[usize]) -> Table {
        Table {
            name,
            examples: self.examples.select(rows),
            grey: self.grey.as_ref().map(|grey| grey.select(rows)),
            binarise: self.binarise,
            scale: self.scale,
            assumption: self.assumption,
            is_without_some: self.is_without_some,
        }
    }

    /// Columns that have the same value in every example.
    pub fn constant_columns(&self) -> Vec<usize> {
        let (sums, all) = match &self.grey {
            Some(grey) => (grey.column_sums(), 255 * grey.rows() as u64),
            None => (self.examples.column_counts(), self.examples.rows() as u64),
        };
        let sums = sums.into_iter().enumerate();
        sums.filter(|&(_, sum)| sum == 0 || sum == all).map(|(column, _)| column).collect()
    }

    /// The value in the file that a threshold stands for, if that is another number.
    pub(super) fn above(&self) -> Option<f64> {
        match self.binarise {
            Binarise::Threshold(level) if self.scale == Scale::Bytes => {
                Some(level * self.scale.full())
            }
            _ => None,
        }
    }
}

/// A rule, and the value in the file that its threshold stands for, if that is another number.
pub(super) fn rule_words(rule: Binarise, above: Option<f64>) -> String {
    match (rule, above) {
        (Binarise::Dynamic, _) => format!("{rule}, one draw by the data seed"),
        (_, Some(above)) => format!("{rule}, that is above {above}"),
        _ => rule.to_string(),
    }
}
