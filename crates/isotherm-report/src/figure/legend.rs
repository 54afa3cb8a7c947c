//! The legend: an entry for every named series, which a page makes a switch.

use maud::{Markup, html};

use super::number::pixel;
use super::palette::{colour, marks, slot};
use super::text::{self, Anchor, NORMAL};
use super::{Series, Shape};

/// From the left of an entry to its text.
const SAMPLE: f64 = 30.0;
const BETWEEN: f64 = 16.0;

/// Entries laid out in rows.
pub(super) struct Legend<'a> {
    entries: Vec<Entry<'a>>,
    /// How far down it reaches.
    pub height: f64,
    /// How far to the right.
    pub width: f64,
}

struct Entry<'a> {
    index: usize,
    series: &'a Series,
    lines: Vec<String>,
    x: f64,
    y: f64,
    width: f64,
}

impl<'a> Legend<'a> {
    /// The named ones of these series, in rows no wider than this.
    pub(super) fn new(series: &'a [Series], most: f64) -> Legend<'a> {
        let mut legend = Legend { entries: Vec::new(), height: 0.0, width: 0.0 };
        let (mut x, mut y, mut row) = (0.0, 0.0, 0.0_f64);
        for (index, series) in series.iter().enumerate().filter(|(_, s)| !s.name.is_empty()) {
            let lines = text::wrap(&series.name, NORMAL, most - SAMPLE - 4.0);
            let widest = lines.iter().map(|l| text::width(l, NORMAL)).fold(0.0, f64::max);
            let (width, height) = (SAMPLE + widest, lines.len() as f64 * text::line_height(NORMAL));
            if x > 0.0 && x + width > most {
                (x, y, row) = (0.0, y + row + 3.0, 0.0);
            }
            legend.entries.push(Entry { index, series, lines, x, y, width });
            legend.width = legend.width.max(x + width);
            x += width + BETWEEN;
            row = row.max(height);
            legend.height = y + row + 8.0;
        }
        legend
    }

    /// The entries, from this upper left corner.
    pub(super) fn draw(&self, (left, top): (f64, f64), marked: bool) -> Markup {
        html! {
            @for entry in &self.entries {
                (entry.draw((left + entry.x, top + entry.y), marked))
            }
        }
    }
}

impl Entry<'_> {
    fn draw(&self, (x, y): (f64, f64), marked: bool) -> Markup {
        let (series, middle) = (self.series, y + 8.0);
        let ink = colour(series.colour);
        let dashes = (series.shape == Shape::Dashed).then_some("6 4");
        let lined = matches!(series.shape, Shape::Line | Shape::Dashed | Shape::LineAndDots);
        let dotted = matches!(series.shape, Shape::Dots | Shape::LineAndDots) || marked && lined;
        let stroke = format!("M{} {}h24", pixel(x), pixel(middle));
        let height = self.lines.len() as f64 * text::line_height(NORMAL);
        html! {
            g class={ "legend-entry c" (slot(series.colour)) } data-series=(self.index)
                role="button" tabindex="0" aria-pressed="true"
                aria-label=(text::clean(&series.name)) {
                // the whole entry can be clicked, not its strokes alone
                rect class="hit" x=(pixel(x)) y=(pixel(y)) width=(pixel(self.width))
                    height=(pixel(height)) fill="none" pointer-events="all" {}
                @if lined {
                    path class="stroke" d=(stroke) fill="none"
                        stroke=(ink) stroke-width="1.8" stroke-dasharray=[dashes] {}
                }
                @if dotted {
                    (marks(series.colour, &[(x + 12.0, middle)], 3.6))
                }
                @if series.shape == Shape::Bars {
                    rect class="fill" x=(pixel(x + 6.0)) y=(pixel(middle - 6.0)) width="12"
                        height="12" fill=(ink) {}
                }
                (text::lines("label", &self.lines, (x + SAMPLE, y + NORMAL), Anchor::Start, NORMAL))
            }
        }
    }
}
