//! One face for all data: what the trainer asks of it.

use std::path::Path;

use isotherm_kernels::BitMatrix;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::formats;
use super::mixture::Mixture;
use crate::error::{Error, Result};

/// What to do about columns that have the same value in every example.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ConstantColumns {
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

/// A fixed set of examples.
#[derive(Clone, Debug)]
pub struct Table {
    /// Where they come from.
    pub name: String,
    /// A row for each example.
    pub examples: BitMatrix,
}

impl Dataset {
    /// The mixture of the data seed.
    pub fn mixture(data_seed: u64) -> Dataset {
        Dataset::Mixture(Mixture::new(data_seed))
    }

    /// The examples in a file.
    pub fn read(path: &Path) -> Result<Dataset> {
        let examples = formats::load(path)?;
        Ok(Dataset::Table(Table { name: path.display().to_string(), examples }))
    }

    /// Refuses data that nothing can be learned from and, unless they are to be kept, data with
    /// columns that never change: a model of them is sure of what it has never seen otherwise.
    pub fn check_learnable(&self, constant_columns: ConstantColumns) -> Result<()> {
        let Dataset::Table(Table { name, examples }) = self else { return Ok(()) };
        let (constant, columns) = (constant_columns_of(examples), examples.cols());
        match constant.first() {
            Some(_) if constant.len() == columns => Err(Error::data(format!(
                "{name}: every column is constant, so there is nothing to learn; check that rows \
                 are examples and columns are variables"
            ))),
            Some(first) if constant_columns == ConstantColumns::Refuse => {
                Err(Error::data(format!(
                    "{name}: {} of {columns} columns are constant, the first of them column {}; \
                     leave them out, or train on them as they are with --constant-columns keep",
                    constant.len(),
                    first + 1
                )))
            }
            _ => Ok(()),
        }
    }

    /// What to call it: `mixture`, or the file.
    pub fn name(&self) -> &str {
        match self {
            Dataset::Mixture(_) => "mixture",
            Dataset::Table(table) => &table.name,
        }
    }

    /// Its shape for people, to notice a matrix that lies on its side.
    pub fn describe(&self) -> String {
        match self {
            Dataset::Mixture(_) => {
                "the paper's mixture: an endless stream of 28x28 images".to_owned()
            }
            Dataset::Table(Table { name, examples }) => {
                format!("{name}: {} examples of {} variables", examples.rows(), examples.cols())
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

    /// P(x_j = 1), true or empirical.
    pub fn marginals(&self) -> Vec<f64> {
        match self {
            Dataset::Mixture(mixture) => mixture.marginals(),
            Dataset::Table(table) => {
                let rows = table.examples.rows() as f64;
                table.examples.column_counts().into_iter().map(|n| n as f64 / rows).collect()
            }
        }
    }

    /// The best mean log-likelihood that any model can have, where it is known.
    pub fn limit(&self) -> Option<f64> {
        match self {
            Dataset::Mixture(mixture) => Some(-mixture.entropy()),
            Dataset::Table(_) => None,
        }
    }

    /// What is worth knowing before learning begins, one sentence each.
    pub fn warnings(&self) -> Vec<String> {
        let Dataset::Table(table) = self else { return Vec::new() };
        let constant = constant_columns_of(&table.examples).len();
        let mut warnings = Vec::new();
        if constant > 0 {
            warnings.push(format!(
                "{}: {constant} of {} columns are constant; they are kept, and their biases start \
                 at a probability of 0.01 or 0.99",
                table.name,
                table.examples.cols()
            ));
        }
        warnings
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
        hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

fn constant_columns_of(examples: &BitMatrix) -> Vec<usize> {
    let rows = examples.rows() as u64;
    let counts = examples.column_counts().into_iter().enumerate();
    counts.filter(|&(_, ones)| ones == 0 || ones == rows).map(|(column, _)| column).collect()
}
