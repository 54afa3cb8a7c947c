//! Values as pixels: colour scales, and PNG inside a data URI.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// How values become colours.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Colours {
    /// Dark blue to pale yellow, each step lighter than the one before.
    Sequence,
    /// White to black.
    Ink,
    /// Blue below zero, white at it, orange above.
    Signed,
}

impl Colours {
    /// What images with this range of values are drawn in.
    pub(super) fn of_images((low, high): (f32, f32)) -> Colours {
        if low.min(high) < 0.0 { Colours::Signed } else { Colours::Ink }
    }

    /// The colour of a value; nothing if it is no number.
    pub(super) fn rgb(self, value: f64, (low, high): (f64, f64)) -> Option<[u8; 3]> {
        if value.is_nan() {
            return None;
        }
        let part = if high == low { 0.5 } else { ((value - low) / (high - low)).clamp(0.0, 1.0) };
        Some(match self {
            Colours::Sequence => sequence(part),
            Colours::Ink => [((1.0 - part) * 255.0).round() as u8; 3],
            Colours::Signed => signed(value / low.abs().max(high.abs()).max(f64::MIN_POSITIVE)),
        })
    }

    /// The scale itself, from its lower to its upper end.
    pub(super) fn ramp(self, range: (f64, f64), steps: usize) -> Vec<Option<[u8; 3]>> {
        let at = |i: usize| i as f64 / (steps.max(2) - 1) as f64;
        (0..steps).map(|i| self.rgb(range.0 + at(i) * (range.1 - range.0), range)).collect()
    }
}

/// Lightness rises evenly while the hue goes from blue over teal to yellow. In the Oklab space
/// (B. Ottosson, 2020), where equal steps look equal.
fn sequence(part: f64) -> [u8; 3] {
    let lightness = 0.30 + 0.64 * part;
    let hue = (265.0 - 165.0 * part).to_radians();
    let chroma = 0.085 + 0.03 * part;
    oklab(lightness, chroma * libm::cos(hue), chroma * libm::sin(hue))
}

fn signed(part: f64) -> [u8; 3] {
    let end: [f64; 3] = if part < 0.0 { [0.0, 76.0, 153.0] } else { [196.0, 84.0, 0.0] };
    end.map(|c| (255.0 + (c - 255.0) * part.abs().min(1.0)).round() as u8)
}

fn oklab(l: f64, a: f64, b: f64) -> [u8; 3] {
    let long = (l + 0.396_337_777_4 * a + 0.215_803_757_3 * b).powi(3);
    let middle = (l - 0.105_561_345_8 * a - 0.063_854_172_8 * b).powi(3);
    let short = (l - 0.089_484_177_5 * a - 1.291_485_548_0 * b).powi(3);
    let linear = [
        4.076_741_662_1 * long - 3.307_711_591_3 * middle + 0.230_969_929_2 * short,
        -1.268_438_004_6 * long + 2.609_757_401_1 * middle - 0.341_319_396_5 * short,
        -0.004_196_086_3 * long - 0.703_418_614_7 * middle + 1.707_614_701_0 * short,
    ];
    linear.map(|c: f64| {
        let c = c.clamp(0.0, 1.0);
        let c = if c <= 0.003_130_8 { 12.92 * c } else { 1.055 * libm::pow(c, 1.0 / 2.4) - 0.055 };
        (c * 255.0).round() as u8
    })
}

/// The pixels, row by row from the upper left, as the address of a PNG image; transparent where
/// there is no colour or no pixel.
pub(super) fn data_uri(width: usize, height: usize, pixels: &[Option<[u8; 3]>]) -> String {
    let mut bytes = Vec::with_capacity(width * height * 4);
    for i in 0..width * height {
        match pixels.get(i).copied().flatten() {
            Some([r, g, b]) => bytes.extend([r, g, b, 255]),
            None => bytes.extend([0; 4]),
        }
    }
    let mut file = Vec::new();
    let (width, height) = (width as u32, height as u32);
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    // writing to memory fails only for an image without pixels; nothing is drawn then
    let written = encoder.write_header().and_then(|mut writer| writer.write_image_data(&bytes));
    if written.is_err() {
        file.clear();
    }
    format!("data:image/png;base64,{}", STANDARD.encode(&file))
}
