//! Observations about data that are not errors.

use serde::{Deserialize, Serialize};

use super::table::rule_words;
use super::{Binarise, Dataset};
use crate::error::Dialect;

/// An observation about data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum DataDiagnostic {
    /// Columns that have the same value in every training example, and are kept.
    ConstantColumns {
        /// The data.
        source: String,
        /// How many.
        count: usize,
        /// Of how many columns.
        columns: usize,
    },
    /// A rule that gives every value of held-out data the same bit.
    RuleLeavesNothing {
        /// The data.
        source: String,
        /// The rule.
        rule: Binarise,
        /// The value in the data that it compares with, where that is not the rule's own number.
        above: Option<f64>,
        /// The bit.
        value: u8,
    },
    /// An assumption made when the data were read.
    Assumed {
        /// The data.
        source: String,
        /// What.
        assumption: Assumption,
    },
}

/// An assumption made when a file was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Assumption {
    /// A first row that counts the columns is a header.
    NumberedHeader,
    /// A column with the name that pandas gives to the index of the rows is not a variable.
    PandasIndex,
}

impl DataDiagnostic {
    /// One sentence.
    pub fn words(&self, _: &dyn Dialect) -> String {
        match self {
            DataDiagnostic::ConstantColumns { source, count, columns } => format!(
                "{source}: {count} of {columns} columns are constant; they are kept, and their biases \
                 start at a probability of 0.01 or 0.99"
            ),
            DataDiagnostic::RuleLeavesNothing { source, rule, above, value } => {
                let rule = rule_words(*rule, *above);
                format!(
                    "{source} ({rule}): every value is {value}; check that the rule fits the file"
                )
            }
            DataDiagnostic::Assumed { source, assumption } => {
                format!("{source}: {}", assumption.words())
            }
        }
    }
}

impl DataDiagnostic {
    /// The observation about training data, if there is one.
    pub fn of_training(data: &Dataset) -> Option<DataDiagnostic> {
        let table = data.table()?;
        let (count, columns) = (table.constant_columns().len(), table.examples().cols());
        let source = table.name.clone();
        (count > 0).then_some(DataDiagnostic::ConstantColumns { source, count, columns })
    }

    /// The observation about held-out data, if there is one.
    pub fn of_held_out(data: &Dataset) -> Option<DataDiagnostic> {
        let table = data.table()?;
        let ones: u64 = table.examples().column_counts().iter().sum();
        let all = table.examples().rows() as u64 * table.examples().cols() as u64;
        let is_odd = table.binarise() != Binarise::AsIs && (ones == 0 || ones == all);
        is_odd.then(|| DataDiagnostic::RuleLeavesNothing {
            source: table.name.clone(),
            rule: table.binarise(),
            above: table.above(),
            value: u8::from(ones > 0),
        })
    }

    /// The assumption made when the data were read, if there is one.
    pub fn of_reading(data: &Dataset) -> Option<DataDiagnostic> {
        let table = data.table()?;
        let source = table.name.clone();
        table.assumption().map(|assumption| DataDiagnostic::Assumed { source, assumption })
    }
}

impl Assumption {
    /// A clause.
    pub fn words(self) -> &'static str {
        match self {
            Assumption::NumberedHeader => {
                "the first row counts the columns and is taken as a header"
            }
            Assumption::PandasIndex => "the index that pandas wrote is left out",
        }
    }
}
