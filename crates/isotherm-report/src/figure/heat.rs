//! Colours behind the series of a plot, and the scale beside it.

use maud::{Markup, html};

use super::axis::{Room, Ruler, Tick};
use super::frame::Frame;
use super::number::pixel;
use super::raster::{Colours, data_uri};
use super::text::{self, Anchor, NORMAL, SMALL};
use super::{Axis, Heat};

/// The scale of the colours, measured.
pub(super) struct ColourBar {
    ticks: Vec<Tick>,
    label: Vec<String>,
    /// How much room it takes beside the box.
    pub width: f64,
}

impl ColourBar {
    /// The scale beside a box of this height.
    pub(super) fn new(heat: &Heat, height: f64) -> ColourBar {
        let axis = Axis::linear("").over(heat.range.0, heat.range.1);
        let ticks = Ruler::new(&axis, std::iter::empty(), Room::default()).ticks(5);
        let label = text::wrap(&heat.label, NORMAL, height + 40.0);
        let widest = ticks.iter().map(|tick| text::width(&tick.label, SMALL)).fold(0.0, f64::max);
        let width = 28.0 + widest + 8.0 + label.len() as f64 * text::line_height(NORMAL);
        ColourBar { ticks, label, width }
    }

    /// The colours behind the series, and their scale to the right of the box.
    pub(super) fn draw(&self, heat: &Heat, frame: &Frame<'_>) -> Markup {
        let rgb = |value: &Option<f32>| {
            value.and_then(|value| Colours::Sequence.rgb(f64::from(value), heat.range))
        };
        let pixels: Vec<_> = heat.values.iter().map(rgb).collect();
        let mut ramp = Colours::Sequence.ramp((0.0, 1.0), 128);
        ramp.reverse();
        let image = |left: f64, width: f64, address: String| {
            html! {
                image class="heat" x=(pixel(left)) y=(pixel(frame.top)) width=(pixel(width))
                    height=(pixel(frame.height)) preserveAspectRatio="none" href=(address)
                    style="image-rendering:pixelated" {}
            }
        };
        let left = frame.right() + 14.0;
        let end = left + self.width - 14.0;
        let spacing = text::line_height(NORMAL);
        let middle = frame.top + frame.height / 2.0;
        html! {
            @if heat.columns * heat.rows > 0 {
                (image(frame.left, frame.width, data_uri(heat.columns, heat.rows, &pixels)))
            }
            (image(left, 12.0, data_uri(1, ramp.len(), &ramp)))
            @for tick in &self.ticks {
                @let y = frame.bottom() - tick.at * frame.height;
                path class="axis" fill="none" stroke="#555555"
                    d=(format!("M{} {}h4", pixel(left + 12.0), pixel(y))) {}
                @let at = (left + 19.0, y + SMALL * 0.36);
                (text::line("label", &tick.label, at, Anchor::Start, SMALL))
            }
            @for (i, line) in self.label.iter().rev().enumerate() {
                (text::upwards(line, (end - 4.0 - i as f64 * spacing, middle)))
            }
        }
    }
}
