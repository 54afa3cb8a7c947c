//! The data that a model learns from or is measured on.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::mixture::Mixture;
use super::table::{Table, rule_words};
use super::{Binarise, DataError, DataProblem, ImageShape, Modes, Scale};
use crate::error::Result;

/// What to do about columns that have the same value in every example.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ConstantColumns {
    /// Keep them in pictures, whose margins are often empty, and refuse them in tables, where they are
    /// mostly mistakes.
    Auto,
    /// Refuse the data.
    Refuse,
    /// Train on them; their biases start at a probability of 0.01 or 0.99.
    Keep,
}

/// Data to learn from.
#[derive(Clone, Debug)]
pub enum Dataset {
    /// The paper's endless stream.
    Mixture(Mixture),
    /// A fixed set of examples.
    Table(Table),
}

impl Dataset {
    /// The mixture of the data seed.
    pub fn mixture(data_seed: u64) -> Dataset {
        Dataset::Mixture(Mixture::new(data_seed))
    }

    /// What the values in the file mean to the rule; the mixture comes from no file.
    pub fn scale(&self) -> Option<Scale> {
        match self {
            Dataset::Mixture(_) => None,
            Dataset::Table(table) => Some(table.scale),
        }
    }

    /// Refuses data that nothing can be learned from and, unless they are to be kept, data with
    /// constant columns: a model of them is certain of what it has never seen vary. `shape` is that of
    /// the examples, if they are pictures.
    pub fn check_learnable(
        &self,
        constant_columns: ConstantColumns,
        shape: Option<ImageShape>,
    ) -> Result<()> {
        let Dataset::Table(table) = self else { return Ok(()) };
        let (constant, columns) = (table.constant_columns(), table.examples.cols());
        let refuses = match constant_columns {
            ConstantColumns::Auto => shape.is_none(),
            ConstantColumns::Refuse => true,
            ConstantColumns::Keep => false,
        };
        let problem = match constant.first() {
            Some(_) if constant.len() == columns => {
                DataProblem::AllConstant { rule: table.binarise }
            }
            Some(first) if refuses => DataProblem::ConstantColumns {
                constant: constant.len(),
                columns,
                first: first + 1,
                some_left_out: table.is_without_some,
            },
            _ => return Ok(()),
        };
        Err(DataError::new(&table.name, Vec::new(), problem).into())
    }

    /// Its name: `mixture`, or the file.
    pub fn name(&self) -> &str {
        match self {
            Dataset::Mixture(_) => "mixture",
            Dataset::Table(table) => &table.name,
        }
    }

    /// What a likelihood on it is measured on: its name, and the rule that binarised its values if there
    /// was one.
    pub fn measured_on(&self) -> String {
        match self {
            Dataset::Table(table) if table.binarise != Binarise::AsIs => {
                format!("{} ({})", table.name, rule_words(table.binarise, table.above()))
            }
            _ => self.name().to_owned(),
        }
    }

    /// Name and shape, which show whether a matrix is transposed by mistake.
    pub fn describe(&self) -> String {
        match self {
            Dataset::Mixture(_) => {
                "the paper's mixture: an endless stream of 28x28 images".to_owned()
            }
            Dataset::Table(Table { examples, .. }) => {
                let (rows, cols) = (examples.rows(), examples.cols());
                format!("{}: {rows} examples of {cols} variables", self.measured_on())
            }
        }
    }

    /// Number of visible units it needs.
    pub fn n_visible(&self) -> usize {
        match self {
            Dataset::Mixture(mixture) => mixture.modes().cols(),
            Dataset::Table(table) => table.examples.cols(),
        }
    }

    /// Number of examples; nothing for the mixture, which is endless.
    pub fn examples(&self) -> Option<usize> {
        match self {
            Dataset::Mixture(_) => None,
            Dataset::Table(table) => Some(table.examples.rows()),
        }
    }

    /// P(x_j = 1), true or empirical.
    pub fn marginals(&self) -> Vec<f64> {
        match self {
            Dataset::Mixture(mixture) => mixture.marginals(),
            Dataset::Table(Table { grey: Some(grey), .. }) => {
                let full = 255.0 * grey.rows() as f64;
                grey.column_sums().into_iter().map(|sum| sum as f64 / full).collect()
            }
            Dataset::Table(table) => {
                let rows = table.examples.rows() as f64;
                table.examples.column_counts().into_iter().map(|n| n as f64 / rows).collect()
            }
        }
    }

    /// The shape of its examples, if they look like pictures; the mixture's do not.
    pub fn pictures(&self) -> Option<ImageShape> {
        ImageShape::of_pictures(&self.marginals())
    }

    /// The modes of its distribution, where they are known.
    pub fn modes(&self) -> Option<Modes<'_>> {
        match self {
            Dataset::Mixture(mixture) => Some(mixture.known_modes()),
            Dataset::Table(_) => None,
        }
    }

    /// The shape of its examples, where it is known without a guess.
    pub fn shape(&self) -> Option<ImageShape> {
        match self {
            Dataset::Mixture(_) => Some(Mixture::shape()),
            Dataset::Table(_) => None,
        }
    }

    /// The best mean log-likelihood that any model can have, where it is known.
    pub fn limit(&self) -> Option<f64> {
        match self {
            Dataset::Mixture(mixture) => Some(-mixture.entropy()),
            Dataset::Table(_) => None,
        }
    }

    /// A fingerprint of the examples, so that a run is not resumed on other data.
    pub fn digest(&self) -> String {
        let mut hash = Sha256::new();
        let bits = match self {
            Dataset::Mixture(mixture) => mixture.modes(),
            Dataset::Table(table) => &table.examples,
        };
        hash.update((bits.rows() as u64).to_le_bytes());
        hash.update((bits.cols() as u64).to_le_bytes());
        for word in bits.words() {
            hash.update(word.to_le_bytes());
        }
        if let Dataset::Table(Table { grey: Some(grey), .. }) = self {
            hash.update(grey.values());
        }
        hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}
