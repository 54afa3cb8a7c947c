//! Data options that cannot be parsed, or that do not fit the data.

use super::{ImageShape, name};
use crate::error::{Cause, Dialect, Kind};
use crate::options;

/// A setting of data that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DataSettingError {
    /// Text that is not a rule for binarising.
    Binarise {
        /// The text.
        text: String,
    },
    /// Text that is not a split.
    Split {
        /// The text.
        text: String,
    },
    /// Text that is not the shape of an image.
    Shape {
        /// The text.
        text: String,
    },
    /// A shape that does not have as many pixels as the data have columns.
    ShapeDoesNotFit {
        /// The shape.
        shape: ImageShape,
        /// The columns of the data.
        columns: usize,
    },
    /// A range of columns that does not exist or does not ascend.
    Drop {
        /// The range.
        text: String,
    },
}

impl Cause for DataSettingError {
    fn kind(&self) -> Kind {
        Kind::Options
    }

    fn words(&self, d: &dyn Dialect) -> String {
        match self {
            DataSettingError::Binarise { text } => format!(
                "{} is as-is, threshold:0.5 (or another number), static:1 (or another seed) or dynamic, \
                 not {text:?}",
                d.option(name::binarise)
            ),
            DataSettingError::Split { text } => format!(
                "{} is the shares of train/valid or train/valid/test, which add up to 1, such as \
                 0.8/0.1/0.1 or 0.9/0/0.1, not {text:?}",
                d.option(name::split)
            ),
            DataSettingError::Shape { text } => format!(
                "{} is width and height of an image, such as 28x28, not {text:?}",
                d.option(options::name::shape)
            ),
            DataSettingError::ShapeDoesNotFit { shape, columns } => {
                let pixels = shape.pixels().map_or("too many".to_owned(), |it| it.to_string());
                format!(
                    "{} has {pixels} pixels but the data have {columns} columns; give width and height \
                     of one example, or omit {}",
                    d.setting(options::name::shape, &shape.to_string()),
                    d.option(options::name::shape)
                )
            }
            DataSettingError::Drop { text } => format!(
                "{}: columns are counted from 1, and a range ascends, such as 4-6",
                d.setting(name::drop, text)
            ),
        }
    }
}
