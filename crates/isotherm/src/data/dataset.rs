//! One face for all data: what the trainer asks of it.

use isotherm_kernels::BitMatrix;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::mixture::Mixture;
use super::values::{self, Loaded, Values};
use super::{Binarise, ImageShape, Intensities, Modes, Scale};
use crate::error::{Error, Result};
use isotherm_tempering::streams::{Clock, Purpose};

/// What to do about columns that have the same value in every example.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ConstantColumns {
    /// Keep them in pictures, whose margins are often empty, and refuse them in tables, where they are
    /// mostly there by mistake.
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

/// A fixed set of examples.
#[derive(Clone, Debug)]
pub struct Table {
    /// Where they come from.
    pub name: String,
    /// A row for each example. Of grey ones this is one draw, on which likelihoods are measured.
    pub examples: BitMatrix,
    /// The grey values behind them, where every epoch draws its own zeros and ones.
    pub grey: Option<Intensities>,
    /// How zeros and ones came of the values in the file.
    pub binarise: Binarise,
    /// What the values in the file meant to that rule.
    pub scale: Scale,
    /// What was taken for granted in reading the file, if anything.
    pub note: Option<String>,
    /// Whether some columns of the file were left out.
    pub is_without_some: bool,
}

impl Table {
    /// Examples that are zeros and ones.
    pub fn new(name: impl Into<String>, examples: BitMatrix) -> Table {
        let (binarise, scale) = (Binarise::AsIs, Scale::Values);
        let (grey, note, is_without_some) = (None, None, false);
        Table { name: name.into(), examples, grey, binarise, scale, note, is_without_some }
    }

    /// What was read, under a name.
    pub fn of(name: String, loaded: Loaded, binarise: Binarise, data_seed: u64) -> Table {
        let Loaded { values, scale, note } = loaded;
        let (examples, grey) = match values {
            Values::Bits(bits) => (bits, None),
            Values::Grey(grey) => {
                let clock = Clock { seed: data_seed, step: 0 };
                (grey.draw_all(clock, Purpose::MeasuredBinarise), Some(grey))
            }
        };
        Table { name, examples, grey, binarise, scale, note, is_without_some: false }
    }

    /// The examples with these numbers, under a name of their own.
    pub fn select(&self, name: String, rows: &[usize]) -> Table {
        Table {
            name,
            examples: self.examples.select(rows),
            grey: self.grey.as_ref().map(|grey| grey.select(rows)),
            binarise: self.binarise,
            scale: self.scale,
            note: self.note.clone(),
            is_without_some: self.is_without_some,
        }
    }

    /// How its values became zeros and ones, for people.
    fn rule(&self) -> String {
        let rule = self.binarise;
        match rule {
            Binarise::Dynamic => format!("{rule}, one draw by the data seed"),
            Binarise::Threshold(level) if self.scale == Scale::Bytes => {
                format!("{rule}, that is above {}", level * self.scale.full())
            }
            _ => rule.to_string(),
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
}

impl Dataset {
    /// The mixture of the data seed.
    pub fn mixture(data_seed: u64) -> Dataset {
        Dataset::Mixture(Mixture::new(data_seed))
    }

    /// The examples in memory, binarised by the same rules: `value` of a row and a column.
    pub fn of_values(
        name: &str,
        shape: [usize; 2],
        value: &dyn Fn(usize, usize) -> f64,
        binarise: Binarise,
        data_seed: u64,
        like: Option<Scale>,
    ) -> Result<Dataset> {
        let loaded = values::of_values(name, shape, value, binarise, like)?;
        Ok(Dataset::Table(Table::of(name.to_owned(), loaded, binarise, data_seed)))
    }

    /// What the values in the file meant; the mixture comes from none.
    pub fn scale(&self) -> Option<Scale> {
        match self {
            Dataset::Mixture(_) => None,
            Dataset::Table(table) => Some(table.scale),
        }
    }

    /// What was taken for granted in reading it, if anything.
    pub fn note(&self) -> Option<String> {
        match self {
            Dataset::Mixture(_) => None,
            Dataset::Table(table) => {
                table.note.as_ref().map(|note| format!("{}: {note}", table.name))
            }
        }
    }

    /// What is odd about data that are only measured: a rule that leaves nothing of them.
    pub fn held_out_warning(&self) -> Option<String> {
        let Dataset::Table(table) = self else { return None };
        let ones: u64 = table.examples.column_counts().iter().sum();
        let all = table.examples.rows() as u64 * table.examples.cols() as u64;
        let value = u8::from(ones > 0);
        (table.binarise != Binarise::AsIs && (ones == 0 || ones == all)).then(|| {
            let on = self.measured_on();
            format!("{on}: every value is {value}; check that the rule suits the file")
        })
    }

    /// Refuses data that nothing can be learned from and, unless they are to be kept, data with
    /// columns that never change: a model of them is sure of what it has never seen otherwise. `shape`
    /// is that of the pictures, if they are some.
    pub fn check_learnable(
        &self,
        constant_columns: ConstantColumns,
        shape: Option<ImageShape>,
    ) -> Result<()> {
        let Dataset::Table(table) = self else { return Ok(()) };
        let (name, columns) = (&table.name, table.examples.cols());
        let constant = table.constant_columns();
        let refuses = match constant_columns {
            ConstantColumns::Auto => shape.is_none(),
            ConstantColumns::Refuse => true,
            ConstantColumns::Keep => false,
        };
        match constant.first() {
            Some(_) if constant.len() == columns => Err(Error::data(match &table.binarise {
                Binarise::AsIs => format!(
                    "{name}: every column is constant, so there is nothing to learn; check that rows \
                     are examples and columns are variables"
                ),
                rule => format!(
                    "{name}: under --binarise {rule} every column is constant, so there is nothing to \
                     learn; check that the rule suits the file (`isotherm data` shows its values)"
                ),
            })),
            Some(first) if refuses => Err(Error::data(format!(
                "{name}: {} of {columns} columns are constant, the first of them column {}{}; \
                 leave them out, or train on them as they are with --constant-columns keep",
                constant.len(),
                first + 1,
                if table.is_without_some { " of those that --drop leaves" } else { "" }
            ))),
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

    /// What a likelihood on it is measured on: its name, and how its values became zeros and ones
    /// where that was a choice.
    pub fn measured_on(&self) -> String {
        match self {
            Dataset::Table(table) if table.binarise != Binarise::AsIs => {
                format!("{} ({})", table.name, table.rule())
            }
            _ => self.name().to_owned(),
        }
    }

    /// Its shape for people, to notice a matrix that lies on its side.
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

    /// Number of examples; the mixture has no end of them.
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

    /// What is worth knowing before learning begins, one sentence each.
    pub fn warnings(&self) -> Vec<String> {
        let Dataset::Table(table) = self else { return Vec::new() };
        let constant = table.constant_columns().len();
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
        if let Dataset::Table(Table { grey: Some(grey), .. }) = self {
            hash.update(grey.values());
        }
        hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}
