//! What can be wrong with a tensor, and with the bytes of a bundle.

use serde::{Deserialize, Serialize};

use crate::{Cause, Dialect, Kind};

/// A tensor that is missing, or is not what it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TensorError {
    /// There is no tensor of this name.
    Missing {
        /// The name.
        name: String,
    },
    /// Its numbers have another type.
    Dtype {
        /// Its name.
        name: String,
        /// The type of its numbers, as safetensors calls it.
        found: String,
        /// The type that is needed.
        wanted: String,
    },
    /// It has another shape.
    Shape {
        /// Its name.
        name: String,
        /// Its shape.
        found: Vec<usize>,
        /// The shape that is needed.
        wanted: Vec<usize>,
    },
    /// The values do not fill the shape that they should have.
    Count {
        /// Its name.
        name: String,
        /// The shape.
        shape: Vec<usize>,
        /// Number of values.
        values: usize,
    },
    /// Its values contradict each other.
    Inconsistent {
        /// Its name.
        name: String,
        /// What they should be.
        wanted: &'static str,
    },
}

impl Cause for TensorError {
    fn kind(&self) -> Kind {
        Kind::Corrupt
    }

    fn words(&self, _: &dyn Dialect) -> String {
        match self {
            TensorError::Missing { name } => format!("tensor `{name}` is missing"),
            TensorError::Inconsistent { name, wanted } => {
                format!("the values of tensor `{name}` are not {wanted}")
            }
            TensorError::Dtype { name, found, wanted } => {
                format!("tensor `{name}` holds {found} values instead of {wanted}")
            }
            TensorError::Shape { name, found, wanted } => {
                format!("tensor `{name}` has shape {found:?} instead of {wanted:?}")
            }
            TensorError::Count { name, shape, values } => {
                format!("tensor `{name}` cannot have shape {shape:?} with {values} values")
            }
        }
    }
}

/// Bytes that are not a bundle, or a damaged one. The words are a clause; what names the file adds to
/// them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum SealError {
    /// They end within the header.
    Truncated {
        /// Number of bytes.
        bytes: usize,
    },
    /// The header is longer than any that is read.
    LongHeader {
        /// Its length as the first bytes give it.
        bytes: usize,
        /// The most that is read.
        most: usize,
    },
    /// The header is not that of a safetensors file.
    Header {
        /// What its parser says.
        reason: String,
    },
    /// The metadata are not those that isotherm writes.
    Metadata {
        /// What their parser says.
        reason: String,
    },
    /// The tensors need another number of bytes than follow the header.
    Size {
        /// Bytes that they need.
        needed: usize,
        /// Bytes that follow.
        found: usize,
    },
    /// The place of a tensor is outside of the data.
    Outside {
        /// The tensor.
        name: String,
    },
    /// The contents do not match the checksum.
    Checksum,
    /// There is no checksum.
    Unsealed,
}

impl Cause for SealError {
    fn kind(&self) -> Kind {
        Kind::Corrupt
    }

    fn words(&self, _: &dyn Dialect) -> String {
        match self {
            SealError::Truncated { bytes } => {
                format!("it ends after {bytes} bytes, within its header")
            }
            SealError::LongHeader { bytes, most } => {
                format!("its header claims {bytes} bytes, and at most {most} are allowed")
            }
            SealError::Header { reason } => format!("its header is malformed ({reason})"),
            SealError::Metadata { reason } => format!("its metadata are malformed ({reason})"),
            SealError::Size { needed, found } => {
                format!("its tensors need {needed} bytes, but {found} follow the header")
            }
            SealError::Outside { name } => format!("tensor `{name}` lies outside of its data"),
            SealError::Checksum => "its contents do not match its checksum".to_owned(),
            SealError::Unsealed => "it has no isotherm checksum".to_owned(),
        }
    }
}

/// A bundle that cannot be written such that it could be read again.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreError {
    /// A tensor has a name that the format reserves.
    ReservedName,
    /// The format does not allow it.
    Format {
        /// What its writer says.
        reason: String,
    },
    /// It could not be read again.
    Unreadable(SealError),
}

impl Cause for StoreError {
    fn kind(&self) -> Kind {
        Kind::Corrupt
    }

    fn words(&self, dialect: &dyn Dialect) -> String {
        match self {
            StoreError::ReservedName => {
                "cannot store a tensor of the name `__metadata__`; choose another name".to_owned()
            }
            StoreError::Format { reason } => format!("cannot store the tensors: {reason}"),
            StoreError::Unreadable(why) => {
                format!("cannot store what could not be read again: {}", why.words(dialect))
            }
        }
    }
}

impl From<SealError> for StoreError {
    fn from(why: SealError) -> StoreError {
        StoreError::Unreadable(why)
    }
}
