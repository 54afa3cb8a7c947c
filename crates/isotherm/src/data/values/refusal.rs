//! Why a visitor refuses a value.

use crate::data::name;
use crate::error::{Action, Dialect};

/// Why a value cannot be used.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ValueProblem {
    /// It is neither 0 nor 1, and no rule makes it so.
    NotBinary {
        /// The value; NaN if it is missing.
        value: f64,
    },
    /// It is missing or infinite.
    Missing,
    /// It was not in the file when the file was read for the first time.
    Changed,
}

impl ValueProblem {
    /// What a message says after the value itself.
    pub fn words(self, d: &dyn Dialect) -> String {
        match self {
            ValueProblem::NotBinary { value } => format!("is not 0 or 1; {}", remedy(value, d)),
            ValueProblem::Missing => "is not a value; fill in or remove missing values".to_owned(),
            ValueProblem::Changed => {
                "was not there on first reading; wait until the file is complete".to_owned()
            }
        }
    }
}

/// What to do about a number that is neither 0 nor 1.
fn remedy(value: f64, d: &dyn Dialect) -> String {
    if !value.is_finite() {
        return "fill in or remove missing values".to_owned();
    }
    if value == -1.0 {
        let threshold = d.setting(name::binarise, "threshold:0");
        return format!("write spins of -1 and 1 as 0 and 1, or choose {threshold}");
    }
    let choices = format!(
        "choose {} (a fraction of 1 or of 255; from 1 on a value of the file), static:1 (drawn once, from \
         that seed) or dynamic (drawn again in every epoch); {} suggests a rule",
        d.setting(name::binarise, "threshold:0.5"),
        d.action(&Action::Inspect)
    );
    if value.fract() == 0.0 {
        format!(
            "recode the values as 0 and 1 and leave out columns of labels or numbers; or, for grey \
             values, {choices}"
        )
    } else {
        format!("binarise the values: {choices}")
    }
}
