//! Data whose distribution is known: an endless stream of examples, and the density they come from.

use std::fmt;

use isotherm_kernels::BitMatrix;

use super::{ImageShape, Modes};
use isotherm_tempering::streams::{Key, Purpose};

/// A distribution over rows of zeros and ones with a known density. A model trained on it can be compared with
/// the truth: no mean log-likelihood exceeds minus the entropy, and measuring a likelihood uses the density as a
/// control variate.
///
/// A [`Dataset`](super::Dataset) of it behaves like any other: training, likelihoods, run records and reports ask
/// the dataset and need no case for a new distribution. The paper's [`Mixture`](super::Mixture) is the first
/// implementation.
///
/// ```
/// use isotherm::data::{Dataset, KnownDensity};
/// use isotherm::{BitMatrix, Key, Purpose};
///
/// /// Two units that always agree, both on with probability 1/2.
/// #[derive(Debug)]
/// struct Twins;
///
/// impl KnownDensity for Twins {
///     fn name(&self) -> &str {
///         "twins"
///     }
///
///     fn n_visible(&self) -> usize {
///         2
///     }
///
///     fn draw(&self, rows: usize, key: Key, purpose: Purpose, out: &mut BitMatrix) {
///         out.clear_rows();
///         for row in 0..rows {
///             let uniform = key.lanes(purpose, row).next_uniforms().0[0];
///             out.push_row(&[if uniform < 0.5 { 0b11 } else { 0b00 }]);
///         }
///     }
///
///     fn log_density(&self, x: &[u64]) -> f64 {
///         if matches!(x[0], 0b00 | 0b11) { -2f64.ln() } else { f64::NEG_INFINITY }
///     }
///
///     fn entropy(&self) -> f64 {
///         2f64.ln()
///     }
///
///     fn marginals(&self) -> Vec<f64> {
///         vec![0.5; 2]
///     }
///
///     fn identity(&self) -> Vec<u8> {
///         b"twins".to_vec()
///     }
/// }
///
/// let data = Dataset::from_density(Twins);
/// assert_eq!(data.limit(), Some(-2f64.ln()));
/// assert_eq!(data.examples(), None, "there is no end of them");
/// ```
pub trait KnownDensity: fmt::Debug + Send + Sync {
    /// A short name, for records and for the text "measured on ...".
    fn name(&self) -> &str;

    /// A clause that introduces the data to a reader.
    fn describe(&self) -> String {
        format!("{}: an endless stream of {} variables", self.name(), self.n_visible())
    }

    /// The number of variables.
    fn n_visible(&self) -> usize;

    /// Makes `out` hold independent examples and nothing else. Row i may use only the random stream
    /// (`key`, `purpose`, i), so that an example depends neither on how many are drawn nor on threads.
    fn draw(&self, rows: usize, key: Key, purpose: Purpose, out: &mut BitMatrix);

    /// The log density log f(x) of a row of bits.
    fn log_density(&self, x: &[u64]) -> f64;

    /// The entropy −E[log f] in nats.
    fn entropy(&self) -> f64;

    /// P(x_j = 1) of every variable.
    fn marginals(&self) -> Vec<f64>;

    /// Bytes that no other distribution of the kind has: their SHA-256 is the digest of the data, by which a run
    /// recognises them when it is resumed.
    fn identity(&self) -> Vec<u8>;

    /// The examples that likelihoods are measured on, `per_stratum` from each stratum of the distribution and the
    /// same ones each time. Unless a distribution has strata of its own, it is one stratum.
    fn strata(&self, per_stratum: usize) -> Vec<Stratum> {
        let mut examples = BitMatrix::zeros(0, self.n_visible());
        self.draw(per_stratum, Key { seed: 0, step: 0 }, Purpose::Evaluation, &mut examples);
        vec![Stratum { weight: 1.0, examples }]
    }

    /// The modes, if the distribution has modes that a model could lose.
    fn modes(&self) -> Option<Modes<'_>> {
        None
    }

    /// Width and height, if the examples are images.
    fn shape(&self) -> Option<ImageShape> {
        None
    }
}

/// Examples of a part of a distribution.
#[derive(Clone, Debug)]
pub struct Stratum {
    /// The probability of the part.
    pub weight: f64,
    /// Independent draws from it.
    pub examples: BitMatrix,
}
