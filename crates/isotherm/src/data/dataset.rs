//! The data that a model learns from or is measured on.

use std::sync::Arc;

use isotherm_kernels::BitMatrix;
use rand::RngExt;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::table::Table;
use super::{DataError, DataProblem, ImageShape, Intensities, KnownDensity, Modes, Scale};
use crate::error::Result;
use isotherm_tempering::streams::{Key, Purpose};

/// What to do about columns that have the same value in every example.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ConstantColumns {
    /// Keep them in pictures, whose margins are often empty, and refuse them in tables, where they are
    /// mostly mistakes.
    Auto,
    /// Refuse the data.
    Refuse,
    /// Train on them; their biases start at a probability of 0.01 or 0.99.
    Keep,
}

/// Data to learn from or to measure on: a fixed set of examples, or an endless stream whose density is known.
///
/// Examples come from memory ([`Dataset::from_rows`], [`Dataset::from_bits`], [`Dataset::of_values`]) or from a
/// file (crate `isotherm-data`), streams from a [`KnownDensity`].
#[derive(Clone, Debug)]
pub struct Dataset(pub(crate) Data);

/// What a dataset holds.
#[derive(Clone, Debug)]
pub(crate) enum Data {
    Examples(Table),
    Stream(Arc<dyn KnownDensity>),
}

impl From<Table> for Dataset {
    fn from(table: Table) -> Dataset {
        Dataset(Data::Examples(table))
    }
}

impl Dataset {
    /// An endless stream of examples of a known density.
    pub fn from_density(density: impl KnownDensity + 'static) -> Dataset {
        Dataset(Data::Stream(Arc::new(density)))
    }

