//! Width and height of examples that are images: to draw them, to allow pixels that never change, and to
//! know which pixels are neighbours.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::DataSettingError;
use crate::error::{Error, Result};

/// The smallest side of an image whose shape is guessed.
const SMALLEST_SIDE: usize = 4;

/// The smallest side of a square that is treated as an image where this changes what a run does.
const SURE_SIDE: usize = 8;

/// Columns are the pixels of an image if neighbours differ by less than this fraction of what columns
/// without an order differ by.
const SMOOTH: f64 = 0.5;

/// The shape of an image whose pixels lie row by row. Written `28x28`, width first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ImageShape {
    /// Pixels in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
}

impl ImageShape {
    /// The square with this many pixels, if there is one that is large enough to be an image.
    pub fn guess(pixels: usize) -> Option<ImageShape> {
        let side = pixels.isqrt();
        (side >= SMALLEST_SIDE && side * side == pixels)
            .then_some(ImageShape { width: side, height: side })
    }

    /// The shape of 0/1 examples with these means, if they are large squares whose mean picture is
    /// smooth.
    pub(crate) fn of_pictures(means: &[f64]) -> Option<ImageShape> {
        let square = ImageShape::guess(means.len()).filter(|shape| shape.width >= SURE_SIDE);
        square.filter(|shape| shape.is_smooth(means, |at| means[at] > 0.0 && means[at] < 1.0))
    }

    /// Whether neighbouring pixels of a picture are alike in both directions. Only pixels that vary count,
    /// because constant columns alone would make a table smooth. A table with sorted columns is smooth
    /// along its rows and, because each row continues the one before, nearly as smooth across them. But
    /// there, a step to the row below changes more than a step of half a row.
    pub fn is_smooth(self, picture: &[f64], varies: impl Fn(usize) -> bool) -> bool {
        let varying: Vec<usize> = (0..picture.len()).filter(|&at| varies(at)).collect();
        let mean_over = |places: &[usize], value: &dyn Fn(usize) -> Option<f64>| {
            let (sum, count) = (places.iter().filter_map(|&at| value(at)))
                .fold((0.0, 0.0), |(sum, count), x| (sum + x, count + 1.0));
            sum / count // NaN where there is none: no comparison with it holds
        };
        let center = mean_over(&varying, &|at| Some(picture[at]));
        let variance = mean_over(&varying, &|at| Some((picture[at] - center).powi(2)));
        // The mean squared difference of pixels so far apart: twice the variance if they have no order.
        let apart = |lag: usize, in_a_row: bool| {
            mean_over(&varying, &|at| {
                let other = at + lag;
                let pair = other < picture.len() && varies(other);
                let broken = in_a_row && at % self.width + lag >= self.width;
                (pair && !broken).then(|| (picture[at] - picture[other]).powi(2))
            })
        };
        let (right, below) = (apart(1, true), apart(self.width, false));
        right + below < SMOOTH * 4.0 * variance && below < apart(self.width / 2, false)
    }

    /// The number of pixels, unless it overflows.
    pub fn pixels(self) -> Option<usize> {
        self.width.checked_mul(self.height)
    }

    /// Refuses a shape that does not fit data of this width.
    pub fn check(self, columns: usize) -> Result<()> {
        match self.pixels() == Some(columns) {
            true => Ok(()),
            false => Err(DataSettingError::ShapeDoesNotFit { shape: self, columns }.into()),
        }
    }
}

impl fmt::Display for ImageShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

impl FromStr for ImageShape {
    type Err = Error;

    fn from_str(text: &str) -> Result<ImageShape> {
        let size = |side: &str| side.trim().parse().ok().filter(|&size: &usize| size > 0);
        let sides = text.split_once(['x', '×']).map(|(width, height)| (size(width), size(height)));
        match sides {
            Some((Some(width), Some(height))) => Ok(ImageShape { width, height }),
            _ => Err(DataSettingError::Shape { text: text.to_owned() }.into()),
        }
    }
}

impl TryFrom<String> for ImageShape {
    type Error = Error;

    fn try_from(text: String) -> Result<ImageShape> {
        text.parse()
    }
}

impl From<ImageShape> for String {
    fn from(shape: ImageShape) -> String {
        shape.to_string()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_is_read_as_it_is_written() {
        let shape: ImageShape = "16x9".parse().unwrap();
        assert_eq!(shape, ImageShape { width: 16, height: 9 });
        assert_eq!(shape.to_string(), "16x9");
        for wrong in ["", "28", "28x", "x28", "0x5", "-1x5", "1.5x2", "2x2x2"] {
            let refusal = wrong.parse::<ImageShape>().unwrap_err();
            assert_eq!(refusal.cause(), Some(&DataSettingError::Shape { text: wrong.to_owned() }));
            assert!(refusal.kind() == crate::Kind::Options, "{wrong}");
        }
    }

    #[test]
    fn a_shape_must_fit_and_only_squares_are_guessed() {
        let shape: ImageShape = "16x9".parse().unwrap();
        assert!(shape.check(144).is_ok());
        let refusal = shape.check(145).unwrap_err();
        let cause = DataSettingError::ShapeDoesNotFit { shape, columns: 145 };
        assert_eq!(refusal.cause(), Some(&cause));
        let words = refusal.to_string();
        assert!(words.contains("144 pixels") && words.contains("145 columns"), "{words}");
        let huge = ImageShape { width: usize::MAX, height: 2 };
        assert!(huge.check(usize::MAX - 1).is_err());
        assert_eq!(ImageShape::guess(784), Some(ImageShape { width: 28, height: 28 }));
        assert_eq!(ImageShape::guess(785), None);
        assert_eq!(ImageShape::guess(9), None, "nine variables are hardly an image");
    }

    #[test]
    fn pictures_are_large_and_smooth() {
        let hill = |side: usize| -> Vec<f64> {
            let at = |i: usize| i as f64 / side as f64 - 0.5;
            let height = |i: usize| (-8.0 * (at(i % side).powi(2) + at(i / side).powi(2))).exp();
            (0..side * side).map(|i| 0.99 * height(i)).collect()
        };
        assert_eq!(ImageShape::of_pictures(&hill(8)), ImageShape::guess(64));
        assert_eq!(ImageShape::of_pictures(&hill(7)), None, "too small to be sure");
        assert_eq!(ImageShape::of_pictures(&hill(8)[..63]), None);
        let mut table: Vec<f64> = (0..64).map(|i| (1 + i * 37 % 64) as f64 / 65.0).collect();
        assert_eq!(ImageShape::of_pictures(&table), None);
        table[24..].fill(0.0);
        assert_eq!(ImageShape::of_pictures(&table), None, "most of it never changes");
        let sorted: Vec<f64> = (0..64).map(|i| 0.9 / (i + 1) as f64).collect();
        assert_eq!(ImageShape::of_pictures(&sorted), None);
        assert_eq!(ImageShape::of_pictures(&[0.5; 64]), None, "nothing to see");
    }
}
