//! What is wrong with NumPy arrays, alone or in an archive.

use isotherm::data::values::shown;

/// What to do about a file that NumPy would not have written.
const SAVE_AGAIN: &str = "save the array again with numpy.save";

/// What is wrong with a NumPy array.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NpyProblem {
    /// It does not begin like one.
    NotNpy,
    /// Its version is not 1, 2 or 3.
    Version,
    /// The file ends inside the header.
    HeaderEnds,
    /// The header is longer than headers are.
    HeaderTooLong {
        /// The most bytes it may have.
        most: u64,
    },
    /// The header cannot be parsed.
    Header {
        /// Its text.
        text: String,
    },
    /// It holds structures, times or the like.
    NotNumbers,
    /// It holds numbers of a type that is not supported.
    Dtype {
        /// The type.
        dtype: String,
    },
}

/// What is wrong with an archive of NumPy arrays, which is a zip file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ArchiveProblem {
    /// The zip file cannot be decoded.
    Damaged {
        /// The words of the decoder.
        why: String,
    },
    /// There is no NumPy array in it.
    NoArrays,
    /// It holds a sparse matrix of SciPy.
    Sparse,
    /// An entry with the name of an array is not one.
    NotNpy,
}

impl NpyProblem {
    pub(super) fn words(&self) -> String {
        match self {
            NpyProblem::NotNpy => format!("this is not an npy file; {SAVE_AGAIN}"),
            NpyProblem::Version => format!("the npy version is not 1, 2 or 3; {SAVE_AGAIN}"),
            NpyProblem::HeaderEnds => {
                "the file ends inside its npy header; copy or save it again".to_owned()
            }
            NpyProblem::HeaderTooLong { most } => {
                format!("the npy header is longer than {most} bytes; {SAVE_AGAIN}")
            }
            NpyProblem::Header { text } => {
                let text = shown(text.trim(), 80);
                format!("the npy header \"{text}\" cannot be used; {SAVE_AGAIN}")
            }
            NpyProblem::NotNumbers => {
                "the array does not hold plain numbers; save it as bool, integer or float"
                    .to_owned()
            }
            NpyProblem::Dtype { dtype } => format!(
                "an array of dtype {} is not supported; save it as bool, integer, float32 or float64",
                shown(dtype, 40)
            ),
        }
    }
}

impl ArchiveProblem {
    pub(super) fn words(&self) -> String {
        match self {
            ArchiveProblem::Damaged { why } => {
                format!("the zip file is damaged ({}); copy or save it again", shown(why, 80))
            }
            ArchiveProblem::NoArrays => {
                "this zip file holds no .npy array; save arrays with numpy.savez, or unpack it".to_owned()
            }
            ArchiveProblem::Sparse => {
                "this is a sparse matrix of SciPy; save the full matrix, x.toarray(), with numpy.save"
                    .to_owned()
            }
            ArchiveProblem::NotNpy => {
                "this is not an npy array; save it with numpy.savez".to_owned()
            }
        }
    }
}