    /// The same examples under another name. A stream keeps its own.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Dataset {
        if let Data::Examples(table) = &mut self.0 {
            table.name = name.into();
        }
        self
    }

    /// The density that the examples come from, where it is known.
    pub fn density(&self) -> Option<&dyn KnownDensity> {
        match &self.0 {
            Data::Examples(_) => None,
            Data::Stream(density) => Some(density.as_ref()),
        }
    }

    pub(super) fn table(&self) -> Option<&Table> {
        match &self.0 {
            Data::Examples(table) => Some(table),
            Data::Stream(_) => None,
        }
    }

    /// The fixed examples, one in each row; nothing for a stream. Of grey examples this is one draw, on which
    /// likelihoods are measured.
    pub fn bits(&self) -> Option<&BitMatrix> {
        self.table().map(Table::examples)
    }

    /// The grey values, if every epoch draws its own zeros and ones from them.
    pub fn grey(&self) -> Option<&Intensities> {
        self.table().and_then(Table::grey)
    }

    /// The examples with these numbers, under another name; nothing for a stream.
    pub fn select(&self, name: impl Into<String>, rows: &[usize]) -> Option<Dataset> {
        self.table().map(|table| table.select(name.into(), rows).into())
    }

    /// Independent examples: draws from the density, or from the fixed examples with replacement.
    pub fn draw(&self, rows: usize, key: Key) -> BitMatrix {
        match &self.0 {
            Data::Examples(table) => {
                let mut rng = key.sequence(Purpose::Start, 0);
                let count = table.examples().rows();
                let chosen: Vec<usize> = (0..rows).map(|_| rng.random_range(0..count)).collect();
                table.examples().select(&chosen)
            }
            Data::Stream(density) => {
                let mut out = BitMatrix::zeros(0, density.n_visible());
                density.draw(rows, key, Purpose::Examples, &mut out);
                out
            }
        }
    }

    /// What the values in the file mean to the rule that binarised them; nothing for a stream.
    pub fn scale(&self) -> Option<Scale> {
        self.table().map(Table::scale)
    }

    /// Columns that have the same value in every one of the fixed examples.
    pub fn constant_columns(&self) -> Vec<usize> {
        self.table().map_or(Vec::new(), Table::constant_columns)
    }

    /// Refuses data that nothing can be learned from and, unless they are to be kept, data with constant
    /// columns, of which a model becomes certain without evidence. `shape` is that of the examples, if they
    /// are pictures.
    pub fn check_learnable(
        &self,
        constant_columns: ConstantColumns,
        shape: Option<ImageShape>,
    ) -> Result<()> {
        let Some(table) = self.table() else { return Ok(()) };
        let (constant, columns) = (table.constant_columns(), table.examples().cols());
        let refuses = match constant_columns {
            ConstantColumns::Auto => shape.is_none(),
            ConstantColumns::Refuse => true,
            ConstantColumns::Keep => false,
        };
        let problem = match constant.first() {
            Some(_) if constant.len() == columns => {
                DataProblem::AllConstant { rule: table.binarise() }
            }
            Some(first) if refuses => DataProblem::ConstantColumns {
                constant: constant.len(),
                columns,
                first: first + 1,
                some_left_out: table.some_left_out,
            },
            _ => return Ok(()),
        };
        Err(DataError::new(&table.name, Vec::new(), problem).into())
    }

    /// Its name: that of the file, of the array in memory, or of the density.
    pub fn name(&self) -> &str {
        match &self.0 {
            Data::Examples(table) => &table.name,
            Data::Stream(density) => density.name(),
        }
    }

    /// What a likelihood on it is measured on: its name, and the rule that binarised its values if there
    /// was one.
    pub fn measured_on(&self) -> String {
        match &self.0 {
            Data::Examples(table) => table.measured_on(),
            Data::Stream(density) => density.name().to_owned(),
        }
    }

    /// Name and shape, which show whether a matrix is transposed by mistake.
    pub fn describe(&self) -> String {
        match &self.0 {
            Data::Examples(table) => {
                let (rows, cols) = (table.examples().rows(), table.examples().cols());
                format!("{}: {rows} examples of {cols} variables", table.measured_on())
            }
            Data::Stream(density) => density.describe(),
        }
    }

    /// Number of visible units it needs.
    pub fn n_visible(&self) -> usize {
        match &self.0 {
            Data::Examples(table) => table.examples().cols(),
            Data::Stream(density) => density.n_visible(),
        }
    }

    /// Number of examples; nothing for a stream, which is endless.
    pub fn examples(&self) -> Option<usize> {
        self.bits().map(BitMatrix::rows)
    }

    /// P(x_j = 1), true or empirical.
    pub fn marginals(&self) -> Vec<f64> {
        match &self.0 {
            Data::Examples(table) => table.marginals(),
            Data::Stream(density) => density.marginals(),
        }
    }

    /// The shape of its examples, if their means look like a picture.
    pub fn pictures(&self) -> Option<ImageShape> {
        ImageShape::of_pictures(&self.marginals())
    }

    /// The modes of its distribution, where they are known.
    pub fn modes(&self) -> Option<Modes<'_>> {
        self.density().and_then(KnownDensity::modes)
    }

    /// The shape of its examples, where it is known without a guess.
    pub fn shape(&self) -> Option<ImageShape> {
        self.density().and_then(KnownDensity::shape)
    }

    /// The best mean log-likelihood that any model can have, where it is known.
    pub fn limit(&self) -> Option<f64> {
        self.density().map(|density| -density.entropy())
    }

    /// A fingerprint of the examples, so that a run is not resumed on other data.
    pub fn digest(&self) -> String {
        let mut hash = Sha256::new();
        match &self.0 {
            Data::Examples(table) => {
                identity_of_bits(table.examples()).for_each(|word| hash.update(word));
                table.grey().into_iter().for_each(|grey| hash.update(grey.values()));
            }
            Data::Stream(density) => hash.update(density.identity()),
        }
        hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// The size of a matrix and its bits.
pub(super) fn identity_of_bits(bits: &BitMatrix) -> impl Iterator<Item = [u8; 8]> + '_ {
    let size = [bits.rows() as u64, bits.cols() as u64];
    size.into_iter().chain(bits.words().iter().copied()).map(u64::to_le_bytes)
}
