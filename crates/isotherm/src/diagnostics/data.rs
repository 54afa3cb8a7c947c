//! What is worth knowing about data, without being an error.

use serde::{Deserialize, Serialize};

use crate::data::{Binarise, Dataset, Scale};
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
                let above = above.map_or(String::new(), |it| format!(", that is above {it}"));
                format!(
                    "{source} ({rule}{above}): every value is {value}; check that the rule suits the file"
                )
            }
        }
    }

    /// What is worth knowing about data before learning from them.
    pub fn of_training(data: &Dataset) -> Option<DataDiagnostic> {
        let Dataset::Table(table) = data else { return None };
        let (count, columns) = (table.constant_columns().len(), table.examples.cols());
        let source = table.name.clone();
        (count > 0).then_some(DataDiagnostic::ConstantColumns { source, count, columns })
    }

    /// What is odd about data that are only measured.
    pub fn of_held_out(data: &Dataset) -> Option<DataDiagnostic> {
        let Dataset::Table(table) = data else { return None };
        let ones: u64 = table.examples.column_counts().iter().sum();
        let all = table.examples.rows() as u64 * table.examples.cols() as u64;
        let above = match table.binarise {
            Binarise::Threshold(level) if table.scale == Scale::Bytes => {
                Some(level * table.scale.full())
            }
            _ => None,
        };
        let is_odd = table.binarise != Binarise::AsIs && (ones == 0 || ones == all);
        is_odd.then(|| DataDiagnostic::RuleLeavesNothing {
            source: table.name.clone(),
            rule: table.binarise,
            above,
            value: u8::from(ones > 0),
        })
    }
}
