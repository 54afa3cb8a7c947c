//! Why tensors are not a model.

use crate::{Cause, Dialect, Kind};

/// Tensors that are not a model.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ModelError {
    /// One of the tensors `W`, `b` and `c` is missing.
    Missing {
        /// Its name.
        name: &'static str,
        /// The first names among the tensors that there are.
        present: Vec<String>,
    },
    /// `W` is not a matrix.
    NotAMatrix {
        /// Its shape.
        shape: Vec<usize>,
    },
    /// A layer has no units.
    NoUnits {
        /// The shape of `W`.
        shape: [usize; 2],
    },
    /// `W` is [hidden, visible].
    Transposed {
        /// The shape of `W`.
        shape: [usize; 2],
    },
    /// A tensor holds values that are not finite.
    NotFinite {
        /// Its name.
        name: String,
    },
}

impl Cause for ModelError {
    fn kind(&self) -> Kind {
        Kind::Corrupt
    }

    fn words(&self, _: &dyn Dialect) -> String {
        match self {
            ModelError::Missing { name, present } => {
                let present = match present.as_slice() {
                    [] => "the file has no tensors".to_owned(),
                    names => format!("the file has `{}`", names.join("`, `")),
                };
                format!(
                    "tensor `{name}` is missing, {present}; a model has `W` [visible, hidden], `b` \
                     (hidden) and `c` (visible)"
                )
            }
            ModelError::NotAMatrix { shape } => {
                format!("tensor `W` has shape {shape:?} instead of [visible, hidden]")
            }
            ModelError::NoUnits { shape } => {
                format!("tensor `W` has shape {shape:?}; a model needs visible and hidden units")
            }
            ModelError::Transposed { shape: [rows, cols] } => format!(
                "tensor `W` is transposed: its shape is [{rows}, {cols}], but there are {cols} visible \
                 biases in `c` and {rows} hidden ones in `b`; save it as [visible, hidden]"
            ),
            ModelError::NotFinite { name } => format!(
                "tensor `{name}` holds values that are not finite; the training diverged, or the file \
                 is damaged"
            ),
        }
    }
}
