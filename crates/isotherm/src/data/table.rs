//! A fixed set of examples.

use isotherm_kernels::BitMatrix;

use super::values::{Loaded, Values};
use super::{Assumption, Binarise, Intensities, Scale};
use isotherm_tempering::streams::{Key, Purpose};

/// A fixed set of examples. Grey values and examples have the same rows and columns.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    /// The file, or the name of the data in memory.
    pub(super) name: String,
    /// A row for each example. Of grey examples this is one draw, on which likelihoods are measured.
    examples: BitMatrix,
    /// The grey values, if every epoch draws its own zeros and ones from them.
    grey: Option<Intensities>,
    /// The rule that made zeros and ones of the values in the file.
    binarise: Binarise,
    /// What the values in the file mean to that rule.
    scale: Scale,
    /// The assumption made when the file was read, if there is one.
    assumption: Option<Assumption>,
    /// Whether some columns of the file were left out.
    pub(super) some_left_out: bool,
}

impl Table {
    /// Examples that are zeros and ones.
    pub(super) fn new(name: String, examples: BitMatrix) -> Table {
        Table {
            name,
            examples,
            grey: None,
            binarise: Binarise::AsIs,
            scale: Scale::Values,
            assumption: None,
            some_left_out: false,
        }
    }

    /// A table of values that were read. Likelihoods of grey values are measured on a draw by the data
    /// seed.
    pub(super) fn of(name: String, loaded: Loaded, binarise: Binarise, data_seed: u64) -> Table {
        let Loaded { values, scale, assumption } = loaded;
        let (examples, grey) = match values {
            Values::Bits(bits) => (bits, None),
            Values::Grey(grey) => {
                let key = Key { seed: data_seed, step: 0 };
                (grey.draw_all(key, Purpose::MeasuredBinarise), Some(grey))
            }
        };
        Table { name, examples, grey, binarise, scale, assumption, some_left_out: false }
    }

    /// The examples with these numbers, under another name.
    pub(super) fn select(&self, name: String, rows: &[usize]) -> Table {
        Table {
            name,
            examples: self.examples.select(rows),
            grey: self.grey.as_ref().map(|grey| grey.select(rows)),
            binarise: self.binarise,
            scale: self.scale,
            assumption: self.assumption,
            some_left_out: self.some_left_out,
        }
    }

    pub(crate) fn examples(&self) -> &BitMatrix {
        &self.examples
    }

    pub(super) fn grey(&self) -> Option<&Intensities> {
        self.grey.as_ref()
    }

    pub(super) fn binarise(&self) -> Binarise {
        self.binarise
    }

    pub(super) fn scale(&self) -> Scale {
        self.scale
    }

    pub(super) fn assumption(&self) -> Option<Assumption> {
        self.assumption
    }

    /// Columns that have the same value in every example.
    pub(super) fn constant_columns(&self) -> Vec<usize> {
        let (sums, all) = match &self.grey {
            Some(grey) => (grey.column_sums(), 255 * grey.rows() as u64),
            None => (self.examples.column_counts(), self.examples.rows() as u64),
        };
        let sums = sums.into_iter().enumerate();
        sums.filter(|&(_, sum)| sum == 0 || sum == all).map(|(column, _)| column).collect()
    }

    /// The share of ones in each column; of grey examples the mean intensity.
    pub(super) fn marginals(&self) -> Vec<f64> {
        match &self.grey {
            Some(grey) => {
                let full = 255.0 * grey.rows() as f64;
                grey.column_sums().into_iter().map(|sum| sum as f64 / full).collect()
            }
            None => marginals(&self.examples),
        }
    }

    /// The name, and the rule that binarised the values if there was one.
    pub(super) fn measured_on(&self) -> String {
        match self.binarise {
            Binarise::AsIs => self.name.clone(),
            rule => format!("{} ({})", self.name, rule_words(rule, self.above())),
        }
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

/// The share of ones in each column.
pub(crate) fn marginals(rows: &BitMatrix) -> Vec<f64> {
    rows.column_counts().into_iter().map(|ones| ones as f64 / rows.rows() as f64).collect()
}

/// A rule, and the value in the file that its threshold stands for, if that is another number.
pub(super) fn rule_words(rule: Binarise, above: Option<f64>) -> String {
    match (rule, above) {
        (Binarise::Dynamic, _) => format!("{rule}, one draw by the data seed"),
        (_, Some(above)) => format!("{rule}, that is above {above}"),
        _ => rule.to_string(),
    }
}
