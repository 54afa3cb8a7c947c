//! Small images in rows, with what is written under each.

use maud::{Markup, html};

use super::Images;
use super::number::{self, pixel};
use super::raster::{Colours, data_uri};
use super::text::{self, Anchor, HEADING, SMALL};

const BETWEEN: f64 = 12.0;

/// Images measured for a panel of a given width.
pub(super) struct Measured<'a> {
    images: &'a Images,
    title: Vec<String>,
    labels: Vec<Vec<String>>,
    columns: usize,
    /// The size of each on the drawing.
    width: f64,
    height: f64,
}

impl<'a> Measured<'a> {
    pub(super) fn new(images: &'a Images, width: f64) -> Measured<'a> {
        let count = images.images.len().max(1);
        let (across, down) = (images.width.max(1) as f64, images.height.max(1) as f64);
        // as large as fits in a row, but no larger than is pleasant and no smaller than is seen
        let least = 84.0_f64.min(width);
        let columns = (((width + BETWEEN) / (least + BETWEEN)) as usize).clamp(1, count);
        let columns = count.div_ceil(count.div_ceil(columns));
        let room = (width - BETWEEN * (columns - 1) as f64) / columns as f64;
        let wide = room.min(132.0).min(132.0 * across / down);
        // whole screen pixels for each pixel of the image, if they are not tiny
        let zoom = if wide / across >= 2.0 { (wide / across).floor() } else { wide / across };
        let (wide, tall) = (zoom * across, (zoom * down).max(1.0));
        let labels = images.images.iter();
        let labels = labels.map(|(label, _)| text::wrap(label, SMALL, wide + BETWEEN - 4.0));
        Measured {
            images,
            title: text::wrap(&images.title, HEADING, width - 8.0),
            labels: labels.collect(),
            columns,
            width: wide,
            height: tall,
        }
    }

    fn title_height(&self) -> f64 {
        match self.title.len() {
            0 => 6.0,
            lines => lines as f64 * text::line_height(HEADING) + 12.0,
        }
    }

    fn row_heights(&self) -> Vec<f64> {
        let lines = |row: &[Vec<String>]| row.iter().map(Vec::len).max().unwrap_or(0) as f64;
        let height = |row| self.height + lines(row) * text::line_height(SMALL) + 12.0;
        self.labels.chunks(self.columns).map(height).collect()
    }

    /// White to black needs no explanation; other scales get one.
    fn explained(&self) -> bool {
        self.images.range != (0.0, 1.0) && !self.images.images.is_empty()
    }

    pub(super) fn height(&self) -> f64 {
        let scale = if self.explained() { 32.0 } else { 0.0 };
        let rows = if self.labels.is_empty() { 24.0 } else { self.row_heights().iter().sum() };
        self.title_height() + rows + scale
    }

    /// The drawing from this upper left corner.
    pub(super) fn draw(&self, (left, top): (f64, f64)) -> Markup {
        let Images { width, height, range, images, .. } = self.images;
        let range = (f64::from(range.0), f64::from(range.1));
        let colours = Colours::of_images(self.images.range);
        let address = |pixels: &[f32]| {
            let pixels: Vec<_> =
                pixels.iter().map(|&value| colours.rgb(f64::from(value), range)).collect();
            data_uri(*width, *height, &pixels)
        };
        let rows = self.row_heights();
        let corner = |index: usize| {
            let (row, column) = (index / self.columns, index % self.columns);
            let x = left + 4.0 + column as f64 * (self.width + BETWEEN);
            (x, top + self.title_height() + rows[..row].iter().sum::<f64>())
        };
        let title_at = (left + 4.0, top + HEADING + 2.0);
        let under = top + self.title_height() + rows.iter().sum::<f64>();
        html! {
            (text::lines("label heading", &self.title, title_at, Anchor::Start, HEADING))
            @if images.is_empty() {
                @let at = (left + 4.0, under + 14.0);
                (text::line("label empty", "nothing to show yet", at, Anchor::Start, SMALL))
            }
            @for (index, (label, pixels)) in images.iter().enumerate() {
                @let (x, y) = corner(index);
                @if width * height > 0 {
                    image x=(pixel(x)) y=(pixel(y)) width=(pixel(self.width)) class="picture"
                        height=(pixel(self.height)) preserveAspectRatio="none" role="img"
                        aria-label=(text::clean(label)) href=(address(pixels))
                        style="image-rendering:pixelated" {}
                }
                rect class="axis" x=(pixel(x - 0.5)) y=(pixel(y - 0.5)) fill="none" stroke="#999999"
                    width=(pixel(self.width + 1.0)) height=(pixel(self.height + 1.0)) {}
                @let at = (x + self.width / 2.0, y + self.height + SMALL + 4.0);
                (text::lines("label", &self.labels[index], at, Anchor::Middle, SMALL))
            }
            @if self.explained() { (scale(colours, range, (left + 4.0, under))) }
        }
    }
}

/// The colours and what they mean, from the lower to the upper end.
fn scale(colours: Colours, range: (f64, f64), (left, top): (f64, f64)) -> Markup {
    const WIDTH: f64 = 160.0;
    let steps = 64;
    let address = data_uri(steps, 1, &colours.ramp(range, steps));
    // the ends, and zero where it lies well between them
    let largest = range.0.abs().max(range.1.abs());
    let at = |value: f64| (value - range.0) / (range.1 - range.0);
    let zero = (0.2..=0.8).contains(&at(0.0)).then_some(0.0);
    let ends = [Some(range.0), zero, Some(range.1)];
    let ticks: Vec<(f64, String)> = (ends.into_iter().flatten())
        .map(|value| (at(value), number::short(value, largest)))
        .filter(|(at, _)| at.is_finite())
        .collect();
    let inset = 20.0;
    html! {
        image class="scale" x=(pixel(left + inset)) y=(pixel(top)) width=(pixel(WIDTH)) height="9"
            preserveAspectRatio="none" href=(address) style="image-rendering:pixelated" {}
        @for (at, label) in &ticks {
            @let place = (left + inset + at * WIDTH, top + 9.0 + SMALL + 2.0);
            (text::line("label", label, place, Anchor::Middle, SMALL))
        }
    }
}
